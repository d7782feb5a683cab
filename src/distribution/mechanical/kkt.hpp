// The distribution `kkt`: the tops of a mechanical system, coordinates a and multipliers l, by the Schur complement of
// a diagonal mass matrix.
//
//   E a + B l = k,   G a = -r          =>   S l = r + G E^-1 k,   S = G E^-1 B,   a = E^-1 (k - B l)
//
// Motion is solved for a in the graph (explicit_tops.hpp), so that S and its right-hand side, and u' for known l, are
// compiled functions of families; between them S is factorised with numbers: tridiagonal for chains, sparse for trees.
// Where the system is mechanical, B = G^T up to scaling, S is definite and needs no pivoting. Cost O(entries).
// [HW96, VII.1; Tuomela, Arponen, Normi (5.3)]
#pragma once

#include "distribution/mechanical/multipliers.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot {

template <class S> class KktDistribution final : public MultiplierDistribution<S> {
public:
    KktDistribution(const System& system, const Prolongation& p, const KktTops& tops, Jets<S>& jets,
                    const expr::EvaluatorOptions& evaluator, bool is_mechanical)
        : MultiplierDistribution<S>(system, p, tops, jets, evaluator), solver_(this->pattern(), is_mechanical) {}

    std::string_view name() const override { return "kkt"; }

private:
    PointStatus solve_multipliers(S t) override;

    linalg::SquareSolver<S> solver_;
};

extern template class KktDistribution<double>;
extern template class KktDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind kkt_distribution; // kind.hpp

} // namespace vessiot
