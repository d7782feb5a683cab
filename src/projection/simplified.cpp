#include "projection/simplified.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "linalg/scalar.hpp"
#include "projection/kind.hpp"

namespace vessiot {

namespace {

constexpr double small_part = 0.01; // of the square of a differential
constexpr double vanishing = 1e-3;  // a redundant row, beside the largest that it was

} // namespace

template <class S> LevelWeights<S>::LevelWeights(const Manifold<S>& manifold) : weights_(manifold.n_coordinates()) {
    for (const int level : manifold.levels()) depth_.push_back(-level);
    mean_.resize(depth_.empty() ? 1 : static_cast<std::size_t>(std::ranges::max(depth_)) + 1);
    count_.assign(mean_.size(), S(0));
    for (const int d : depth_) count_[static_cast<std::size_t>(d)] += S(1);
}

template <class S> void LevelWeights<S>::set(const S* u) {
    std::ranges::fill(mean_, S(0));
    for (std::size_t k = 0; k < depth_.size(); ++k) mean_[static_cast<std::size_t>(depth_[k])] += u[k] * u[k];
    mean_[0] = S(1);
    for (std::size_t l = 1; l < mean_.size(); ++l) mean_[l] = std::max(S(1), mean_[l] / count_[l]);
    for (std::size_t k = 0; k < depth_.size(); ++k)
        weights_[static_cast<std::int64_t>(k)] = mean_[static_cast<std::size_t>(depth_[k])];
}

template <class S>
SimplifiedProjection<S>::SimplifiedProjection(Manifold<S>& manifold, const ProjectionOptions& options)
    : manifold_(manifold), floor_(S(options.floor)), max_iterations_(options.max_iterations), convergence_(options),
      is_joint_(!manifold.has_levels() || manifold.has_invariants() || manifold.has_t()), f_(manifold.n_constraints()),
      entries_(manifold.pattern().entries()), size_(manifold.n_constraints()), terms_(manifold.n_constraints()),
      weights_(manifold) {
    levels_ = make_levels(is_joint_); // sizes are 0 until df is known: the first projection looks closely
    if (!is_joint_) find_implicit_rows();
}

// Near folds there is another one.
template <class S> std::optional<FrozenRule<S>> SimplifiedProjection<S>::frozen_rule() const {
    if (!implicit_rows_.empty() || convergence_.goes_by_increments()) return std::nullopt;
    return FrozenRule<S>{is_joint_, floor_, convergence_.tolerance()};
}

template <class S>
typename SimplifiedProjection<S>::Level SimplifiedProjection<S>::make_level(std::vector<std::int32_t> rows,
                                                                            std::vector<std::int32_t> columns) const {
    auto [part, source] = linalg::select(manifold_.pattern(), rows, columns);
    const std::int64_t k = std::ssize(rows), m = std::ssize(columns), n = std::ssize(source);
    linalg::ScaledProduct product(part, part);
    auto renewed = std::make_unique<linalg::SquareSolver<S>>(product.pattern());
    linalg::Vector<S> matrix(product.pattern().entries());
    return {.is_left_out = std::vector<char>(rows.size(), 0),
            .rows = std::move(rows),
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

template <class S>
std::vector<typename SimplifiedProjection<S>::Level> SimplifiedProjection<S>::make_levels(bool is_joint) const {
    struct Members {
        std::vector<std::int32_t> rows, columns;
    };
    std::map<int, Members> by_level;
    const auto key = [&](int level) { return is_joint ? 0 : level; };
    for (std::size_t k = 0; k < manifold_.rows().size(); ++k)
        by_level[key(manifold_.rows()[k].level)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < manifold_.levels().size(); ++k)
        by_level[key(manifold_.levels()[k])].columns.push_back(static_cast<std::int32_t>(k));
    std::vector<Level> result;
    for (auto& [level, members] : by_level)
        if (!members.rows.empty()) result.push_back(make_level(std::move(members.rows), std::move(members.columns)));
    return result;
}

template <class S> void SimplifiedProjection<S>::find_implicit_rows() {
    const linalg::Pattern& p = manifold_.pattern();
    is_implicit_.assign(manifold_.rows().size(), 0);
    for (std::size_t j = 0; j < manifold_.levels().size(); ++j)
        for (std::int64_t e = p.column_start[j]; e < p.column_start[j + 1]; ++e) {
            const auto i = static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)]);
            const ConstraintRow& row = manifold_.rows()[i];
            is_implicit_[i] |= static_cast<char>(row.order == 0 && manifold_.levels()[j] != row.level);
        }
    for (std::size_t i = 0; i < is_implicit_.size(); ++i)
        if (is_implicit_[i]) implicit_rows_.push_back(static_cast<std::int32_t>(i));
    if (implicit_rows_.empty()) return;
    joint_ = make_levels(true);
    own_ = all_ = linalg::Vector<S>(manifold_.n_constraints());
}

