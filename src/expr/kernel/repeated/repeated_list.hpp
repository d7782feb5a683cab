// A list that makes new numbers of old ones, again and again, until one of them says that it is enough.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// Which numbers the list reads and writes: those of a state, and those that stay.
struct RepeatedList {
    const Kernel* kernel = nullptr; // one loop of one instance
    struct Read {
        std::uint32_t place = 0;
        bool is_fixed = false;
    };
    std::vector<Read> reads;           // by address of the loop
    std::vector<std::uint32_t> stores; // by store: number of the state
    std::uint32_t n_state = 0, n_fixed = 0;
    std::uint32_t outcome = 0; // number of the state: it goes on while that is 0
};

} // namespace vessiot::expr
