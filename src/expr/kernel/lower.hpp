// From arrays of expressions to a kernel that the evaluators run.
//
//   1. small families are expanded, so that a system of a few bodies becomes one piece of straight-line code;
//   2. `if`s on loop indices cut their domain; what depends on parameters alone is computed once (the prologue);
//   3. definitions of one depth with one domain become one loop with everything they share computed once;
//   4. each read and write gets its addresses: affine in segments, or a table (see kernel.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/graph/graph.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// A buffer of the kernel: arrays laid out one after the other, each in row-major order.
struct BufferSpec {
    std::string name;
    std::vector<ArrayId> arrays;
};

struct LowerOptions {
    // Families whose expansion stays below this number of operations (for the whole kernel) are expanded.
    std::int64_t expand_limit = 2000;
    // Parameter expressions go to the prologue.
    bool hoist = true;
};

struct Lowered {
    std::shared_ptr<const Kernel> kernel;
    // Computes the last input buffer of `kernel` ("hoisted") from the others (only those with parameters are read);
    // null when there is nothing to compute, and the kernel then has no such buffer.
    std::shared_ptr<const Kernel> prologue;
};

// Inputs are arrays that are given (parameters, t, jets, directions); outputs are defined arrays.
Lowered lower(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
              const LowerOptions& options = {});

// Definitions without loops: one contribution for each element, with all defined arrays put in. The number of
// operations this takes is bounded by `expanded_size`.
std::vector<Contribution> expand(Graph& g, const std::vector<Contribution>& contributions);
std::int64_t expanded_size(const Graph& g, const std::vector<Contribution>& contributions, std::int64_t limit);

} // namespace vessiot::expr