// Is the part of an implicit equation in the coordinates that it is to determine a small one?
template <class S> bool SimplifiedProjection<S>::is_near_fold() const {
    const linalg::Pattern& p = manifold_.pattern();
    std::fill(own_.begin(), own_.end(), S(0));
    std::fill(all_.begin(), all_.end(), S(0));
    for (std::size_t j = 0; j < manifold_.levels().size(); ++j)
        for (std::int64_t e = p.column_start[j]; e < p.column_start[j + 1]; ++e) {
            const std::int32_t i = p.row[static_cast<std::size_t>(e)];
            if (!is_implicit_[static_cast<std::size_t>(i)]) continue;
            const S part = weights_[static_cast<std::int64_t>(j)] * entries_[e] * entries_[e];
            all_[i] += part;
            if (manifold_.levels()[j] == manifold_.rows()[static_cast<std::size_t>(i)].level) own_[i] += part;
        }
    return std::ranges::any_of(implicit_rows_, [&](std::int32_t i) { return own_[i] < S(small_part) * all_[i]; });
}

template <class S> void SimplifiedProjection<S>::begin_step(S tau, const S* x) {
    has_factor_ = false;
    if (is_joint_ && redundancy_ != Rows::independent && !levels_.empty()) find_redundant_rows(tau, x);
}

template <class S> void SimplifiedProjection<S>::find_redundant_rows(S tau, const S* x) {
    if (is_of_start_) forget_left_out();
    const ProjectionCounts counts = counts_;
    const bool is_redundant = factor(time_at(manifold_, tau, x), x) && leaves_out_rows();
    if (redundancy_ == Rows::unknown) {
        redundancy_ = is_redundant ? Rows::redundant : Rows::independent;
        if (is_redundant && row_size_.size() == 0)
            row_size_ = largest_row_ = linalg::Vector<S>(manifold_.n_constraints());
        if (!is_redundant) { // as if nothing had been looked at
            counts_ = counts;
            n_since_terms_ = 0;
            forget();
        }
    }
    is_of_start_ = has_factor_ = is_redundant;
    if (is_redundant) note_left_out();
}

// Rows that are very small beside what they were are taken for zero, and left out: what they say is round-off. (Where
// they are needed that shows in their residuals.)
template <class S> void SimplifiedProjection<S>::clear_vanishing(Level& s) {
    const std::vector<std::int32_t>& row = manifold_.pattern().row;
    for (const std::int32_t i : s.rows) row_size_[i] = S(0);
    for (std::size_t k = 0; k < s.source.size(); ++k) {
        S& size = row_size_[row[static_cast<std::size_t>(s.source[k])]];
        size = std::max(size, linalg::absolute(s.entries[static_cast<std::int64_t>(k)]));
    }
    for (const std::int32_t i : s.rows) largest_row_[i] = std::max(largest_row_[i], row_size_[i]);
    for (std::size_t k = 0; k < s.source.size(); ++k) {
        const std::int32_t i = row[static_cast<std::size_t>(s.source[k])];
        if (row_size_[i] < S(vanishing) * largest_row_[i]) s.entries[static_cast<std::int64_t>(k)] = S(0);
    }
}

template <class S> bool SimplifiedProjection<S>::leaves_out_rows() const {
    return std::ranges::any_of(levels_, [](const Level& s) { return s.solver.rank() < std::ssize(s.rows); });
}

template <class S> void SimplifiedProjection<S>::forget() {
    std::fill(size_.begin(), size_.end(), S(0));
    is_trusted_ = false;
}

