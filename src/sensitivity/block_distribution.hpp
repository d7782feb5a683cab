// The direction of a system with derivatives (augmentation.hpp), block after block: with A and r of the system itself
//
//     A w = -r,     A s_j^(d) = -(F_u s_j + F_p)  at w
//
// where the right-hand sides are the rows of block j with its tops put to 0. A is factorised once for all of them:
// m variables cost m evaluations of rows and m solutions more.
#pragma once

#include <memory>

#include "distribution/distribution.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"
#include "system/system.hpp"

namespace vessiot {

template <class S> class BlockDistribution final : public Distribution<S> {
public:
    // `inner` is the distribution of block 0, one that solves again (Distribution::solve_again); the others are those
    // of all blocks, and must outlive it.
    BlockDistribution(std::unique_ptr<Distribution<S>> inner, const System& system, const Prolongation& p,
                      Jets<S>& jets, const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return inner_->name(); }
    PointStatus tops(S t, const S* u, S* w) override;

private:
    std::unique_ptr<Distribution<S>> inner_;
    Jets<S>& jets_;
    std::int64_t n_blocks_, n_equations_; // of each block
    RowFunction<S> rows_;                 // of the blocks 1 ..
    linalg::Vector<S> r_;
};

extern template class BlockDistribution<double>;
extern template class BlockDistribution<Quad>;

} // namespace vessiot
