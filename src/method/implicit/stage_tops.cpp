#include "method/implicit/stage_tops.hpp"

#include <algorithm>
#include <utility>

#include "linalg/scalar.hpp"
#include "linalg/transform.hpp"
#include "method/implicit/top_rows.hpp"

namespace vessiot::method {

template <class S>
StageTops<S>::StageTops(Parts<S>& parts, Linearised<S>& linearised, const ImplicitNumbers<S>& numbers)
    : parts_(parts), linearised_(linearised), numbers_(numbers), function_(make_top_rows(parts)),
      is_reduced_(!linearised.is_formed()), r_(numbers.exact.n_implicit), n_(linearised.n_state()),
      n_tops_(linearised.n_tops()), n_rows_(linearised.n_equations()),
      n_padded_(linalg::padded(std::max(n_tops_, n_rows_))), memory_(n_padded_ * static_cast<std::int64_t>(5 * r_)),
      rows_(n_padded_), zero_(n_), part_(n_), start_(n_padded_), complex_rows_(n_padded_) {
    S* next = memory_.data();
    for (std::vector<S*>* list : {&w_, &omega_, &f_, &phi_, &old_})
        for (std::size_t i = 0; i < r_; ++i) list->push_back(std::exchange(next, next + n_padded_));
}

template <class S>
void StageTops<S>::transform(const std::vector<S>& matrix, const std::vector<S*>& in,
                             const std::vector<S*>& out) const {
    linalg::transform(n_padded_, static_cast<int>(r_), matrix.data(), const_cast<const S* const*>(in.data()),
                      out.data());
}

template <class S> void StageTops<S>::to_stages() {
    transform(numbers_.t, omega_, w_);
}

template <class S> void StageTops<S>::transform_rows() {
    transform(numbers_.t_inverse, f_, phi_);
}

template <class S> void StageTops<S>::go_on() {
    old_.swap(w_);
    std::copy_n(old_[r_ - 1], n_tops_, start_.data());
}

// NOTE: F is linear in w, so that nothing but the first iterations depends on it
template <class S> void StageTops<S>::start_at(S t, const S* u) {
    if (parts_.distribution.tops(t, u, w_[0]) != PointStatus::good) std::fill_n(w_[0], n_tops_, S(0));
    std::copy_n(w_[0], n_tops_, start_.data());
    for (std::size_t i = 1; i < r_; ++i) std::copy_n(w_[0], n_tops_, w_[i]);
    transform(numbers_.t_inverse, w_, omega_);
}

// sum_j l_j(1 + ratio c_i) W_j, with l_j those of Lagrange for the places c
template <class S> const S* StageTops<S>::predict_stage(std::size_t i, S ratio) {
    const S theta = 1 + ratio * numbers_.c[i];
    std::fill_n(w_[i], n_tops_, S(0));
    for (std::size_t j = 0; j < r_; ++j) {
        S weight = 1;
        for (std::size_t m = 0; m < r_; ++m)
            if (m != j) weight *= (theta - numbers_.c[m]) / (numbers_.c[j] - numbers_.c[m]);
        for (std::int64_t k = 0; k < n_tops_; ++k) w_[i][k] += weight * old_[j][k];
    }
    return w_[i];
}

template <class S> void StageTops<S>::predict(S ratio) {
    for (std::size_t i = 0; i < r_; ++i) predict_stage(i, ratio);
    transform(numbers_.t_inverse, w_, omega_);
}

template <class S> bool StageTops<S>::evaluate(std::size_t i, S t, const S* u, S* v) {
    const auto evaluate = [&] {
        function_(parts_.jets.at(t, u, w_[i]), f_[i], nullptr);
        linearised_.spread(u, w_[i], v);
        return linalg::all_finite(f_[i], n_rows_) && linalg::all_finite(w_[i], n_tops_);
    };
    return parts_.distribution_time ? (*parts_.distribution_time)(evaluate) : evaluate();
}

template <class S> const S* StageTops<S>::particular(S* rows) {
    std::fill(zero_.begin(), zero_.end(), S(0));
    linearised_.tops(zero_.data(), rows);
    linearised_.spread(zero_.data(), rows, part_.data());
    return part_.data();
}

template <class S> void StageTops<S>::solve(ShiftedSolver<S>& solver, S gamma, std::size_t i, S* b) {
    std::copy_n(phi_[i], n_rows_, rows_.data());
    if (is_reduced_) {
        solver.solve(b, rows_.data());
    } else {
        const S* e = particular(rows_.data());
        for (std::int64_t k = 0; k < n_; ++k) b[k] += gamma * e[k];
        solver.solve(b);
        std::copy_n(phi_[i], n_rows_, rows_.data());
        linearised_.tops(b, rows_.data());
    }
    for (std::int64_t k = 0; k < n_tops_; ++k) omega_[i][k] += rows_[k];
}

// phi_i - i phi_(i+1), as the pair has Z and W.
template <class S> void StageTops<S>::solve(ShiftedSolver<C>& solver, C gamma, std::size_t i, C* b) {
    S *w = omega_[i], *u = omega_[i + 1];
    if (is_reduced_) {
        for (std::int64_t k = 0; k < n_rows_; ++k) complex_rows_[k] = C(phi_[i][k], -phi_[i + 1][k]);
        solver.solve(b, complex_rows_.data());
        for (std::int64_t k = 0; k < n_tops_; ++k) w[k] += complex_rows_[k].re;
        for (std::int64_t k = 0; k < n_tops_; ++k) u[k] -= complex_rows_[k].im;
        return;
    }
    const auto take = [&](std::size_t row, S sign) {
        for (std::int64_t k = 0; k < n_rows_; ++k) rows_[k] = sign * phi_[row][k];
    };
    take(i, S(1));
    const S* e = particular(rows_.data());
    for (std::int64_t k = 0; k < n_; ++k) b[k] += gamma * C(e[k]);
    take(i + 1, S(-1));
    e = particular(rows_.data());
    for (std::int64_t k = 0; k < n_; ++k) b[k] += gamma * C(S(0), e[k]);
    solver.solve(b);
    take(i, S(1));
    for (std::int64_t k = 0; k < n_; ++k) part_[k] = b[k].re;
    linearised_.tops(part_.data(), rows_.data());
    for (std::int64_t k = 0; k < n_tops_; ++k) w[k] += rows_[k];
    take(i + 1, S(-1));
    for (std::int64_t k = 0; k < n_; ++k) part_[k] = b[k].im;
    linearised_.tops(part_.data(), rows_.data());
    for (std::int64_t k = 0; k < n_tops_; ++k) u[k] -= rows_[k];
}

// e += factor (S u + E w), and F into rows_.
template <class S> bool StageTops<S>::evaluate_start(S factor, S t, const S* u, S* e) {
    function_(parts_.jets.at(t, u, start_.data()), rows_.data(), nullptr);
    linearised_.spread(u, start_.data(), part_.data());
    for (std::int64_t k = 0; k < n_; ++k) e[k] += factor * part_[k];
    return linalg::all_finite(rows_.data(), n_rows_);
}

template <class S> bool StageTops<S>::filter(ShiftedSolver<S>& solver, S gamma, S t, const S* u, S* e) {
    if (!evaluate_start(gamma, t, u, e)) return false;
    if (is_reduced_) {
        solver.solve(e, rows_.data());
        return true;
    }
    const S* add = particular(rows_.data());
    for (std::int64_t k = 0; k < n_; ++k) e[k] += gamma * add[k];
    solver.solve(e);
    return true;
}

template <class S>
bool StageTops<S>::filter(ShiftedSolver<C>& solver, C gamma, S factor, S t, const S* u, S* e, C* work) {
    if (!evaluate_start(factor, t, u, e)) return false;
    for (std::int64_t k = 0; k < n_; ++k) work[k] = C(e[k]);
    if (is_reduced_) {
        for (std::int64_t k = 0; k < n_rows_; ++k) complex_rows_[k] = C(rows_[k]);
        solver.solve(work, complex_rows_.data());
    } else {
        const S* add = particular(rows_.data());
        for (std::int64_t k = 0; k < n_; ++k) work[k] += gamma * C(add[k]);
        solver.solve(work);
    }
    for (std::int64_t k = 0; k < n_; ++k) e[k] = work[k].re;
    return true;
}

template class StageTops<double>;
template class StageTops<Quad>;

} // namespace vessiot::method
