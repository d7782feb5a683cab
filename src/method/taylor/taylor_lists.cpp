#include "method/taylor/taylor_lists.hpp"

#include <algorithm>
#include <utility>

#include "expr/series/straight_series.hpp"
#include "method/attempt/attempt_blocks.hpp"

namespace vessiot::method {

using expr::Op;

namespace {

using Builder = TaylorLists::Builder;
using Value = TaylorLists::Value;
using Point = TaylorLists::Point;

Point read_point(Builder& b, std::uint32_t input, std::int64_t first, std::int64_t n) {
    Point x;
    for (std::int64_t e = 0; e < n; ++e) x.push_back(b.read(input, first + e));
    return x;
}

Value of_step(Builder& b, TaylorLists::Step number) {
    return b.read(step_input, number);
}

} // namespace

TaylorLists::TaylorLists(const PointFormulas& formulas, const std::optional<FrozenRule<double>>& rule,
                         std::int64_t distance)
    : formulas_(formulas), distance_(distance) {
    if (rule && formulas.n_rows() > 0) factors_.emplace(formulas, *rule);
}

TaylorLists::Made TaylorLists::velocity() const {
    Builder b;
    AttemptBlocks::add_inputs(b);
    const std::uint32_t out = b.output("V", formulas_.n());
    const Point v = formulas_.direction(b, of_step(b, t_number), read_point(b, start_input, 0, formulas_.n()));
    for (std::size_t e = 0; e < v.size(); ++e) b.store(out, static_cast<std::int64_t>(e), v[e]);
    return b.kernel();
}

// sum_i (x_i w_i)^2
Value TaylorLists::size_of(Builder& b, const std::vector<std::optional<Value>>& x, const Point& weight) const {
    std::vector<Value> squares;
    for (std::size_t e = 0; e < x.size(); ++e) {
        if (!x[e]) continue;
        const Value ratio = b.exactly(Op::mul, *x[e], weight[e]);
        squares.push_back(b.mul(ratio, ratio));
    }
    return b.sum(std::move(squares));
}

TaylorLists::Made TaylorLists::series(int order, std::int64_t most_operations) const {
    std::vector<char> is_flat(n_attempt_inputs, 1);
    is_flat[step_input] = is_flat[start_input] = 0; // of the numbers of the step V reads t alone
    expr::StraightSeries of_velocity(velocity(), is_flat);
    if (!of_velocity.can_be_written()) return nullptr;
    Builder b;
    AttemptBlocks::add_inputs(b);
    b.output("coefficients", distance_ * (order + 1));
    b.output("report", n_series_reports);
    const auto n = static_cast<std::size_t>(formulas_.n());
    const Value scale = of_step(b, scale_number);
    std::vector<std::vector<std::optional<Value>>> x(1); // by order
    for (const Value v : read_point(b, start_input, 0, formulas_.n())) x[0].emplace_back(v);
    const auto read = [&](std::uint32_t buffer, std::int64_t element, int k) -> std::optional<Value> {
        if (buffer == start_input) return x[static_cast<std::size_t>(k)][static_cast<std::size_t>(element)];
        if (buffer != step_input) return b.read(buffer, element);
        return k == 0 ? std::optional(of_step(b, t_number)) : k == 1 ? std::optional(scale) : std::nullopt;
    };
    for (int k = 0; k < order; ++k) {
        of_velocity.extend(b, read, k);
        if (b.n_operations() > most_operations) return nullptr;
        const Value factor = b.exactly(Op::mul, scale, b.constant(Quad(1) / (k + 1)));
        std::vector<std::optional<Value>>& next = x.emplace_back(n);
        for (std::size_t e = 0; e < n; ++e)
            if (const auto v = of_velocity.output(static_cast<std::int64_t>(e), k)) next[e] = b.mul(*v, factor);
    }
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t e = 0; e < n; ++e)
            b.store(coefficients_out, static_cast<std::int64_t>(k) * distance_ + static_cast<std::int64_t>(e),
                    x[k][e] ? *x[k][e] : b.constant(0));
    // 1 / (atol + rtol (|x_0| + |x_1|)): the size that coordinates reach in such a step
    Point weight;
    for (std::size_t e = 0; e < n; ++e) {
        Value size = b.abs(*x[0][e]);
        if (order > 0 && x[1][e]) size = b.add(size, b.abs(*x[1][e]));
        weight.push_back(b.div(b.constant(1), b.add(of_step(b, atol_number), b.mul(of_step(b, rtol_number), size))));
    }
    const auto last = static_cast<std::size_t>(order);
    Value largest = size_of(b, x[0], weight);
    for (std::size_t k = 1; k <= std::min<std::size_t>(last, 2); ++k)
        largest = b.max(largest, size_of(b, x[k], weight));
    b.store(series_report_out, largest_report, largest);
    b.store(series_report_out, before_last_report, size_of(b, x[last > 1 ? last - 1 : last], weight));
    b.store(series_report_out, last_report, size_of(b, x[last], weight));
    return b.kernel();
}

