#include "solve/watch/conservation.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

namespace {

constexpr double allowed = 10;     // times the tolerances may be taken away from a quantity
constexpr int most_false = 20;     // alarms that were round-off, before a quantity is left alone
constexpr double disturbance = 64; // in units of round-off, as a projection leaves it

} // namespace

template <class S>
Conservation<S>::Conservation(Compiled<S>& problem, const Parts& parts, const Settings& options)
    : problem_(problem), manifold_(problem.manifold()), equations_(problem.distribution().all_equations()),
      rtol_(S(options.rtol)), atol_(S(options.atol)) {
    add_rows(parts.has_invariants);
    if (parts.has_tops && equations_ && problem.prolongation().is_general) add_top_rows();
    found_.resize(rows_.size());
    if (rows_.empty()) return;
    const std::int64_t k = manifold_.n_constraints();
    f_ = before_ = size_ = linalg::Vector<S>(k);
    entries_ = linalg::Vector<S>(manifold_.pattern().entries());
    w_ = linalg::Vector<S>(problem.n_tops());
    sums_.resize(static_cast<std::size_t>(std::max(k, problem.prolongation().n_equations())));
}

template <class S> void Conservation<S>::add_rows(bool with_invariants) {
    const System& system = problem_.system();
    const auto reads_t = [&](expr::NodeId node) {
        const std::vector<expr::ArrayId> read = expr::dependencies(*system.graph, {node});
        return std::ranges::find(read, system.independent) != read.end();
    };
    for (std::size_t k = 0; k < manifold_.rows().size(); ++k) {
        const ConstraintRow& r = manifold_.rows()[k];
        const bool is_invariant = r.kind == ConstraintKind::invariant;
        if (is_invariant ? !with_invariants : !problem_.prolongation().is_general) continue;
        rows_.push_back({false, is_invariant, static_cast<std::int32_t>(k)});
        depends_on_t_ |=
            reads_t(is_invariant ? system.invariants[r.source].value : system.equations[r.source].residual);
    }
}

// Equations that are no constraints: of the others the rows of the manifold tell.
template <class S> void Conservation<S>::add_top_rows() {
    const Prolongation& p = problem_.prolongation();
    if (p.n_equations() <= p.n_tops()) return;
    for (const std::int32_t i : p.tops.equation)
        if (p.offsets.c[static_cast<std::size_t>(i)] == 0) rows_.push_back({true, false, i});
    has_tops_ = !rows_.empty() && rows_.back().is_top;
    below_.assign(p.top.size(), -1);
    for (std::size_t j = 0; j < p.top.size(); ++j) {
        const auto at = std::ranges::find(p.next, p.top[j]);
        if (at != p.next.end()) below_[j] = static_cast<std::int32_t>(at - p.next.begin());
    }
}

template <class S> std::string Conservation<S>::text(std::size_t k) const {
    if (!rows_[k].is_top) return manifold_.text(rows_[k].number);
    const System& system = problem_.system();
    const auto& first = problem_.analysis().structure.signature.equations;
    const auto e = static_cast<std::size_t>(std::ranges::upper_bound(first, rows_[k].number) - first.begin()) - 1;
    return e < system.equations.size() ? describe_equation(system, system.equations[e]).text : "an equation";
}

template <class S> void Conservation<S>::add(Sum& sum, S entry, S u, S du) const {
    sum.rate += entry * du;
    sum.parts += linalg::absolute(entry * du);
    sum.norm += linalg::absolute(entry);
    sum.slack = std::max(sum.slack, linalg::absolute(entry) * (rtol_ * linalg::absolute(u) + atol_));
}

// NOTE: where all parts vanish, u' has the round-off of its largest component.
template <class S> typename Conservation<S>::Found Conservation<S>::conclude(const Sum& sum, S size) const {
    const S scale = sum.parts + S(1e-3) * size * std::max(speed_ / length_, S(1e-3)) + S(1e-6) * sum.norm * speed_;
    const double relative = static_cast<double>(sum.rate / scale);
    return {sum.rate, sum.slack, std::isfinite(relative) ? relative : 0.0};
}

