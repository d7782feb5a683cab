// Standard output and standard error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace vessiot::cli {

enum ExitStatus : int { exit_success = 0, exit_failed = 1, exit_invalid = 2 };

// Standard output cannot be written: a full disk, a closed file; or nobody reads it after Ctrl-C.
class OutputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Text for people: writes all of it, and makes sure of it. Names in it may come from anywhere: control characters are
// written out (core/printable.hpp).
void write_output(std::string_view text);

// The same for a JSON text, or a part of one, and for a whole object; bytes that are not UTF-8 are replaced.
void write_json_output(std::string_view text);
void write_json(const nlohmann::ordered_json& object);

// To standard error, with a line end; control characters as above.
void write_message(std::string_view text);

} // namespace vessiot::cli
