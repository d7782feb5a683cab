// Threads that share a graphics processor: together they begin many members, whose plain steps are made there side by
// side (lanes/gpu), and end them. What was begun is done once more when they come back, so that a member in between is
// a few numbers. Where one does not simply reach its end it is solved alone.
#pragma once

#include <atomic>
#include <barrier>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ensemble/device_threads.hpp"
#include "ensemble/rounds.hpp"
#include "ensemble/team/work.hpp"
#include "lanes/gpu/gpu_crew.hpp"

namespace vessiot::ensemble {

// What the threads share.
class GpuShare final : public DeviceThreads {
public:
    // Members of this run have a kernel; else InvalidInput, which says why not, or that there is no processor. `here`:
    // which of the processes on this machine this is, and how many share its processors.
    GpuShare(ProblemCore& core, const RunOptions& first, std::pair<int, int> here);

    std::int64_t begin(std::int64_t n_threads, std::int64_t n_runs) override;
    void do_without(std::int64_t n_threads) override;
    void work(ProblemCore& core, const MemberCalls& calls) override;
    std::string name() const override { return name_of_devices(parts_[0].crew->name(), parts_.size()); }
    double seconds() const override;

private:
    friend class GpuThread;
    // Runs a solve up to where its steps can be made there; none where it is over before.
    std::optional<lanes::LaneRun> lend(SolveInParts& solve);
    // Throws InvalidInput.
    void run(const MemberCalls& calls);

    // A processor, and the runs that it has.
    struct Part {
        int device = 0;
        std::unique_ptr<lanes::GpuCrew> crew{};
        std::optional<lanes::GpuRuns> runs{};
    };
    bool make_room();
    void work_on(std::size_t part, const MemberCalls& calls);
    lanes::GpuRuns& runs_of(std::size_t place) { return *parts_[place / part_size_].runs; }

    std::mutex mutex_; // of rounds_
    Rounds rounds_;
    std::vector<Part> parts_;
    std::size_t part_size_ = 0;                    // runs of each
    std::vector<std::optional<Member>> under_way_; // by place: those of the first part, of the second, …
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
    struct Places {
        std::size_t first, end;
    };
    Places next_places();
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
