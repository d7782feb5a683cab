#include "distribution/shifted_solver.hpp"

#include <algorithm>

namespace vessiot {

template <class S>
ShiftedSolver<S>::ShiftedSolver(const Linearised<R>& field)
    : field_(field), solver_(field.pattern()), entries_(field.pattern().entries()), work_(field.pattern().rows) {}

template <class S> bool ShiftedSolver<S>::factor(S gamma) {
    const R *constant = field_.constant(), *slope = field_.slope();
    for (std::int64_t k = 0; k < entries_.size(); ++k) entries_[k] = S(constant[k]) + gamma * slope[k];
    return solver_.factor(entries_.data());
}

template <class S> void ShiftedSolver<S>::solve(S* b) {
    if (work_.size() == field_.n_state()) {
        solver_.solve(b);
        return;
    }
    std::copy_n(b, field_.n_state(), work_.data());
    std::fill_n(work_.data() + field_.n_state(), work_.size() - field_.n_state(), S(0));
    solver_.solve(work_.data());
    std::copy_n(work_.data(), field_.n_state(), b);
}

template class ShiftedSolver<double>;
template class ShiftedSolver<expr::Quad>;
template class ShiftedSolver<linalg::Complex<double>>;
template class ShiftedSolver<linalg::Complex<expr::Quad>>;

} // namespace vessiot
