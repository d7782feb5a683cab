#include "cli/progress.hpp"

#include <csignal>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace vessiot::cli {

namespace {

using std::chrono::steady_clock;

// NOTE: at the start of main the process has already been loaded and linked; the processor time of that counts, too.
double seconds_before_main() {
    std::timespec used{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

const steady_clock::time_point begin_of_main = steady_clock::now();
const double before_main = seconds_before_main();

volatile std::sig_atomic_t interrupted = 0; // the signal that did it
timespec first_interrupt{};

// NOTE: one Ctrl-C may come as several signals, by way of the terminal and of a program that started this one. What a
// person does again takes longer. Only functions that are safe in a signal handler.
void on_interrupt(int signal) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (interrupted == 0) {
        first_interrupt = now;
        interrupted = signal;
        return;
    }
    const double since = static_cast<double>(now.tv_sec - first_interrupt.tv_sec) +
                         1e-9 * static_cast<double>(now.tv_nsec - first_interrupt.tv_nsec);
    if (since < 0.5) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

double seconds(steady_clock::duration d) {
    return std::chrono::duration<double>(d).count();
}

// 12.3, 12.3 k, 12.3 M
std::string short_count(double n) {
    if (n < 1e3) return fmt::format("{:.3g}", n);
    return n < 999.5e3 ? fmt::format("{:.3g} k", n / 1e3) : fmt::format("{:.3g} M", n / 1e6);
}

std::string time_left_text(double s) {
    if (s < 60) return fmt::format("{:.0f} s left", s);
    if (s < 3600) return fmt::format("{:.0f} min left", s / 60);
    if (s < 48 * 3600) return fmt::format("{:.1f} h left", s / 3600);
    return fmt::format("{:.0f} days left", s / (24 * 3600));
}

} // namespace

double seconds_since_start() {
    return before_main + seconds(steady_clock::now() - begin_of_main);
}

void catch_interrupt() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup{};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) // nohup wants it to go on
        sigaction(SIGHUP, &action, nullptr);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is one that cannot be written, with a message
}

bool is_interrupted() {
    return interrupted != 0;
}

int interrupt_status() {
    return 128 + (interrupted != 0 ? interrupted : SIGINT);
}

bool wants_progress(const std::string& word) {
    if (word == "always") return true;
    if (word == "never") return false;
    if (word == "auto") return ::isatty(STDERR_FILENO) == 1;
    throw InvalidInput(fmt::format("--progress must be one of auto, always, never, but found '{}'", word));
}

std::string progress_text(const Progress& p, const Pace& pace) {
    std::string text =
        fmt::format("{:3.0f} %   t = {:<10.6g}   h = {:<9.2e}   {} steps", 100 * p.fraction, p.t, p.h, p.steps);
    if (pace.steps > 0) text += fmt::format(", {} a second", short_count(pace.steps));
    if (pace.fraction > 0 && p.fraction <= 1) text += "   " + time_left_text((1 - p.fraction) / pace.fraction);
    return text;
}

ProgressLine::ProgressLine(bool is_shown)
    : is_shown_(is_shown), is_terminal_(::isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + std::chrono::milliseconds(300)) {}

ProgressLine::~ProgressLine() {
    if (has_line_ && is_terminal_) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
    }
}

// A run that was resumed has steps of its past; what counts is how they grow.
Pace ProgressLine::pace(const Sample& now) {
    constexpr auto window = std::chrono::seconds(10);
    if (!before_) before_ = middle_ = now;
    if (now.time - middle_->time > window) {
        before_ = middle_;
        middle_ = now;
    }
    const double elapsed = seconds(now.time - before_->time);
    if (elapsed < 0.2) return {};
    return {static_cast<double>(now.progress.steps - before_->progress.steps) / elapsed,
            (now.progress.fraction - before_->progress.fraction) / elapsed};
}

void ProgressLine::show(const Progress& progress) {
    if (!is_shown_) return;
    const auto now = Clock::now();
    const Pace speed = pace({now, progress});
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(is_terminal_ ? 100 : 1000);
    const std::string text = progress_text(progress, speed);
    std::fputs((is_terminal_ ? "\r" + text + "\033[K" : text + "\n").c_str(), stderr);
    std::fflush(stderr);
    has_line_ = true;
}

} // namespace vessiot::cli
