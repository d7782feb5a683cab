#include "distribution/derivative/shifted_matrix.hpp"

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;
using linalg::entry_at;
using linalg::Pattern;
using linalg::place;
using linalg::Place;

template <class S>
ShiftedMatrix<S>::ShiftedMatrix(Shape shape, const TopDerivatives<S>& equations, const LevelProjector<S>* projector,
                                std::int64_t n_x)
    : shape_(shape), equations_(equations), n_x_(n_x), column_(std::max(equations.n_equations(), equations.n_tops())) {
    switch (shape_) {
    case Shape::monomial: plan_monomial(); break;
    case Shape::dense: plan_dense(n_x); break;
    case Shape::reduced: plan_reduced(); break;
    case Shape::expanded: plan_expanded(); break;
    case Shape::augmented: plan_augmented(*projector); break;
    }
    if (shape_ == Shape::reduced) return;
    constant_ = linalg::Vector<S>(pattern_.entries());
    slope_ = linalg::Vector<S>(pattern_.entries());
}

// ---- patterns ----

// Row k of J is that of its equation, over -A_ij.
template <class S> void ShiftedMatrix<S>::plan_monomial() {
    const std::int64_t m = equations_.n_state();
    std::vector<std::int32_t> target(at(equations_.n_tops())); // by equation: the coordinate whose derivative it gives
    pivot_of_row_.resize(target.size());
    for_each_entry(equations_.by_w(), [&](std::int32_t i, std::int64_t j, std::int64_t e) {
        target[at(i)] = equations_.coordinate_of_top(j);
        pivot_of_row_[at(i)] = equations_.w_first() + e;
    });
    std::vector<Place> places;
    for (std::int64_t k = 0; k < m; ++k) {
        places.push_back(place(k, k));
        if (!equations_.next(k).is_top) places.push_back(place(k, equations_.next(k).at));
    }
    for_each_entry(equations_.by_u(), [&](std::int32_t i, std::int64_t j, std::int64_t) {
        if (target[at(i)] >= 0) places.push_back(place(target[at(i)], j));
    });
    pattern_ = linalg::make_pattern(m, m, places);
    for (std::int64_t k = 0; k < m; ++k) {
        ones_.push_back(entry_at(pattern_, k, k));
        if (!equations_.next(k).is_top) shifts_.push_back(entry_at(pattern_, k, equations_.next(k).at));
    }
    for_each_entry(equations_.by_u(), [&](std::int32_t i, std::int64_t j, std::int64_t e) {
        if (target[at(i)] >= 0) parts_.push_back({e, entry_at(pattern_, target[at(i)], j)});
    });
}

template <class S> void ShiftedMatrix<S>::plan_dense(std::int64_t n) {
    std::vector<Place> places;
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) places.push_back(place(i, j));
    pattern_ = linalg::make_pattern(n, n, places);
}

template <class S> void ShiftedMatrix<S>::plan_reduced() {
    const std::int64_t m = equations_.n_state(), n = equations_.n_tops();
    std::vector<int> power(at(m));
    std::vector<std::int32_t> top(at(m));
    for (std::int64_t k = 0; k < m; ++k) {
        Next next = equations_.next(k);
        for (power[at(k)] = 1; !next.is_top; ++power[at(k)]) next = equations_.next(next.at);
        top[at(k)] = next.at;
        inner_first_.push_back(static_cast<std::int32_t>(k));
    }
    std::ranges::stable_sort(inner_first_, {}, [&](std::int32_t k) { return power[at(k)]; });
    std::vector<Place> places;
    for_each_entry(equations_.by_u(), [&](auto i, auto j, auto) { places.push_back(place(i, top[at(j)])); });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto) { places.push_back(place(i, j)); });
    pattern_ = linalg::make_pattern(n, n, places);
    for_each_entry(equations_.by_u(), [&](auto i, auto j, auto e) {
        parts_.push_back({e, entry_at(pattern_, i, top[at(j)]), power[at(j)]});
    });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto e) {
        parts_.push_back({equations_.w_first() + e, entry_at(pattern_, i, j)});
    });
}

