#include "solve/impasse.hpp"

#include <algorithm>
#include <vector>

#include "linalg/scalar.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t most_tops = 300, most_watched = 30;
constexpr double flat = 1e-3;   // smallest singular value over the largest, of A: then time hardly goes on
constexpr double full = 1e-9;   // the same of (r, A), below: it has lost rank
constexpr double distant = 1e6; // values this many times larger than at the start: the solution runs to infinity

// (r, A) at a point, dense, column-major; empty where it is not finite.
template <class S> std::vector<S> matrix_at(Problem<S>& problem, TopSystem<S>& system, S t, const S* u) {
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

} // namespace

template <class S> bool is_near_impasse(Problem<S>& problem, const Place<S>& here, const Place<S>& start) {
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

template <class S> DeterminantWatch<S>::DeterminantWatch(Problem<S>& problem) {
    const Prolongation& p = problem.prolongation();
    const bool is_watched = p.is_raised && p.n_equations() == p.n_tops() && p.n_tops() <= most_watched;
    if (!is_watched || problem.analysis().is_arclength) return;
    system_.emplace(problem.system(), p, problem.jets(), problem.evaluator());
    lu_.emplace(static_cast<int>(p.n_tops()));
    r_ = linalg::Vector<S>(p.n_equations());
    entries_ = linalg::Vector<S>(system_->pattern().entries());
}

template <class S> bool DeterminantWatch<S>::has_changed(S t, const S* u) {
    if (!system_) return false;
    (*system_)(t, u, r_.data(), entries_.data());
    linalg::fill_dense(system_->pattern(), entries_.data(), lu_->matrix());
    const int before = sign_;
    const int now = lu_->factor() ? lu_->determinant_sign() : 0;
    if (now != 0) sign_ = now;
    return before != 0 && now != 0 && now != before;
}

template bool is_near_impasse(Problem<double>&, const Place<double>&, const Place<double>&);
template bool is_near_impasse(Problem<expr::Quad>&, const Place<expr::Quad>&, const Place<expr::Quad>&);
template class DeterminantWatch<double>;
template class DeterminantWatch<expr::Quad>;

} // namespace vessiot
