// The distribution `solve`: r + A w = 0 by a factorisation of A at every point. Dense, banded or sparse, as A is.
#pragma once

#include "distribution/distribution.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot {

template <class S> class SolveDistribution final : public Distribution<S> {
public:
    SolveDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                      const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return "solve"; }
    PointStatus tops(S t, const S* u, S* w) override;
    bool solve_again(const S* r, S* w) override;

private:
    TopSystem<S> system_;
    linalg::SquareSolver<S> solver_;
    linalg::Vector<S> entries_;
};

extern template class SolveDistribution<double>;
extern template class SolveDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind solve_distribution; // kind.hpp

} // namespace vessiot