// Rows: coordinates, equations; columns: du, dw.
template <class S> void ShiftedMatrix<S>::plan_expanded() {
    const std::int64_t m = equations_.n_state(), n = equations_.n_tops();
    const auto next = [&](std::int64_t i) { return equations_.next(i).at + (equations_.next(i).is_top ? m : 0); };
    std::vector<Place> places;
    for (std::int64_t i = 0; i < m; ++i) {
        places.push_back(place(i, i));
        places.push_back(place(i, next(i)));
    }
    for_each_entry(equations_.by_u(), [&](auto i, auto j, auto) { places.push_back(place(m + i, j)); });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto) { places.push_back(place(m + i, m + j)); });
    pattern_ = linalg::make_pattern(m + n, m + n, places);
    for (std::int64_t i = 0; i < m; ++i) {
        ones_.push_back(entry_at(pattern_, i, i));
        shifts_.push_back(entry_at(pattern_, i, next(i)));
    }
    for_each_entry(equations_.by_u(),
                   [&](auto i, auto j, auto e) { parts_.push_back({e, entry_at(pattern_, m + i, j)}); });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto e) {
        parts_.push_back({equations_.w_first() + e, entry_at(pattern_, m + i, m + j)});
    });
}

// Rows: coordinates, equations, y, constraints; columns: du, dw, y, mu.
template <class S> void ShiftedMatrix<S>::plan_augmented(const LevelProjector<S>& projector) {
    const std::int64_t m = equations_.n_state(), k = projector.n_constraints();
    const std::int64_t y = m + equations_.n_tops(); // where what B and S act on begins
    const std::int64_t mu = y + m, n = mu + k;
    std::vector<Place> places;
    const auto next = [&](std::int64_t i) { return equations_.next(i).at + (equations_.next(i).is_top ? m : y); };
    for (std::int64_t i = 0; i < m; ++i) {
        places.push_back(place(i, i));
        places.push_back(place(i, next(i)));
        places.push_back(place(y + i, y + i));
        places.push_back(place(y + i, i));
    }
    for_each_entry(equations_.by_u(), [&](auto i, auto j, auto) { places.push_back(place(m + i, y + j)); });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto) { places.push_back(place(m + i, m + j)); });
    for_each_entry(projector.pattern(), [&](auto i, auto j, auto) {
        places.push_back(place(mu + i, y + j));
        if (projector.moves(i, j)) places.push_back(place(y + j, mu + i));
    });
    for (std::int64_t i = 0; i < k; ++i) places.push_back(place(mu + i, mu + i));
    pattern_ = linalg::make_pattern(n, n, places);

    for (std::int64_t i = 0; i < m; ++i) {
        ones_.push_back(entry_at(pattern_, i, i));
        shifts_.push_back(entry_at(pattern_, i, next(i)));
        ones_.push_back(entry_at(pattern_, y + i, y + i));
        minus_ones_.push_back(entry_at(pattern_, y + i, i));
    }
    for_each_entry(equations_.by_u(),
                   [&](auto i, auto j, auto e) { parts_.push_back({e, entry_at(pattern_, m + i, y + j)}); });
    for_each_entry(equations_.by_w(), [&](auto i, auto j, auto e) {
        parts_.push_back({equations_.w_first() + e, entry_at(pattern_, m + i, m + j)});
    });
    for_each_entry(projector.pattern(), [&](auto i, auto j, auto e) {
        constraint_parts_.push_back({e, entry_at(pattern_, mu + i, y + j)});
        if (projector.moves(i, j)) transposed_parts_.push_back({e, entry_at(pattern_, y + j, mu + i)});
    });
    for (std::int64_t i = 0; i < k; ++i) delta_.push_back(entry_at(pattern_, mu + i, mu + i));
}

// ---- at a point ----

