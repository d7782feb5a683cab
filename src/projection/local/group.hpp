// The projection `group`: matrix unknowns back into their groups, by formulas of their own. [Hai11, III.1]
//
//   O, SO, Stiefel   the nearest matrix, which is the polar factor (1.5): Y <- Y (3 - Y^T Y)/2, quadratic
//   SL               Y + mu Y^-T with det = 1 (1.4), Newton's method for mu
//   Sp               Y <- Y (1 + J E/2), E = Y^T J Y - J, quadratic
//
// (manifold/matrix_group.hpp.) Nothing is factorised, and the size of a matrix is not limited. For systems whose only
// constraints are their groups; other unknowns stay.
#pragma once

#include <vector>

#include "manifold/manifold.hpp"
#include "manifold/matrix_group.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"
#include "system/system.hpp"

namespace vessiot {

template <class S> class GroupProjection final : public Projection<S> {
public:
    // Throws InvalidInput where the system has no matrices, or other constraints.
    GroupProjection(const System& system, const Prolongation& p, Manifold<S>& manifold,
                    const ProjectionOptions& options);

    std::string_view name() const override { return "group"; }
    void begin_step(S, const S*) override {}
    ProjectionReport<S> project(S tau, S* x) override;

private:
    struct Block {
        std::int64_t at; // of Y in x
        MatrixGroupNumbers<S> group;
    };
    Manifold<S>& manifold_;
    int max_iterations_;
    std::vector<Block> blocks_;
};

extern template class GroupProjection<double>;
extern template class GroupProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind group_projection; // kind.hpp

} // namespace vessiot
