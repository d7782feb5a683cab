#include "solve/watch/impasse.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "expr/graph/jacobian.hpp"
#include "expr/kernel/lower.hpp"
#include "linalg/scalar.hpp"
#include "system/functions.hpp"
#include "system/jet_columns.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t most_tops = 300, most_watched = 30;
constexpr double flat = 1e-3;        // smallest singular value over the largest, of A: then time hardly goes on
constexpr double full = 1e-9;        // the same of (r, A), below: it has lost rank
constexpr double singular = 1e-6;    // where a determinant changes its sign: smallest over largest singular value
constexpr double out_of_reach = 0.1; // of r, where A is singular: the part that A does not reach, over r nearby
constexpr double distant = 1e6;      // values this many times larger than at the start: the solution runs to infinity

// log2 |det A|, rounded
template <class S> int log2_size(const linalg::DenseLu<S>& lu) {
    int sum = 0;
    for (const S& inverse : lu.inverse_pivots()) sum -= std::ilogb(static_cast<double>(inverse));
    return sum;
}

// (r, A) at a point, dense, column-major; empty where it is not finite.
template <class S> std::vector<S> matrix_at(Compiled<S>& problem, TopSystem<S>& system, S t, const S* u) {
    const std::int64_t k = problem.prolongation().n_equations(), n = problem.n_tops();
    linalg::Vector<S> entries(system.pattern().entries());
    std::vector<S> matrix(static_cast<std::size_t>(k * (n + 1)));
    system(t, u, matrix.data(), entries.data());
    linalg::fill_dense(system.pattern(), entries.data(), matrix.data() + k);
    if (!linalg::all_finite(matrix.data(), std::ssize(matrix))) return {};
    return matrix;
}

// The smallest singular value, one for each row or column, over the largest.
template <class S> S singular_ratio(const S* a, std::int64_t k, std::int64_t n) {
    linalg::JacobiSvd<S> svd(static_cast<int>(k), static_cast<int>(n));
    std::copy_n(a, k * n, svd.matrix());
    if (!svd.factor() || !(svd.values().front() > S(0))) return S(0);
    return svd.values()[static_cast<std::size_t>(std::min(k, n)) - 1] / svd.values().front();
}

// For a few evaluations.
expr::EvaluatorOptions interpreted() {
    expr::EvaluatorOptions options;
    options.backend = expr::Backend::interpreter;
    return options;
}

} // namespace

template <class S> bool is_near_impasse(Compiled<S>& problem, const Place<S>& here, const Place<S>& start) {
    const Prolongation& p = problem.prolongation();
    const std::int64_t k = p.n_equations(), n = p.n_tops();
    if (n > most_tops || n == 0 || k != n) return false;
    S size = 1;
    for (std::int64_t j = 0; j < problem.n_state(); ++j) size = std::max(size, linalg::absolute(start.u[j]));
    for (std::int64_t j = 0; j < problem.n_state(); ++j)
        if (!(linalg::absolute(here.u[j]) <= S(distant) * size)) return false;
    TopSystem<S> system(problem.system(), p, problem.jets(), problem.evaluator());
    std::vector<S> now = matrix_at(problem, system, here.t, here.u);
    const std::vector<S> then = matrix_at(problem, system, start.t, start.u);
    if (now.empty() || then.empty()) return false;
    // in units of A at the start: where r grows and A does not vanish, it is no impasse
    for (std::int64_t i = 0; i < k; ++i) {
        S largest = 0;
        for (std::int64_t c = 1; c <= n; ++c)
            largest = std::max(largest, linalg::absolute(then[static_cast<std::size_t>(c * k + i)]));
        if (largest > S(0))
            for (std::int64_t c = 0; c <= n; ++c) now[static_cast<std::size_t>(c * k + i)] /= largest;
    }
    const S of_a = k == 1 ? linalg::absolute(now[1]) : singular_ratio(now.data() + k, k, n);
    return of_a < S(flat) && singular_ratio(now.data(), k, n + 1) > S(full);
}

template <class S>
DeterminantWatch<S>::DeterminantWatch(Compiled<S>& problem, bool has_long_steps) : problem_(problem) {
    const Analysis& analysis = problem.analysis();
    const bool is_raised = analysis.prolongation.is_raised;
    const SystemClass kind = analysis.classification.system_class;
    is_mechanical_ = analysis.system.lagrangian.has_value();
    const bool is_general = kind == SystemClass::general && !is_mechanical_;
    const bool is_semi = kind == SystemClass::semi_explicit;
    is_coarse_ = is_mechanical_ && !has_long_steps && !is_raised;
    if (analysis.is_arclength ||
        (!is_raised && !is_general && !is_semi && !(is_mechanical_ && has_long_steps) && !is_coarse_))
        return;
    const Prolongation& p = analysis.prolongation;
    if (p.n_equations() != p.n_tops() || p.n_tops() > most_watched) return;
    is_on_ = (is_raised || can_change()) && make(problem.evaluator());
}

