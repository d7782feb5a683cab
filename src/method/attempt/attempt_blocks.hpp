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
//
// Where the direction of a coordinate q is another coordinate v, as in equations of second order, Nystrom's form of the
// same method: q_i = (q + c_i h v) + h^2 sum_j (A^2)_ij k_j, k the directions of v. It depends on the stages up to i -
// 2 only, and v_i need not be computed where nothing else depends on it; then the stages of q are left out
// (AttemptBlocks::Pair), for whoever needs them to make.
//
// Projected stages: x_i <- P(x_i), P(x) = x - S f(x), S = W A^T (A W A^T)^-1 with df in the middle of the step, at
// x + h k_1 / 2; one correction of each set. P is the same smooth map in all stages of a step and leaves the points of
// the manifold where they are, which is all that the order needs (explicit_rk.hpp). S waits for nothing but k_1, so
// that a stage waits for f, a product and a sum only. What df turns by until the end of a step is left of the last
// stage, times what it was off: where that is four times what it was, and above sqrt(rtol) of the size of a row, the
// attempt is not clear. There is no form of Nystrom's then: the direction of q is the projected v. Quotients by roots
// are split.
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
    std::span<const Quad> a, b, c;
    std::vector<Quad> error, error_low; // weights of the estimates; one more than n where a stage is at the result
    bool is_fsal = false;
    std::int64_t distance = 0;    // from one stage to the next, in memory
    bool projects_stages = false; // and not the result alone
    // The polynomial between both ends, where the tableau has one: weight of stage i and power p at [i * degree + p -
    // 1].
    struct Curve {
        std::span<const Quad> weights{};
        std::size_t degree = 0, n_stages = 0, n_total = 0, end_stage = 0; // as in ExplicitPlan
    } curve{};
};

class AttemptBlocks {
public:
    using Builder = PointFormulas::Builder;
    using Value = PointFormulas::Value;
    using Point = PointFormulas::Point;
    using Made = std::shared_ptr<const expr::Kernel>;

    // Numbers of the report that the kernels write.
    enum Report : std::int64_t {
        above_report, // of the square of the error: above / below
        below_report,
        off_report,
        residual_report,
        n_reports
    };
    static constexpr double hopeless = 1000; // added to off_report where another correction will not help
    // Outputs, after the inputs of AttemptInput: of `stages`, and of the others.
    static constexpr std::uint32_t stages_out = n_attempt_inputs, result_out = stages_out + 1,
                                   stage_report_out = result_out + 1;
    static constexpr std::uint32_t point_out = n_attempt_inputs, direction_out = point_out + 1,
                                   land_report_out = direction_out + 1, frozen_out = land_report_out + 1;

    AttemptBlocks(const PointFormulas& formulas, const AttemptPlan& plan,
                  const std::optional<FrozenRule<double>>& rule);

    // Stages of `position` that the kernel does not write: those of x + h sum_j a_ij k_j, of `velocity`.
    struct Pair {
        std::size_t position, velocity;
    };
    const std::vector<Pair>& left_out() const { return left_out_; }

    Made stages() const;
    Made land() const;
    Made again() const;

    // The same as parts of a larger list, which begins with the inputs of AttemptInput.
    static void add_inputs(Builder& b);
    struct Error { // its square: above / below, which is 1 where it is left out
        Value above = 0;
        std::optional<Value> below{};
    };
    struct Staged {
        Point start, result;
        std::vector<Point> k;
        Error error; // where no stage is at the result
        Value bad;   // 1 where a number is not finite
    };
    Staged put_stages(Builder& b) const;
    struct Landed {
        Point point, direction;
        Value off, residual; // as in the report
        Error error;
    };
    // One correction; begins a block of its own.
    Landed put_landing(Builder& b, const Staged& staged) const;
    bool has_late_error() const { return plan_.is_fsal && !plan_.error.empty(); } // known at the landing only
    bool has_error() const { return !plan_.error.empty(); }
    const PointFormulas& formulas() const { return formulas_; }
    const AttemptPlan& plan() const { return plan_; }
    bool has_rows() const { return factors_.has_value(); }
    std::int64_t n_factors() const { return factors_ ? factors_->n_numbers() : 0; }
    std::int64_t n_sets() const { return factors_ ? factors_->n_sets() : 0; }
    bool projects_stages() const { return factors_ && plan_.projects_stages; }
    std::int64_t n_operations_of_stage() const; // about, without the sum

private:
    Point read(Builder& b, std::uint32_t input, std::int64_t first = 0) const;
    void find_pairs();
    // P of a step; `bad` has a 1 for whatever is not as it should be.
    struct StageProjection {
        std::vector<Value> shared; // FrozenFactors::shared
        FrozenFactors::Gains gains;
        std::vector<Value> bad;
    };
    StageProjection stage_projection(Builder& b, const Point& x, const Point& v) const;
    void project(Builder& b, Value t, Point& x, StageProjection& projection, bool is_last) const;
    Point combine(Builder& b, const Point& x, std::span<const Quad> weights, const std::vector<Point>& k) const;
    // y + factor sum_j w_j k_j of one coordinate; without y the sum alone. None where all weights are 0.
    std::optional<Value> add_up(Builder& b, std::optional<Value> y, Value factor, std::span<const Quad> weights,
                                const std::vector<Point>& k, std::size_t e) const;
    std::vector<Quad> times_a(std::span<const Quad> weights) const;
    Error error(Builder& b, const Point& x, const Point& p, const std::vector<Point>& k) const;
    Value square(Builder& b, const Point& scale, std::span<const Quad> weights, const std::vector<Point>& k) const;
    void add_landing(Builder& b) const; // inputs and outputs of `land` and `again`
    std::vector<Point> stored_stages(Builder& b) const;
    Landed correct(Builder& b, Value t, Point x, const std::vector<Value>& numbers, std::vector<Value> bad,
                   const std::vector<Point>& k) const;
    Landed finish(Builder& b, Value t, const Point& p, Value off, const std::vector<Point>& k) const;
    void store(Builder& b, const Landed& landed) const;
    static void store(Builder& b, std::uint32_t report, const Error& error);

    const PointFormulas& formulas_;
    const AttemptPlan& plan_;
    std::optional<FrozenFactors> factors_;
    std::vector<std::int32_t> velocity_; // by coordinate: the one that is its direction; -1 for others
    std::vector<Pair> left_out_;
};

} // namespace vessiot::method
