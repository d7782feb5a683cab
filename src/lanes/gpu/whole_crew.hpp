// Whole runs on a graphics processor, one thread each: three lists, one launch after the other. The first one makes the
// state of a run from a few numbers, the second is a round, the third makes numbers of its end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "expr/kernel/kernel.hpp"
#include "lanes/gpu/driver.hpp"
#include "lanes/round_list.hpp"

namespace vessiot::lanes {

// The lists, and where their buffers are among the numbers of a run: from which number on.
struct WholeRounds {
    struct List {
        std::shared_ptr<const expr::Kernel> kernel;
        std::vector<std::uint32_t> first{}; // by buffer
    };
    List start, record;
    std::shared_ptr<const expr::Kernel> round;
    std::int64_t n = 0;                                         // coordinates
    std::uint32_t given = 0, n_given = 0, made = 0, n_made = 0; // what comes from here, and what goes back
    std::uint32_t n_numbers = 0;                                // in all
};

// The texts of start, round, record; empty, with the reason in `error`, where there are none.
std::vector<std::string> whole_texts(const WholeRounds& rounds, std::string& error);

// The numbers of many runs here: number k of run m is at [k * size + m].
struct WholeRuns {
    WholeRuns(const WholeRounds& rounds, std::size_t n); // throws GpuFailure
    Outcome outcome(std::size_t m) const { return static_cast<Outcome>(static_cast<int>(outcomes[m])); }

    std::size_t size;
    Gpu::Numbers given, made, outcomes, steps;
};

class WholeCrew {
public:
    // Throws GpuFailure.
    WholeCrew(int device, const WholeRounds& rounds);

    // Memory there for so many runs; false where there is not as much.
    bool make_room(std::size_t n);
    // The first n runs, to where each of them ends or somebody has to look. False where `goes_on` was false before.
    bool work(WholeRuns& runs, std::size_t n, const std::function<bool()>& goes_on);
    double seconds() const { return seconds_; } // of all launches
    std::string name() const;

private:
    void launch(Gpu::Function& function, const Gpu::Memory& list, std::uint64_t n, std::uint64_t most);
    void read_row(double* to, std::uint32_t number, std::size_t n) const;
    bool find_active(const WholeRuns& runs, std::size_t n);

    int device_;
    WholeRounds rounds_;
    std::unique_ptr<Gpu::Function> start_, round_, record_;
    Gpu::Memory state_, all_, list_; // lists of all runs, and of those that go on
    std::size_t size_ = 0;
    std::vector<std::uint32_t> active_; // where they are not all
    double seconds_ = 0;
};

} // namespace vessiot::lanes
