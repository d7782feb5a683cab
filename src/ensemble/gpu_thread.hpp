// Threads that share a graphics processor: each begins many members, whose plain steps are made there side by side
// (lanes/gpu), and ends them. What a thread has begun it does once more when they come back, so that a member in
// between is a few numbers. Where one does not simply reach its end it is solved alone.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ensemble/rounds.hpp"
#include "ensemble/work.hpp"
#include "lanes/gpu/gpu_crew.hpp"

namespace vessiot::ensemble {

// What the threads share.
class GpuShare {
public:
    static constexpr std::int64_t most_runs = std::int64_t{1} << 18; // of a thread at a time

    // Members of this run have a kernel; else InvalidInput, which says why not, or that there is no processor.
    GpuShare(ProblemCore& core, const RunOptions& first);

    // Runs a solve up to where its steps can be made there; none where it is over before.
    std::optional<lanes::LaneRun> lend(SolveInParts& solve);
    lanes::GpuRuns make_runs(std::int64_t n) const;
    void work(lanes::GpuRuns& runs, std::size_t n, const MemberCalls& calls);
    std::int64_t n() const { return rounds_.n(); }
    std::string name() const { return crew_->name(); }
    double seconds() const { return crew_->seconds(); } // of the processor

private:
    std::mutex rounds_mutex_, crew_mutex_;
    Rounds rounds_;
    std::unique_ptr<lanes::GpuCrew> crew_;
};

class GpuThread {
public:
    GpuThread(ProblemCore& core, const MemberCalls& calls, GpuShare& share)
        : core_(core), calls_(calls), share_(share), told_(core) {}

    // At most n members at a time.
    void operator()(std::int64_t n);

private:
    void begin(const Member& member, lanes::GpuRuns& runs);
    void end(std::size_t m, const lanes::GpuRuns& runs);
    void compute(const Member& member);
    void done(const Member& member) {
        if (!calls_.is_stopped()) calls_.done(member);
    }

    ProblemCore& core_;
    const MemberCalls& calls_;
    GpuShare& share_;
    Told told_;
    std::vector<Member> under_way_;
};

} // namespace vessiot::ensemble
