// What an expression can be on a piece of a curve: an interval that contains its values, and one that contains its
// derivative along the curve. Rounding is not directed: an interval may be off by round-offs of its ends.
//
// Where an operation jumps, or has a pole, on the piece, its derivative may be anything.
#pragma once

#include <limits>

#include "expr/op.hpp"

namespace vessiot::expr {

struct Interval {
    double low = 0, high = 0;

    static Interval all() {
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
    static Interval hull(const Interval& a, const Interval& b) {
        return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    }
    bool is_point() const { return low == high; }
    bool has(double x) const { return !(x < low || x > high); }
    double largest() const { return -low > high ? -low : high; } // of |x|
};

struct Range {
    Interval value{}, slope{};

    static Range constant(double x) { return {{x, x}, {0, 0}}; }
};

// The range of an operation from those of its operands.
Range apply(Op op, const Range& a, const Range& b, const Range& c);

} // namespace vessiot::expr
