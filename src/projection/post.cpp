#include "projection/post.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "projection/kind.hpp"

namespace vessiot {

template <class S>
PostProjection<S>::PostProjection(Manifold<S>& manifold)
    : manifold_(manifold), solver_(manifold.pattern()), f_(manifold.n_constraints()), df_(manifold.pattern().entries()),
      d_(manifold.n_coordinates()) {}

template <class S> ProjectionReport<S> PostProjection<S>::project(S tau, S* x) {
    ++counts_.jacobians;
    ++counts_.factorisations;
    manifold_.movable_df(time_at(manifold_, tau, x), x, f_.data(), df_.data());
    if (!linalg::all_finite(f_.data(), f_.size())) return {PointStatus::not_finite, 0, S(0)};
    if (!solver_.factor(df_.data(), nullptr) && !solver_.leaves_out_rows()) return {PointStatus::singular, 0, S(0)};
    solver_.solve_correction(f_.data(), d_.data());
    for (std::int64_t j = 0; j < d_.size(); ++j) x[j] -= d_[j];
    manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    ProjectionReport<S> report{PointStatus::good, 1, S(0)};
    for (const S& r : f_) report.residual = std::max(report.residual, linalg::absolute(r));
    return report;
}

template class PostProjection<double>;
template class PostProjection<Quad>;

namespace {

template <class S> std::unique_ptr<Projection<S>> make_post(const ProjectionParts<S>& p) {
    return std::make_unique<PostProjection<S>>(p.manifold);
}

} // namespace

const ProjectionKind post_projection{.name = "post",
                                     .help = "one linear step towards the constraints",
                                     .needs = "",
                                     .can = {},
                                     .make_double = make_post<double>,
                                     .make_quad = make_post<Quad>};

} // namespace vessiot
