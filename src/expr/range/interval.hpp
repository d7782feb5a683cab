// Intervals of real numbers: what an operation can give for operands that are known to lie in intervals. Rounded
// outwards, so that nothing is lost; what has no value (log of a negative number) is everything.
#pragma once

#include <limits>

#include "expr/graph/op.hpp"

namespace vessiot::expr {

struct Interval {
    double lo = 0, hi = 0;

    static Interval everything() {
        return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
    bool contains(double x) const { return lo <= x && x <= hi; }
    bool is_positive() const { return lo > 0; }
    bool is_negative() const { return hi < 0; }
    // 1 or -1 where all numbers have that sign, else 0.
    int sign() const { return is_positive() ? 1 : is_negative() ? -1 : 0; }
};

Interval hull(const Interval& a, const Interval& b);

// The operation on all numbers of the operands; every result of it lies inside.
Interval apply(Op op, Interval a, Interval b = {}, Interval c = {});

} // namespace vessiot::expr
