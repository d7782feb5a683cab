// How far a run is, on one line of standard error; and Ctrl-C.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "vessiot/solve.hpp"

namespace vessiot::cli {

// Wall time since the process was started, in seconds.
double seconds_since_start();

// From now on the first Ctrl-C only sets a flag, and so do SIGTERM and SIGHUP; another one, half a second later or
// more, ends the process as usual. Files that reach their largest size do not end it.
void catch_interrupt();
bool is_interrupted();
// What the process exits with then: 128 and the number of the signal, 130 for Ctrl-C.
int interrupt_status();

// "auto": where standard error is a terminal, after a moment; "always"; "never". Throws InvalidInput for another word.
bool wants_progress(const std::string& word);

// How fast a run is, measured over the last ten to twenty seconds; 0: not known yet.
struct Pace {
    double steps = 0, fraction = 0; // in a second
};

// 42 %   t = 4.2   h = 1.30e-02   1234567 steps, 312 k a second   3 s left
std::string progress_text(const Progress& progress, const Pace& pace);

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

    struct Sample {
        Clock::time_point time;
        Progress progress;
    };
    Pace pace(const Sample& now);

    bool is_shown_;
    bool is_terminal_;
    bool has_line_ = false;
    Clock::time_point next_;
    std::optional<Sample> before_, middle_; // the first one of this process, or ten to twenty seconds ago
};

} // namespace vessiot::cli
