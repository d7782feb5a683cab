#include "projection/ray/gradient_ray.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/iterative/krylov.hpp"
#include "linalg/scalar.hpp"
#include "projection/kind.hpp"
#include "projection/newton.hpp"

namespace vessiot {

using linalg::at;

template <class S>
GradientRayProjection<S>::GradientRayProjection(Manifold<S>& manifold, const RayOptions& options)
    : manifold_(manifold), options_(options), tolerance_(S(options.tolerance)), map_(manifold),
      convergence_(S(64) * linalg::epsilon<S>(), S(options.common.floor)), a_(manifold.n_coordinates()),
      n_(map_.size()), y_(map_.size()), u_(map_.size()), v_(map_.size()) {
    if (options.tolerance <= 0) tolerance_ = S(64) * linalg::epsilon<S>();
    if (options.has_fallback) nearest_ = std::make_unique<NewtonProjection<S>>(manifold, options.common);
}

template <class S> void GradientRayProjection<S>::begin_step(S tau, const S* x) {
    if (nearest_) nearest_->begin_step(tau, x);
}

template <class S> void GradientRayProjection<S>::retry() {
    if (nearest_) nearest_->retry();
}

template <class S> void GradientRayProjection<S>::forget() {
    if (nearest_) nearest_->forget();
}

template <class S> bool GradientRayProjection<S>::is_done(S r, int iteration) const {
    switch (options_.stop) {
    case RayStop::sound: return convergence_.is_reached(r);
    case RayStop::residual: return r < tolerance_ || r == S(0);
    case RayStop::increment: break;
    }
    return iteration > 0 && increment_ < tolerance_;
}

template <class S> PointStatus GradientRayProjection<S>::iterate(S tau, S* x, ProjectionReport<S>& report) {
    const std::int64_t n = map_.size();
    const std::vector<std::int32_t>& columns = map_.columns();
    S length = 0, size = 1;
    for (int k = 0;; ++k) {
        report.iterations = k;
        const S t = time_at(manifold_, tau, x);
        ++counts_.jacobians;
        const S rho = map_.gradient(t, x, y_.data());
        report.residual = linalg::absolute(rho);
        if (!linalg::is_finite(rho)) return PointStatus::not_finite;
        if (k == 0) {
            length = linalg::norm(n, y_.data());
            if (!(length > S(0))) return PointStatus::singular;
            for (std::int64_t j = 0; j < n; ++j) n_[j] = y_[j] / length;
            if (options_.stop == RayStop::sound) size = map_.size_of_rho(t, x, S(options_.common.floor));
        }
        const S r = rho == S(0) ? S(0) : linalg::absolute(rho) / size;
        if (is_done(r, k)) return PointStatus::good;
        if (k == options_.common.max_iterations) return PointStatus::not_converged;
        map_.find_second(t, x);
        ++counts_.factorisations;
        if (!map_.factor()) return PointStatus::singular;
        for (std::int64_t j = 0; j < n; ++j) {
            u_[j] = y_[j] - length * n_[j];
            v_[j] = n_[j];
        }
        map_.solve(u_.data());
        map_.solve(v_.data());
        const S change = (linalg::dot(n, y_.data(), u_.data()) - rho) / linalg::dot(n, y_.data(), v_.data());
        length += change;
        increment_ = linalg::absolute(change);
        if (!(length > S(0))) return PointStatus::singular;
        for (std::int64_t j = 0; j < n; ++j) v_[j] = change * v_[j] - u_[j];
        convergence_.correct(r, x, manifold_.n_coordinates(), v_.data(), n,
                             [&](std::int64_t j) { return columns[at(j)]; });
        for (std::int64_t j = 0; j < n; ++j) x[columns[at(j)]] += v_[j];
    }
}

template <class S> ProjectionReport<S> GradientRayProjection<S>::project(S tau, S* x) {
    std::copy_n(x, a_.size(), a_.data());
    convergence_.restart();
    ProjectionReport<S> report;
    report.status = iterate(tau, x, report);
    if (report.status == PointStatus::good) return report;
    const int iterations = report.iterations;
    std::copy_n(a_.data(), a_.size(), x);
    has_failed_ = !nearest_;
    if (!nearest_) return report;
    if (counts_.fallbacks++ == 0) counts_.first_fallback = static_cast<double>(tau);
    report = nearest_->project(tau, x);
    report.iterations += iterations;
    return report;
}

template <class S> std::string GradientRayProjection<S>::failure() const {
    if (!has_failed_) return "";
    return fmt::format("no point with a gradient in the same direction satisfies {}: its second derivatives may be "
                       "singular there. Leave out fallback = none (points are then projected orthogonally there)",
                       manifold_.text(0));
}

template class GradientRayProjection<double>;
template class GradientRayProjection<Quad>;

namespace {

template <class S> std::unique_ptr<Projection<S>> make_gradient_ray(const ProjectionParts<S>& p) {
    const Manifold<S>& m = p.manifold;
    if (m.n_constraints() != 1 || m.has_t())
        throw InvalidInput(fmt::format("projection = gradient-ray follows the gradient of one constraint, in time, but "
                                       "{} has {}{}. Use projection = ray",
                                       p.system.name, plural(at(m.n_constraints()), "constraint"),
                                       m.has_t() ? " and is followed in arclength" : ""));
    return std::make_unique<GradientRayProjection<S>>(p.manifold, ray_options(p));
}

} // namespace

const ProjectionKind gradient_ray_projection{.name = "gradient-ray",
                                             .help = "along a ray of the gradient",
                                             .needs = "one constraint, and time",
                                             .can = {.goes_along_rays = true},
                                             .make_double = make_gradient_ray<double>,
                                             .make_quad = make_gradient_ray<Quad>};

} // namespace vessiot
