#include "projection/ray/ray.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "projection/kind.hpp"
#include "projection/newton.hpp"

namespace vessiot {

using linalg::at;

namespace {

constexpr double slowest = 0.75;      // corrections that shrink less do not converge
constexpr double slowest_sure = 0.25; // or may lead to another root
constexpr double smallness = 0.25;    // of a move, over that of the step
constexpr double farthest = 4;        // lengths do not change by more
constexpr double sharp = 4;           // eps: rays near to a tangent enlarge what is left
constexpr double round_off = 256;     // eps

} // namespace

template <class S>
RayProjection<S>::RayProjection(Manifold<S>& manifold, std::shared_ptr<Partition> partition, const RayOptions& options)
    : manifold_(manifold), partition_(std::move(partition)), options_(options), m_(manifold.n_coordinates()),
      k_(manifold.n_constraints()), tolerance_(S(options.tolerance)),
      convergence_(S(sharp) * linalg::epsilon<S>(), S(options.common.floor)),
      quality_(manifold.pattern(), options_.atom),
      matrix_(manifold.pattern(), *partition_, options.has_one_map && quality_.has_geometry()),
      sizes_(manifold, S(options.common.floor)), start_(m_), a_(m_), s_(k_), ds_(k_), length_(k_), f_(k_),
      df_(manifold.pattern().entries()) {
    if (options.stop != RayStop::sound && options.tolerance <= 0) tolerance_ = S(sharp) * linalg::epsilon<S>();
    if (options.has_fallback) nearest_ = std::make_unique<NewtonProjection<S>>(manifold, options.common);
}

template <class S> void RayProjection<S>::begin_step(S tau, const S* x) {
    std::copy_n(x, m_, start_.data());
    step_.begin(tau);
    if (nearest_) nearest_->begin_step(tau, x);
    if (!quality_.is_low(*partition_)) return;
    ++counts_.jacobians;
    manifold_.movable_df(time_at(manifold_, tau, x), x, f_.data(), df_.data());
    if (quality_.choose(df_.data(), x, *partition_)) matrix_.take_sets();
}

template <class S> void RayProjection<S>::retry() {
    sizes_.forget();
    if (nearest_) nearest_->retry();
}

template <class S> void RayProjection<S>::forget() {
    sizes_.forget();
    quality_.forget();
    step_.forget();
    if (nearest_) nearest_->forget();
}

// The largest |f_i|, perhaps over the size of its row; NaN where one is.
template <class S> S RayProjection<S>::residual(bool is_relative) const {
    S largest = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
        if (f_[i] == S(0)) continue;
        const S r = linalg::absolute(f_[i]) / (is_relative ? sizes_[i] : S(1));
        if (!(r == r)) return r;
        largest = std::max(largest, r);
    }
    return largest;
}

template <class S> bool RayProjection<S>::is_done(S r, int iteration) const {
    switch (options_.stop) {
    case RayStop::sound: return convergence_.is_reached(r);
    case RayStop::residual: return r < tolerance_ || r == S(0);
    case RayStop::increment: break;
    }
    return iteration > 0 && increment_ < tolerance_;
}

template <class S> PointStatus RayProjection<S>::iterate(S tau, S* x, int& iterations) {
    S before = -1;
    for (iterations = 0;; ++iterations) {
        const S t = time_at(manifold_, tau, x);
        ++counts_.jacobians;
        manifold_.movable_df(t, x, f_.data(), df_.data());
        if (iterations == 0) {
            sizes_.find(t, x, df_.data());
            quality_.look(df_.data(), a_.data(), *partition_);
        }
        const S r = residual(options_.stop == RayStop::sound);
        if (!(r == r)) return PointStatus::not_finite;
        if (is_done(r, iterations)) return PointStatus::good;
        if (iterations == options_.common.max_iterations) return PointStatus::not_converged;
        matrix_.fill(df_.data(), a_.data());
        if (iterations == 0 && options_.has_one_map && !is_like_first()) return PointStatus::singular;
        S largest = 0;
        if (const PointStatus status = correct(largest); status != PointStatus::good) return status;
        // NOTE: corrections at round-off do not shrink any more, and are no sign of anything.
        if (before >= S(0) && largest > S(options_.has_one_map ? slowest_sure : slowest) * before)
            return residual(true) <= S(round_off) * linalg::epsilon<S>() ? PointStatus::good : PointStatus::singular;
        before = largest;
        convergence_.correct(r, length_.data(), k_, ds_.data(), k_, [](std::int64_t j) { return j; });
        matrix_.scale(s_.data(), a_.data(), x);
    }
}

template <class S> PointStatus RayProjection<S>::correct(S& largest) {
    ++counts_.factorisations;
    if (!matrix_.factor()) return PointStatus::singular;
    for (std::int64_t j = 0; j < k_; ++j) ds_[j] = -f_[j];
    matrix_.solve(ds_.data());
    increment_ = 0;
    for (std::int64_t j = 0; j < k_; ++j) {
        s_[j] += ds_[j];
        largest = std::max(largest, linalg::absolute(ds_[j]));
        ds_[j] *= length_[j];
        increment_ = std::max(increment_, linalg::absolute(ds_[j]));
        if (!(s_[j] > S(1 / farthest) && s_[j] < S(farthest))) return PointStatus::singular;
    }
    return PointStatus::good;
}