// NOTE: which rows are redundant was found at the start point of the run before.
template <class S> void SimplifiedProjection<S>::renew() {
    Projection<S>::renew();
    forget_left_out();
    redundancy_ = Rows::unknown;
    std::fill(largest_row_.begin(), largest_row_.end(), S(0));
    has_factor_ = is_of_start_ = is_near_fold_ = false;
    n_since_terms_ = 0;
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
    if (is_joint_ || !implicit_rows_.empty()) weights_.set(u);
    if (!implicit_rows_.empty()) is_near_fold_ = is_near_fold();
    bool is_good = true;
    const S* const w = weights();
    for (Level& s : levels()) {
        ++counts_.factorisations;
        for (std::size_t k = 0; k < s.source.size(); ++k)
            s.entries[static_cast<std::int64_t>(k)] = entries_[s.source[k]];
        s.is_renewed = false;
        if (redundancy_ == Rows::redundant) clear_vanishing(s);
        is_good &= s.solver.factor(s.entries.data(), w) || s.solver.leaves_out_rows();
    }
    has_factor_ = is_good;
    return is_good;
}

// The matrix of the iteration anew, at u; false where it is singular.
template <class S> bool SimplifiedProjection<S>::factor_anew(Level& s, S t, const S* u) {
    ++counts_.jacobians;
    ++counts_.factorisations;
    manifold_.movable_df(t, u, f_.data(), entries_.data());
    for (std::size_t k = 0; k < s.source.size(); ++k) s.now[static_cast<std::int64_t>(k)] = entries_[s.source[k]];
    s.product.compute(s.now.data(), weights(), s.entries.data(), s.matrix.data());
    s.is_renewed = s.renewed->factor(s.matrix.data());
    return s.is_renewed;
}

template <class S> S SimplifiedProjection<S>::largest_residual(const Level& level) const {
    S largest = 0;
    const char* const is_left_out = is_of_start_ ? level.is_left_out.data() : nullptr;
    for (std::size_t i = 0; i < level.rows.size(); ++i) {
        const std::int32_t k = level.rows[i];
        if (f_[k] == S(0) || (is_left_out && is_left_out[i])) continue;
        const S r = linalg::absolute(f_[k]) / size_[k];
        if (!(r <= largest)) largest = r; // NaN stays
        if (!(largest == largest)) break;
    }
    return largest;
}

// Is what is left of a level no more than what is rounded on the way to it? Sums inside of a product whose factors
// vanish, and coordinates that are zero, are in no size of a row.
template <class S> bool SimplifiedProjection<S>::is_rounded(const Level& level, S t, const S* x) {
    linalg::Vector<S> inside(manifold_.n_constraints());
    manifold_.roundings(t, x, inside.data());
    return std::ranges::all_of(level.rows, [&](std::int32_t k) {
        return linalg::absolute(f_[k]) <= S(64) * linalg::epsilon<S>() * std::max(inside[k], size_[k]);
    });
}

