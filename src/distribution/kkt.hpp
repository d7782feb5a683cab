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

#include "distribution/distribution.hpp"
#include "distribution/explicit_tops.hpp"
#include "expr/function.hpp"
#include "linalg/square_solver.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

template <class S> class KktDistribution final : public Distribution<S> {
public:
    KktDistribution(const System& system, const Prolongation& p, const KktTops& tops, Jets<S>& jets,
                    const expr::EvaluatorOptions& evaluator, bool is_mechanical);

    std::string_view name() const override { return "kkt"; }
    PointStatus tops(S t, const S* u, S* w) override;
    PointStatus velocity(S t, const S* u, S* du) override;

private:
    PointStatus multipliers(S t, const S* u, S* w);

    // l[from ..] are the tops w[to ..]
    struct Run {
        std::int64_t from, to, n;
    };
    Jets<S>& jets_;
    std::vector<Run> runs_;
    RowFunction<S> rows_;
    linalg::SquareSolver<S> solver_;
    expr::Function<S> tops_, velocity_;
    linalg::Vector<S> entries_, l_, w_;
};

extern template class KktDistribution<double>;
extern template class KktDistribution<expr::Quad>;

} // namespace vessiot
