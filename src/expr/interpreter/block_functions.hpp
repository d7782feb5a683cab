// The inner loops of block execution, compiled for the vectors of this machine.
#pragma once

#include <cstddef>

#include "expr/graph/op.hpp"
#include "expr/interpreter/simd.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

template <class S> struct BlockFunctions {
    // out[i] = op(a[i], b[i], c[i]) for an arithmetic operation; out overlaps no operand.
    void (*apply)(Op op, const S* a, const S* b, const S* c, S* out, std::size_t n);
    // partials[j] += values[g * width + j] for all g < n_groups in order, j < width.
    void (*accumulate)(S* partials, const S* values, std::size_t n_groups, std::size_t width);
    // to[i] += from[i]
    void (*add)(const S* from, S* to, std::size_t n);
};

// For vectors at most that wide, which the machine must have.
template <class S> const BlockFunctions<S>& block_functions(Simd widest = simd());

extern template const BlockFunctions<double>& block_functions<double>(Simd);
extern template const BlockFunctions<Quad>& block_functions<Quad>(Simd);

} // namespace vessiot::expr
