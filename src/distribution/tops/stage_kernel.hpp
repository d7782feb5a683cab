// All stages of an explicit Runge-Kutta step as one compiled function, for small systems: calls and loops of a few
// numbers cost more there than the arithmetic.
//
//   x_i = x + h sum_j a_ij k_j,   k_i = V(t + c_i h, x_i),   i = 2 .. n;   end = x + h sum_j b_j k_j
//
// V is put into itself in the graph. Every operation is the one, in the order, that separate calls would do, so that
// the results are the same to the last bit and a run can change over in the middle.
#pragma once

#include <cstddef>
#include <memory>

#include "distribution/tops/explicit_tops.hpp"
#include "expr/graph/function.hpp"
#include "manifold/field.hpp"
#include "manifold/jets.hpp"

namespace vessiot {

class StageKernel final : public Stages<double> {
public:
    // Null where it would take too many operations.
    static std::unique_ptr<StageKernel> make(const System& system, const Prolongation& p, const ExplicitTops& tops,
                                             Jets<double>& jets, const expr::EvaluatorOptions& evaluator,
                                             const StagePlan& plan);

    bool is_ready() const override { return function_.evaluator().is_native(); }
    void operator()(double t, double h, const double* u, double* const* k, double* end) override;

private:
    StageKernel(Jets<double>& jets, expr::Function<double>&& function, std::size_t n)
        : jets_(jets), function_(std::move(function)), n_(n) {}

    Jets<double>& jets_;
    mutable expr::Function<double> function_;
    std::size_t n_;
    double h_[2] = {0, 0}; // h, and 0
};

} // namespace vessiot