template <class S> bool Conservation<S>::evaluate(S t, const S* u, const S* du) {
    const std::int64_t n = problem_.n_state();
    if (!linalg::all_finite(du, n)) return false;
    length_ = S(1e-6);
    speed_ = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        length_ = std::max(length_, linalg::absolute(u[j]));
        speed_ = std::max(speed_, linalg::absolute(du[j]));
    }
    rates_of_rows(t, u, du);
    return !has_tops_ || rates_of_tops(t, u);
}

// The scale of conclude() is at least the sum of the parts: what is small beside that alone is small.
template <class S> std::optional<std::vector<std::int32_t>> Conservation<S>::plain_rows() const {
    if (has_tops_ || depends_on_t_) return std::nullopt;
    std::vector<std::int32_t> rows;
    for (const Row& row : rows_) rows.push_back(row.number);
    return rows;
}

template <class S> bool Conservation<S>::may_exceed(double noticed, S t, const S* u, const S* du) {
    if (has_tops_ || depends_on_t_) return true;
    manifold_.df(t, u, f_.data(), entries_.data());
    S *const rate = f_.data(), *const parts = size_.data();
    std::fill_n(rate, f_.size(), S(0));
    std::fill_n(parts, f_.size(), S(0));
    const linalg::Pattern& p = manifold_.pattern();
    const std::int32_t* const row = p.row.data();
    for (std::int64_t j = 0; j < p.columns; ++j) {
        const S speed = du[j];
        const std::int64_t end = p.column_start[static_cast<std::size_t>(j) + 1];
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(j)]; e < end; ++e) {
            const S part = entries_[e] * speed;
            rate[row[e]] += part;
            parts[row[e]] += linalg::absolute(part);
        }
    }
    return std::ranges::any_of(
        rows_, [&](const Row& r) { return linalg::absolute(rate[r.number]) > S(noticed) * parts[r.number]; });
}

template <class S> void Conservation<S>::rates_of_rows(S t, const S* u, const S* du) {
    manifold_.df(t, u, f_.data(), entries_.data());
    manifold_.sizes(t, u, entries_.data(), S(1e-9), size_.data());
    std::ranges::fill(sums_, Sum{});
    const linalg::Pattern& p = manifold_.pattern();
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(j)];
             e < p.column_start[static_cast<std::size_t>(j) + 1]; ++e)
            add(sums_[static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)])], entries_[e], u[j], du[j]);
    if (depends_on_t_ && !manifold_.has_t()) { // the part of t by a central difference
        const S step = (std::is_same_v<S, double> ? S(1e-5) : S(1e-11)) * (S(1) + linalg::absolute(t));
        manifold_.f(t + step, u, f_.data());
        manifold_.f(t - step, u, before_.data());
        for (std::int64_t i = 0; i < f_.size(); ++i) {
            const S by_t = (f_[i] - before_[i]) / (S(2) * step);
            sums_[static_cast<std::size_t>(i)].rate += by_t;
            sums_[static_cast<std::size_t>(i)].parts += linalg::absolute(by_t);
        }
    }
    for (std::size_t k = 0; k < rows_.size(); ++k)
        if (!rows_[k].is_top)
            found_[k] = conclude(sums_[static_cast<std::size_t>(rows_[k].number)], size_[rows_[k].number]);
}

template <class S> bool Conservation<S>::rates_of_tops(S t, const S* u) {
    if (problem_.distribution().tops(t, u, w_.data()) != PointStatus::good) return false;
    problem_.distribution().count_evaluations(-1); // not one of the run
    std::ranges::fill(sums_, Sum{});
    const linalg::Pattern& p = equations_->pattern;
    for (std::int64_t j = 0; j < p.columns; ++j) {
        const std::int32_t c = below_[static_cast<std::size_t>(j)];
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(j)];
             e < p.column_start[static_cast<std::size_t>(j) + 1]; ++e)
            add(sums_[static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)])], equations_->entries[e],
                c < 0 ? w_[j] : u[c], w_[j]);
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (!rows_[k].is_top) continue;
        Sum& sum = sums_[static_cast<std::size_t>(rows_[k].number)];
        found_[k] = {};
        if (sum.norm == S(0)) continue; // with these parameters it is a constraint, and what it leaves is round-off
        const S r = equations_->residual[rows_[k].number];
        sum.rate += r;
        sum.parts += linalg::absolute(r);
        found_[k] = conclude(sum, sum.norm * length_);
    }
    return true;
}