template <class S> PointStatus ShiftedMatrix<S>::set(TopSolver<S>& tops, LevelProjector<S>* projector) {
    std::fill(constant_.begin(), constant_.end(), S(0));
    std::fill(slope_.begin(), slope_.end(), S(0));
    switch (shape_) {
    case Shape::monomial: return set_monomial();
    case Shape::dense:
        if (const PointStatus found = set_dense(tops); found != PointStatus::good) return found;
        if (projector) projector->project_rows(slope_.data());
        return status();
    case Shape::reduced: break;
    case Shape::expanded: set_blocks(); break;
    case Shape::augmented:
        set_blocks();
        set_projection(*projector);
        break;
    }
    return PointStatus::good;
}

template <class S> PointStatus ShiftedMatrix<S>::set_monomial() {
    for (const std::int64_t e : ones_) constant_[e] = 1;
    for (const std::int64_t e : shifts_) slope_[e] = -1;
    const linalg::Vector<S>& from = equations_.entries();
    for (std::int64_t i = 0; i < equations_.n_tops(); ++i) {
        const S inverse = column_[i] = 1 / from[pivot_of_row_[at(i)]];
        if (!linalg::is_finite(inverse)) return PointStatus::singular;
    }
    // -J = B / A
    const std::vector<std::int32_t>& row = equations_.by_u().row;
    for (const Part& p : parts_) slope_[p.to] += from[p.from] * column_[row[at(p.from)]];
    return PointStatus::good;
}

// Column after column of J = S - E A^-1 B.
template <class S> PointStatus ShiftedMatrix<S>::set_dense(TopSolver<S>& tops) {
    if (!tops.factor()) return PointStatus::singular;
    const std::int64_t m = equations_.n_state();
    const Pattern& B = equations_.by_u();
    for (std::int64_t j = 0; j < m; ++j) {
        std::fill(column_.begin(), column_.end(), S(0));
        for (std::int64_t e = B.column_start[at(j)]; e < B.column_start[at(j + 1)]; ++e)
            column_[B.row[at(e)]] = equations_.entries()[e];
        tops.solve(column_.data());
        S* slope = slope_.data() + j * m;
        for (std::int64_t k = 0; k < m; ++k) {
            const Next n = equations_.next(k);
            slope[k] = n.is_top ? -column_[n.at] : n.at == j ? S(-1) : S(0);
        }
        constant_[j * m + j] = 1;
    }
    return PointStatus::good;
}

template <class S> void ShiftedMatrix<S>::set_blocks() {
    for (const std::int64_t e : ones_) constant_[e] = 1;
    for (const std::int64_t e : minus_ones_) constant_[e] = -1;
    for (const std::int64_t e : shifts_) slope_[e] = -1;
    for (const Part& p : parts_) constant_[p.to] += equations_.entries()[p.from];
}

template <class S> void ShiftedMatrix<S>::set_projection(const LevelProjector<S>& projector) {
    const linalg::Vector<S>& df = projector.df();
    for (const Part& p : constraint_parts_) constant_[p.to] += df[p.from];
    for (const Part& p : transposed_parts_) constant_[p.to] += df[p.from];
    S largest = 0;
    for (const S& d : df) largest = std::max(largest, absolute(d));
    for (const std::int64_t e : delta_) constant_[e] = -S(1e-10) * largest * largest;
}

template <class S> S* ShiftedMatrix<S>::begin_dense() {
    std::fill(constant_.begin(), constant_.end(), S(0));
    for (std::int64_t j = 0; j < n_x_; ++j) constant_[j * n_x_ + j] = 1;
    return slope_.data();
}

template <class S> PointStatus ShiftedMatrix<S>::status() const {
    return linalg::all_finite(slope_.data(), slope_.size()) ? PointStatus::good : PointStatus::singular;
}

template <class S> void ShiftedMatrix<S>::apply(const S* x, S* dx) const {
    std::fill_n(dx, equations_.n_state(), S(0));
    for_each_entry(pattern_, [&](auto i, auto j, auto e) { dx[i] -= slope_[e] * x[j]; });
}

template class ShiftedMatrix<double>;
template class ShiftedMatrix<Quad>;

} // namespace vessiot
