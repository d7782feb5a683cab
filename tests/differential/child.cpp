#include "differential/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace vessiot::differential {
namespace {

// Texts are sent with their lengths before them.
void send(int out, const std::string& text) {
    const std::string all = fmt::format("{:8d}", text.size()) + text;
    for (std::size_t done = 0; done < all.size();) {
        const ssize_t n = ::write(out, all.data() + done, all.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(3);
        done += static_cast<std::size_t>(n);
    }
}

// SIGPROF ends the process where a run needs more time of the processor.
void allow(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
    setitimer(ITIMER_PROF, &timer, nullptr);
}

[[noreturn]] void work(int out, const System& system, const std::vector<RunOptions>& runs, std::size_t first,
                       const Limits& limits, const Judge& judge_one) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (std::size_t k = first; k < runs.size(); ++k) {
        allow(limits.cpu_s);
        const Outcome outcome = judge_one(system, runs[k]);
        send(out, fmt::format("{}", static_cast<int>(outcome.verdict)));
        send(out, outcome.reason);
        send(out, outcome.detail);
    }
    _exit(0);
}

class Reader {
public:
    Reader(int in, double wall_s) : in_(in), wall_s_(wall_s) {}
    // False at the end of what is sent, or of the time.
    bool text(std::string& result) {
        std::string length;
        return bytes(8, length) && bytes(std::strtoull(length.c_str(), nullptr, 10), result);
    }
    bool is_late() const { return is_late_; }

private:
    bool bytes(std::size_t n, std::string& result) {
        while (pending_.size() < n) {
            pollfd wait{in_, POLLIN, 0};
            const int ready = poll(&wait, 1, static_cast<int>(1000 * wall_s_));
            if (ready < 0 && errno == EINTR) continue;
            is_late_ = ready == 0;
            if (ready <= 0) return false;
            char chunk[4096];
            const ssize_t got = read(in_, chunk, sizeof chunk);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            pending_.append(chunk, static_cast<std::size_t>(got));
        }
        result = pending_.substr(0, n);
        pending_.erase(0, n);
        return true;
    }

    int in_;
    double wall_s_;
    std::string pending_;
    bool is_late_ = false;
};

Outcome how_it_died(int status, bool is_late) {
    if (is_late) return {Verdict::wrong, "hang", "it waits, or does not come to an end"};
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        return {Verdict::wrong, "hang", "it does not come to an end"};
    if (WIFSIGNALED(status)) return {Verdict::wrong, "signal", strsignal(WTERMSIG(status))};
    return {Verdict::wrong, "signal", fmt::format("the process ended with status {}", WEXITSTATUS(status))};
}

} // namespace

std::vector<Outcome> judge_apart(const System& system, const std::vector<RunOptions>& runs, const Limits& limits,
                                 const Judge& judge_one) {
    std::vector<Outcome> outcomes;
    std::size_t was_late = runs.size(); // a run that waited, which is tried once more: the machine may have been asleep
    while (outcomes.size() < runs.size()) {
        int ends[2];
        std::fflush(nullptr); // else the child would print what stands in our buffers again
        if (pipe(ends) != 0) throw std::runtime_error("pipe: " + std::string(strerror(errno)));
        const pid_t child = fork();
        if (child < 0) throw std::runtime_error("fork: " + std::string(strerror(errno)));
        if (child == 0) {
            close(ends[0]);
            work(ends[1], system, runs, outcomes.size(), limits, judge_one);
        }
        close(ends[1]);
        Reader reader(ends[0], limits.wall_s);
        std::string verdict, reason, detail;
        while (outcomes.size() < runs.size() && reader.text(verdict) && reader.text(reason) && reader.text(detail))
            outcomes.push_back({static_cast<Verdict>(std::atoi(verdict.c_str())), reason, detail});
        const bool is_complete = outcomes.size() == runs.size();
        if (!is_complete && reader.is_late()) kill(child, SIGKILL);
        close(ends[0]);
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (is_complete) break;
        const bool is_first = reader.is_late() && was_late != outcomes.size();
        was_late = outcomes.size();
        if (!is_first) outcomes.push_back(how_it_died(status, reader.is_late()));
    }
    return outcomes;
}

} // namespace vessiot::differential
