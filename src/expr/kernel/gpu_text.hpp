// A list as a text for graphics processors, made by the plug-in `vessiot_jit.so`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// Which numbers of a member the list reads and writes: those of its state, and those that stay.
struct GpuList {
    const Kernel* kernel = nullptr; // one loop of one instance
    struct Read {
        std::uint32_t place = 0;
        bool is_fixed = false;
    };
    std::vector<Read> reads;           // by address of the loop
    std::vector<std::uint32_t> stores; // by store: number of the state
    std::uint32_t n_state = 0, n_fixed = 0;
    std::uint32_t outcome = 0; // number of the state: a member goes on while it is 0
};

// The function `name` as jit_gpu_abi.h says. Empty, with the reason in `error`, where there is none.
std::string make_gpu_text(const GpuList& list, const std::string& name, std::string& error);

} // namespace vessiot::expr
