// Threads that share graphics processors, where plain members (whole_lists.hpp) are from their first number to their
// last: the threads bring what varies and take what is recorded, many members at a time. Who is not plain is solved
// alone, here.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ensemble/device_threads.hpp"
#include "ensemble/whole/whole_lists.hpp"
#include "lanes/gpu/whole_crew.hpp"

namespace vessiot::ensemble {

// The lists as those of a graphics processor.
lanes::WholeRounds whole_rounds(const WholeLists& lists);

class WholeGpu final : public DeviceThreads {
public:
    // Throws GpuFailure.
    WholeGpu(const WholeLists& lists, const std::vector<int>& devices);

    std::int64_t begin(std::int64_t n_threads, std::int64_t n_runs) override;
    void do_without(std::int64_t n_threads) override;
    void work(ProblemCore& core, const MemberCalls& calls) override;
    std::string name() const override { return name_of_devices(parts_[0].crew->name(), parts_.size()); }
    double seconds() const override;

private:
    struct Part {
        int device = 0;
        std::unique_ptr<lanes::WholeCrew> crew{};
        std::optional<lanes::WholeRuns> runs{};
    };
    // Members of one block, from a place on: those of the first part, of the second, …
    struct Placed {
        MemberRange range{};
        std::size_t first = 0;
    };
    bool make_room();
    void give(const Placed& placed, const MemberCalls& calls); // what varies
    void fill(const MemberCalls& calls, MemberRange& left);
    void run(const MemberCalls& calls);
    void run_part(std::size_t part, const MemberCalls& calls);
    void end(const MemberCalls& calls);
    void end(const Placed& placed, const MemberCalls& calls);

    lanes::WholeRounds rounds_;
    std::vector<Part> parts_;
    std::size_t part_size_ = 0; // runs of each
    std::mutex mutex_;          // of what follows
    std::vector<Placed> placed_;
    std::size_t n_placed_ = 0;          // places that are taken
    std::atomic<std::size_t> next_ = 0; // of placed_, that nobody ends
    std::atomic<int> n_threads_here_ = 0;
    std::atomic<bool> is_broken_ = false; // a thread has failed
    bool has_more_ = true;
    int n_left_ = 0; // threads that have members without a place
    std::optional<std::barrier<>> all_;
};

} // namespace vessiot::ensemble
