// Threads that share a graphics processor: together they begin many members, whose plain steps are made there side by
// side (lanes/gpu), and end them. What was begun is done once more when they come back, so that a member in between is
// a few numbers. Where one does not simply reach its end it is solved alone.
#pragma once

#include <atomic>
#include <barrier>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ensemble/rounds.hpp"
#include "ensemble/work/work.hpp"
#include "lanes/gpu/gpu_crew.hpp"

namespace vessiot::ensemble {

// What the threads share.
class GpuShare {
public:
    static constexpr std::int64_t most_runs = std::int64_t{1} << 20; // at a time

    // Members of this run have a kernel; else InvalidInput, which says why not, or that there is no processor.
    GpuShare(ProblemCore& core, const RunOptions& first);

    // Before the threads: how many there are, and members at a time.
    void begin(std::int64_t n_threads, std::int64_t n_runs);
    void do_without(std::int64_t n_threads); // those that could not be started
    std::string name() const { return crew_->name(); }
    double seconds() const { return crew_->seconds(); } // of the processor

private:
    friend class GpuThread;
    // Runs a solve up to where its steps can be made there; none where it is over before.
    std::optional<lanes::LaneRun> lend(SolveInParts& solve);
    // Throws InvalidInput.
    void work(const MemberCalls& calls);

    std::mutex mutex_; // of rounds_
    Rounds rounds_;
    std::unique_ptr<lanes::GpuCrew> crew_;
    std::optional<lanes::GpuRuns> runs_;
    std::vector<std::optional<Member>> under_way_; // by place in runs_
    std::atomic<std::size_t> next_ = 0;            // place that nobody has
    std::atomic<bool> has_more_ = true;            // members that nobody has taken
    std::optional<std::barrier<>> all_;
};

class GpuThread {
public:
    GpuThread(ProblemCore& core, const MemberCalls& calls, GpuShare& share)
        : core_(core), calls_(calls), share_(share), told_(core) {}

    void operator()();

private:
    void fill();
    bool begin(const Member& member, std::size_t place); // false: it needs none
    void end(std::size_t place);
    bool compute(const Member& member); // false
    void done(const Member& member) {
        if (!calls_.is_stopped()) calls_.done(member);
    }

    ProblemCore& core_;
    const MemberCalls& calls_;
    GpuShare& share_;
    Told told_;
};

} // namespace vessiot::ensemble
