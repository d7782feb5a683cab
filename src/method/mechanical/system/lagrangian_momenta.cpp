#include "method/mechanical/system/lagrangian_momenta.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/mechanical/system/shape_columns.hpp"
#include "system/mechanics/mechanics.hpp"

namespace vessiot::method {

using namespace expr;
using linalg::at;

namespace {

constexpr int max_iterations = 20;

// Rows by position, as the shape numbers them.
ShapeRows shape_rows(const System& system, const Prolongation& p, const MechanicalShape& shape,
                     const std::vector<LagrangianRow>& rows) {
    Graph& g = *system.graph;
    std::vector<std::int32_t> position(at(p.z.size), -1); // by place in z
    for (std::size_t k = 0; k < shape.q.size(); ++k)
        position[at(p.state[at(shape.q[k])])] = static_cast<std::int32_t>(k);
    ShapeRows result;
    result.n = shape.n();
    for (const LagrangianRow& r : rows) {
        const auto jet = static_cast<std::size_t>(std::ranges::find(p.z.jets, r.position) - p.z.jets.begin());
        result.families.push_back({r.row.domain, r.row.body});
        g.index().for_each(r.row.domain, [&](const Env& env) {
            result.number.push_back(position[at(p.z.first[jet] + g.address(r.position, r.row.target, env))]);
            return true;
        });
    }
    return result;
}

bool covers_all(const ShapeRows& rows) {
    std::vector<std::int32_t> sorted = rows.number;
    std::ranges::sort(sorted);
    if (std::ssize(sorted) != rows.n) return false;
    for (std::size_t k = 0; k < sorted.size(); ++k)
        if (sorted[k] != static_cast<std::int32_t>(k)) return false;
    return true;
}

// Places in z of the velocities.
std::vector<std::int32_t> rates_of(const Prolongation& p, const MechanicalShape& shape) {
    std::vector<std::int32_t> rates;
    for (const std::int32_t k : shape.y) rates.push_back(p.state[at(k)]);
    return rates;
}

template <class S>
RowFunction<S> compiled(const Parts<S>& parts, const ShapeRows& rows, const std::vector<std::int32_t>& by) {
    const ShapeColumns c = columns_at(parts.system, parts.prolongation, rows, by);
    return RowFunction<S>(*parts.system.graph, parts.jets, rows.families, c.selection,
                          RowFunctionOptions{parts.evaluator, true, c.arrays});
}

// Does M depend on q'?
bool reads_rates(const System& system, const Prolongation& p, const MechanicalShape& shape, const SparseMatrix& M) {
    ShapeRows entries;
    if (M.values != none)
        for (const Contribution& c : system.graph->array(M.values).definition)
            entries.families.push_back({c.domain, c.body});
    return reads(system, p, entries, shape.y);
}

} // namespace

// The size of the masses over that of the squares of the constraints' derivatives, at a point that is as good as any.
template <class S> double LagrangianMomenta<S>::penalty(const Parts<S>& parts, const MechanicalShape& shape) {
    const Prolongation& p = parts.prolongation;
    linalg::Vector<S> u(p.n_state());
    for (std::int64_t k = 0; k < u.size(); ++k) u[k] = S(0.2 + 0.7 * static_cast<double>(k * 37 % 64) / 64);
    const ShapeRows momenta = shape_rows(parts.system, p, shape, lagrangian_rows(parts.system).momenta);
    RowFunction<S> masses = compiled(parts, momenta, rates_of(p, shape));
    linalg::Vector<S> rows(momenta.n), M(masses.pattern().entries());
    masses(parts.jets.at(S(0), u.data()), rows.data(), M.data());
    linalg::Vector<S> f(parts.manifold.n_constraints()), df(parts.manifold.pattern().entries());
    parts.manifold.df(S(0), u.data(), f.data(), df.data());
    S mass = 0, square = 0;
    for (const S& x : M) mass = std::max(mass, linalg::absolute(x));
    for (std::int64_t e = 0; e < df.size(); ++e)
        if (parts.manifold.rows()[at(parts.manifold.pattern().row[at(e)])].order == 0)
            square = std::max(square, df[e] * df[e]);
    const bool is_known = mass > S(0) && square > S(0) && linalg::is_finite(mass) && linalg::is_finite(square);
    return is_known ? static_cast<double>(mass / square) : 1;
}

template <class S>
std::unique_ptr<LagrangianMomenta<S>> LagrangianMomenta<S>::make(const Parts<S>& parts, const MechanicalShape& shape,
                                                                 bool has_constant_masses) {
    if (!parts.system.lagrangian) return nullptr;
    const Prolongation& p = parts.prolongation;
    const bool is_singular = !parts.is_mechanical && shape.m() > 0;
    const LagrangianRows all = lagrangian_rows(parts.system, is_singular ? penalty(parts, shape) : 0);
    const ShapeRows momenta = shape_rows(parts.system, p, shape, all.momenta);
    if (!covers_all(momenta)) return nullptr;
    const bool are_needed = is_singular || !has_constant_masses || reads(parts.system, p, momenta, shape.q) ||
                            reads_time(parts.system, momenta);
    if (!are_needed) return nullptr;
    const ShapeRows forces = shape_rows(parts.system, p, shape, all.forces);
    return std::unique_ptr<LagrangianMomenta>(new LagrangianMomenta(
        parts, shape, compiled(parts, momenta, rates_of(p, shape)), compiled(parts, forces, shape.multiplier)));
}

template <class S>
LagrangianMomenta<S>::LagrangianMomenta(const Parts<S>& parts, const MechanicalShape& shape, RowFunction<S>&& momenta,
                                        RowFunction<S>&& forces)
    : jets_(parts.jets), y_(shape.y), momenta_(std::move(momenta)), forces_(std::move(forces)),
      is_linear_(!reads_rates(parts.system, parts.prolongation, shape, momenta_.matrix())), mass_(momenta_.pattern()),
      residual_(shape.n()), entries_(momenta_.pattern().entries()) {}

template <class S> void LagrangianMomenta<S>::momenta(S t, const S* u, S* p) {
    momenta_(jets_.at(t, u), p, entries_.data());
}

// M dv = p - P(t, q, v); once where L is quadratic in the velocities
template <class S> void LagrangianMomenta<S>::velocities(S t, const S* p, S* u) {
    const std::int64_t n = residual_.size();
    S before = -1;
    for (int count = 0; count < max_iterations; ++count) {
        momenta_(jets_.at(t, u), residual_.data(), entries_.data());
        bool is_good = linalg::all_finite(entries_.data(), entries_.size()) && mass_.factor(entries_.data());
        for (std::int64_t k = 0; k < n; ++k) residual_[k] = p[k] - residual_[k];
        if (is_good) mass_.solve(residual_.data());
        S change = 0, size = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            S& v = u[y_[at(k)]];
            v += residual_[k];
            change = std::max(change, linalg::absolute(residual_[k]));
            size = std::max(size, linalg::absolute(v));
        }
        is_good &= linalg::is_finite(change);
        if (!is_good) break;
        if (is_linear_) return;
        // at round-off, or where changes near it stop falling
        if (change <= S(2) * linalg::epsilon<S>() * size) return;
        if (before >= S(0) && change >= before / S(2) && change <= S(1e-9) * size) return;
        before = change;
    }
    for (const std::int32_t k : y_) u[k] = S(0) / S(0);
}

template <class S> void LagrangianMomenta<S>::evaluate(S t, const S* u, S* minus_force, S* M, S* B) {
    std::fill_n(minus_force, residual_.size(), S(0)); // rows that are zero may be missing
    forces_(jets_.at(t, u), minus_force, B);
    momenta_(jets_.at(t, u), residual_.data(), M);
}

template class LagrangianMomenta<double>;
template class LagrangianMomenta<Quad>;

} // namespace vessiot::method
