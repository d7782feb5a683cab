// Many runs on a graphics processor, one thread each: rounds (round_list.hpp) are made there until each run has to be
// looked at. The same list as in the lanes of the processor, with the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/kernel/repeated/gpu_text.hpp"
#include "lanes/gpu/driver.hpp"
#include "lanes/lane_crew.hpp"

namespace vessiot::lanes {

// The text of rounds of points of n coordinates; empty, with the reason in `error`, where there is none.
std::string round_text(const expr::Kernel& round, std::int64_t n, std::string& error);

// The numbers of runs, number by number: number k of run m is at [k * size + m].
class GpuRuns {
public:
    GpuRuns(const expr::Kernel& round, std::int64_t n, std::size_t size);

    void enter(std::size_t m, const LaneRun& run, double t, const double* x, const double* v);
    Outcome outcome(std::size_t m) const;
    void leave(std::size_t m, const LaneRun& run, double* x, double* v) const;
    std::size_t size() const { return size_; }

private:
    friend class GpuCrew;
    std::int64_t n_;
    std::size_t size_;
    std::vector<FixedInput> fixed_inputs_;
    std::vector<double> state_, fixed_;
};

class GpuCrew {
public:
    // Throws GpuFailure.
    GpuCrew(int device, const expr::Kernel& round, std::int64_t n);

    // Memory there for these runs; false where there is not as much.
    bool make_room(const GpuRuns& runs);

    // Until all that are listed have to be looked at; false where `goes_on` was false before.
    template <class GoesOn> bool work(GpuRuns& runs, std::vector<std::uint32_t> list, const GoesOn& goes_on) {
        begin(runs, std::move(list));
        while (launch(runs)) {
            if (!goes_on()) return false;
        }
        end(runs);
        return true;
    }
    double seconds() const { return seconds_; } // of all launches
    std::int64_t n_launches() const { return n_launches_; }
    std::string name() const;

private:
    void begin(const GpuRuns& runs, std::vector<std::uint32_t> list);
    bool launch(const GpuRuns& runs); // false: none is left
    void end(GpuRuns& runs);

    int device_;
    std::unique_ptr<Gpu::Function> function_;
    Gpu::Memory state_, fixed_, list_;
    std::vector<std::uint32_t> active_;
    std::vector<double> outcomes_;
    double seconds_ = 0;
    std::int64_t n_launches_ = 0;
};

} // namespace vessiot::lanes
