#include "projection/simplified.hpp"

#include <algorithm>
#include <map>

#include "linalg/scalar.hpp"

namespace vessiot {

template <class S>
SimplifiedProjection<S>::SimplifiedProjection(Manifold<S>& manifold, const ProjectionOptions& options)
    : manifold_(manifold), floor_(S(options.floor)), max_iterations_(options.max_iterations),
      convergence_(options.tolerance > 0 ? S(options.tolerance) : S(64) * linalg::epsilon<S>(), floor_),
      is_joint_(!manifold.has_stages() || manifold.has_invariants() || manifold.has_t()), f_(manifold.n_constraints()),
      entries_(manifold.pattern().entries()), size_(manifold.n_constraints()), terms_(manifold.n_constraints()),
      weights_(manifold.n_coordinates()) {
    for (const int stage : manifold.stages()) level_.push_back(-stage);
    level_mean_.resize(level_.empty() ? 1 : static_cast<std::size_t>(std::ranges::max(level_)) + 1);
    level_count_.assign(level_mean_.size(), S(0));
    for (const int l : level_) level_count_[static_cast<std::size_t>(l)] += S(1);
    make_stages(); // sizes are 0 until df is known: the first projection looks closely
}

template <class S>
typename SimplifiedProjection<S>::Stage SimplifiedProjection<S>::make_stage(std::vector<std::int32_t> rows,
                                                                            std::vector<std::int32_t> columns) const {
    auto [part, source] = linalg::select(manifold_.pattern(), rows, columns);
    const std::int64_t k = std::ssize(rows), m = std::ssize(columns), n = std::ssize(source);
    linalg::ScaledProduct product(part, part);
    auto renewed = std::make_unique<linalg::SquareSolver<S>>(product.pattern());
    linalg::Vector<S> matrix(product.pattern().entries());
    return {.rows = std::move(rows),
            .columns = std::move(columns),
            .source = std::move(source),
            .solver = linalg::NormalSolver<S>(part),
            .product = std::move(product),
            .renewed = std::move(renewed),
            .entries = linalg::Vector<S>(n),
            .now = linalg::Vector<S>(n),
            .matrix = std::move(matrix),
            .b = linalg::Vector<S>(k),
            .lambda = linalg::Vector<S>(k),
            .d = linalg::Vector<S>(m)};
}

template <class S> void SimplifiedProjection<S>::make_stages() {
    struct Members {
        std::vector<std::int32_t> rows, columns;
    };
    std::map<int, Members> by_stage;
    const auto key = [&](int stage) { return is_joint_ ? 0 : stage; };
    for (std::size_t k = 0; k < manifold_.rows().size(); ++k)
        by_stage[key(manifold_.rows()[k].stage)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < manifold_.stages().size(); ++k)
        by_stage[key(manifold_.stages()[k])].columns.push_back(static_cast<std::int32_t>(k));
    for (auto& [stage, members] : by_stage)
        if (!members.rows.empty()) stages_.push_back(make_stage(std::move(members.rows), std::move(members.columns)));
}

template <class S> void SimplifiedProjection<S>::begin_step(S tau, const S* x) {
    has_factor_ = is_of_start_ = false;
    // again from the same point: the sizes are those of an attempt that was rejected, and may be anything
    if (tau == step_tau_) forget();
    step_tau_ = tau;
    if (!is_joint_ || redundancy_ == Rows::independent || stages_.empty()) return;
    const ProjectionCounts counts = counts_;
    const bool is_redundant = factor(time_at(manifold_, tau, x), x) && leaves_out_rows();
    if (redundancy_ == Rows::unknown) {
        redundancy_ = is_redundant ? Rows::redundant : Rows::independent;
        if (!is_redundant) { // as if nothing had been looked at
            counts_ = counts;
            n_since_terms_ = 0;
            forget();
        }
    }
    is_of_start_ = has_factor_ = is_redundant;
}

template <class S> bool SimplifiedProjection<S>::leaves_out_rows() const {
    return std::ranges::any_of(stages_, [](const Stage& s) { return s.solver.rank() < std::ssize(s.rows); });
}

template <class S> void SimplifiedProjection<S>::forget() {
    std::fill(size_.begin(), size_.end(), S(0));
    is_trusted_ = false;
}

template <class S> void SimplifiedProjection<S>::set_weights(const S* u) {
    // mean square of the coordinates of each level; t, the level 0, has weight 1
    std::ranges::fill(level_mean_, S(0));
    for (std::size_t k = 0; k < level_.size(); ++k) level_mean_[static_cast<std::size_t>(level_[k])] += u[k] * u[k];
    level_mean_[0] = S(1);
    for (std::size_t l = 1; l < level_mean_.size(); ++l)
        level_mean_[l] = std::max(S(1), level_mean_[l] / level_count_[l]);
    for (std::size_t k = 0; k < level_.size(); ++k)
        weights_[static_cast<std::int64_t>(k)] = level_mean_[static_cast<std::size_t>(level_[k])];
}

template <class S> bool SimplifiedProjection<S>::factor(S t, const S* u) {
    ++counts_.jacobians;
    manifold_.movable_df(t, u, f_.data(), entries_.data());
    // the largest terms only say how far round-off may go: they need not be of this very point
    if (!is_trusted_ || ++n_since_terms_ == 16) {
        manifold_.terms(t, u, terms_.data());
        n_since_terms_ = 0;
    }
    is_trusted_ = true;
    manifold_.sizes(terms_.data(), u, entries_.data(), floor_, size_.data());
    if (is_joint_) set_weights(u);
    bool is_good = true;
    for (Stage& s : stages_) {
        ++counts_.factorisations;
        for (std::size_t k = 0; k < s.source.size(); ++k)
            s.entries[static_cast<std::int64_t>(k)] = entries_[s.source[k]];
        s.is_renewed = false;
        is_good &= s.solver.factor(s.entries.data(), weights()) || s.solver.leaves_out_rows();
    }
    has_factor_ = is_good;
    return is_good;
}

// The matrix of the iteration anew, at u; false where it is singular.
template <class S> bool SimplifiedProjection<S>::renew(Stage& s, S t, const S* u) {
    ++counts_.jacobians;
    ++counts_.factorisations;
    manifold_.movable_df(t, u, f_.data(), entries_.data());
    for (std::size_t k = 0; k < s.source.size(); ++k) s.now[static_cast<std::int64_t>(k)] = entries_[s.source[k]];
    s.product.compute(s.now.data(), weights(), s.entries.data(), s.matrix.data());
    s.is_renewed = s.renewed->factor(s.matrix.data());
    return s.is_renewed;
}

template <class S> S SimplifiedProjection<S>::largest_residual(const Stage& stage) const {
    S largest = 0;
    for (const std::int32_t k : stage.rows) {
        if (f_[k] == S(0)) continue;
        const S r = linalg::absolute(f_[k]) / size_[k];
        if (!(r <= largest)) largest = r; // NaN stays
        if (!(largest == largest)) break;
    }
    return largest;
}

template <class S> void SimplifiedProjection<S>::correct(Stage& s, S* x) {
    for (std::size_t k = 0; k < s.rows.size(); ++k) s.b[static_cast<std::int64_t>(k)] = f_[s.rows[k]];
    if (s.is_renewed) {
        std::copy(s.b.begin(), s.b.end(), s.lambda.begin());
        s.renewed->solve(s.lambda.data());
        s.solver.correction(s.entries.data(), weights(), s.lambda.data(), s.d.data());
    } else {
        s.solver.solve_correction(s.b.data(), s.d.data());
    }
    for (std::size_t k = 0; k < s.columns.size(); ++k) x[s.columns[k]] -= s.d[static_cast<std::int64_t>(k)];
}

template <class S> bool SimplifiedProjection<S>::moves_far(const Stage& s, const S* x) const {
    S size = 0, moved = 0;
    for (std::size_t k = 0; k < s.columns.size(); ++k) {
        size = std::max(size, linalg::absolute(x[s.columns[k]]));
        moved = std::max(moved, linalg::absolute(s.d[static_cast<std::int64_t>(k)]));
    }
    return moved > size / S(2);
}

template <class S> ProjectionReport<S> SimplifiedProjection<S>::project(S tau, S* x) {
    const ProjectionReport<S> report = iterate(tau, x);
    if (report.status == PointStatus::good || !is_of_start_ || !is_on_the_rest()) return report;
    // what was redundant where the step began may no longer be: that shows here
    if (!factor(time_at(manifold_, tau, x), x) || leaves_out_rows()) return report;
    is_of_start_ = false;
    return iterate(tau, x);
}

// Did the iteration arrive on the constraints that were not left out?
template <class S> bool SimplifiedProjection<S>::is_on_the_rest() const {
    for (const Stage& s : stages_) {
        const std::vector<int> left_out = s.solver.dependent_rows();
        for (std::size_t k = 0; k < s.rows.size(); ++k) {
            const S r = linalg::absolute(f_[s.rows[k]]);
            if (std::ranges::find(left_out, static_cast<int>(k)) == left_out.end() &&
                !(r <= S(1e-9) * size_[s.rows[k]]))
                return false;
        }
    }
    return true;
}

template <class S> ProjectionReport<S> SimplifiedProjection<S>::iterate(S tau, S* x) {
    ProjectionReport<S> report;
    if (stages_.empty()) return report;
    if (is_trusted_)
        manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    else if (!factor(time_at(manifold_, tau, x), x)) // what is small is not known yet
        return {.status = linalg::all_finite(f_.data(), f_.size()) ? PointStatus::singular : PointStatus::not_finite};
    convergence_.restart();
    std::size_t at = 0;  // the stage in question
    bool is_far = false; // a correction was as large as the point itself
    while (true) {
        Stage& stage = stages_[at];
        const S r = largest_residual(stage);
        if (convergence_.is_reached(r)) {
            convergence_.restart();
            if (++at < stages_.size()) continue;
            if (!is_far) break;
            // what was small beside the point where it began may be large beside the one where it ended
            is_far = false;
            at = 0;
            if (factor(time_at(manifold_, tau, x), x)) continue;
            report.status = PointStatus::singular;
            return report;
        }
        report.status = r == r ? PointStatus::not_converged : PointStatus::not_finite;
        if (convergence_.is_hopeless(r) || report.iterations == max_iterations_) return report;
        const S t = time_at(manifold_, tau, x);
        if (!has_factor_ && !factor(t, x)) {
            report.status = PointStatus::singular;
            return report;
        }
        if (convergence_.is_slow(r) && !is_of_start_)
            renew(stage, t, x); // where that is singular, the old one may still do
        correct(stage, x);
        is_far |= moves_far(stage, x);
        convergence_.correct(r, x, manifold_.n_coordinates(), stage.d.data(), stage.d.size(),
                             [&](std::int64_t j) { return stage.columns[static_cast<std::size_t>(j)]; });
        ++report.iterations;
        manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    }
    report.status = PointStatus::good;
    for (const S& r : f_) report.residual = std::max(report.residual, linalg::absolute(r));
    return report;
}

template class SimplifiedProjection<double>;
template class SimplifiedProjection<expr::Quad>;

} // namespace vessiot
