// Singular as a process.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "decompose/answer.hpp"

namespace vessiot::decompose {

// Singular is not there, ended early or said what is not understood. The text is for people.
class SingularFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Interrupted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct SingularSettings {
    double time_limit_s = 60;
    std::function<bool()> is_interrupted{};
};

struct SingularResult {
    Answer answer;
    std::string problem; // why the answer is not complete; empty: it is
};

// Runs the program named by the environment variable VESSIOT_SINGULAR, else `Singular`. A result has all components at
// least. Throws SingularFailed, Interrupted.
SingularResult ask_singular(const PolynomialSystem& system, const SingularSettings& settings);

} // namespace vessiot::decompose
