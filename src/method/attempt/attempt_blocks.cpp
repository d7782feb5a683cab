#include "method/attempt/attempt_blocks.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot::method {

using expr::Op;

namespace {

constexpr double least_rtol = 1e-16;   // of what is allowed for stages
constexpr double least_below = 1e-200; // of the square of an error: there is none then

using Builder = AttemptBlocks::Builder;
using Value = AttemptBlocks::Value;

Value t_of(Builder& b) {
    return b.read(step_input, 0);
}

Value h_of(Builder& b) {
    return b.read(step_input, 1);
}

// t + c h
Value time_at(Builder& b, Quad c) {
    return c == 0 ? t_of(b) : c == 1 ? b.add(t_of(b), h_of(b)) : b.add(t_of(b), b.mul(b.constant(c), h_of(b)));
}

// 1 where some number is not finite
Value is_not_finite(Builder& b, const std::vector<Value>& x) {
    std::vector<Value> zeros;
    for (const Value v : x) zeros.push_back(b.mul(b.constant(0), v));
    return b.apply(Op::not_equal, b.sum(std::move(zeros)), b.constant(0));
}

} // namespace

AttemptBlocks::AttemptBlocks(const PointFormulas& formulas, const AttemptPlan& plan,
                             const std::optional<FrozenRule<double>>& rule)
    : formulas_(formulas), plan_(plan) {
    if (rule && formulas.n_rows() > 0) factors_.emplace(formulas, *rule);
    find_pairs();
}

void AttemptBlocks::add_inputs(Builder& b) {
    static constexpr const char* names[] = {"step",  "p",     "kept",   "of V", "of f",  "of terms",
                                            "start", "first", "stages", "from", "frozen"};
    static_assert(std::size(names) == n_attempt_inputs);
    for (const char* name : names) b.input(name, 1 << 20);
}

AttemptBlocks::Point AttemptBlocks::read(Builder& b, std::uint32_t input, std::int64_t first) const {
    Point x;
    for (std::int64_t e = 0; e < formulas_.n(); ++e) x.push_back(b.read(input, first + e));
    return x;
}

// In a step with first same as last all stages are written: the error needs them once more.
void AttemptBlocks::find_pairs() {
    Builder b;
    add_inputs(b);
    const Point x = read(b, start_input), v = formulas_.direction(b, t_of(b), x);
    velocity_.assign(x.size(), -1);
    if (projects_stages()) return;
    for (std::size_t e = 0; e < x.size(); ++e) {
        const auto at = std::ranges::find(x, v[e]);
        if (at != x.end() && *at != x[e]) velocity_[e] = static_cast<std::int32_t>(at - x.begin());
    }
    // one step of this only: the direction of v is no coordinate
    const std::vector<std::int32_t> all = velocity_;
    for (std::size_t e = 0; e < x.size(); ++e)
        if (all[e] >= 0 && all[static_cast<std::size_t>(all[e])] >= 0) velocity_[e] = -1;
    for (std::size_t e = 0; e < x.size() && !plan_.is_fsal; ++e)
        if (velocity_[e] >= 0) left_out_.push_back({e, static_cast<std::size_t>(velocity_[e])});
}

// sum_i w_i a_ij
std::vector<Quad> AttemptBlocks::times_a(std::span<const Quad> weights) const {
    std::vector<Quad> result(plan_.n, 0);
    for (std::size_t i = 0; i < plan_.n; ++i)
        for (std::size_t j = 0; j < i; ++j) result[j] += weights[i] * plan_.a[i * plan_.stride + j];
    return result;
}

