#include "distribution/derivative/top_solver.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;

template <class S> bool TopSolver<S>::factor() {
    if (is_factored_) return true;
    if (rank_) return is_factored_ = factor_dependent();
    const S* a = equations_.A();
    const std::int64_t n = equations_.n_tops();
    if (equations_.n_equations() != n) {
        choose_rows();
        for_each_entry(equations_.by_w(), [&](auto i, auto j, auto e) {
            if (place_[at(i)] >= 0) chosen_entries_[j * n + place_[at(i)]] = a[e];
        });
        a = chosen_entries_.data();
    } else if (!solver_) {
        solver_ = std::make_unique<linalg::SquareSolver<S>>(equations_.by_w());
    }
    return is_factored_ = solver_->factor(a);
}

// Rows to largest entry 1, as shortest.hpp has them.
template <class S> bool TopSolver<S>::factor_dependent() {
    const std::int64_t rows = equations_.n_equations(), n = equations_.n_tops();
    if (!qr_) {
        qr_ = std::make_unique<linalg::PivotedQr<S>>(static_cast<int>(rows), static_cast<int>(n));
        scale_ = linalg::Vector<S>(rows);
        shortest_ = linalg::Vector<S>(n);
    }
    const S* a = equations_.A();
    std::fill(scale_.begin(), scale_.end(), S(0));
    for_each_entry(equations_.by_w(), [&](auto i, auto, auto e) { scale_[i] = std::max(scale_[i], absolute(a[e])); });
    for (S& s : scale_) s = s > S(0) ? S(1) / s : S(1);
    std::fill_n(qr_->matrix(), rows * n, S(0));
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto e) { qr_->matrix()[j * rows + i] = a[e] * scale_[i]; });
    qr_->factor(S(1e-9));
    return qr_->rank() == *rank_;
}

// Rows scaled to largest entry 1.
template <class S> void TopSolver<S>::choose_rows() {
    const std::int64_t rows = equations_.n_equations(), n = equations_.n_tops();
    if (!solver_) {
        std::vector<linalg::Place> places;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(n); ++j)
            for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) places.push_back({i, j});
        solver_ = std::make_unique<linalg::SquareSolver<S>>(linalg::make_pattern(n, n, places));
        chosen_entries_ = linalg::Vector<S>(n * n);
        size_ = linalg::Vector<S>(rows);
        place_.resize(at(rows));
    }
    linalg::PivotedQr<S> qr(static_cast<int>(n), static_cast<int>(rows));
    std::fill_n(qr.matrix(), n * rows, S(0));
    std::fill(size_.begin(), size_.end(), S(0));
    const S* a = equations_.A();
    for_each_entry(equations_.by_w(), [&](auto i, auto, auto e) { size_[i] = std::max(size_[i], absolute(a[e])); });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto e) {
        if (size_[i] > S(0)) qr.matrix()[i * n + j] = a[e] / size_[i];
    });
    qr.factor(S(0));
    chosen_.assign(qr.column_order().begin(), qr.column_order().begin() + n);
    std::ranges::sort(chosen_);
    std::ranges::fill(place_, -1);
    for (std::size_t i = 0; i < chosen_.size(); ++i) place_[at(chosen_[i])] = static_cast<std::int32_t>(i);
    std::fill(chosen_entries_.begin(), chosen_entries_.end(), S(0));
}

template <class S> void TopSolver<S>::solve(S* rows) {
    if (rank_) {
        for (std::int64_t i = 0; i < equations_.n_equations(); ++i) rows[i] *= -scale_[i];
        qr_->solve_min_norm(rows, shortest_.data());
        std::copy(shortest_.begin(), shortest_.end(), rows);
        return;
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) rows[i] = rows[chosen_[i]]; // they ascend
    solver_->solve(rows);
    for (std::int64_t j = 0; j < equations_.n_tops(); ++j) rows[j] = -rows[j];
}

template class TopSolver<double>;
template class TopSolver<Quad>;

} // namespace vessiot
