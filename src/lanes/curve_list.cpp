#include "lanes/curve_list.hpp"

#include <cmath>

#include "lanes/round_list.hpp"

namespace vessiot::lanes {

using expr::Op;

StepCurve CurveList::put(const Blocks::Staged& staged, const Blocks::Landed& landed) {
    t_ = b_.read(method::step_input, t_number);
    h_ = b_.read(method::step_input, h_number);
    start_ = staged.start;
    take_stages(staged, landed);
    add_stages();
    const method::AttemptPlan::Curve& curve = plan_.curve;
    StepCurve result{.coefficients = {start_}, .is_good = 0};
    for (std::size_t p = 0; p < curve.degree; ++p)
        result.coefficients.push_back(sum(curve.weights.subspan(p), curve.degree));
    result.is_good = are_finite(result.coefficients);
    // NOTE: a polynomial of the stages of the estimate is as good as that says
    if (blocks_.has_error() && curve.n_total > curve.n_stages)
        result.is_good =
            b_.exactly(Op::logical_and, result.is_good, is_small(result.coefficients.back(), landed.point));
    end_at_result(result.coefficients, landed.point);
    return result;
}

// As FusedAttempt::complete() leaves them.
void CurveList::take_stages(const Blocks::Staged& staged, const Blocks::Landed& landed) {
    k_ = staged.k;
    for (const Blocks::Pair& pair : blocks_.left_out())
        for (std::size_t i = 1; i < plan_.n; ++i) {
            const auto weight = [&](std::size_t j) {
                return number(static_cast<double>(plan_.a[i * plan_.stride + j]));
            };
            Value all = mul(weight(0), k_[0][pair.velocity]);
            for (std::size_t j = 1; j < i; ++j) all = add(all, mul(weight(j), k_[j][pair.velocity]));
            k_[i][pair.position] = add(start_[pair.velocity], mul(h_, all));
        }
    k_.resize(std::max(plan_.curve.n_total, plan_.curve.end_stage + 1));
    k_[plan_.curve.end_stage] = landed.direction;
}

// Those that only the polynomial needs.
void CurveList::add_stages() {
    const std::size_t n = plan_.curve.n_total;
    for (std::size_t i = plan_.curve.n_stages; i < n; ++i) {
        if (i == plan_.curve.end_stage) continue;
        Point at = sum(plan_.a.subspan(i * n, n), 1);
        for (std::size_t e = 0; e < at.size(); ++e) at[e] = add(start_[e], at[e]);
        const Value tau = add(t_, mul(number(static_cast<double>(plan_.c[i])), h_));
        k_[i] = blocks_.formulas().called_direction(b_, tau, at);
    }
}

// As linalg::combine.
CurveList::Point CurveList::sum(std::span<const Quad> weights, std::size_t stride) {
    Point result(start_.size(), number(0));
    for (std::size_t i = 0; i * stride < weights.size(); ++i) {
        if (weights[i * stride] == 0) continue;
        const Value w = number(static_cast<double>(weights[i * stride]));
        for (std::size_t e = 0; e < result.size(); ++e) result[e] = add(result[e], mul(w, k_[i][e]));
    }
    for (Value& x : result) x = mul(h_, x);
    return result;
}

// ExplicitRk::end_at_result
void CurveList::end_at_result(std::vector<Point>& d, const Point& end) {
    for (std::size_t e = 0; e < start_.size(); ++e) {
        Value all = number(0);
        for (std::size_t p = d.size(); --p > 0;) all = add(all, d[p][e]);
        const Value move = sub(sub(end[e], start_[e]), all);
        d[2][e] = add(d[2][e], mul(number(3), move));
        d[3][e] = sub(d[3][e], mul(number(2), move));
    }
}

// Does ExplicitRk::error_with_curve() leave the error as it is? In squares, and a little more strictly.
CurveList::Value CurveList::is_small(const Point& last, const Point& end) {
    constexpr double allowance = 0.9 * 30;
    const double most = allowance * std::ldexp(1.0, 2 * static_cast<int>(plan_.curve.degree) - 1);
    const Value rtol = b_.read(method::step_input, rtol_number), atol = b_.read(method::step_input, atol_number);
    std::vector<Value> squares;
    for (std::size_t e = 0; e < last.size(); ++e) {
        const Value a = b_.exactly(Op::abs, start_[e]), c = b_.exactly(Op::abs, end[e]);
        const Value size = b_.exactly(Op::select, b_.exactly(Op::less, a, c), c, a);
        const Value ratio = b_.exactly(Op::div, last[e], add(atol, mul(rtol, size)));
        const Value is_zero = b_.exactly(Op::equal, last[e], number(0));
        squares.push_back(b_.exactly(Op::select, is_zero, number(0), mul(ratio, ratio)));
    }
    const auto n = static_cast<double>(last.size());
    return b_.exactly(Op::less_equal, b_.sum(std::move(squares)), number(most * most * n));
}

CurveList::Value CurveList::are_finite(const std::vector<Point>& points) {
    std::vector<Value> zeros;
    for (const std::vector<Point>* all : {&points, static_cast<const std::vector<Point>*>(&k_)})
        for (const Point& p : *all)
            for (const Value v : p) zeros.push_back(mul(number(0), v));
    return b_.exactly(Op::equal, b_.sum(std::move(zeros)), number(0));
}

} // namespace vessiot::lanes
