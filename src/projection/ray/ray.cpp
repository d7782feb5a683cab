#include "projection/ray/ray.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "linalg/matrix.hpp"
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
constexpr double rechoice = 1.0 / 3;  // of the quality
constexpr double sharp = 4;           // eps: rays near to a tangent enlarge what is left
constexpr double round_off = 256;     // eps
constexpr int terms_last = 16;        // projections for which largest terms are good

} // namespace

template <class S>
RayProjection<S>::RayProjection(Manifold<S>& manifold, std::shared_ptr<Partition> partition, const RayOptions& options)
    : manifold_(manifold), shared_(std::move(partition)), partition_(*shared_), options_(options),
      m_(manifold.n_coordinates()), k_(manifold.n_constraints()), tolerance_(S(options.tolerance)),
      convergence_(S(sharp) * linalg::epsilon<S>(), S(options.common.floor)), set_(at(m_), -1),
      place_(manifold.pattern().row.size(), -1), start_(m_), a_(m_), s_(k_), ds_(k_), length_(k_), f_(k_),
      df_(manifold.pattern().entries()), size_(k_), terms_(k_) {
    if (options.stop != RayStop::sound && options.tolerance <= 0) tolerance_ = S(sharp) * linalg::epsilon<S>();
    if (RayGeometry<S>::is_possible(k_, m_)) geometry_.emplace(manifold.pattern(), options_.atom);
    set_places();
    if (options.has_one_map && geometry_) {
        dense_.resize(at(k_ * k_));
        row_.resize(at(k_));
    }
    if (options.has_fallback) nearest_ = std::make_unique<NewtonProjection<S>>(manifold, options.common);
}

// Where the entries of df go. The pattern of J is that of the sets, or full where they may change.
template <class S> void RayProjection<S>::set_places() {
    std::ranges::fill(set_, -1);
    for (std::size_t j = 0; j < partition_.sets.size(); ++j)
        for (const std::int32_t l : partition_.sets[j]) set_[at(l)] = static_cast<std::int32_t>(j);
    const linalg::Pattern& df = manifold_.pattern();
    const auto visit = [&](const auto& function) {
        for (std::int64_t l = 0; l < m_; ++l)
            for (std::int64_t e = df.column_start[at(l)]; e < df.column_start[at(l) + 1]; ++e)
                if (set_[at(l)] >= 0) function(e, df.row[at(e)], set_[at(l)]);
    };
    if (!solver_) {
        std::vector<linalg::Place> places;
        visit([&](std::int64_t, std::int32_t i, std::int32_t j) { places.push_back({i, j}); });
        if (partition_.is_chosen)
            for (std::int32_t j = 0; j < static_cast<std::int32_t>(k_); ++j)
                for (std::int32_t i = 0; i < static_cast<std::int32_t>(k_); ++i) places.push_back({i, j});
        pattern_ = linalg::make_pattern(k_, k_, places);
        solver_ = std::make_unique<linalg::SquareSolver<S>>(pattern_);
        j_ = linalg::Vector<S>(pattern_.entries());
    }
    std::ranges::fill(place_, -1);
    visit([&](std::int64_t e, std::int32_t i, std::int32_t j) {
        const auto first = pattern_.row.begin() + pattern_.column_start[at(j)];
        const auto last = pattern_.row.begin() + pattern_.column_start[at(j) + 1];
        place_[at(e)] = std::lower_bound(first, last, i) - pattern_.row.begin();
    });
}

template <class S> void RayProjection<S>::begin_step(S tau, const S* x) {
    // again from the same point: the sizes are those of an attempt that was rejected, and may be anything
    if (tau == step_tau_) is_trusted_ = false;
    step_tau_ = tau;
    std::copy_n(x, m_, start_.data());
    n_rays_ = 0;
    first_det_ = 0;
    is_nearest_ = missed_from_ != missed_to_ && (tau - missed_from_) * (tau - missed_to_) <= S(0);
    if (nearest_) nearest_->begin_step(tau, x);
    const bool may_choose = partition_.is_chosen && k_ > 1 && geometry_;
    if (!may_choose || quality_ > S(rechoice) * best_quality_) return;
    ++counts_.jacobians;
    manifold_.movable_df(time_at(manifold_, tau, x), x, f_.data(), df_.data());
    if (!geometry_->load(df_.data())) return;
    best_quality_ = geometry_->choose(x, partition_);
    quality_ = best_quality_;
    set_places();
}

template <class S> void RayProjection<S>::forget() {
    is_trusted_ = false;
    quality_ = -1;
    missed_from_ = missed_to_ = 0;
    if (nearest_) nearest_->forget();
}

// x_l = s_j a_l
template <class S> void RayProjection<S>::scale(S* x) const {
    for (std::int64_t l = 0; l < m_; ++l)
        if (set_[at(l)] >= 0) x[l] = s_[set_[at(l)]] * a_[l];
}

// J_ij = sum_{l in I_j} df_il a_l
template <class S> void RayProjection<S>::fill_matrix() {
    std::fill(j_.begin(), j_.end(), S(0));
    const linalg::Pattern& df = manifold_.pattern();
    for (std::int64_t l = 0; l < m_; ++l) {
        if (set_[at(l)] < 0) continue;
        for (std::int64_t e = df.column_start[at(l)]; e < df.column_start[at(l) + 1]; ++e)
            j_[place_[at(e)]] += df_[e] * a_[l];
    }
}

