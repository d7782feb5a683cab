#include "lanes/lane_crew.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vessiot::lanes {

bool is_plain(const Stretch<double>& s, double t, bool has_points) {
    const double size = std::abs(s.h), scale = std::max(std::abs(t), std::abs(t + s.h));
    if (!(std::abs(s.end - t) > 1.01 * size) || !(has_points || std::abs(s.report - t) > size)) return false;
    const bool is_short = size < s.h_floor || size <= 8 * std::numeric_limits<double>::epsilon() * scale;
    return !is_short && !(size < s.slow * s.longest) && s.n_wanted > 0 && s.n_allowed > 0;
}

void fill_numbers(const LaneRun& run, double t, double* to) {
    const Stretch<double>& s = *run.stretch;
    const Controller<double>::Memory memory = run.controller->memory();
    std::fill_n(to, n_numbers, 0.0);
    to[t_number] = t;
    to[h_number] = s.h;
    to[rtol_number] = run.kernels->rtol();
    to[atol_number] = run.kernels->atol();
    to[log_old_number] = memory.log_old;
    to[below_number] = 1;
    to[was_rejected_number] = memory.was_rejected ? 1 : 0;
    to[longest_number] = s.longest;
    to[steps_left_number] = s.n_wanted;
    to[rounds_left_number] = static_cast<double>(s.n_allowed);
    to[end_number] = s.end;
    to[report_number] = s.report;
    to[most_number] = s.h_max;
    to[floor_number] = s.h_floor;
    to[slow_number] = s.slow;
}

void read_numbers(const double* from, const LaneRun& run) {
    Stretch<double>& s = *run.stretch;
    s.tau = from[t_number];
    s.h = from[h_number];
    s.longest = from[longest_number];
    s.n = static_cast<int>(from[steps_number]);
    s.n_rejected = static_cast<std::int64_t>(from[rejected_number]);
    s.n_attempts = s.n + s.n_rejected;
    s.error = ErrorSquare{from[above_number], from[below_number]}.root();
    s.taken = from[taken_number];
    run.controller->remember({from[log_old_number], from[was_rejected_number] != 0});
}

namespace {

constexpr double never = std::numeric_limits<double>::max(); // when a point is reported

expr::EvaluatorOptions in_lanes(expr::EvaluatorOptions options) {
    options.lanes = LaneCrew::n_lanes;
    options.quality = expr::CodeQuality::full;
    return options;
}

} // namespace

LaneCrew::LaneCrew(std::shared_ptr<const expr::Kernel> round, std::int64_t n, const expr::EvaluatorOptions& options,
                   std::shared_ptr<const expr::Kernel> with_points)
    : n_(n), fixed_inputs_(fixed_inputs(with_points ? *with_points : *round)), // NOTE: it reads what the other reads
      round_(std::move(round), in_lanes(options)) {
    if (with_points) {
        curve_.resize(place(with_points->buffers[curve_out].size, 0));
        with_points_.emplace(std::move(with_points), in_lanes(options));
    }
    for (const FixedInput& f : fixed_inputs_) {
        Memory& m = fixed_[f.buffer];
        m.resize(std::max(m.size(), place(f.element + 1, 0)));
    }
    for (std::size_t k = 0; k < 2; ++k) {
        numbers_[k].resize(place(n_numbers, 0));
        points_[k].resize(place(n, 0));
        directions_[k].resize(place(n, 0));
    }
    for (expr::Evaluator* const list : {&round_, with_points_ ? &*with_points_ : nullptr})
        for (std::uint32_t b = method::parameter_input; list && b <= method::term_input; ++b)
            list->slots()[b] = fixed_[b].data();
    if (with_points_) with_points_->slots()[curve_out] = curve_.data();
}

void LaneCrew::enter(int lane, const LaneRun& run, double t, const double* x, const double* v) {
    std::array<double*, method::n_attempt_inputs> slots{};
    run.kernels->bind(slots.data());
    for (const FixedInput& f : fixed_inputs_) fixed_[f.buffer][place(f.element, lane)] = slots[f.buffer][f.element];
    std::array<double, n_numbers> numbers{};
    fill_numbers(run, t, numbers.data());
    if (with_points_) numbers[report_number] = std::copysign(never, reports_[at(lane)] = numbers[report_number]);
    for (Memory& m : numbers_)
        for (std::int64_t k = 0; k < n_numbers; ++k) m[place(k, lane)] = numbers[at(k)];
    for (std::int64_t e = 0; e < n_; ++e) {
        points_[now_][place(e, lane)] = x[e];
        directions_[now_][place(e, lane)] = v[e];
    }
    is_entered_[at(lane)] = true;
}

void LaneCrew::enter(int lane, const LaneBatch& batch, int seat) {
    for (std::size_t k = 0; k < fixed_inputs_.size(); ++k)
        fixed_[fixed_inputs_[k].buffer][place(fixed_inputs_[k].element, lane)] =
            batch.fixed[place(static_cast<std::int64_t>(k), seat)];
    for (Memory& m : numbers_)
        for (std::int64_t k = 0; k < n_numbers; ++k) m[place(k, lane)] = batch.numbers[place(k, seat)];
    for (std::int64_t e = 0; e < n_; ++e) {
        points_[now_][place(e, lane)] = batch.point[place(e, seat)];
        directions_[now_][place(e, lane)] = batch.direction[place(e, seat)];
    }
    is_entered_[at(lane)] = true;
}

bool LaneCrew::has_reports() const {
    for (int l = 0; l < n_lanes; ++l)
        if (is_entered_[at(l)] && (reports_[at(l)] - number(l, t_number)) / number(l, h_number) <= 1) return true;
    return false;
}

void LaneCrew::make_round() {
    has_curve_ = with_points_ && has_reports();
    Memory& before = numbers_[now_];
    double** const slots = has_curve_ ? with_points_->slots() : round_.slots();
    const std::size_t next = 1 - now_;
    slots[method::step_input] = before.data();
    slots[method::start_input] = points_[now_].data();
    slots[method::first_input] = directions_[now_].data();
    slots[numbers_out] = numbers_[next].data();
    slots[point_out] = points_[next].data();
    slots[direction_out] = directions_[next].data();
    now_ = next;
    if (!has_curve_) return round_.run();
    for (int l = 0; l < n_lanes; ++l) std::swap(before[place(report_number, l)], reports_[at(l)]);
    with_points_->run();
    for (int l = 0; l < n_lanes; ++l) std::swap(before[place(report_number, l)], reports_[at(l)]);
}

bool LaneCrew::work(int most_rounds) {
    for (int k = 0; k < most_rounds; ++k) {
        make_round();
        for (int l = 0; l < n_lanes; ++l)
            if (is_done(l)) return true;
    }
    return false;
}

Outcome LaneCrew::outcome(int lane) const {
    return static_cast<Outcome>(static_cast<int>(numbers()[place(outcome_number, lane)]));
}

void LaneCrew::leave(int lane, const LaneRun& run, double* x, double* v) {
    std::array<double, n_numbers> left{};
    for (std::int64_t k = 0; k < n_numbers; ++k) left[at(k)] = numbers()[place(k, lane)];
    read_numbers(left.data(), run);
    for (std::int64_t e = 0; e < n_; ++e) {
        x[e] = points_[now_][place(e, lane)];
        v[e] = directions_[now_][place(e, lane)];
    }
    is_entered_[at(lane)] = false;
}

} // namespace vessiot::lanes
