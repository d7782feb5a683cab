#include "distribution/shifted_solver.hpp"

#include <algorithm>

namespace vessiot {

template <class S>
ShiftedSolver<S>::ShiftedSolver(const Linearised<R>& field)
    : field_(field), solver_(field.pattern()), entries_(field.pattern().entries()), work_(field.pattern().rows) {}

template <class S> bool ShiftedSolver<S>::factor(S gamma) {
    gamma_ = gamma;
    field_.matrix(gamma, entries_.data());
    return solver_.factor(entries_.data());
}

template <class S> void ShiftedSolver<S>::solve(S* b) {
    if (field_.is_formed()) {
        solver_.solve(b);
        return;
    }
    field_.right_side(gamma_, b, work_.data());
    solver_.solve(work_.data());
    field_.take_solution(gamma_, work_.data(), b);
}

template <class S> void ShiftedSolver<S>::solve(S* b, S* r) {
    field_.right_side(gamma_, b, work_.data());
    for (std::int64_t k = 0; k < work_.size(); ++k) work_[k] -= r[k];
    solver_.solve(work_.data());
    std::copy_n(work_.data(), work_.size(), r);
    field_.take_solution(gamma_, work_.data(), b);
}

template class ShiftedSolver<double>;
template class ShiftedSolver<expr::Quad>;
template class ShiftedSolver<linalg::Complex<double>>;
template class ShiftedSolver<linalg::Complex<expr::Quad>>;

} // namespace vessiot