// The largest |f_i|, perhaps over the size of its row; NaN where one is.
template <class S> S RayProjection<S>::residual(bool is_relative) const {
    S largest = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
        if (f_[i] == S(0)) continue;
        const S r = linalg::absolute(f_[i]) / (is_relative ? size_[i] : S(1));
        if (!(r == r)) return r;
        largest = std::max(largest, r);
    }
    return largest;
}

template <class S> void RayProjection<S>::find_sizes(S t, const S* x) {
    if (!is_trusted_ || ++n_since_terms_ == terms_last) {
        manifold_.terms(t, x, terms_.data());
        n_since_terms_ = 0;
    }
    is_trusted_ = true;
    manifold_.sizes(terms_.data(), x, df_.data(), S(options_.common.floor), size_.data());
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
            find_sizes(t, x);
            look_at_quality();
        }
        const S r = residual(options_.stop == RayStop::sound);
        if (!(r == r)) return PointStatus::not_finite;
        if (is_done(r, iterations)) return PointStatus::good;
        if (iterations == options_.common.max_iterations) return PointStatus::not_converged;
        fill_matrix();
        if (iterations == 0 && options_.has_one_map && !is_like_first()) return PointStatus::singular;
        ++counts_.factorisations;
        if (!solver_->factor(j_.data())) return PointStatus::singular;
        for (std::int64_t j = 0; j < k_; ++j) ds_[j] = -f_[j];
        solver_->solve(ds_.data());
        S largest = 0;
        increment_ = 0;
        for (std::int64_t j = 0; j < k_; ++j) {
            s_[j] += ds_[j];
            largest = std::max(largest, linalg::absolute(ds_[j]));
            ds_[j] *= length_[j];
            increment_ = std::max(increment_, linalg::absolute(ds_[j]));
            if (!(s_[j] > S(1 / farthest) && s_[j] < S(farthest))) return PointStatus::singular;
        }
        // NOTE: corrections at round-off do not shrink any more, and are no sign of anything.
        if (before >= S(0) && largest > S(options_.has_one_map ? slowest_sure : slowest) * before)
            return residual(true) <= S(round_off) * linalg::epsilon<S>() ? PointStatus::good : PointStatus::singular;
        before = largest;
        convergence_.correct(r, length_.data(), k_, ds_.data(), k_, [](std::int64_t j) { return j; });
        scale(x);
    }
}

// The ratio of det J to that of the first ray, with rows and columns of size 1.
template <class S> bool RayProjection<S>::is_like_first() {
    if (dense_.empty()) return true; // too many constraints
    std::ranges::fill(dense_, S(0));
    std::ranges::fill(row_, S(0));
    for (std::size_t e = 0; e < manifold_.pattern().row.size(); ++e) {
        const std::size_t i = at(manifold_.pattern().row[e]);
        row_[i] += df_[static_cast<std::int64_t>(e)] * df_[static_cast<std::int64_t>(e)];
    }
    for (std::int64_t j = 0; j < k_; ++j)
        for (std::int64_t e = pattern_.column_start[at(j)]; e < pattern_.column_start[at(j) + 1]; ++e) {
            const std::int32_t i = pattern_.row[at(e)];
            const S size = linalg::square_root(row_[at(i)]) * length_[j];
            if (size > S(0)) dense_[at(j * k_ + i)] = j_[e] / size;
        }
    const S det = linalg::invert<S>(k_, dense_.data(), nullptr);
    if (first_det_ == S(0)) first_det_ = det;
    if (first_det_ == S(0)) return true;
    const S ratio = det / first_det_;
    return ratio >= S(rechoice) && ratio <= S(1 / rechoice);
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

// How near the rays are to being tangent, where that matters.
template <class S> void RayProjection<S>::look_at_quality() {
    if (!partition_.is_chosen || k_ == 1 || !geometry_) return;
    quality_ = geometry_->load(df_.data()) ? geometry_->quality(a_.data(), partition_) : S(0);
}

template <class S> ProjectionReport<S> RayProjection<S>::fall_back(S tau, S* x, int iterations, PointStatus why) {
    std::copy_n(a_.data(), m_, x);
    if (!nearest_) {
        manifold_.movable_df(time_at(manifold_, tau, x), x, f_.data(), df_.data());
        failed_quality_ = geometry_ && geometry_->load(df_.data()) ? geometry_->quality(x, partition_) : S(-1);
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
    std::fill(length_.begin(), length_.end(), S(0));
    for (std::int64_t l = 0; l < m_; ++l)
        if (set_[at(l)] >= 0) length_[set_[at(l)]] += a_[l] * a_[l];
    for (S& length : length_) length = linalg::square_root(length);
    ProjectionReport<S> report;
    if (is_nearest_) return fall_back(tau, x, 0, PointStatus::singular);
    convergence_.restart();
    report.status = iterate(tau, x, report.iterations);
    if (report.status == PointStatus::good && !is_small_move()) report.status = PointStatus::singular;
    if (report.status != PointStatus::good) {
        if (options_.has_one_map && nearest_) {
            missed_from_ = step_tau_;
            missed_to_ = tau;
            is_nearest_ = true;
            if (n_rays_ > 0) return {PointStatus::not_converged, report.iterations, S(0)};
        }
        return fall_back(tau, x, report.iterations, report.status);
    }
    ++n_rays_;
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
        text(partition_, options_.name), k_ == 1 ? manifold_.text(0) : fmt::format("the {} constraints", k_),
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
