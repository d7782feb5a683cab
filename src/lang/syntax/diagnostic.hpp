// Errors and warnings that point at a place of a model.
//
//     pendulum.ves:5:8: 'lamda' is not a name of this model; did you mean 'lambda'?
//         x'' = -lamda*x
//                ^~~~~
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "lang/syntax/source.hpp"

namespace vessiot::lang {

// what() is the whole text shown above; the parts are there for programs (editors, JSON).
class ModelError : public InvalidInput {
public:
    ModelError(const Source& source, Span span, const std::string& message);

    Position position() const { return position_; }
    const std::string& message() const { return message_; } // without place and line

private:
    Position position_;
    std::string message_;
};

// Throws ModelError.
[[noreturn]] void fail(const Source& source, Span span, const std::string& message);

// Warnings in the order in which they were found, each formatted like an error with "warning: " before its text.
using Warnings = std::vector<std::string>;
void warn(Warnings& warnings, const Source& source, Span span, const std::string& message);

// "name:line:column: message", the line without its indentation after four spaces, and a caret line below it. Of a
// span over several lines the part in the first one is underlined; a long line is cut to a window around it.
std::string format_diagnostic(const Source& source, Span span, std::string_view message);

} // namespace vessiot::lang