template <class S> void SimplifiedProjection<S>::correct(Level& s, S* x) {
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

template <class S> bool SimplifiedProjection<S>::moves_far(const Level& s, const S* x) const {
    S size = 0, moved = 0;
    for (std::size_t k = 0; k < s.columns.size(); ++k) {
        size = std::max(size, linalg::absolute(x[s.columns[k]]));
        moved = std::max(moved, linalg::absolute(s.d[static_cast<std::int64_t>(k)]));
    }
    return moved > size / S(2);
}

// Rows that were left out are not small beside what they were where the step began: beside what they are here?
template <class S> ProjectionReport<S> SimplifiedProjection<S>::with_left_out(S tau, S* x, ProjectionReport<S> report) {
    if (satisfies_left_out()) return report;
    report.status = PointStatus::not_converged;
    if (!factor(time_at(manifold_, tau, x), x)) return report;
    if (leaves_out_rows()) {
        note_left_out();
        if (satisfies_left_out()) report.status = PointStatus::good;
        return report;
    }
    forget_left_out(); // they are no longer redundant
    return project(tau, x);
}

// NOTE: not to round-off: where the step began they may have been small. A row such as y = 0, of which all terms are
// small, has the round-off of the coordinates in others.
template <class S> bool SimplifiedProjection<S>::satisfies_left_out() const {
    for (const Level& s : levels_)
        for (std::size_t k = 0; k < s.rows.size(); ++k) {
            const std::int32_t i = s.rows[k];
            const S small = std::max(S(1e-8) * size_[i], S(4096) * linalg::epsilon<S>() * row_size_[i]);
            if (s.is_left_out[k] && !(linalg::absolute(f_[i]) <= small)) return false;
        }
    return true;
}

// The solver gives such rows the multiplier 0, whatever the right-hand side.
template <class S> void SimplifiedProjection<S>::note_left_out() {
    for (Level& s : levels_) {
        for (std::int64_t k = 0; k < s.b.size(); ++k) s.b[k] = S(1) + S(k) / S(7);
        s.solver.solve(s.b.data(), s.lambda.data());
        for (std::size_t k = 0; k < s.rows.size(); ++k)
            s.is_left_out[k] = s.lambda[static_cast<std::int64_t>(k)] == S(0) ? 1 : 0;
    }
}

template <class S> void SimplifiedProjection<S>::forget_left_out() {
    is_of_start_ = false;
    for (Level& s : levels_) std::ranges::fill(s.is_left_out, 0);
}

template <class S> ProjectionReport<S> SimplifiedProjection<S>::project(S tau, S* x) {
    ProjectionReport<S> report;
    if (levels_.empty()) return report;
    if (is_trusted_)
        manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    else if (!factor(time_at(manifold_, tau, x), x)) // what is small is not known yet
        return {.status = linalg::all_finite(f_.data(), f_.size()) ? PointStatus::singular : PointStatus::not_finite};
    convergence_.restart();
    std::span<Level> left = levels(); // the first one is in question
    bool is_far = false;              // a correction was as large as the point itself
    while (true) {
        Level& level = left.front();
        const S r = largest_residual(level);
        bool is_reached = convergence_.is_reached(r);
        if (!is_reached) {
            report.status = r == r ? PointStatus::not_converged : PointStatus::not_finite;
            if (convergence_.is_hopeless(r) || report.iterations == max_iterations_) {
                if (!convergence_.is_slight() || !is_rounded(level, time_at(manifold_, tau, x), x)) return report;
                is_reached = true;
            }
        }
        if (is_reached) {
            convergence_.restart();
            left = left.subspan(1);
            if (!left.empty()) continue;
            if (!is_far) break;
            // what was small beside the point where it began may be large beside the one where it ended
            is_far = false;
            if (factor(time_at(manifold_, tau, x), x)) {
                if (is_of_start_) note_left_out();
                left = levels();
                continue;
            }
            report.status = PointStatus::singular;
            return report;
        }
        const S t = time_at(manifold_, tau, x);
        if (!has_factor_) {
            const bool was_near_fold = is_near_fold_;
            if (!factor(t, x)) {
                report.status = PointStatus::singular;
                return report;
            }
            if (is_near_fold_ != was_near_fold) {
                left = levels();
                convergence_.restart();
                continue;
            }
        }
        if (convergence_.is_slow(r) && !is_of_start_)
            factor_anew(level, t, x); // where that is singular, the old one may still do
        correct(level, x);
        is_far |= moves_far(level, x);
        convergence_.correct(r, x, manifold_.n_coordinates(), level.d.data(), level.d.size(),
                             [&](std::int64_t j) { return level.columns[static_cast<std::size_t>(j)]; });
        ++report.iterations;
        manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    }
    report.status = PointStatus::good;
    for (const S& r : f_) report.residual = std::max(report.residual, linalg::absolute(r));
    return is_of_start_ ? with_left_out(tau, x, report) : report;
}

template class SimplifiedProjection<double>;
template class SimplifiedProjection<Quad>;

namespace {

template <class S> std::unique_ptr<Projection<S>> make_simplified(const ProjectionParts<S>& p) {
    return std::make_unique<SimplifiedProjection<S>>(p.manifold, p.options);
}

} // namespace

const ProjectionKind simplified_projection{.name = "simplified",
                                           .help = "along the gradients at the start of the step, frozen",
                                           .needs = "",
                                           .can = {.goes_by_increments = true, .carries_derivatives = true},
                                           .make_double = make_simplified<double>,
                                           .make_quad = make_simplified<Quad>};

} // namespace vessiot
