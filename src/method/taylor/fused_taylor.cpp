#include "method/taylor/fused_taylor.hpp"

#include <algorithm>
#include <utility>

namespace vessiot::method {

namespace {

constexpr std::int64_t most_coordinates = 64;
constexpr std::int64_t most_operations = 4000; // of all orders: beyond, compiling takes more than it gains

} // namespace

std::unique_ptr<FusedTaylor> FusedTaylor::make(const Parts<double>& parts, const Projection<double>* projection,
                                               double rtol, double atol, std::int64_t distance) {
    const std::int64_t n = parts.prolongation.n_state();
    if (n == 0 || n > most_coordinates) return nullptr;
    std::optional<FrozenRule<double>> rule;
    if (projection) rule = projection->frozen_rule();
    if (projection && !rule) return nullptr;
    std::optional<PointFormulas> formulas = PointFormulas::make(parts, projection != nullptr);
    // NOTE: every order has V at least once
    if (!formulas || formulas->n_operations() > most_operations / 2) return nullptr;
    return std::unique_ptr<FusedTaylor>(new FusedTaylor(parts, std::move(*formulas), rule, rtol, atol, distance));
}

FusedTaylor::FusedTaylor(const Parts<double>& parts, PointFormulas&& formulas,
                         const std::optional<FrozenRule<double>>& rule, double rtol, double atol, std::int64_t distance)
    : parts_(parts), formulas_(std::move(formulas)), lists_(formulas_, rule, distance) {
    step_[TaylorLists::rtol_number] = rtol;
    step_[TaylorLists::atol_number] = atol;
}

FusedTaylor::Kernels* FusedTaylor::kernels(int order) {
    for (Kernels& k : kernels_) {
        if (k.order == 0) make(k, order);
        if (k.order == order) return k.series ? &k : nullptr;
    }
    return nullptr;
}

void FusedTaylor::make(Kernels& k, int order) {
    k.order = order;
    const TaylorLists::Made series = lists_.series(order, most_operations);
    if (!series) return;
    expr::EvaluatorOptions options = parts_.evaluator; // called in every step: good code pays
    options.quality = expr::CodeQuality::full;
    k.series.emplace(series, options);
    k.land.emplace(lists_.land(order), options);
    k.series_slots = k.series->slots();
    k.land_slots = k.land->slots();
    for (double** slots : {k.series_slots, k.land_slots}) {
        formulas_.bind(slots);
        slots[step_input] = step_.data();
    }
    k.series_slots[TaylorLists::series_report_out] = series_report_.data();
    k.land_slots[TaylorLists::land_report_out] = land_report_.data();
}

void FusedTaylor::run(expr::Evaluator& kernel, SampledTime* time) const {
    if (!is_sampling_ || !time || time->weight == 0) return kernel.run();
    (*time)([&] {
        kernel.run();
        return true;
    });
}

bool FusedTaylor::series(int order, double t, const double* x, double scale, double* coefficients) {
    Kernels* const k = kernels(order);
    if (!k) return false;
    step_[TaylorLists::t_number] = t;
    step_[TaylorLists::scale_number] = scale;
    double** const slots = k->series_slots;
    slots[start_input] = const_cast<double*>(x); // only read
    slots[TaylorLists::coefficients_out] = coefficients;
    run(*k->series, parts_.distribution_time);
    parts_.distribution.count_evaluations(order - 1); // the first is V, which is known
    return std::ranges::all_of(series_report_, [](double size) { return std::isfinite(size); });
}

bool FusedTaylor::land(int order, double t, double h, double r, const Places& places) {
    Kernels& k = *kernels(order);
    step_[TaylorLists::t_number] = t;
    step_[TaylorLists::h_number] = h;
    step_[TaylorLists::ratio_number] = r;
    double** const slots = k.land_slots;
    slots[start_input] = const_cast<double*>(places.start); // only read
    slots[stage_input] = const_cast<double*>(places.coefficients);
    slots[TaylorLists::point_out] = places.end;
    slots[TaylorLists::direction_out] = places.direction;
    slots[TaylorLists::shift_out] = places.shift;
    run(*k.land, lists_.has_rows() ? parts_.projection_time : parts_.distribution_time);
    parts_.distribution.count_evaluations(1);
    return land_report_[TaylorLists::off_report] == 0 && std::isfinite(land_report_[TaylorLists::error_report]);
}

} // namespace vessiot::method