template <class S> bool Conservation<S>::is_real(std::size_t k, double noticed, S t, const S* u) {
    const S rate = found_[k].rate;
    const std::int64_t n = problem_.n_state();
    const bool is_arclength = problem_.analysis().is_arclength;
    S length = 0;
    for (std::int64_t j = 0; j < n; ++j) length = std::max(length, linalg::absolute(u[j]));
    linalg::Vector<S> near(n + 1), du(n + 1);
    const std::vector<Freedom> all(static_cast<std::size_t>(n), Freedom::free);
    S first = 0; // the rate found first
    for (const int sign : {1, -1}) {
        std::copy_n(u, n + (is_arclength ? 1 : 0), near.data());
        for (std::int64_t j = 0; j < n; ++j)
            near[j] += S(sign * (j % 2 == 0 ? 1 : -1)) * S(disturbance) * linalg::epsilon<S>() *
                       (linalg::absolute(u[j]) + S(1e-3) * length);
        make_consistent(manifold_, t, near, all, Freedom::free, false);
        const PointStatus status = is_arclength ? problem_.distribution().tangent(t, near.data(), du.data(), &du[n])
                                                : problem_.distribution().velocity(t, near.data(), du.data());
        if (status != PointStatus::good || !evaluate(t, near.data(), du.data())) return false;
        if (!(std::fabs(relative(k)) > noticed)) return false;
        if (is_arclength) continue; // the tangent has another length
        // a method may have another direction where equations contradict each other, such as a mean
        const S now = found_[k].rate;
        if (!(linalg::absolute(now) <= S(4) * linalg::absolute(rate) && S(4) * now * rate >= rate * rate)) return false;
        if (sign > 0) first = now;
        if (!(linalg::absolute(now - first) <= linalg::absolute(first) / S(10))) return false;
    }
    return true;
}

template <class S>
ConservationWatch<S>::ConservationWatch(Compiled<S>& problem, const Settings& options)
    : problem_(problem),
      conservation_(problem, {.has_invariants = options.invariants != BrokenInvariants::impose}, options),
      taken_(conservation_.size(), S(0)), n_false_(conservation_.size(), 0) {}

template <class S> std::optional<std::string> ConservationWatch<S>::look(S tau, S t, const S* u, const S* du) {
    const S elapsed = has_last_ ? linalg::absolute(tau - last_) : S(0);
    last_ = tau;
    has_last_ = true;
    if (!conservation_.may_exceed(noticed, t, u, du)) return std::nullopt;
    was_blind_ |= has_gap_;
    if (!conservation_.evaluate(t, u, du)) return std::nullopt;
    for (std::size_t k = 0; k < conservation_.size(); ++k) {
        if (!(std::fabs(conservation_.relative(k)) > noticed)) continue;
        taken_[k] += elapsed * linalg::absolute(conservation_.rate(k));
        if (!(taken_[k] > S(allowed) * conservation_.slack(k)) || n_false_[k] == most_false) continue;
        if (conservation_.is_real(k, noticed, t, u)) return message(k, t);
        taken_[k] = S(0);
        ++n_false_[k];
        if (!conservation_.evaluate(t, u, du)) return std::nullopt;
    }
    return std::nullopt;
}

template <class S> std::string ConservationWatch<S>::message(std::size_t k, S t) const {
    const std::string where =
        fmt::format("near {} = {:.6g}", problem_.system().independent_name, static_cast<double>(t));
    const std::string size = fmt::format("relative rate {:.2g}; that makes {:.2g} so far, more than the tolerances",
                                         conservation_.relative(k), static_cast<double>(taken_[k]));
    if (conservation_.is_invariant(k))
        return fmt::format("{} is not conserved: {} it changes along the solution ({}). Check the equations and the "
                           "invariant, or force it with `option invariants = impose` (--invariants impose)",
                           conservation_.text(k), where, size);
    return fmt::format("the equation {} does not go on holding: {} its sides part along the solution of the others "
                       "({}). The equations contradict each other there: leave one of them out, or end the run before",
                       conservation_.text(k), where, size);
}

template class Conservation<double>;
template class Conservation<Quad>;
template class ConservationWatch<double>;
template class ConservationWatch<Quad>;

} // namespace vessiot
