// What a run of a system is: solved, refused, failed with a reason, or wrong.
#pragma once

#include <string>

#include "differential/run.hpp"
#include "differential/system.hpp"

namespace vessiot::differential {

enum class Verdict {
    solved,
    refused, // before the first step: `reason`
    failed,  // on the way, and said so: `reason`
    unclear, // an error whose size cannot be judged: disturbances grow too much, or cannot be followed
    known,   // a finding that is known (known.hpp)
    wrong,   // a finding: `reason` is its kind, see below
};
inline constexpr std::string_view verdict_names[] = {"solved", "refused", "failed", "unclear", "known", "WRONG"};

// Kinds of findings: error (at the end of steps), between (them), events (met elsewhere, not at all, or too often),
// residual, words, backend, exception; of a process (child.hpp) signal, hang.
struct Outcome {
    Verdict verdict = Verdict::solved;
    std::string reason{};
    std::string detail{}; // one line
};

// A success must be right: within 1000 x tolerance x the growth of disturbances.
inline constexpr double allowed_error = 1000;
// Growth beyond this is not believed: solutions and equations are made with derivatives of size 1.
inline constexpr double largest_growth = 1e4;
inline constexpr double allowed_residual = 1e-9;

// `text` is the model, model_text(system) unless a test wants to see that a wrong one is found.
Outcome judge_text(const System& system, const RunOptions& run, const std::string& text);
Outcome judge(const System& system, const RunOptions& run);

// The words of a message that belong to the inside of a program; empty: none.
std::string internal_word(const std::string& message);
// A message without its numbers and names, to count messages of one kind.
std::string kind_of(const std::string& message);

} // namespace vessiot::differential
