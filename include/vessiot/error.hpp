// The errors of the library that a caller is expected to catch.
#pragma once

#include <stdexcept>
#include <string>

namespace vessiot {

// The input of the user is wrong: a model, an option, a file, a start point. Nothing has been computed yet. The text
// says what was found, what was needed and, where it can, what to write instead. The program exits with status 2.
class InvalidInput : public std::runtime_error {
public:
    explicit InvalidInput(const std::string& message) : std::runtime_error(message) {}
};

// A function of a callable system has no finite value at a point: outside of its domain, or an element of the result
// that was never set. What was asked for makes sense elsewhere: a solver takes a smaller step.
class EvaluationFailed : public std::runtime_error {
public:
    explicit EvaluationFailed(const std::string& message) : std::runtime_error(message) {}
};

} // namespace vessiot
