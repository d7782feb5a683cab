#include "solve/start/compatibility.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"
#include "solve/watch/conservation.hpp"

namespace vessiot {

namespace {

constexpr double tolerated = 1e-5; // relative rates
constexpr double flat = 1e-6;      // derivatives of an equation, beside 1

// Each rate at several points, the largest.
template <class S> class Worst {
public:
    // `ends_early`: a few that are broken are enough to know.
    Worst(Compiled<S>& problem, Conservation<S>& conservation, bool ends_early)
        : problem_(problem), conservation_(conservation), du_(problem.n_state() + 1), worst_(conservation.size(), 0.0),
          ends_early_(ends_early) {}

    void look(S t, const linalg::Vector<S>& u, bool only_invariants) {
        if (problem_.distribution().velocity(t, u.data(), du_.data()) != PointStatus::good ||
            !conservation_.evaluate(t, u.data(), du_.data()))
            return;
        for (std::size_t k = 0; k < worst_.size(); ++k) {
            const double found = conservation_.relative(k);
            if ((only_invariants && !conservation_.is_invariant(k)) || std::fabs(found) <= std::fabs(worst_[k]))
                continue;
            const bool seems_broken = std::fabs(found) > tolerated;
            if (!seems_broken || conservation_.is_real(k, tolerated, t, u.data())) worst_[k] = found;
            if (seems_broken && ++n_broken_ > most_broken && ends_early_) return;
            if (seems_broken) conservation_.evaluate(t, u.data(), du_.data());
        }
    }
    const std::vector<double>& rates() const { return worst_; }

private:
    static constexpr int most_broken = 10; // at each of which points nearby are looked at

    Compiled<S>& problem_;
    Conservation<S>& conservation_;
    linalg::Vector<S> du_;
    std::vector<double> worst_;
    bool ends_early_;
    int n_broken_ = 0;
};

// The start point may hide what is broken: a symmetric one, at rest, or where a force that depends on t sets in. So
// points near it are looked at too, on the manifold, since a quantity may be conserved there only; and for invariants
// some that are farther away, and a little later. (Equations may hold on one branch of the manifold and not on others.)
template <class S>
std::vector<double> worst_rates(Compiled<S>& problem, Conservation<S>& c, bool ends_early, S t,
                                const linalg::Vector<S>& u) {
    Worst<S> worst(problem, c, ends_early);
    worst.look(t, u, false);
    for (const linalg::Vector<S>& near : points_near(problem.manifold(), t, u, 2, 0.02, 1e-3))
        worst.look(t, near, false);
    if (!problem.manifold().has_invariants()) return worst.rates();
    S length = 0;
    for (std::int64_t j = 0; j < problem.n_state(); ++j) length = std::max(length, linalg::absolute(u[j]));
    const S later = t + S(1e-3) * (S(1) + linalg::absolute(t));
    const double floor = 0.3 * std::min(1.0, static_cast<double>(length));
    for (const linalg::Vector<S>& near : points_near(problem.manifold(), later, u, 2, 0.1, floor))
        worst.look(later, near, true);
    return worst.rates();
}

// Of more equations than unknowns one whose derivatives all vanish at the start, a double root as (x - 1)^2 = 0, goes
// on holding to first order whatever the flow does. What it does to second order is f_uu(V, V), by differences:
//
//   f(u + h V) - 2 f(u) + f(u - h V) = h^2 f_uu(V, V) + ...
//
// Returns the number of the first row that parts in this way; none where there is no direction.
template <class S>
std::optional<std::int64_t> parting_double_root(Compiled<S>& problem, S t, const linalg::Vector<S>& u) {
    Manifold<S>& manifold = problem.manifold();
    const std::int64_t n = problem.n_state(), k = manifold.n_constraints();
    if (!problem.prolongation().is_general || k == 0) return std::nullopt;
    linalg::Vector<S> V(n + 1), f(k), entries(manifold.pattern().entries()), slope(k), rate(k), size(k);
    manifold.df(t, u.data(), f.data(), entries.data());
    manifold.sizes(t, u.data(), entries.data(), S(1e-9), size.data());
    S length = 1, speed = 0;
    for (std::int64_t j = 0; j < n; ++j) length = std::max(length, linalg::absolute(u[j]));
    const linalg::Pattern& p = manifold.pattern();
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(j)];
             e < p.column_start[static_cast<std::size_t>(j) + 1]; ++e) {
            S& of_row = slope[p.row[static_cast<std::size_t>(e)]];
            of_row = std::max(of_row, linalg::absolute(entries[e]));
        }
    const auto is_flat = [&](std::int64_t i) {
        return manifold.rows()[static_cast<std::size_t>(i)].kind != ConstraintKind::invariant &&
               slope[i] * length <= S(flat) * std::max(size[i], S(1));
    };
    bool has_flat = false;
    for (std::int64_t i = 0; i < k; ++i) has_flat = has_flat || is_flat(i);
    if (!has_flat || problem.distribution().velocity(t, u.data(), V.data()) != PointStatus::good) return std::nullopt;
    for (std::int64_t j = 0; j < n; ++j) speed = std::max(speed, linalg::absolute(V[j]));
    const S h = S(1e-3) * length / std::max(speed, length);
    linalg::Vector<S> at = u;
    const auto values = [&](S by) {
        for (std::int64_t j = 0; j < n; ++j) at[j] = u[j] + by * V[j];
        manifold.f(t + by, at.data(), f.data());
    };
    values(S(0));
    for (std::int64_t i = 0; i < k; ++i) rate[i] = S(-2) * f[i];
    for (const S by : {h, -h}) {
        values(by);
        for (std::int64_t i = 0; i < k; ++i) rate[i] += f[i];
    }
    // beside a curvature of size 1 of what f is made of, along the way h V
    const S way = h * std::max(speed, S(1)) / length;
    for (std::int64_t i = 0; i < k; ++i)
        if (is_flat(i) && linalg::absolute(rate[i]) > S(1e-3) * way * way * std::max(size[i], S(1e-3))) return i;
    return std::nullopt;
}

} // namespace

