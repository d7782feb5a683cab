// The kernels that an attempt of an explicit Runge-Kutta step is made of, for small systems:
//
//   stages   x_i = (x + h sum_{j < i-1} a_ij k_j) + (h a_i,i-1) k_i-1,   k_i = V(t + c_i h, x_i),   i = 2 ..
//            a, the result, in the same way; and the error, where no stage is at the result
//   land     p, a moved onto the manifold by one correction of each set of constraints; V(p), the error where it needs
//            that, and what is left of the constraints
//   again    one more correction, with the factors that `land` left
//
// They are lists of operations: every tier (interpreter, native code, lanes) executes the same ones. The newest stage
// enters a sum last, since everything waits for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "method/attempt/frozen_factors.hpp"

namespace vessiot::method {

struct AttemptPlan {
    std::size_t n = 0;      // stages before the result
    std::size_t stride = 0; // row i of a begins at a[i * stride]
    std::span<const float128> a, b, c;
    std::vector<float128> error, error_low; // weights of the estimates; one more than n where a stage is at the result
    bool is_fsal = false;
    std::int64_t distance = 0; // from one stage to the next, in memory
};

class AttemptBlocks {
public:
    using Builder = PointFormulas::Builder;
    using Value = PointFormulas::Value;
    using Point = PointFormulas::Point;
    using Made = std::shared_ptr<const expr::Kernel>;

    // Numbers of the report that the kernels write.
    enum Report : std::int64_t { error_report, off_report, residual_report, n_reports };
    static constexpr double hopeless = 1000; // added to off_report where another correction will not help
    // Outputs, after the inputs of AttemptInput.
    enum StageOutput : std::uint32_t { stages_out, result_out, stage_report_out, n_stage_outputs };
    enum LandOutput : std::uint32_t { point_out, direction_out, land_report_out, frozen_out, n_land_outputs };

    AttemptBlocks(const PointFormulas& formulas, const AttemptPlan& plan, const std::optional<FrozenRule<double>>& rule);

    Made stages() const;
    Made land() const;
    Made again() const;
    bool has_rows() const { return factors_.has_value(); }
    std::int64_t n_factors() const { return factors_ ? factors_->n_numbers() : 0; }
    std::int64_t n_sets() const { return factors_ ? factors_->n_sets() : 0; }

private:
    void add_inputs(Builder& b) const;
    Point read(Builder& b, std::uint32_t input, std::int64_t first = 0) const;
    Point combine(Builder& b, const Point& x, std::span<const float128> weights, const std::vector<Point>& k) const;
    Value error(Builder& b, const Point& x, const Point& p, const std::vector<Point>& k) const;
    Value square(Builder& b, const Point& scale, std::span<const float128> weights, const std::vector<Point>& k) const;
    void finish(Builder& b, Value t, const Point& p, Value off) const;

    const PointFormulas& formulas_;
    const AttemptPlan& plan_;
    std::optional<FrozenFactors> factors_;
};

} // namespace vessiot::method
