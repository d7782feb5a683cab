// The projection of a system with derivatives (augmentation.hpp): any projection of the system itself for u, and each
// s_j onto the affine space that the constraints, differentiated by p_j at the new point, leave:
//
//     f(t, u) = 0,     A s_j + f_p = 0,   A = df(t, u)
//
// by the shortest change, s_j - W A^T (A W A^T)^-1 (A s_j + f_p): the derivative of the projection of u with A frozen.
// What happens to u does not depend on the derivatives. Levels and weights W are those of the projection `simplified`
// (simplified.hpp). One factorisation serves all variables.
#pragma once

#include <memory>
#include <vector>

#include "linalg/solver/normal_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/projection.hpp"

namespace vessiot {

template <class S> class TangentProjection final : public Projection<S> {
public:
    // `base` is the manifold that `inner` projects on, `all` that of all blocks. Both must outlive it.
    TangentProjection(std::unique_ptr<Projection<S>> inner, Manifold<S>& base, Manifold<S>& all);

    std::string_view name() const override { return inner_->name(); }
    bool goes_by_levels() const override { return inner_->goes_by_levels(); }
    void begin_step(S tau, const S* x) override;
    void retry() override { inner_->retry(); }
    void forget() override { inner_->forget(); }
    void renew() override { inner_->renew(); }
    ProjectionReport<S> project(S tau, S* x) override;
    std::string failure() const override { return inner_->failure(); }
    // Of u alone.
    const ProjectionCounts& counts() const override { return inner_->counts(); }
    std::string note(const ProjectionCounts& counts, std::int64_t n_projections,
                     std::string_view independent) const override {
        return inner_->note(counts, n_projections, independent);
    }

private:
    struct Level {
        std::vector<std::int32_t> rows, columns, source;
        linalg::NormalSolver<S> solver;
        linalg::Vector<S> entries, b, d, weights;
    };
    Level make_level(std::vector<std::int32_t> rows, std::vector<std::int32_t> columns) const;
    void make_levels();
    void set_weights();
    bool factor(S t);
    void take_residuals(S t, const S* x);
    S largest() const; // of the residuals of all blocks but the first, over the largest terms
    void correct(std::int64_t block, S* s);

    std::unique_ptr<Projection<S>> inner_;
    Manifold<S>&base_, &all_;
    std::int64_t n_, n_blocks_;
    bool is_joint_;
    std::vector<std::int32_t> row_of_; // by block and row of base_: the row of all_
    std::vector<Level> levels_;
    linalg::Vector<S> u_, f_, entries_, all_f_, terms_, r_;
};

extern template class TangentProjection<double>;
extern template class TangentProjection<Quad>;

// By block and row of `base`: the row of the manifold of all blocks. Constraints of all blocks come first, then the
// invariants of all blocks.
template <class S> std::vector<std::int32_t> rows_of_blocks(const Manifold<S>& base, const Manifold<S>& all);

} // namespace vessiot
