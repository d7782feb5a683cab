// A list of operations cut at one of its values, which is 0 or 1: what is computed before it is known, what where it
// is 1, and what where it is 0. On either side conditions that follow from it are known, and what only the other side
// needs is left out. No operation changes: the numbers have the same bits as in the whole list.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "jit/emit_value.hpp"

namespace vessiot::jit {

class TwoSides {
public:
    enum class Part : std::uint8_t {
        nowhere, // nobody needs it
        before,
        yes, // where the value is 1
        no,  // where it is 0
        both // on either side, with other operands
    };
    static constexpr std::uint32_t is_zero = ~std::uint32_t{1}, is_one = ~std::uint32_t{0};

    TwoSides(const vessiot_jit_kernel& kernel, const vessiot_jit_loop& loop, std::uint32_t guard);

    Part part(std::uint32_t v) const { return part_[v]; }
    // What stands for a value on a side (1 or 0): an earlier one, is_zero or is_one.
    std::uint32_t stands_for(std::uint32_t v, int side) const { return alias_[static_cast<std::size_t>(side)][v]; }
    // Calls that are made together are made at one place: before, unless all are of one part already. False where some
    // cannot be made before.
    bool bring_together(const std::uint32_t* calls, std::uint32_t n);

private:
    void simplify(int side, std::uint32_t guard);
    std::uint32_t simplified(const vessiot_jit_instruction& i, const std::vector<std::uint32_t>& alias,
                             std::uint32_t otherwise) const;
    std::vector<char> needed(int side) const;
    void move_before(std::uint32_t v);

    const vessiot_jit_kernel& kernel_;
    const vessiot_jit_loop& loop_;
    std::array<std::vector<std::uint32_t>, 2> alias_;
    std::vector<char> depends_; // on the guard
    std::vector<Part> part_;
};

} // namespace vessiot::jit