TaylorLists::Made TaylorLists::land(int order) const {
    Builder b;
    AttemptBlocks::add_inputs(b);
    const std::int64_t n = formulas_.n();
    b.output("point", n);
    b.output("direction", n);
    b.output("shift", n);
    b.output("report", n_land_reports);
    const auto p = static_cast<std::size_t>(order);
    std::vector<Value> power{b.constant(1), of_step(b, ratio_number)};
    for (std::size_t k = 2; k <= p; ++k) power.push_back(b.exactly(Op::mul, power[k / 2], power[k - k / 2]));
    const Point start = read_point(b, start_input, 0, n);
    // P = sum_k r^k x_k from the highest order down, as dense() and its segments have it; h P' = sum_k k r^k x_k
    Point sum(start.size()), slope;
    for (std::size_t e = 0; e < start.size(); ++e) {
        std::vector<Value> terms, slopes;
        for (std::size_t k = 1; k <= p; ++k) {
            const Value x =
                b.read(stage_input, static_cast<std::int64_t>(k) * distance_ + static_cast<std::int64_t>(e));
            terms.push_back(b.exactly(Op::mul, power[k], x));
            slopes.push_back(k == 1 ? terms[0] : b.exactly(Op::mul, b.constant(static_cast<double>(k)), terms.back()));
        }
        Value s = terms.back();
        for (std::size_t k = p; k-- > 1;) s = b.add(s, terms[k - 1]);
        sum[e] = b.add(s, start[e]);
        slope.push_back(b.sum(std::move(slopes)));
    }
    const Value h = of_step(b, h_number), t = b.add(of_step(b, t_number), h);
    Point point = sum;
    std::vector<Value> bad;
    Value off = b.constant(0), residual = off;
    if (factors_) {
        const FrozenFactors::Values factors = factors_->factor(b, t, sum);
        bad = factors.small;
        factors_->correct(b, t, factors.numbers, point, bad);
        const FrozenFactors::Residual left = factors_->residual(b, t, factors.numbers, point);
        off = b.sum(left.off);
        residual = left.largest;
    }
    const Point v = formulas_.direction(b, t, point);
    // e = (h V - h P') / (p + 1)
    std::vector<Value> squares, zeros; // zeros: where all is finite
    for (std::size_t e = 0; e < v.size(); ++e) {
        const Value size = b.max(b.abs(start[e]), b.abs(point[e]));
        const Value weight = b.add(of_step(b, atol_number), b.mul(of_step(b, rtol_number), size));
        const Value defect = b.sub(b.exactly(Op::mul, h, v[e]), slope[e]);
        const Value ratio = b.exactly(Op::mul, defect, b.div(b.constant(Quad(1) / (order + 1)), weight));
        squares.push_back(b.mul(ratio, ratio));
        for (const Value x : {v[e], point[e]}) zeros.push_back(b.exactly(Op::mul, b.constant(0), x));
        const auto at = static_cast<std::int64_t>(e);
        b.store(point_out, at, point[e]);
        b.store(direction_out, at, v[e]);
        b.store(shift_out, at, b.sub(point[e], sum[e]));
    }
    bad.push_back(b.apply(Op::not_equal, b.sum(std::move(zeros)), b.constant(0)));
    b.store(land_report_out, error_report, b.sum(std::move(squares)));
    b.store(land_report_out, off_report, b.add(off, b.sum(std::move(bad))));
    b.store(land_report_out, residual_report, residual);
    return b.kernel();
}

} // namespace vessiot::method
