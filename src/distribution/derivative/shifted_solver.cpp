#include "distribution/derivative/shifted_solver.hpp"

#include <algorithm>
#include <type_traits>

namespace vessiot {

template <class S>
ShiftedSolver<S>::ShiftedSolver(const Linearised<R>& field, Coupling<R>* coupling)
    : field_(field), coupling_(coupling), solver_(field.pattern()), entries_(field.pattern().entries()),
      work_(field.pattern().rows) {
    if (!coupling_) return;
    part_ = linalg::Vector<R>(field.n_state());
    products_ = linalg::Vector<R>((coupling_->n_blocks() - 1) * field.n_state());
}

template <class S> bool ShiftedSolver<S>::factor(S gamma) {
    gamma_ = gamma;
    field_.matrix(gamma, entries_.data());
    return solver_.factor(entries_.data());
}

template <class S> void ShiftedSolver<S>::solve(S* b) {
    solve_block(b);
    if (!coupling_) return;
    couple(b);
    for (std::int64_t k = 1; k < coupling_->n_blocks(); ++k) solve_block(b + k * field_.n_state());
}

template <class S> void ShiftedSolver<S>::couple(S* b) {
    const std::int64_t n = field_.n_state();
    if constexpr (std::is_same_v<S, R>) {
        coupling_->apply(b, products_.data());
        for (std::int64_t k = 0; k < products_.size(); ++k) b[n + k] += gamma_ * products_[k];
    } else {
        for (const S unit : {S(1), S(R(0), R(1))}) { // real part, imaginary part
            for (std::int64_t k = 0; k < n; ++k) part_[k] = unit.im == R(0) ? b[k].re : b[k].im;
            coupling_->apply(part_.data(), products_.data());
            const S factor = gamma_ * unit;
            for (std::int64_t k = 0; k < products_.size(); ++k) b[n + k] += factor * products_[k];
        }
    }
}

template <class S> void ShiftedSolver<S>::solve_block(S* b) {
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
template class ShiftedSolver<Quad>;
template class ShiftedSolver<linalg::Complex<double>>;
template class ShiftedSolver<linalg::Complex<Quad>>;

} // namespace vessiot