// Do entries of A vary? Of a lagrangian: those of the masses, in the equations of motion by second derivatives. The
// formulas say so; most of the time they need not be compiled.
template <class S> bool DeterminantWatch<S>::can_change() const {
    const Prolongation& p = problem_.prolongation();
    expr::Graph& g = *problem_.system().graph;
    const auto is_motion = [&](std::int32_t top) { return std::ranges::find(p.next, top) != p.next.end(); };
    std::vector<std::int32_t> all(static_cast<std::size_t>(p.tops.n_rows), -1); // equations by row
    for (std::size_t k = 0; k < p.tops.selected.size(); ++k)
        all[static_cast<std::size_t>(p.tops.selected[k])] = p.tops.equation[k];
    std::vector<RowTemplate> families;
    std::vector<std::int32_t> equation; // of the rows that are looked at
    for (const RowFamily& f : p.tops.families) {
        if (is_mechanical_ && f.order > 0) continue;
        families.push_back({f.domain, f.residual});
        for (std::int64_t r = f.first; r < f.first + f.count; ++r) equation.push_back(all[static_cast<std::size_t>(r)]);
    }
    std::vector<expr::ArrayId> jets;
    std::vector<char> is_column; // of the elements of these
    for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
        const std::int64_t first = p.z.first[k], end = first + g.array(p.z.jets[k]).size();
        const auto is_in = [&](std::int32_t top) {
            return top >= first && top < end && (!is_mechanical_ || is_motion(top));
        };
        if (std::ranges::none_of(p.top, is_in)) continue;
        const std::size_t before = is_column.size();
        jets.push_back(p.z.jets[k]);
        is_column.resize(before + static_cast<std::size_t>(end - first));
        for (const std::int32_t top : p.top)
            if (is_in(top)) is_column[before + static_cast<std::size_t>(top - first)] = 1;
    }
    if (families.empty() || jets.empty()) return false;
    std::int64_t n_rows = 0;
    std::vector<expr::RowBlock> rows = row_blocks(g, families, n_rows);
    expand_small_rows(g, rows, expr::LowerOptions{}.expand_limit / 2);
    const expr::SparseMatrix a = expr::jacobian(g, rows, n_rows, jets);
    const std::vector<char> varies = varying_entries(g, a);
    for (std::size_t c = 0; c < is_column.size(); ++c) {
        if (is_column[c] == 0) continue;
        for (std::int64_t e = a.column_start[c]; e < a.column_start[c + 1]; ++e) {
            const auto at = static_cast<std::size_t>(e);
            const std::int32_t i = equation[static_cast<std::size_t>(a.row[at])];
            if (i < 0 || varies[at] == 0) continue;
            if (!is_mechanical_ || p.offsets.c[static_cast<std::size_t>(i)] == 0) return true;
        }
    }
    return false;
}

template <class S> bool DeterminantWatch<S>::make(const expr::EvaluatorOptions& evaluator) {
    const Prolongation& p = problem_.prolongation();
    if (p.n_equations() != p.n_tops() || p.n_tops() > most_watched) return false;
    system_.emplace(problem_.system(), p, problem_.jets(), evaluator);
    lu_.emplace(static_cast<int>(p.n_tops()));
    r_ = linalg::Vector<S>(p.n_equations());
    entries_ = linalg::Vector<S>(system_->pattern().entries());
    return true;
}

template <class S> int DeterminantWatch<S>::sign_at(S t, const S* u) {
    (*system_)(t, u, r_.data(), entries_.data());
    linalg::fill_dense(system_->pattern(), entries_.data(), lu_->matrix());
    return lu_->factor() ? lu_->determinant_sign() : 0;
}

template <class S> bool DeterminantWatch<S>::would_change(S t, const S* u) {
    if (!is_on_ || is_coarse_) return false;
    const int now = sign_at(t, u);
    looked_ = Looked{t, now, now != 0 ? log2_size(*lu_) : 0};
    return sign_ != 0 && now != 0 && now != sign_;
}

