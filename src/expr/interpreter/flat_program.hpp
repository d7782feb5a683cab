// A loop written out: every instance on its own, every address a fixed element of a buffer. For loops of one instance
// and for families too short to gain from blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

struct FlatProgram {
    struct Element {
        std::uint32_t buffer = 0;
        std::int64_t index = 0;
    };
    struct Store {
        std::uint32_t value = 0;
        Element to;
        bool is_add = false; // else assign
    };
    // As in Loop::body, but for reads a = number in `reads`, and the constant with number Kernel::constants.size() is
    // 0.
    std::vector<Instruction> body;
    std::vector<Element> reads;
    std::vector<Store> stores;
};

// Writes out all instances; what several instances have in common is computed once. Only what reaches a store is kept.
FlatProgram flatten(const Kernel& kernel, const Loop& loop);

// The body in an order in which operations of the same kind come in long runs: the interpreter decides what to do once
// for each run. Leaves are not listed.
struct RunSchedule {
    struct Run {
        Op op;
        std::uint32_t first, count; // in order
    };
    std::vector<std::uint32_t> order; // values of the body
    std::vector<Run> runs;
};

RunSchedule schedule_runs(const std::vector<Instruction>& body);

} // namespace vessiot::expr
