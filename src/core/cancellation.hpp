// Work that takes long before anything can be shown (the analysis of a large model) asks now and then whether it is
// still wanted.
#pragma once

#include <chrono>
#include <exception>
#include <functional>

namespace vessiot {

// Nobody wants the result any more.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "cancelled"; }
};

// While it lives, check_cancelled() in this thread asks `is_wanted`, at most ten times a second.
class Cancellation {
public:
    explicit Cancellation(std::function<bool()> is_wanted);
    Cancellation(const Cancellation&) = delete;
    Cancellation& operator=(const Cancellation&) = delete;
    ~Cancellation();

private:
    friend void check_cancelled();
    void ask();

    std::function<bool()> is_wanted_;
    Cancellation* outer_;
    int n_calls_ = 0;
    std::chrono::steady_clock::time_point next_;
};

// Throws Cancelled where that is the case. Nanoseconds: may stand in any loop whose rounds do some work.
void check_cancelled();

} // namespace vessiot