template <class S> bool RayProjection<S>::is_like_first() {
    return !matrix_.has_determinant() || step_.is_like_first(matrix_.determinant(df_.data(), length_.data()));
}

// |P(a) - a| <= |a - x| / 4, but for round-off
template <class S> bool RayProjection<S>::is_small_move() const {
    S move = 0, step = 0, size = 0;
    for (std::int64_t j = 0; j < k_; ++j) {
        const S d = (s_[j] - S(1)) * length_[j];
        move += d * d;
        size += length_[j] * length_[j];
    }
    for (std::int64_t l = 0; l < m_; ++l) step += (a_[l] - start_[l]) * (a_[l] - start_[l]);
    const S noise = S(round_off) * linalg::epsilon<S>();
    return move <= S(smallness * smallness) * step || move <= noise * noise * size;
}

template <class S> ProjectionReport<S> RayProjection<S>::fall_back(S tau, S* x, int iterations, PointStatus why) {
    std::copy_n(a_.data(), m_, x);
    if (!nearest_) {
        manifold_.movable_df(time_at(manifold_, tau, x), x, f_.data(), df_.data());
        failed_quality_ = quality_.of(df_.data(), x, *partition_);
        return {why == PointStatus::not_finite ? PointStatus::not_converged : why, iterations, S(0)};
    }
    if (counts_.fallbacks++ == 0) counts_.first_fallback = static_cast<double>(tau);
    ProjectionReport<S> report = nearest_->project(tau, x);
    report.iterations += iterations;
    return report;
}

template <class S> ProjectionReport<S> RayProjection<S>::project(S tau, S* x) {
    if (k_ == 0) return {};
    std::copy_n(x, m_, a_.data());
    std::fill(s_.begin(), s_.end(), S(1));
    matrix_.lengths(a_.data(), length_.data());
    ProjectionReport<S> report;
    if (step_.is_nearest()) return fall_back(tau, x, 0, PointStatus::singular);
    convergence_.restart();
    report.status = iterate(tau, x, report.iterations);
    if (report.status == PointStatus::good && !is_small_move()) report.status = PointStatus::singular;
    if (report.status != PointStatus::good) {
        if (options_.has_one_map && nearest_) {
            step_.miss(tau);
            if (step_.has_rays()) return {PointStatus::not_converged, report.iterations, S(0)};
        }
        return fall_back(tau, x, report.iterations, report.status);
    }
    step_.add_ray();
    for (const S& r : f_) report.residual = std::max(report.residual, linalg::absolute(r));
    return report;
}

template <class S> std::string RayProjection<S>::failure() const {
    if (nearest_ || failed_quality_ == S(-2)) return "";
    std::string near;
    if (failed_quality_ >= S(0))
        near = k_ == 1 ? fmt::format(": n.grad rho = {:.2g} |grad rho|", static_cast<double>(failed_quality_))
                       : fmt::format(": |det d(rho)/d(X)| = {:.2g} of what it could be",
                                     static_cast<double>(failed_quality_));
    return fmt::format(
        "no length of {} satisfies {}: the ray{} tangent to the constraint{} there{}. Leave out fallback "
        "= none (points are then projected orthogonally there), or try another partition",
        text(*partition_, options_.name), k_ == 1 ? manifold_.text(0) : fmt::format("the {} constraints", k_),
        k_ == 1 ? " is" : "s are", k_ == 1 ? "" : "s", near);
}

template class RayProjection<double>;
template class RayProjection<Quad>;

std::vector<std::int32_t> arrays_of(const Prolongation& p, bool has_t) {
    std::vector<std::int32_t> result;
    for (const std::int32_t position : p.state) {
        const auto after = std::ranges::upper_bound(p.z.first, position);
        result.push_back(static_cast<std::int32_t>(after - p.z.first.begin()));
    }
    if (has_t) result.push_back(0);
    return result;
}

std::string note_of_fallbacks(const ProjectionCounts& counts, std::int64_t n_projections,
                              std::string_view independent) {
    if (counts.fallbacks == 0) return "";
    return fmt::format(
        "{} of {} projections {} orthogonal, where rays are tangent to the constraints (first at {} = {:.6g})",
        counts.fallbacks, n_projections, counts.fallbacks == 1 ? "was" : "were", independent, counts.first_fallback);
}

template <class S> RayOptions ray_options(const ProjectionParts<S>& p) {
    return {.common = p.options,
            .stop = p.rays.stop,
            .tolerance = p.rays.tolerance,
            .has_fallback = p.rays.has_fallback,
            .has_one_map = p.rays.has_one_map,
            .name = p.name,
            .atom = arrays_of(p.prolongation, p.manifold.has_t())};
}

template RayOptions ray_options(const ProjectionParts<double>&);
template RayOptions ray_options(const ProjectionParts<Quad>&);

namespace {

template <class S> std::unique_ptr<Projection<S>> make_ray(const ProjectionParts<S>& p) {
    return std::make_unique<RayProjection<S>>(p.manifold, p.partition, ray_options(p));
}

} // namespace

const ProjectionKind ray_projection{.name = "ray",
                                    .help = "along rays from the origin: lengths of sets of unknowns change",
                                    .needs = "a partition of the unknowns whose lengths satisfy the constraints; time",
                                    .can = {.goes_along_rays = true, .has_sets = true},
                                    .make_double = make_ray<double>,
                                    .make_quad = make_ray<Quad>};

} // namespace vessiot
