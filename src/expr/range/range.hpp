// What an expression can be on a piece of a curve: an interval that contains its values, and one that contains its
// derivative along the curve. Where an operation jumps on the piece, or has a pole, the derivative may be anything.
#pragma once

#include "expr/range/interval.hpp"

namespace vessiot::expr {

struct Range {
    Interval value{}, slope{};

    static Range constant(double x) { return {{x, x}, {0, 0}}; }
};

// The range of an operation from those of its operands.
Range apply(Op op, const Range& a, const Range& b, const Range& c);

} // namespace vessiot::expr