std::optional<Value> AttemptBlocks::add_up(Builder& b, std::optional<Value> y, Value factor,
                                           std::span<const Quad> weights, const std::vector<Point>& k,
                                           std::size_t e) const {
    std::size_t newest = std::min(k.size(), weights.size());
    while (newest > 0 && weights[newest - 1] == 0) --newest;
    if (newest == 0) return y;
    std::optional<Value> sum;
    const std::size_t n = y ? newest - 1 : newest;
    for (std::size_t j = 0; j < n; ++j) {
        if (weights[j] == 0) continue;
        const Value term = b.mul(b.constant(weights[j]), k[j][e]);
        sum = sum ? b.add(*sum, term) : term;
    }
    if (!y) return sum;
    if (sum) y = b.add(*y, b.mul(factor, *sum));
    return b.add(*y, b.mul(b.mul(b.constant(weights[newest - 1]), factor), k[newest - 1][e]));
}

// x + h sum_j w_j k_j
AttemptBlocks::Point AttemptBlocks::combine(Builder& b, const Point& x, std::span<const Quad> weights,
                                            const std::vector<Point>& k) const {
    const Value h = h_of(b), square = b.mul(h, h);
    std::vector<Quad> of_squares; // for positions
    Quad sum = 0;
    for (const Quad w : weights) sum += w;
    Point result;
    for (std::size_t e = 0; e < x.size(); ++e) {
        if (velocity_[e] < 0) {
            result.push_back(*add_up(b, x[e], h, weights, k, e));
            continue;
        }
        if (of_squares.empty()) of_squares = times_a(weights);
        const Value moved = b.add(x[e], b.mul(b.mul(b.constant(sum), h), k[0][e]));
        result.push_back(*add_up(b, moved, square, of_squares, k, static_cast<std::size_t>(velocity_[e])));
    }
    return result;
}

// sum_i (s_i scale_i)^2,  s = sum_j w_j k_j; the weights of an error add up to 0
Value AttemptBlocks::square(Builder& b, const Point& scale, std::span<const Quad> weights,
                            const std::vector<Point>& k) const {
    std::vector<Value> squares;
    const std::vector<Quad> of_squares = plan_.is_fsal ? std::vector<Quad>() : times_a(weights);
    for (std::size_t e = 0; e < scale.size(); ++e) {
        const bool is_position = velocity_[e] >= 0 && !plan_.is_fsal;
        const std::optional<Value> sum =
            is_position ? add_up(b, std::nullopt, 0, of_squares, k, static_cast<std::size_t>(velocity_[e]))
                        : add_up(b, std::nullopt, 0, weights, k, e);
        if (!sum) continue;
        const Value ratio = b.mul(*sum, is_position ? b.mul(h_of(b), scale[e]) : scale[e]);
        squares.push_back(b.mul(ratio, ratio));
    }
    return b.sum(std::move(squares));
}

// |e|^2, the square of the rms of h s_i / (atol + rtol max(|x_i|, |p_i|)); with a second estimate that of
// |e|^2 / sqrt(|e|^2 + |e_low / 10|^2). Both are left as quotients.
AttemptBlocks::Error AttemptBlocks::error(Builder& b, const Point& x, const Point& p,
                                          const std::vector<Point>& k) const {
    const Value rtol = b.read(step_input, 2), atol = b.read(step_input, 3);
    const Value h = b.mul(h_of(b), b.constant(1 / linalg::square_root(Quad(static_cast<double>(x.size())))));
    Point scale;
    for (std::size_t e = 0; e < x.size(); ++e) {
        const Value size = b.max(b.abs(x[e]), b.abs(p[e]));
        scale.push_back(b.exactly(Op::div, h, b.add(atol, b.mul(rtol, size))));
    }
    const Value e = square(b, scale, plan_.error, k);
    if (plan_.error_low.empty()) return {e};
    std::vector<Quad> weights = plan_.error_low;
    for (Quad& w : weights) w /= 10;
    const Value below = b.add(e, square(b, scale, weights, k));
    return {b.mul(e, e), b.max(b.constant(least_below), below)};
}

