// Steps of Taylor's method by the kernels of taylor_lists.hpp, and the few decisions between them. Where one of these
// is not plain (a number that is not finite, a small pivot, a second correction) the caller makes the step with the
// parts of the method one by one.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "expr/kernel/evaluator.hpp"
#include "method/taylor/taylor_lists.hpp"

namespace vessiot::method {

class FusedTaylor {
public:
    // Null where the system is too large, has no formulas, or the projection no rule that fits. `projection` is null
    // where nothing is projected; coefficients of the series are `distance` numbers apart.
    static std::unique_ptr<FusedTaylor> make(const Parts<double>& parts, const Projection<double>* projection,
                                             double rtol, double atol, std::int64_t distance);

    // Makes the kernels of this order, so that nothing is allocated later.
    void prepare(int order) { kernels(order); }
    // The coefficients up to this order; false where they are not to be had in this way.
    bool series(int order, double t, const double* x, double scale, double* coefficients);
    void sample(bool is_on) { is_sampling_ = is_on; } // whether times of parts are taken, where that is asked for
    // Of these: |x_j|^2, measured in tolerances.
    double largest() const { return mean(series_report_[TaylorLists::largest_report]); } // of x_0, x_1, x_2
    double before_last() const { return mean(series_report_[TaylorLists::before_last_report]); }
    double last() const { return mean(series_report_[TaylorLists::last_report]); }

    // Where the numbers of a step are: x and its coefficients; the end, V there, and how far it was moved.
    struct Places {
        const double *start, *coefficients;
        double *end, *direction, *shift;
    };
    // The end of a step of h = r T from x; false where it is not plain. After series() of the same order.
    bool land(int order, double t, double h, double r, const Places& places);
    double error() const { return std::sqrt(mean(land_report_[TaylorLists::error_report])); }
    double residual() const { return land_report_[TaylorLists::residual_report]; }
    std::int64_t n_sets() const { return lists_.n_sets(); } // of constraints, each corrected once

private:
    FusedTaylor(const Parts<double>& parts, PointFormulas&& formulas, const std::optional<FrozenRule<double>>& rule,
                double rtol, double atol, std::int64_t distance);
    // The kernels of an order. A run needs two at most: that of rtol and that of atol.
    struct Kernels {
        int order = 0; // 0: none yet
        std::optional<expr::Evaluator> series, land;
        double **series_slots = nullptr, **land_slots = nullptr;
    };
    Kernels* kernels(int order);
    void make(Kernels& kernels, int order);
    void run(expr::Evaluator& kernel, SampledTime* time) const;
    double mean(double sum) const { return sum / static_cast<double>(formulas_.n()); }

    const Parts<double>& parts_;
    PointFormulas formulas_;
    TaylorLists lists_;
    std::array<double, TaylorLists::n_numbers> step_{};
    std::array<double, TaylorLists::n_series_reports> series_report_{};
    std::array<double, TaylorLists::n_land_reports> land_report_{};
    std::array<Kernels, 2> kernels_;
    bool is_sampling_ = true;
};

} // namespace vessiot::method