template <class S> bool DeterminantWatch<S>::has_changed(S t, const S* u) {
    if (!is_on_) return false;
    if (!looked_ || looked_->t != t) {
        const int sign = sign_at(t, u);
        looked_ = Looked{t, sign, sign != 0 ? log2_size(*lu_) : 0};
    }
    const int before = sign_, now = looked_->sign;
    if (now != 0) {
        sign_ = now;
        size_ = looked_->size;
        before_t_ = t_;
        t_ = t;
    }
    looked_.reset();
    if (before != 0 && now != 0 && now != before) dip_ = {}; // it is noted as a crossing
    return before != 0 && now != 0 && now != before;
}

template <class S> std::optional<S> DeterminantWatch<S>::near_miss(S rtol) {
    if (!is_on_ || is_mechanical_ || sign_ == 0) return std::nullopt;
    // |det A| below 2 sqrt(rtol) of what it was
    const int depth = std::max(2, -std::ilogb(static_cast<double>(rtol)) / 2 - 1), rise = depth / 2;
    if (dip_.lowest < size_ - rise) {
        const S t = dip_.t;
        dip_ = {.highest = size_};
        return t;
    }
    dip_.highest = std::max(dip_.highest, size_);
    if (size_ < dip_.highest - depth && size_ < dip_.lowest) {
        dip_.lowest = size_;
        dip_.t = t_;
    }
    return std::nullopt;
}

// By bisection. A v = 0 there: what v has in tops that are derivatives of coordinates is open.
template <class S>
typename DeterminantWatch<S>::Opening DeterminantWatch<S>::opening(const std::function<S(S, S*)>& curve) {
    if (!system_ && !make(interpreted())) return {true, S(1)};
    linalg::Vector<S> u(problem_.n_state() + 1);
    const auto sign = [&](S theta) {
        const S t = curve(theta, u.data());
        return sign_at(t, u.data());
    };
    const auto largest = [](const linalg::Vector<S>& of) {
        S size = 0;
        for (const S a : of) size = std::max(size, linalg::absolute(a));
        return size;
    };
    S low = 0, high = 1;
    const int first = sign(low);
    S size_at_ends = largest(entries_), r_at_ends = largest(r_);
    const int last = sign(high);
    const bool begins_there = first == 0 && last != 0 && is_on_; // the step before ended at that place
    if (!begins_there && last * first >= 0) return {};
    size_at_ends = std::max(size_at_ends, largest(entries_));
    r_at_ends = std::max(r_at_ends, largest(r_));
    while (!begins_there && high - low > S(4) * linalg::epsilon<S>()) {
        const S middle = (low + high) / S(2);
        (sign(middle) == first ? low : high) = middle;
    }
    const std::int64_t n = problem_.n_tops();
    const S t = curve(low, u.data());
    const std::vector<S> matrix = matrix_at(problem_, *system_, t, u.data());
    linalg::JacobiSvd<S> svd(static_cast<int>(n), static_cast<int>(n));
    if (matrix.empty()) return {true, low}; // a pole
    std::copy_n(matrix.data() + n, n * n, svd.matrix());
    if (!svd.factor() || svd.values().back() > S(singular) * size_at_ends) return {false, low, true}; // it jumps
    if (is_fold(t, u.data(), r_at_ends)) return {false, low, true};
    const S* v = svd.vector(static_cast<int>(n) - 1);
    const Prolongation& p = problem_.prolongation();
    S open = 0;
    for (std::int64_t k = 0; k < n; ++k)
        if (std::ranges::find(p.next, p.top[static_cast<std::size_t>(k)]) != p.next.end())
            open = std::max(open, linalg::absolute(v[k]));
    return {open > S(singular), low};
}

// y^T r with y^T A = 0.
template <class S> bool DeterminantWatch<S>::is_fold(S t, const S* u, S r_at_ends) {
    const std::int64_t n = problem_.n_tops();
    const std::vector<S> matrix = matrix_at(problem_, *system_, t, u);
    linalg::JacobiSvd<S> svd(static_cast<int>(n), static_cast<int>(n));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            svd.matrix()[i * n + j] = matrix[static_cast<std::size_t>((j + 1) * n + i)];
    if (!svd.factor()) return false;
    const S* y = svd.vector(static_cast<int>(n) - 1);
    S part = 0;
    for (std::int64_t i = 0; i < n; ++i) part += y[i] * matrix[static_cast<std::size_t>(i)];
    return linalg::absolute(part) > S(out_of_reach) * r_at_ends;
}

template bool is_near_impasse(Compiled<double>&, const Place<double>&, const Place<double>&);
template bool is_near_impasse(Compiled<Quad>&, const Place<Quad>&, const Place<Quad>&);
template class DeterminantWatch<double>;
template class DeterminantWatch<Quad>;

} // namespace vessiot