template <class S>
std::vector<std::string> check_compatibility(Compiled<S>& problem, const Settings& options, S t,
                                             const linalg::Vector<S>& u) {
    std::vector<std::string> notes;
    if (problem.analysis().is_arclength) return notes;
    Conservation<S> conservation(problem, {.has_tops = false}, options);
    if (conservation.size() == 0) return notes;
    if (const auto row = parting_double_root(problem, t, u))
        throw InvalidInput(fmt::format(
            "the equation {} does not go on holding: at the start all of its derivatives by the unknowns vanish, and "
            "along the solution of the others its sides part. Either the equations contradict each other, or the start "
            "values are not those that were meant.",
            problem.manifold().text(static_cast<std::int32_t>(*row))));
    const std::vector<double> worst =
        worst_rates(problem, conservation, options.invariants != BrokenInvariants::impose, t, u);
    for (std::size_t k = 0; k < worst.size(); ++k) {
        if (std::fabs(worst[k]) <= tolerated) continue;
        const std::string name = conservation.text(k);
        if (!conservation.is_invariant(k)) {
            throw InvalidInput(fmt::format(
                "the equation {} does not go on holding: along the solution of the others its sides part (relative "
                "rate "
                "{:.2g}). Either the equations contradict each other, or they have consequences that are not written; "
                "write those too.",
                name, worst[k]));
        }
        const std::string what = fmt::format("{} is not conserved: along the solution it changes at the relative rate "
                                             "{:.2g}",
                                             name, worst[k]);
        if (options.invariants != BrokenInvariants::impose)
            throw InvalidInput(what + ". Check the equations and the invariant, or force it with `option invariants = "
                                      "impose` (--invariants impose).");
        notes.push_back("warning: " + what + "; it is imposed");
    }
    return notes;
}

template std::vector<std::string> check_compatibility(Compiled<double>&, const Settings&, double,
                                                      const linalg::Vector<double>&);
template std::vector<std::string> check_compatibility(Compiled<Quad>&, const Settings&, Quad,
                                                      const linalg::Vector<Quad>&);

} // namespace vessiot