AttemptBlocks::Staged AttemptBlocks::put_stages(Builder& b) const {
    Staged s{.start = read(b, start_input), .result = {}, .k = {read(b, first_input)}, .error = {}, .bad = 0};
    Point at = s.start;
    std::optional<StageProjection> projection;
    if (projects_stages()) {
        b.split_roots(true);
        projection = stage_projection(b, s.start, s.k[0]);
    }
    for (std::size_t i = 1; i < plan_.n; ++i) {
        at = combine(b, s.start, plan_.a.subspan(i * plan_.stride, plan_.n), s.k);
        const Value t = time_at(b, plan_.c[i]);
        if (projection) project(b, t, at, *projection, i + 1 == plan_.n);
        s.k.push_back(formulas_.direction(b, t, at));
    }
    b.split_roots(false);
    s.result = combine(b, s.start, plan_.b.first(plan_.n), s.k);
    // the argument of a stage at t + h is as good a size as the result, and known earlier
    const Point& size = plan_.c[plan_.n - 1] == 1 ? at : s.result;
    s.error = has_error() && !plan_.is_fsal ? error(b, s.start, size, s.k) : Error{b.constant(0)};
    s.bad = is_not_finite(b, s.result);
    if (projection && !projection->bad.empty()) s.bad = b.add(s.bad, b.sum(std::move(projection->bad)));
    return s;
}

std::int64_t AttemptBlocks::n_operations_of_stage() const {
    const std::int64_t n = formulas_.n_operations();
    return projects_stages() ? n + formulas_.n_row_operations() + factors_->n_gain_operations() : n;
}

// With df in the middle of the step, where x + h k_1 / 2 is.
// NOTE: velocities may vanish where a step begins, but not along it: sizes are |x| + |h V|
AttemptBlocks::StageProjection AttemptBlocks::stage_projection(Builder& b, const Point& x, const Point& v) const {
    Point magnitude, middle;
    const Value half = b.mul(b.constant(0.5), h_of(b));
    for (std::size_t e = 0; e < x.size(); ++e) {
        magnitude.push_back(b.add(b.abs(x[e]), b.abs(b.mul(h_of(b), v[e]))));
        middle.push_back(b.add(x[e], b.mul(half, v[e])));
    }
    const Value rtol = b.max(b.read(step_input, 2), b.constant(least_rtol));
    StageProjection result{
        .shared = factors_->shared(b, t_of(b), x, magnitude, b.apply(Op::sqrt, rtol)), .gains = {}, .bad = {}};
    result.gains = factors_->gains(b, time_at(b, Quad(1) / 2), middle, result.shared);
    result.bad = result.gains.small;
    return result;
}

// Moves the argument of a stage towards the manifold. The last one, which is off by most, is looked at.
void AttemptBlocks::project(Builder& b, Value t, Point& x, StageProjection& projection, bool is_last) const {
    const Point before = x;
    factors_->correct(b, t, projection.gains, x);
    if (!is_last) return;
    projection.bad.push_back(factors_->has_grown(b, t, projection.shared, before, x));
}

AttemptBlocks::Made AttemptBlocks::stages() const {
    Builder b;
    add_inputs(b);
    b.output("stages", plan_.distance * static_cast<std::int64_t>(plan_.n));
    b.output("result", formulas_.n());
    b.output("report", n_reports);
    const Staged s = put_stages(b);
    for (std::size_t i = 1; i < plan_.n; ++i)
        for (std::size_t e = 0; e < s.start.size(); ++e)
            if (velocity_[e] < 0 || plan_.is_fsal)
                b.store(stages_out, static_cast<std::int64_t>(i - 1) * plan_.distance + static_cast<std::int64_t>(e),
                        s.k[i][e]);
    for (std::size_t e = 0; e < s.start.size(); ++e) b.store(result_out, static_cast<std::int64_t>(e), s.result[e]);
    store(b, stage_report_out, s.error);
    b.store(stage_report_out, off_report, s.bad);
    return b.kernel();
}

