// Native code for the recurrences of power series: one function for a piece of a loop and any order k, with a loop over
// j for each sum of products, so that the size of the code depends neither on the order nor on the number of instances.
//
//   sum_{j=1..k-1} a_j b_{k-j}      one instance: vectors of 8 j, b backwards; the last one masked
//                                   families: j after j, every number a vector of 8 instances
//
// The terms with j = 0 and j = k are added apart: they need what was computed in this order, which is at hand in
// registers, and everything else of the order can be computed while these wait. Sums are in the same order as the
// interpreter's, and nothing is contracted: both give the same bits.
#pragma once

#include <cstdint>

#include <llvm/IR/Function.h>

#include "expr/series/jit_taylor_abi.h"

namespace vessiot::jit {

// Fills `function` (arguments: values, buffers, k, n, context) with steps first .. end-1 of a loop; the first piece has
// its reads, the last one its stores. `is_late`: the late ones only.
struct TaylorPiece {
    const vessiot_jit_taylor_program& program;
    std::uint32_t loop = 0, first = 0, end = 0;
    bool is_first = false, is_last = false, is_late = false;
};
void emit_taylor(const TaylorPiece& piece, llvm::Function& function);

} // namespace vessiot::jit
