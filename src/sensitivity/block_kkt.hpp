// The distribution `kkt` (kkt.hpp) of a mechanical system with derivatives (augmentation.hpp): multipliers from
//
//     S l = -r,     S l_j = -(r + S l differentiated by p_j, with l_j = 0)
//
// with one factorisation of S for all blocks; then all other tops, and u', by formulas and their derivatives.
#pragma once

#include <vector>

#include "distribution/distribution.hpp"
#include "distribution/tops/explicit_tops.hpp"
#include "expr/graph/function.hpp"
#include "linalg/solver/square_solver.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"
#include "sensitivity/augmentation.hpp"

namespace vessiot {

template <class S> class BlockKktDistribution final : public Distribution<S> {
public:
    // `tops` and `base` are of the system itself, `jets` of all blocks. All must outlive it.
    BlockKktDistribution(Augmentation& augmentation, const KktTops& tops, Jets<S>& base, Jets<S>& jets,
                         const expr::EvaluatorOptions& evaluator, bool is_mechanical);

    std::string_view name() const override { return "kkt"; }
    PointStatus tops(S t, const S* u, S* w) override;
    PointStatus velocity(S t, const S* u, S* du) override;

private:
    PointStatus find_multipliers(S t, const S* u);
    void put_multipliers(std::int64_t block, const S* l); // in their places in w_

    // l[from ..] are the tops w[to ..] of a block
    struct Run {
        std::int64_t from, to, n;
    };
    Jets<S>&base_, &jets_;
    std::int64_t n_blocks_, n_block_tops_;
    std::vector<Run> runs_;
    RowFunction<S> rows_, derivatives_;
    expr::Function<S> tops_, velocity_;
    linalg::SquareSolver<S> solver_;
    linalg::Vector<S> w_, entries_, l_, r_;
};

extern template class BlockKktDistribution<double>;
extern template class BlockKktDistribution<Quad>;

} // namespace vessiot