// V(p) and what follows from it; `off` is positive where p will not do.
AttemptBlocks::Landed AttemptBlocks::finish(Builder& b, Value t, const Point& p, Value off,
                                            const std::vector<Point>& k) const {
    Landed result{.point = p, .direction = formulas_.direction(b, t, p), .off = 0, .residual = 0, .error = {}};
    result.off = b.add(off, b.mul(is_not_finite(b, result.direction), b.constant(hopeless)));
    if (!has_late_error()) return result;
    std::vector<Point> all = k;
    all.push_back(result.direction);
    result.error = error(b, read(b, start_input), p, all);
    return result;
}

// As another kernel has left them; none where they are not needed.
std::vector<AttemptBlocks::Point> AttemptBlocks::stored_stages(Builder& b) const {
    if (!has_late_error()) return {};
    std::vector<Point> k{read(b, first_input)};
    for (std::size_t i = 1; i < plan_.n; ++i)
        k.push_back(read(b, stage_input, static_cast<std::int64_t>(i - 1) * plan_.distance));
    return k;
}

void AttemptBlocks::add_landing(Builder& b) const {
    add_inputs(b);
    b.output("point", formulas_.n());
    b.output("direction", formulas_.n());
    b.output("report", n_reports);
}

// One correction of every set; `bad` counts what no further one will mend.
AttemptBlocks::Landed AttemptBlocks::correct(Builder& b, Value t, Point x, const std::vector<Value>& numbers,
                                             std::vector<Value> bad, const std::vector<Point>& k) const {
    factors_->correct(b, t, numbers, x, bad);
    const FrozenFactors::Residual left = factors_->residual(b, t, numbers, x);
    Landed result = finish(b, t, x, b.add(b.sum(left.off), b.mul(b.sum(std::move(bad)), b.constant(hopeless))), k);
    result.residual = left.largest;
    return result;
}

void AttemptBlocks::store(Builder& b, const Landed& landed) const {
    if (factors_) b.store(land_report_out, residual_report, landed.residual);
    for (std::size_t e = 0; e < landed.point.size(); ++e) {
        if (factors_) b.store(point_out, static_cast<std::int64_t>(e), landed.point[e]);
        b.store(direction_out, static_cast<std::int64_t>(e), landed.direction[e]);
    }
    b.store(land_report_out, off_report, landed.off);
    if (has_late_error()) store(b, land_report_out, landed.error);
}

void AttemptBlocks::store(Builder& b, std::uint32_t report, const Error& error) {
    b.store(report, above_report, error.above);
    b.store(report, below_report, error.below.value_or(b.constant(1)));
}

AttemptBlocks::Made AttemptBlocks::land() const {
    Builder b;
    add_landing(b);
    b.output("frozen", n_factors());
    const Value t = time_at(b, 1);
    const Point x = read(b, from_input);
    if (!factors_) {
        store(b, finish(b, t, x, b.constant(0), stored_stages(b)));
        return b.kernel();
    }
    const FrozenFactors::Values factors = factors_->factor(b, t, x);
    for (std::size_t k = 0; k < factors.numbers.size(); ++k)
        b.store(frozen_out, static_cast<std::int64_t>(k), factors.numbers[k]);
    store(b, correct(b, t, x, factors.numbers, factors.small, stored_stages(b)));
    return b.kernel();
}

AttemptBlocks::Made AttemptBlocks::again() const {
    Builder b;
    add_landing(b);
    store(b, correct(b, time_at(b, 1), read(b, from_input), factors_->stored(b), {}, stored_stages(b)));
    return b.kernel();
}

AttemptBlocks::Landed AttemptBlocks::put_landing(Builder& b, const Staged& staged) const {
    std::vector<Value> known = staged.result;
    for (const Point& k : staged.k) known.insert(known.end(), k.begin(), k.end());
    b.begin_block(known);
    const Value t = time_at(b, 1);
    if (!factors_) {
        Landed result = finish(b, t, staged.result, b.constant(0), staged.k);
        result.residual = b.constant(0);
        return result;
    }
    const FrozenFactors::Values factors = factors_->factor(b, t, staged.result);
    return correct(b, t, staged.result, factors.numbers, factors.small, staged.k);
}

} // namespace vessiot::method
