// An attempt of an explicit Runge-Kutta step with projection, by the kernels of attempt_blocks.hpp: what remains around
// them are a few decisions. Where one of these is not plain, the caller makes the step with the parts of the method one
// by one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "expr/kernel/evaluator.hpp"
#include "linalg/vector.hpp"
#include "method/attempt/attempt_blocks.hpp"
#include "method/estimate/error_square.hpp"

namespace vessiot::method {

class FusedAttempt {
public:
    // Null where the system is too large, has no formulas, or the projection no rule that fits. `projection` is null
    // where nothing is projected.
    static std::unique_ptr<FusedAttempt> make(const Parts<double>& parts, const AttemptPlan& plan,
                                              const Projection<double>* projection, double rtol, double atol);

    // Where the numbers of a step are.
    struct Places {
        const double *start, *first;              // x, k_1
        double *stages, *end, *other, *direction; // k_2 .. one after the other; the point, and a second one; V(p)
    };
    enum class Result : std::uint8_t {
        done,     // p is at `point`, V(p) at Places::direction
        rejected, // the error is too large; there may be no p
        unclear,  // the parts of the method have to find out
    };
    // Where `lands` a step that is rejected has its point, too.
    Result operator()(double t, double h, const Places& places, bool lands = false);

    void sample(bool is_on) { is_sampling_ = is_on; } // whether times of parts are taken, where that is asked for
    // Writes the stages that the last attempt did without.
    void complete(const Places& places) const;
    ErrorSquare square() const { // of the error
        return {report_[AttemptBlocks::above_report], report_[AttemptBlocks::below_report]};
    }
    double residual() const { return report_[AttemptBlocks::residual_report]; }
    const double* point() const { return point_; } // `end` or `other`
    bool projects() const { return blocks_.has_rows(); }
    std::int64_t n_sets() const { return blocks_.n_sets(); }
    int n_corrections() const { return n_corrections_; } // of each set

    // For lists that contain the same attempt: what it is made of, where its fixed inputs are, and which of all it is.
    const AttemptBlocks& blocks() const { return blocks_; }
    void bind(double** slots) const { formulas_.bind(slots); }
    double rtol() const { return step_[2]; }
    double atol() const { return step_[3]; }
    std::uint64_t number() const { return number_; }
    bool has_landed() const { return has_landed_; } // V(p) was computed
    // Attempts that were made elsewhere by the same operations, of which so many have landed.
    void count(std::int64_t attempts, std::int64_t landed) const {
        parts_.distribution.count_evaluations(attempts * (static_cast<std::int64_t>(plan_.n) - 1) + landed);
    }

private:
    FusedAttempt(const Parts<double>& parts, PointFormulas&& formulas, const AttemptPlan& plan,
                 const std::optional<FrozenRule<double>>& rule, double rtol, double atol);
    bool land(const Places& places);
    bool is_landed() const { return report_[AttemptBlocks::off_report] == 0; }

    const Parts<double>& parts_;
    PointFormulas formulas_;
    AttemptPlan plan_;
    AttemptBlocks blocks_;
    expr::Evaluator stages_, land_;
    std::optional<expr::Evaluator> again_;
    std::vector<double> a_;        // of the plan
    std::array<double, 4> step_{}; // t, h, rtol, atol
    std::array<double, AttemptBlocks::n_reports> report_{};
    linalg::Vector<double> frozen_;
    double* point_ = nullptr;
    int n_corrections_ = 0;
    bool has_landed_ = false, is_sampling_ = true;
    double **stage_slots_, **land_slots_; // of the kernels
    std::uint64_t number_;
};

} // namespace vessiot::method
