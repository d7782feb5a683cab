// How far a run is, on one line of standard error; and Ctrl-C.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "vessiot/solve.hpp"

namespace vessiot::cli {

// Wall time since the process was started, in seconds.
double seconds_since_start();

// From now on the first Ctrl-C only sets a flag; another one, half a second later or more, ends the process as usual.
void catch_interrupt();
bool is_interrupted();

// "auto": where standard error is a terminal, after a moment; "always"; "never". Throws InvalidInput for another word.
bool wants_progress(const std::string& word);

// 42 %   t = 4.2   h = 0.013   1234 steps   3 s left
std::string progress_text(const Progress& progress, double elapsed_s);

// A line that is written over, at most ten times a second, and erased at the end. Where standard error is no terminal,
// lines follow each other, at most one a second.
class ProgressLine {
public:
    explicit ProgressLine(bool is_shown);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine();

    void show(const Progress& progress);

private:
    using Clock = std::chrono::steady_clock;

    bool is_shown_;
    bool is_terminal_;
    bool has_line_ = false;
    Clock::time_point begin_, next_;
};

} // namespace vessiot::cli
