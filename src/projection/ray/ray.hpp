// The projection `ray`: along rays from the origin. The coordinates are partitioned in k sets, as many as there are
// constraints; of each set the direction stays, and its length satisfies a constraint. [Liu06, (18), (91), (100)]
//
//   a           the point to be projected, n_j = a_j / |a_j| the unit vector of its set j
//   rho_i(X_1 n_1, .., X_k n_k) = 0,  i = 1 .. k,     solved for the lengths X_j, from X_j = |a_j|
//
// Newton's method in s_j = X_j / |a_j|, with J_ij = sum_{l in I_j} df_il a_l. Coordinates in no set stay.
//
// End.    sound      at round-off (convergence.hpp)
//         residual   |rho_i| < tolerance, tested before the first iteration too
//         increment  |X_j - X_j before| < tolerance, after one iteration at least
//
// Root.   The equations may have several solutions; the one meant is nearest to s = 1. For one constraint that is a
//         parabola along the ray, rho ~ (s - r_1)(s - r_2), Newton's method finds it, with corrections that shrink by
//
//           theta = |ds'| / |ds| = |d^2 - r^2| / (2 |d^2 + r^2|)     d: from the vertex to s, r = (r_2 - r_1)/2
//
//         which is at most 1/2 where the roots are real, and at least 1/2 where they are not: there the ray misses M.
//         So corrections that do not shrink to 3/4 say that the rays are tangent to M (n.grad rho = 0, det J = 0) as
//         far as this step can tell. They are tangent in places that have nothing to do with the problem, x + y = 2
//         for Lotka-Volterra's; a length that gets 4 times as large or small counts as no root either.
//
//         A root is none of this step if it lies far away: near tangents a point that is off M by delta is moved by
//         delta over the angle, and where that is as much as the step itself moved, points slide along the places of
//         tangency, for ever so small steps. So a move of more than a quarter of |a - x|, x the start of the step, is
//         no correction. Where steps have tolerances corrections must shrink to 1/4: then s = 1 is nearer to its root
//         than to the vertex.
//
// There the nearest point of M is taken instead, by another projection, and counted; without that (`fallback = none`)
// the projection fails, and says why.
//
//         Between stages rays may become tangent, and no step shows it whose stages lie on both sides: det J of a point
//         must be a third to three times that of the first one of the step.
//
// One map a step. Some stages along rays and some to the nearest point are not a method of any order. Where steps can
//         be made again (`has_one_map`) a step fails in which a ray fails after others have not; between its start and
//         the place of the failure all points are nearest ones from then on.
//
// Choice. Sets that nobody gave are chosen by their quality (ray_geometry.hpp), and again at the start of a step where
//         that has fallen to a third. For a step they are one smooth projection, so that the order is kept. With one
//         constraint there is no choice: all coordinates that it contains are one set.
//
// Cost: df and a factorisation k x k an iteration. No allocation but where sets are chosen again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/convergence.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"
#include "projection/ray/ray_matrix.hpp"
#include "projection/ray/ray_parts.hpp"

namespace vessiot {

struct RayOptions {
    ProjectionOptions common{};
    RayStop stop = RayStop::sound;
    double tolerance = 0; // of |rho_i| or of lengths; 0: about round-off
    bool has_fallback = true;
    bool has_one_map = false; // steps are adaptive: those with points of two maps fail, and corrections shrink to 1/4
    CoordinateName name{};    // for messages
    std::vector<std::int32_t> atom{}; // by coordinate, the array it belongs to; for the choice
};

// By coordinate the array that it is an element of.
std::vector<std::int32_t> arrays_of(const Prolongation& p, bool has_t);

template <class S> struct ProjectionParts;
// What the parts say about rays.
template <class S> RayOptions ray_options(const ProjectionParts<S>& parts);

// How often, and where first, the nearest point was taken; empty where it never was.
std::string note_of_fallbacks(const ProjectionCounts& counts, std::int64_t n_projections, std::string_view independent);

template <class S> class RayProjection final : public Projection<S> {
public:
    // As many sets as constraints. The partition is written where sets are chosen again.
    RayProjection(Manifold<S>& manifold, std::shared_ptr<Partition> partition, const RayOptions& options);

    std::string_view name() const override { return "ray"; }
    void begin_step(S tau, const S* x) override;
    void retry() override;
    void forget() override;
    ProjectionReport<S> project(S tau, S* x) override;
    std::string failure() const override;
    std::string note(const ProjectionCounts& counts, std::int64_t n_projections,
                     std::string_view independent) const override {
        return note_of_fallbacks(counts, n_projections, independent);
    }

private:
    using Projection<S>::counts_;

    S residual(bool is_relative) const;
    bool is_done(S r, int iteration) const;
    bool is_small_move() const;
    bool is_like_first(); // det J, in this step
    PointStatus iterate(S tau, S* x, int& iterations);
    PointStatus correct(S& largest); // the lengths, by Newton's method; and by how much
    ProjectionReport<S> fall_back(S tau, S* x, int iterations, PointStatus why);

    Manifold<S>& manifold_;
    std::shared_ptr<Partition> partition_;
    RayOptions options_;
    std::int64_t m_, k_;
    S tolerance_;
    Convergence<S> convergence_;
    RayQuality<S> quality_;
    RayMatrix<S> matrix_;
    RowSizes<S> sizes_;
    RaysOfStep<S> step_;
    linalg::Vector<S> start_, a_, s_, ds_, length_, f_, df_;
    std::unique_ptr<Projection<S>> nearest_; // the fallback
    S increment_ = 0;                        // the largest change of a length in the last iteration
    S failed_quality_ = -2;                  // -2: nothing failed
};

extern template class RayProjection<double>;
extern template class RayProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind ray_projection; // kind.hpp

} // namespace vessiot
