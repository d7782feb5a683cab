// An expression over ranges (range.hpp): straight-line code, for one number.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "expr/graph/graph.hpp"
#include "expr/kernel/lower.hpp"
#include "expr/range/range.hpp"

namespace vessiot::expr {

class RangeProgram {
public:
    // An element of a buffer of the inputs.
    struct Read {
        std::uint32_t buffer = 0;
        std::int64_t index = 0;
    };

    // None where the expression has too many operations to be written out, or calls functions of the user.
    static std::optional<RangeProgram> make(Graph& g, const std::vector<BufferSpec>& inputs, NodeId value);

    const std::vector<Read>& reads() const { return reads_; }
    // From the ranges of what it reads, in their order. Does not allocate.
    Range operator()(const Range* reads);

private:
    struct Step {
        Op op;
        std::uint32_t result, a, b, c;
    };

    std::vector<Read> reads_;
    std::vector<std::uint32_t> read_to_; // by read, its place
    std::vector<Step> steps_;
    std::vector<Range> values_; // constants are set
    std::uint32_t result_ = 0;
};

} // namespace vessiot::expr
