// The two kernels that a step of Taylor's method is made of, for small systems, as lists of operations:
//
//   series   the coefficients x_1 .. x_p of the solution through a point, every order written out, and the sizes of
//            those from which the next step follows
//   land     the sum of the series at r = h / T, moved onto the manifold by one correction of every set of constraints;
//            V there, and the error by the defect
//
// Every tier (interpreter, native code) executes the same lists. x_k+1 = T/(k + 1) (V)_k with T a power of two, so that
// no bit depends on T; where the direction of a coordinate is another one, both factors are multiplied beforehand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "method/attempt/frozen_factors.hpp"

namespace vessiot::method {

class TaylorLists {
public:
    using Builder = PointFormulas::Builder;
    using Value = PointFormulas::Value;
    using Point = PointFormulas::Point;
    using Made = std::shared_ptr<const expr::Kernel>;

    // Numbers of step_input.
    enum Step : std::int64_t { t_number, h_number, rtol_number, atol_number, scale_number, ratio_number, n_numbers };
    // Numbers of the reports of `series`: n |x_j|^2, weighed by the sizes that coordinates reach,
    enum SeriesReport : std::int64_t { largest_report, before_last_report, last_report, n_series_reports };
    // and of `land`: n |e|^2; rows off, where that is not 0 the point will not do; what is left of them
    enum LandReport : std::int64_t { error_report, off_report, residual_report, n_land_reports };
    // Outputs, after the inputs of AttemptInput; `land` reads the coefficients from stage_input.
    static constexpr std::uint32_t coefficients_out = n_attempt_inputs, series_report_out = coefficients_out + 1;
    static constexpr std::uint32_t point_out = n_attempt_inputs, direction_out = point_out + 1,
                                   shift_out = direction_out + 1, land_report_out = shift_out + 1;

    // `distance`: from one coefficient to the next, in memory.
    TaylorLists(const PointFormulas& formulas, const std::optional<FrozenRule<double>>& rule, std::int64_t distance);

    // Null where it has more operations than this, or cannot be written.
    Made series(int order, std::int64_t most_operations) const;
    Made land(int order) const;
    bool has_rows() const { return factors_.has_value(); }
    std::int64_t n_sets() const { return factors_ ? factors_->n_sets() : 0; }

private:
    Made velocity() const;
    Value size_of(Builder& b, const std::vector<std::optional<Value>>& x, const Point& weight) const;

    const PointFormulas& formulas_;
    std::int64_t distance_;
    std::optional<FrozenFactors> factors_;
};

// r^0 .. r^order by the shortest chains of products, as `land` has them.
template <class S> void taylor_powers(S r, int order, S* powers) {
    powers[0] = 1;
    if (order > 0) powers[1] = r;
    for (int k = 2; k <= order; ++k) powers[k] = powers[k / 2] * powers[k - k / 2];
}

} // namespace vessiot::method
