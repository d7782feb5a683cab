#include "solve/compatibility.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"

namespace vessiot {

namespace {

// df_i(V) of every row, over the sum of the sizes of its parts: about 1 for a quantity that has nothing to do with the
// flow, round-off for one that is conserved. Empty where there is no direction.
template <class S> std::vector<double> relative_rates(Problem<S>& problem, S t, const linalg::Vector<S>& u) {
    Manifold<S>& m = problem.manifold();
    const std::int64_t n = problem.n_state(), k = m.n_constraints();
    linalg::Vector<S> du(n + 1), f1(k), f2(k), size(k), entries(m.pattern().entries()), rate(k), parts(k), norm(k);
    if (problem.distribution().velocity(t, u.data(), du.data()) != PointStatus::good ||
        !linalg::all_finite(du.data(), n))
        return {};
    S length = S(1e-6), speed = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        length = std::max(length, linalg::absolute(u[j]));
        speed = std::max(speed, linalg::absolute(du[j]));
    }
    m.df(t, u.data(), f1.data(), entries.data());
    m.sizes(t, u.data(), entries.data(), S(1e-9), size.data());
    // sum_j df_ij u_j', and the part of t by a central difference
    const linalg::Pattern& p = m.pattern();
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(j)];
             e < p.column_start[static_cast<std::size_t>(j) + 1]; ++e) {
            const std::int32_t i = p.row[static_cast<std::size_t>(e)];
            rate[i] += entries[e] * du[j];
            parts[i] += linalg::absolute(entries[e] * du[j]);
            norm[i] += linalg::absolute(entries[e]);
        }
    const S step = (std::is_same_v<S, double> ? S(1e-5) : S(1e-11)) * (S(1) + linalg::absolute(t));
    m.f(t + step, u.data(), f1.data());
    m.f(t - step, u.data(), f2.data());
    std::vector<double> result;
    for (std::int64_t i = 0; i < k; ++i) {
        const S by_t = (f1[i] - f2[i]) / (S(2) * step);
        // NOTE: where all parts vanish, u' has the round-off of its largest component
        const S scale = parts[i] + linalg::absolute(by_t) + S(1e-3) * size[i] * std::max(speed / length, S(1e-3)) +
                        S(1e-6) * norm[i] * speed;
        const double relative = static_cast<double>((rate[i] + by_t) / scale);
        result.push_back(std::isfinite(relative) ? relative : 0.0);
    }
    return result;
}

// The largest rates at the start and at two points near it: a symmetric start point may hide what is broken.
template <class S> std::vector<double> worst_rates(Problem<S>& problem, S t, const linalg::Vector<S>& u) {
    std::vector<double> worst = relative_rates(problem, t, u);
    // on the manifold: a quantity may be conserved there only
    for (const linalg::Vector<S>& near : points_near(problem.manifold(), t, u, 2, 0.02, 1e-3)) {
        const std::vector<double> there = relative_rates(problem, t, near);
        for (std::size_t k = 0; k < std::min(worst.size(), there.size()); ++k)
            if (std::fabs(there[k]) > std::fabs(worst[k])) worst[k] = there[k];
    }
    return worst;
}

} // namespace

template <class S>
std::vector<std::string> check_compatibility(Problem<S>& problem, const SolveOptions& options, S t,
                                             const linalg::Vector<S>& u) {
    std::vector<std::string> notes;
    Manifold<S>& m = problem.manifold();
    const bool is_general = problem.prolongation().is_general;
    if ((!m.has_invariants() && !is_general) || problem.analysis().is_arclength) return notes;
    const std::vector<double> worst = worst_rates(problem, t, u);
    for (std::size_t k = 0; k < worst.size(); ++k) {
        const bool is_invariant = m.rows()[k].kind == ConstraintKind::invariant;
        if (!(is_invariant || is_general) || std::fabs(worst[k]) <= 1e-5) continue;
        const std::string name = m.text(static_cast<std::int64_t>(k));
        if (!is_invariant) {
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
        if (options.invariants != "impose")
            throw InvalidInput(what + ". Check the equations and the invariant, or force it with `option invariants = "
                                      "impose` (--invariants impose).");
        notes.push_back("warning: " + what + "; it is imposed");
    }
    return notes;
}

template std::vector<std::string> check_compatibility(Problem<double>&, const SolveOptions&, double,
                                                      const linalg::Vector<double>&);
template std::vector<std::string> check_compatibility(Problem<expr::Quad>&, const SolveOptions&, expr::Quad,
                                                      const linalg::Vector<expr::Quad>&);

} // namespace vessiot
