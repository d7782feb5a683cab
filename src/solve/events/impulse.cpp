#include "solve/events/impulse.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/mechanical/system/shape_columns.hpp"
#include "system/mechanics/mechanics.hpp"

namespace vessiot {

using namespace expr;
using linalg::absolute;
using linalg::at;

namespace {

constexpr int most_iterations = 60;
constexpr double small_diagonal = 1e-9; // of the masses, and of the squares of the rows of G over them

// The coordinate at each place of z, -1 for none.
std::vector<std::int32_t> coordinates_at(const Prolongation& p) {
    std::vector<std::int32_t> result(at(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) result[at(p.state[k])] = static_cast<std::int32_t>(k);
    return result;
}

// The place in z of the first element of a jet, -1 where there is none.
std::int64_t place_of(const Prolongation& p, ArrayId jet) {
    const auto it = std::ranges::find(p.z.jets, jet);
    return it == p.z.jets.end() ? -1 : p.z.first[static_cast<std::size_t>(it - p.z.jets.begin())];
}

} // namespace

template <class S> std::unique_ptr<Impulses<S>> Impulses<S>::make(Compiled<S>& problem) {
    const System& system = problem.system();
    if (!system.lagrangian && !system.hamiltonian) return nullptr;
    std::unique_ptr<Impulses> impulses(new Impulses(problem));
    const auto n = static_cast<std::size_t>(problem.n_state());
    impulses->moves_.assign(n, 0);
    impulses->is_position_.assign(n, 0);
    impulses->momentum_of_.assign(n, -1);
    if (!(system.lagrangian ? impulses->find_lagrangian() : impulses->find_hamiltonian())) return nullptr;
    impulses->find_rows();
    impulses->f_ = linalg::Vector<S>(impulses->manifold_.n_constraints());
    impulses->df_ = linalg::Vector<S>(impulses->manifold_.pattern().entries());
    return impulses;
}

// Velocities are the first derivatives of unknowns that have second ones.
template <class S> bool Impulses<S>::find_lagrangian() {
    const System& system = problem_.system();
    const Prolongation& p = problem_.prolongation();
    Graph& g = *system.graph;
    const std::vector<std::int32_t> coordinate = coordinates_at(p);
    std::vector<std::int32_t> places;
    for (const Unknown& u : system.unknowns) {
        if (u.order != 2) continue;
        const std::int64_t q = place_of(p, u.array), v = place_of(p, g.derivative(u.array));
        for (std::int64_t k = 0; k < g.array(u.array).size(); ++k) {
            const std::int32_t at_v = v < 0 ? -1 : coordinate[at(v + k)];
            if (at_v < 0) continue;
            moves_[at(at_v)] = 1;
            is_position_[at(coordinate[at(q + k)])] = 1;
            momentum_of_[at(at_v)] = static_cast<std::int32_t>(momentum_at_.size());
            momentum_at_.push_back(at_v);
            places.push_back(static_cast<std::int32_t>(v + k));
        }
    }
    if (momentum_at_.empty()) return false;
    method::ShapeRows rows;
    rows.n = std::ssize(momentum_at_);
    for (const LagrangianRow& r : lagrangian_rows(system).momenta) {
        const std::int64_t v = place_of(p, g.derivative(r.position));
        rows.families.push_back({r.row.domain, r.row.body});
        g.index().for_each(r.row.domain, [&](const Env& env) {
            const std::int64_t z = v < 0 ? -1 : v + g.address(r.position, r.row.target, env);
            const std::int32_t c = z < 0 ? -1 : coordinate[at(z)];
            rows.number.push_back(c < 0 ? -1 : momentum_of_[at(c)]);
            return true;
        });
    }
    const method::ShapeColumns c = method::columns_at(system, p, rows, places);
    momenta_ = std::make_unique<RowFunction<S>>(g, problem_.jets(), rows.families, c.selection,
                                                RowFunctionOptions{problem_.evaluator(), true, c.arrays});
    P_ = linalg::Vector<S>(rows.n);
    M_ = linalg::Vector<S>(momenta_->pattern().entries());
    return true;
}

template <class S> bool Impulses<S>::find_hamiltonian() {
    const Prolongation& p = problem_.prolongation();
    Graph& g = *problem_.system().graph;
    const std::vector<std::int32_t> coordinate = coordinates_at(p);
    const auto at_place = [&](std::int64_t first, std::int64_t k) {
        return first < 0 ? -1 : coordinate[at(first + k)];
    };
    for (const ConjugatePair& pair : problem_.system().pairs) {
        const std::int64_t q = place_of(p, pair.position), y = place_of(p, pair.momentum);
        const std::int64_t rate = place_of(p, g.derivative(pair.position));
        for (std::int64_t k = 0; k < g.array(pair.position).size(); ++k) {
            const std::int32_t momentum = at_place(y, k), position = at_place(q, k), velocity = at_place(rate, k);
            if (momentum < 0 || position < 0) continue;
            is_position_[at(position)] = 1;
            moves_[at(momentum)] = 1;
            if (velocity >= 0) {
                moves_[at(velocity)] = 1;
                momentum_of_[at(velocity)] = static_cast<std::int32_t>(momentum_at_.size());
            }
            momentum_at_.push_back(momentum);
        }
    }
    P_ = linalg::Vector<S>(std::ssize(momentum_at_));
    return !momentum_at_.empty();
}

// Rows of positions and of what moves, and of nothing else.
template <class S> void Impulses<S>::find_rows() {
    const linalg::Pattern& pattern = manifold_.pattern();
    const auto n = at(manifold_.n_constraints());
    std::vector<char> has_moving(n, 0), has_other(n, 0);
    for (std::size_t j = 0; j < moves_.size(); ++j)
        for (std::int64_t e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
            const std::size_t row = at(pattern.row[at(e)]);
            if (moves_[j])
                has_moving[row] = 1;
            else if (!is_position_[j])
                has_other[row] = 1;
        }
    is_row_.assign(n, 0);
    has_impulse_.assign(n, 0);
    const System& system = problem_.system();
    for (std::size_t k = 0; k < n; ++k) {
        is_row_[k] = has_moving[k] && !has_other[k];
        const Equation& e = system.equations[manifold_.rows()[k].source];
        has_impulse_[k] = is_row_[k] && !(system.hamiltonian && e.kind == EquationKind::motion); // q' = H_p
    }
}

template <class S> void Impulses<S>::evaluate(S t, const S* u) {
    manifold_.df(t, u, f_.data(), df_.data());
    std::fill(P_.begin(), P_.end(), S(0)); // rows that are zero may be missing
    if (momenta_)
        (*momenta_)(problem_.jets().at(t, u), P_.data(), M_.data());
    else
        for (std::size_t k = 0; k < momentum_at_.size(); ++k) P_[static_cast<std::int64_t>(k)] = u[momentum_at_[k]];
}

template <class S> typename Impulses<S>::Balance Impulses<S>::make_balance(const std::vector<char>& is_set) const {
    Balance b;
    std::vector<std::int32_t> column(moves_.size(), -1), equation(momentum_at_.size(), -1);
    for (std::size_t j = 0; j < moves_.size(); ++j) {
        if (!moves_[j] || is_set[j]) continue;
        column[j] = static_cast<std::int32_t>(b.coordinates.size());
        b.coordinates.push_back(static_cast<std::int64_t>(j));
    }
    for (std::size_t m = 0; m < momentum_at_.size(); ++m) {
        if (is_set[at(momentum_at_[m])]) continue;
        equation[m] = static_cast<std::int32_t>(b.momenta.size());
        b.momenta.push_back(static_cast<std::int32_t>(m));
    }
    using Kind = typename Part::Kind;
    const auto add = [&](Kind kind, std::int64_t source, std::int64_t row, std::int64_t to) {
        b.parts.push_back({kind, source, {static_cast<std::int32_t>(row), static_cast<std::int32_t>(to)}, 0});
    };
    for (std::size_t m = 0; m < momentum_at_.size(); ++m) {
        const std::int32_t to = column[at(momentum_at_[m])];
        if (to < 0) continue;
        if (!momenta_) {
            add(Kind::momentum, -1, equation[m], to);
            continue;
        }
        const linalg::Pattern& M = momenta_->pattern();
        for (std::int64_t e = M.column_start[m]; e < M.column_start[m + 1]; ++e)
            if (equation[at(M.row[at(e)])] >= 0) add(Kind::momentum, e, equation[at(M.row[at(e)])], to);
        add(Kind::diagonal, 0, equation[m], to);
    }
    std::int64_t next = std::ssize(b.coordinates);
    std::vector<std::int32_t> row_of(is_row_.size(), -1), impulse(is_row_.size(), -1);
    for (std::size_t k = 0; k < is_row_.size(); ++k) {
        if (!is_row_[k]) continue;
        row_of[k] = static_cast<std::int32_t>(b.momenta.size() + b.rows.size());
        b.rows.push_back(static_cast<std::int32_t>(k));
        if (!has_impulse_[k]) continue;
        impulse[k] = static_cast<std::int32_t>(next++);
        add(Kind::diagonal, 1, row_of[k], impulse[k]);
    }
    const linalg::Pattern& df = manifold_.pattern();
    for (std::size_t j = 0; j < moves_.size(); ++j)
        for (std::int64_t e = df.column_start[j]; e < df.column_start[j + 1]; ++e) {
            const std::size_t k = at(df.row[at(e)]);
            if (row_of[k] < 0) continue;
            if (column[j] >= 0) add(Kind::row, e, row_of[k], column[j]);
            const std::int32_t m = momentum_of_[j];
            if (impulse[k] >= 0 && m >= 0 && equation[at(m)] >= 0) add(Kind::impulse, e, equation[at(m)], impulse[k]);
        }
    std::vector<linalg::Place> places;
    for (const Part& part : b.parts) places.push_back(part.place);
    b.pattern = linalg::make_pattern(std::ssize(b.momenta) + std::ssize(b.rows), next, places);
    for (Part& part : b.parts) {
        const auto first = b.pattern.row.begin() + b.pattern.column_start[at(part.place.column)];
        const auto last = b.pattern.row.begin() + b.pattern.column_start[at(part.place.column) + 1];
        part.entry = std::lower_bound(first, last, part.place.row) - b.pattern.row.begin();
    }
    return b;
}

template <class S> void Impulses<S>::fill(const Balance& b, S* K, bool has_diagonal) const {
    using Kind = typename Part::Kind;
    std::fill_n(K, b.pattern.entries(), S(0));
    S mass = 0, square = 0;
    for (const Part& part : b.parts) {
        if (part.kind == Kind::momentum && part.source >= 0) mass = std::max(mass, absolute(M_[part.source]));
        if (part.kind == Kind::impulse) square = std::max(square, df_[part.source] * df_[part.source]);
    }
    if (!(mass > S(0))) mass = 1;
    for (const Part& part : b.parts) {
        S& entry = K[part.entry];
        switch (part.kind) {
        case Kind::momentum: entry += part.source < 0 ? S(1) : M_[part.source]; break;
        case Kind::row: entry += df_[part.source]; break;
        case Kind::impulse: entry -= df_[part.source]; break;
        case Kind::diagonal:
            if (has_diagonal) entry += S(small_diagonal) * (part.source == 0 ? mass : square / mass);
            break;
        }
    }
}

// P(v) - P(v-) - G^T Lambda, and F; x: what moves, and Lambda behind it
template <class S> void Impulses<S>::residual(const Balance& b, const S* before, const S* x, S* r) const {
    const auto n = std::ssize(b.momenta);
    for (std::int64_t k = 0; k < n; ++k) r[k] = P_[b.momenta[at(k)]] - before[b.momenta[at(k)]];
    for (std::int64_t k = 0; k < std::ssize(b.rows); ++k) r[n + k] = f_[b.rows[at(k)]];
    for (const Part& part : b.parts)
        if (part.kind == Part::Kind::impulse) r[part.place.row] -= df_[part.source] * x[part.place.column];
}

template <class S>
bool Impulses<S>::apply(S t, const linalg::Vector<S>& before, const std::vector<char>& is_set, linalg::Vector<S>& u) {
    const Balance b = make_balance(is_set);
    if (b.coordinates.empty() || b.pattern.rows != b.pattern.columns) return b.coordinates.empty();
    linalg::Vector<S> trial = u, P(P_.size()), x(b.size()), r(b.size()), K(b.pattern.entries());
    for (std::size_t j = 0; j < moves_.size(); ++j)
        if (moves_[j]) trial[static_cast<std::int64_t>(j)] = before[static_cast<std::int64_t>(j)];
    evaluate(t, trial.data());
    std::copy(P_.begin(), P_.end(), P.begin());
    for (std::size_t j = 0; j < moves_.size(); ++j)
        if (is_set[j]) trial[static_cast<std::int64_t>(j)] = u[static_cast<std::int64_t>(j)];
    linalg::SquareSolver<S> solver(b.pattern);
    S last = 0;
    for (int k = 0;; ++k) {
        evaluate(t, trial.data());
        residual(b, P.data(), x.data(), r.data());
        fill(b, K.data());
        if (k == most_iterations || !linalg::all_finite(K.data(), K.size()) || !solver.factor(K.data())) return false;
        solver.solve(r.data());
        S step = 0, size = 0;
        for (std::int64_t j = 0; j < b.size(); ++j) {
            x[j] -= r[j];
            if (j >= std::ssize(b.coordinates)) continue;
            S& value = trial[b.coordinates[at(j)]];
            value -= r[j];
            step = std::max(step, absolute(r[j]));
            size = std::max(size, std::max(absolute(value), absolute(before[b.coordinates[at(j)]])));
        }
        if (!linalg::is_finite(step)) return false;
        const bool is_round_off = k > 0 && step >= last / S(4) && step <= S(1e-9) * size;
        if (step <= linalg::epsilon<S>() * size || is_round_off) break;
        last = step;
    }
    u = std::move(trial);
    return true;
}

template <class S> bool Impulses<S>::linearise(S t, const S* u) {
    Balance b = make_balance(std::vector<char>(moves_.size(), 0));
    if (b.pattern.rows != b.pattern.columns) return false;
    evaluate(t, u);
    linalg::Vector<S> K(b.pattern.entries());
    fill(b, K.data());
    if (!linalg::all_finite(K.data(), K.size())) return false;
    linalg::SquareSolver<S> solver(b.pattern);
    if (!solver.factor(K.data())) return false;
    fill(b, K.data(), false);
    linear_.emplace(Linear{std::move(b), std::move(K), std::move(solver)});
    return true;
}

// NOTE: the factors are those of K with a small diagonal; residuals of K itself lead to its solution.
template <class S> linalg::Vector<S> Impulses<S>::response(const linalg::Vector<S>& r) {
    constexpr int most_refinements = 10;
    const Balance& b = linear_->balance;
    linalg::Vector<S> x(b.size()), rest(b.size()), right(b.size());
    std::vector<std::int32_t> equation(momentum_at_.size(), -1);
    for (std::size_t k = 0; k < b.momenta.size(); ++k) equation[at(b.momenta[k])] = static_cast<std::int32_t>(k);
    for (std::size_t j = 0; j < momentum_of_.size(); ++j)
        if (momentum_of_[j] >= 0) right[equation[at(momentum_of_[j])]] += r[static_cast<std::int64_t>(j)];
    for (int k = 0; k < most_refinements; ++k) {
        std::copy(right.begin(), right.end(), rest.begin());
        for (std::int64_t c = 0; c < b.size(); ++c)
            for (std::int64_t e = b.pattern.column_start[at(c)]; e < b.pattern.column_start[at(c) + 1]; ++e)
                rest[b.pattern.row[at(e)]] -= linear_->K[e] * x[c];
        linear_->solver.solve(rest.data());
        S step = 0, size = 0;
        for (std::int64_t c = 0; c < b.size(); ++c) {
            x[c] += rest[c];
            step = std::max(step, absolute(rest[c]));
            size = std::max(size, absolute(x[c]));
        }
        if (!(step > linalg::epsilon<S>() * size)) break;
    }
    linalg::Vector<S> dv(static_cast<std::int64_t>(moves_.size()) + 1);
    for (std::size_t c = 0; c < b.coordinates.size(); ++c) dv[b.coordinates[c]] = x[static_cast<std::int64_t>(c)];
    return dv;
}

template class Impulses<double>;
template class Impulses<Quad>;

} // namespace vessiot
