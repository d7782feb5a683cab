// What is known of the body of a loop before its code is made.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/kernel/kernel.hpp"
#include "jit/emit_value.hpp"

namespace vessiot::jit {

inline expr::StoreMode mode_of(const vessiot_jit_store& store) {
    return static_cast<expr::StoreMode>(store.mode);
}

struct LoopPlan {
    explicit LoopPlan(const vessiot_jit_loop& loop);

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::vector<char> is_live;                         // by value: something that is stored needs it
    std::vector<char> is_uniform;                      // it is the same for all instances of a segment
    std::vector<std::uint32_t> twin;                   // of sin and cos: the other of the same argument, or none
    std::vector<std::vector<std::uint32_t>> stores_of; // by value
    std::vector<std::uint32_t> reductions;             // stores that reduce
    std::vector<std::uint32_t> reduction_of;           // by store: its number among them
};

} // namespace vessiot::jit
