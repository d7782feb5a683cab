// The polynomial of a step as a part of a round (round_list.hpp): what ExplicitRk::dense() computes after the same
// attempt, with the same bits, for methods whose tableaux have one.
#pragma once

#include <vector>

#include "method/attempt/attempt_blocks.hpp"

namespace vessiot::lanes {

struct StepCurve {
    std::vector<method::AttemptBlocks::Point> coefficients; // by power of theta
    method::AttemptBlocks::Value is_good; // 0 where it is not finite, or off by more than a step is allowed to be
};

class CurveList {
public:
    using Blocks = method::AttemptBlocks;
    using Builder = Blocks::Builder;
    using Value = Blocks::Value;
    using Point = Blocks::Point;

    CurveList(Builder& builder, const Blocks& blocks) : b_(builder), blocks_(blocks), plan_(blocks.plan()) {}

    StepCurve put(const Blocks::Staged& staged, const Blocks::Landed& landed);

private:
    Value add(Value a, Value c) { return b_.exactly(expr::Op::add, a, c); }
    Value sub(Value a, Value c) { return b_.exactly(expr::Op::sub, a, c); }
    Value mul(Value a, Value c) { return b_.exactly(expr::Op::mul, a, c); }
    Value number(double x) { return b_.constant(x); }

    void take_stages(const Blocks::Staged& staged, const Blocks::Landed& landed);
    void add_stages();
    // h sum_i w_i k_i, w_i = weights[i * stride]
    Point sum(std::span<const Quad> weights, std::size_t stride);
    void end_at_result(std::vector<Point>& d, const Point& end);
    Value is_small(const Point& last, const Point& end);
    Value are_finite(const std::vector<Point>& points);

    Builder& b_;
    const Blocks& blocks_;
    const method::AttemptPlan& plan_;
    Point start_;
    Value t_ = 0, h_ = 0;
    std::vector<Point> k_; // all stages
};

} // namespace vessiot::lanes
