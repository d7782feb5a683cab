#include "distribution/derivative/linearised.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "core/error.hpp"
#include "distribution/derivative/entries.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;
using linalg::absolute;
using linalg::at;
using linalg::Pattern;
using linalg::Place;

namespace {

constexpr std::int64_t dense_limit = 60;           // coordinates; above, A that is not monomial stays sparse
constexpr std::int64_t overdetermined_limit = 600; // more equations than tops are solved with dense matrices

std::vector<RowTemplate> templates(const Prolongation& p) {
    std::vector<RowTemplate> result;
    for (const RowFamily& f : p.tops.families) result.push_back({f.domain, f.residual});
    return result;
}

// Rows in the order of the equations; columns: coordinates, tops, t.
Selection selection(const Prolongation& p) {
    Selection s{p.n_equations(), p.n_state() + p.n_tops() + 1, {}, {}};
    s.row.assign(at(p.tops.n_rows), -1);
    for (std::size_t k = 0; k < p.tops.selected.size(); ++k) s.row[at(p.tops.selected[k])] = p.tops.equation[k];
    s.column.assign(at(p.z.size), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) s.column[at(p.state[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.top.size(); ++k)
        s.column[at(p.top[k])] = static_cast<std::int32_t>(p.n_state() + std::int64_t(k));
    s.column.push_back(static_cast<std::int32_t>(p.n_state() + p.n_tops()));
    return s;
}

std::vector<ArrayId> columns(const System& system, const Prolongation& p) {
    std::vector<ArrayId> result = p.z.jets;
    result.push_back(system.independent);
    return result;
}

// Columns first .. last - 1.
Pattern slice(const Pattern& p, std::int64_t first, std::int64_t last) {
    const std::int64_t begin = p.column_start[at(first)], end = p.column_start[at(last)];
    Pattern part{p.rows, last - first, {}, {p.row.begin() + begin, p.row.begin() + end}};
    for (std::int64_t j = first; j <= last; ++j) part.column_start.push_back(p.column_start[at(j)] - begin);
    return part;
}

bool is_monomial(const Pattern& a) {
    if (a.rows != a.columns || a.entries() != a.rows) return false;
    std::vector<char> seen(at(a.rows));
    for (std::int64_t j = 0; j < a.columns; ++j)
        if (a.column_start[at(j + 1)] != j + 1 || seen[at(a.row[at(j)])]++) return false;
    return true;
}

} // namespace

template <class S>
Linearised<S>::Linearised(const System& system, const Prolongation& p, Jets<S>& jets, const EvaluatorOptions& evaluator,
                          Manifold<S>* manifold, bool by_levels, LinearisedForm form, std::optional<std::int64_t> rank)
    : jets_(jets), manifold_(manifold && manifold->n_constraints() > 0 ? manifold : nullptr), n_state_(p.n_state()),
      n_tops_(p.n_tops()), n_equations_(p.n_equations()), n_x_(n_state_ + (form == LinearisedForm::tangent ? 1 : 0)),
      function_(*system.graph, jets, templates(p), selection(p), {evaluator, true, columns(system, p)}),
      entries_(function_.pattern().entries()), rows_(n_equations_), column_(std::max(n_equations_, n_tops_)),
      work_(n_state_), top_(n_tops_), rank_(rank), by_levels_(by_levels), form_(form) {
    std::vector<std::int32_t> state_at(at(p.z.size), -1), top_at = state_at;
    for (std::size_t k = 0; k < p.state.size(); ++k) state_at[at(p.state[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.top.size(); ++k) top_at[at(p.top[k])] = static_cast<std::int32_t>(k);
    coordinate_of_top_.assign(at(n_tops_), -1);
    for (const std::int32_t z : p.next) {
        const bool is_top = top_at[at(z)] >= 0;
        if (is_top) coordinate_of_top_[at(top_at[at(z)])] = static_cast<std::int32_t>(next_.size());
        next_.push_back({is_top ? top_at[at(z)] : state_at[at(z)], is_top});
    }
    by_u_ = slice(function_.pattern(), 0, n_state_);
    by_w_ = slice(function_.pattern(), n_state_, n_state_ + n_tops_);
    column_starts_ = {0, by_u_.entries(), by_u_.entries() + by_w_.entries()};
    choose_shape();
    if (shape_ != Shape::reduced) {
        constant_ = linalg::Vector<S>(pattern_.entries());
        slope_ = linalg::Vector<S>(pattern_.entries());
    }
    if (!manifold_) return;
    f_ = linalg::Vector<S>(manifold_->n_constraints());
    df_ = linalg::Vector<S>(manifold_->pattern().entries());
    row_ = linalg::Vector<S>(n_x_);
    correction_ = linalg::Vector<S>(n_x_);
    make_levels();
}

template <class S> void Linearised<S>::choose_shape() {
    const bool is_square = n_equations_ == n_tops_ && !rank_;
    if (!is_square && n_state_ > overdetermined_limit)
        throw InvalidInput("implicit methods solve systems with more equations than unknowns, or redundant ones, with "
                           "dense matrices, up to " +
                           std::to_string(overdetermined_limit) + " coordinates, but this one has " +
                           std::to_string(n_state_) + ". Take an explicit method.");
    if (form_ == LinearisedForm::tangent) {
        shape_ = Shape::dense;
        plan_tangent();
    } else if (form_ == LinearisedForm::direct) {
        shape_ = Shape::reduced;
        plan_reduced();
    } else if (is_square && is_monomial(by_w_) && !manifold_) {
        shape_ = Shape::monomial;
        plan_monomial();
    } else if (!is_square || n_state_ <= dense_limit) {
        shape_ = Shape::dense;
        plan_dense();
    } else if (form_ == LinearisedForm::expanded) {
        shape_ = Shape::expanded;
        plan_expanded();
    } else if (!manifold_) {
        shape_ = Shape::reduced;
        plan_reduced();
    } else {
        shape_ = Shape::augmented;
        plan_augmented();
    }
}

// Row k of J is that of its equation, over -A_ij.
template <class S> void Linearised<S>::plan_monomial() {
    top_of_row_.resize(at(n_tops_));
    pivot_of_row_.resize(at(n_tops_));
    for_each_entry(by_w_, [&](std::int32_t i, std::int64_t j, std::int64_t e) {
        top_of_row_[at(i)] = static_cast<std::int32_t>(j);
        pivot_of_row_[at(i)] = column_starts_[1] + e;
    });
    std::vector<Place> places;
    for (std::int64_t k = 0; k < n_state_; ++k) {
        places.push_back(place(k, k));
        if (!next_[at(k)].is_top) places.push_back(place(k, next_[at(k)].at));
    }
    const auto target = [&](std::int32_t row) { return coordinate_of_top_[at(top_of_row_[at(row)])]; };
    for_each_entry(by_u_, [&](std::int32_t i, std::int64_t j, std::int64_t) {
        if (target(i) >= 0) places.push_back(place(target(i), j));
    });
    pattern_ = linalg::make_pattern(n_state_, n_state_, places);
    for (std::int64_t k = 0; k < n_state_; ++k) {
        ones_.push_back(entry_at(pattern_, k, k));
        if (!next_[at(k)].is_top) shifts_.push_back(entry_at(pattern_, k, next_[at(k)].at));
    }
    for_each_entry(by_u_, [&](std::int32_t i, std::int64_t j, std::int64_t e) {
        if (target(i) >= 0) parts_.push_back({e, entry_at(pattern_, target(i), j)});
    });
}

template <class S> void Linearised<S>::plan_dense() {
    std::vector<Place> places;
    for (std::int64_t j = 0; j < n_x_; ++j)
        for (std::int64_t i = 0; i < n_x_; ++i) places.push_back(place(i, j));
    pattern_ = linalg::make_pattern(n_x_, n_x_, places);
}

template <class S> void Linearised<S>::make_levels() {
    struct Members {
        std::vector<std::int32_t> rows, columns;
    };
    std::map<int, Members> members;
    const auto key = [&](int level) { return by_levels_ ? level : 0; };
    for (std::size_t k = 0; k < manifold_->rows().size(); ++k)
        members[key(manifold_->rows()[k].level)].rows.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < at(n_x_); ++k)
        members[key(manifold_->levels()[k])].columns.push_back(static_cast<std::int32_t>(k));
    for (auto& [level, m] : members) {
        if (m.rows.empty()) continue;
        auto [part, source] = linalg::select(manifold_->pattern(), m.rows, m.columns);
        const std::int64_t k = std::ssize(m.rows);
        levels_.push_back({.rows = std::move(m.rows),
                           .columns = std::move(m.columns),
                           .source = std::move(source),
                           .solver = linalg::NormalSolver<S>(part),
                           .entries = linalg::Vector<S>(part.entries()),
                           .b = linalg::Vector<S>(k)});
    }
}

template <class S> void Linearised<S>::plan_reduced() {
    std::vector<int> power(at(n_state_));
    std::vector<std::int32_t> top(at(n_state_));
    for (std::int64_t k = 0; k < n_state_; ++k) {
        std::int64_t i = k;
        for (power[at(k)] = 1; !next_[at(i)].is_top; ++power[at(k)]) i = next_[at(i)].at;
        top[at(k)] = next_[at(i)].at;
        inner_first_.push_back(static_cast<std::int32_t>(k));
    }
    std::ranges::stable_sort(inner_first_, {}, [&](std::int32_t k) { return power[at(k)]; });
    std::vector<Place> places;
    for_each_entry(by_u_, [&](auto i, auto j, auto) { places.push_back(place(i, top[at(j)])); });
    for_each_entry(by_w_, [&](auto i, auto j, auto) { places.push_back(place(i, j)); });
    pattern_ = linalg::make_pattern(n_tops_, n_tops_, places);
    for_each_entry(
        by_u_, [&](auto i, auto j, auto e) { parts_.push_back({e, entry_at(pattern_, i, top[at(j)]), power[at(j)]}); });
    for_each_entry(
        by_w_, [&](auto i, auto j, auto e) { parts_.push_back({column_starts_[1] + e, entry_at(pattern_, i, j)}); });
}

// Rows: coordinates, equations; columns: du, dw.
template <class S> void Linearised<S>::plan_expanded() {
    const auto next = [&](std::int64_t i) { return next_[at(i)].at + (next_[at(i)].is_top ? n_state_ : 0); };
    std::vector<Place> places;
    for (std::int64_t i = 0; i < n_state_; ++i) {
        places.push_back(place(i, i));
        places.push_back(place(i, next(i)));
    }
    for_each_entry(by_u_, [&](auto i, auto j, auto) { places.push_back(place(n_state_ + i, j)); });
    for_each_entry(by_w_, [&](auto i, auto j, auto) { places.push_back(place(n_state_ + i, n_state_ + j)); });
    pattern_ = linalg::make_pattern(n_state_ + n_tops_, n_state_ + n_tops_, places);
    for (std::int64_t i = 0; i < n_state_; ++i) {
        ones_.push_back(entry_at(pattern_, i, i));
        shifts_.push_back(entry_at(pattern_, i, next(i)));
    }
    for_each_entry(by_u_, [&](auto i, auto j, auto e) { parts_.push_back({e, entry_at(pattern_, n_state_ + i, j)}); });
    for_each_entry(by_w_, [&](auto i, auto j, auto e) {
        parts_.push_back({column_starts_[1] + e, entry_at(pattern_, n_state_ + i, n_state_ + j)});
    });
}

// Rows: coordinates, equations, y, constraints; columns: du, dw, y, mu.
template <class S> void Linearised<S>::plan_augmented() {
    const std::int64_t k = manifold_->n_constraints();
    const std::int64_t y = n_state_ + n_tops_; // where what B and S act on begins
    const std::int64_t mu = y + n_state_, n = mu + k;
    std::vector<Place> places;
    const auto next = [&](std::int64_t i) { return next_[at(i)].at + (next_[at(i)].is_top ? n_state_ : y); };
    for (std::int64_t i = 0; i < n_state_; ++i) {
        places.push_back(place(i, i));
        places.push_back(place(i, next(i)));
        places.push_back(place(y + i, y + i));
        places.push_back(place(y + i, i));
    }
    for_each_entry(by_u_, [&](auto i, auto j, auto) { places.push_back(place(n_state_ + i, y + j)); });
    for_each_entry(by_w_, [&](auto i, auto j, auto) { places.push_back(place(n_state_ + i, n_state_ + j)); });
    // by levels constraints move the coordinates of their own level only
    const auto moves = [&](std::int64_t i, std::int64_t j) {
        return !by_levels_ || manifold_->rows()[at(i)].level == manifold_->levels()[at(j)];
    };
    for_each_entry(manifold_->pattern(), [&](auto i, auto j, auto) {
        places.push_back(place(mu + i, y + j));
        if (moves(i, j)) places.push_back(place(y + j, mu + i));
    });
    for (std::int64_t i = 0; i < k; ++i) places.push_back(place(mu + i, mu + i));
    pattern_ = linalg::make_pattern(n, n, places);

    for (std::int64_t i = 0; i < n_state_; ++i) {
        ones_.push_back(entry_at(pattern_, i, i));
        shifts_.push_back(entry_at(pattern_, i, next(i)));
        ones_.push_back(entry_at(pattern_, y + i, y + i));
        minus_ones_.push_back(entry_at(pattern_, y + i, i));
    }
    for_each_entry(by_u_,
                   [&](auto i, auto j, auto e) { parts_.push_back({e, entry_at(pattern_, n_state_ + i, y + j)}); });
    for_each_entry(by_w_, [&](auto i, auto j, auto e) {
        parts_.push_back({column_starts_[1] + e, entry_at(pattern_, n_state_ + i, n_state_ + j)});
    });
    for_each_entry(manifold_->pattern(), [&](auto i, auto j, auto e) {
        constraint_parts_.push_back({e, entry_at(pattern_, mu + i, y + j)});
        if (moves(i, j)) transposed_parts_.push_back({e, entry_at(pattern_, y + j, mu + i)});
    });
    for (std::int64_t i = 0; i < k; ++i) delta_.push_back(entry_at(pattern_, mu + i, mu + i));
}

template <class S> PointStatus Linearised<S>::set(S t, const S* u, const S* w) {
    has_tops_ = has_levels_ = false;
    function_(jets_.at(t, u, w), rows_.data(), entries_.data());
    if (!linalg::all_finite(entries_.data(), entries_.size())) return PointStatus::not_finite;
    if (manifold_) {
        manifold_->movable_df(t, u, f_.data(), df_.data());
        if (!linalg::all_finite(df_.data(), df_.size())) return PointStatus::not_finite;
    }
    std::fill(constant_.begin(), constant_.end(), S(0));
    std::fill(slope_.begin(), slope_.end(), S(0));
    if (shape_ == Shape::monomial) return set_monomial();
    if (shape_ == Shape::dense) return set_dense();
    if (shape_ == Shape::expanded) set_expanded();
    if (shape_ == Shape::augmented) set_augmented();
    return PointStatus::good;
}

template <class S> std::pair<std::int64_t, std::int64_t> Linearised<S>::not_finite() const {
    std::pair<std::int64_t, std::int64_t> found{-1, -1};
    for_each_entry(function_.pattern(), [&](auto i, auto j, auto e) {
        if (found.first < 0 && !linalg::is_finite(entries_[e])) found = {i, j};
    });
    return found;
}

template <class S> PointStatus Linearised<S>::set_monomial() {
    for (const std::int64_t e : ones_) constant_[e] = 1;
    for (const std::int64_t e : shifts_) slope_[e] = -1;
    for (std::int64_t i = 0; i < n_tops_; ++i) {
        const S inverse = column_[i] = 1 / entries_[pivot_of_row_[at(i)]];
        if (!linalg::is_finite(inverse)) return PointStatus::singular;
    }
    // -J = B / A
    for (const Part& p : parts_) slope_[p.to] += entries_[p.from] * column_[by_u_.row[at(p.from)]];
    return PointStatus::good;
}

// Column after column of J = S - E A^-1 B.
template <class S> PointStatus Linearised<S>::set_dense() {
    if (!factor_tops()) return PointStatus::singular;
    for (std::int64_t j = 0; j < n_state_; ++j) {
        std::fill(column_.begin(), column_.end(), S(0));
        for (std::int64_t e = by_u_.column_start[at(j)]; e < by_u_.column_start[at(j + 1)]; ++e)
            column_[by_u_.row[at(e)]] = entries_[e];
        solve_tops(column_.data());
        S* slope = slope_.data() + j * n_state_;
        for (std::int64_t k = 0; k < n_state_; ++k) {
            const Next n = next_[at(k)];
            slope[k] = n.is_top ? -column_[n.at] : n.at == j ? S(-1) : S(0);
        }
        constant_[j * n_state_ + j] = 1;
    }
    if (manifold_) project_rows();
    return linalg::all_finite(slope_.data(), slope_.size()) ? PointStatus::good : PointStatus::singular;
}

// Each row r of J, level after level from the last: r - df_s^T l, A_s A_s^T l = A_s r.
template <class S> void Linearised<S>::project_rows() {
    const Pattern& df = manifold_->pattern();
    factor_levels();
    for (Level& level : levels_ | std::views::reverse) {
        if (!level.is_solvable) continue;
        for (std::int64_t i = 0; i < n_x_; ++i) {
            std::fill(f_.begin(), f_.end(), S(0));
            std::int64_t e = 0;
            for (const std::int32_t j : level.columns)
                for (std::int64_t k = df.column_start[at(j)]; k < df.column_start[at(j + 1)]; ++k)
                    f_[df.row[at(k)]] += df_[k] * slope_[j * n_x_ + i];
            for (const std::int32_t k : level.rows) level.b[e++] = f_[k];
            level.solver.solve(level.b.data(), level.b.data());
            std::fill(f_.begin(), f_.end(), S(0));
            e = 0;
            for (const std::int32_t k : level.rows) f_[k] = level.b[e++];
            for (std::int64_t j = 0; j < n_x_; ++j)
                for (std::int64_t k = df.column_start[at(j)]; k < df.column_start[at(j + 1)]; ++k)
                    slope_[j * n_x_ + i] -= df_[k] * f_[df.row[at(k)]];
        }
    }
}

template <class S> void Linearised<S>::factor_levels() {
    if (std::exchange(has_levels_, true)) return;
    for (Level& level : levels_) {
        for (std::size_t e = 0; e < level.source.size(); ++e) level.entries[std::int64_t(e)] = df_[level.source[e]];
        level.is_solvable = level.solver.factor(level.entries.data(), nullptr) || level.solver.leaves_out_rows();
    }
}

template <class S> void Linearised<S>::project(S* x, const S* offset) {
    factor_levels();
    for (Level& level : levels_) {
        if (!level.is_solvable) continue;
        if (offset)
            std::copy_n(offset, f_.size(), f_.begin());
        else
            std::fill(f_.begin(), f_.end(), S(0));
        for_each_entry(manifold_->pattern(), [&](auto k, auto j, auto e) { f_[k] += df_[e] * x[j]; });
        for (std::size_t k = 0; k < level.rows.size(); ++k) level.b[std::int64_t(k)] = f_[level.rows[k]];
        level.solver.solve_correction(level.b.data(), correction_.data());
        for (std::size_t j = 0; j < level.columns.size(); ++j) x[level.columns[j]] -= correction_[std::int64_t(j)];
    }
}

template <class S> void Linearised<S>::set_expanded() {
    for (const std::int64_t e : ones_) constant_[e] = 1;
    for (const std::int64_t e : shifts_) slope_[e] = -1;
    for (const Part& p : parts_) constant_[p.to] += entries_[p.from];
}

template <class S> void Linearised<S>::set_augmented() {
    for (const std::int64_t e : ones_) constant_[e] = 1;
    for (const std::int64_t e : minus_ones_) constant_[e] = -1;
    for (const std::int64_t e : shifts_) slope_[e] = -1;
    for (const Part& p : parts_) constant_[p.to] += entries_[p.from];
    for (const Part& p : constraint_parts_) constant_[p.to] += df_[p.from];
    for (const Part& p : transposed_parts_) constant_[p.to] += df_[p.from];
    S largest = 0;
    for (const S& d : df_) largest = std::max(largest, absolute(d));
    for (const std::int64_t e : delta_) constant_[e] = -S(1e-10) * largest * largest;
}

// A, or as many independent rows of it as there are tops.
template <class S> bool Linearised<S>::factor_tops() {
    if (has_tops_) return true;
    if (rank_) return has_tops_ = factor_dependent();
    const S* a = entries_.data() + column_starts_[1];
    if (n_equations_ != n_tops_) {
        choose_rows();
        for_each_entry(by_w_, [&](auto i, auto j, auto e) {
            if (place_[at(i)] >= 0) chosen_entries_[j * n_tops_ + place_[at(i)]] = a[e];
        });
        a = chosen_entries_.data();
    } else if (!solver_) {
        solver_ = std::make_unique<linalg::SquareSolver<S>>(by_w_);
    }
    return has_tops_ = solver_->factor(a);
}

// Rows to largest entry 1, as shortest.hpp has them.
template <class S> bool Linearised<S>::factor_dependent() {
    if (!qr_) {
        qr_ = std::make_unique<linalg::PivotedQr<S>>(static_cast<int>(n_equations_), static_cast<int>(n_tops_));
        scale_ = linalg::Vector<S>(n_equations_);
        shortest_ = linalg::Vector<S>(n_tops_);
    }
    const S* a = entries_.data() + column_starts_[1];
    std::fill(scale_.begin(), scale_.end(), S(0));
    for_each_entry(by_w_, [&](auto i, auto, auto e) { scale_[i] = std::max(scale_[i], absolute(a[e])); });
    for (S& s : scale_) s = s > S(0) ? S(1) / s : S(1);
    std::fill_n(qr_->matrix(), n_equations_ * n_tops_, S(0));
    for_each_entry(by_w_, [&](auto i, auto j, auto e) { qr_->matrix()[j * n_equations_ + i] = a[e] * scale_[i]; });
    qr_->factor(S(1e-9));
    return qr_->rank() == *rank_;
}

// By pivoted QR of A^T, rows scaled to largest entry 1.
template <class S> void Linearised<S>::choose_rows() {
    if (!solver_) {
        std::vector<Place> places;
        for (std::int64_t j = 0; j < n_tops_; ++j)
            for (std::int64_t i = 0; i < n_tops_; ++i) places.push_back(place(i, j));
        solver_ = std::make_unique<linalg::SquareSolver<S>>(linalg::make_pattern(n_tops_, n_tops_, places));
        chosen_entries_ = linalg::Vector<S>(n_tops_ * n_tops_);
        place_.resize(at(n_equations_));
    }
    linalg::PivotedQr<S> qr(static_cast<int>(n_tops_), static_cast<int>(n_equations_));
    std::fill_n(qr.matrix(), n_tops_ * n_equations_, S(0));
    std::fill(rows_.begin(), rows_.end(), S(0));
    const S* a = entries_.data() + column_starts_[1];
    for_each_entry(by_w_, [&](auto i, auto, auto e) { rows_[i] = std::max(rows_[i], absolute(a[e])); });
    for_each_entry(by_w_, [&](auto i, auto j, auto e) {
        if (rows_[i] > S(0)) qr.matrix()[i * n_tops_ + j] = a[e] / rows_[i];
    });
    qr.factor(S(0));
    chosen_.assign(qr.column_order().begin(), qr.column_order().begin() + n_tops_);
    std::ranges::sort(chosen_);
    std::ranges::fill(place_, -1);
    for (std::size_t i = 0; i < chosen_.size(); ++i) place_[at(chosen_[i])] = static_cast<std::int32_t>(i);
    std::fill(chosen_entries_.begin(), chosen_entries_.end(), S(0));
}

template <class S> void Linearised<S>::solve_tops(S* w) {
    if (rank_) {
        for (std::int64_t i = 0; i < n_equations_; ++i) w[i] *= -scale_[i];
        qr_->solve_min_norm(w, shortest_.data());
        std::copy(shortest_.begin(), shortest_.end(), w);
        return;
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) w[i] = w[chosen_[i]]; // they ascend
    solver_->solve(w);
    for (std::int64_t j = 0; j < n_tops_; ++j) w[j] = -w[j];
}

template <class S> void Linearised<S>::add_products(const S* x, S* rows) const {
    for_each_entry(by_u_, [&](auto i, auto j, auto e) { rows[i] += entries_[e] * x[j]; });
}

template <class S> void Linearised<S>::apply(const S* x, S* dx) {
    if (is_formed()) {
        std::fill_n(dx, n_state_, S(0));
        for_each_entry(pattern_, [&](auto i, auto j, auto e) { dx[i] -= slope_[e] * x[j]; });
        return;
    }
    std::copy_n(x, n_state_, work_.data());
    if (manifold_) project(work_.data());
    std::fill(column_.begin(), column_.end(), S(0));
    tops(work_.data(), column_.data());
    spread(work_.data(), column_.data(), dx);
}

template <class S> void Linearised<S>::tops(const S* y, S* rows) {
    add_products(y, rows);
    factor_tops();
    solve_tops(rows);
}

template <class S> void Linearised<S>::spread(const S* y, const S* dw, S* dx) const {
    for (std::int64_t k = 0; k < n_state_; ++k) {
        const Next n = next_[at(k)];
        dx[k] = n.is_top ? dw[n.at] : y[n.at];
    }
}

template <class S> void Linearised<S>::rate(S* dx) {
    std::fill(column_.begin(), column_.end(), S(0));
    const Pattern& p = function_.pattern();
    for (std::int64_t e = column_starts_[2]; e < p.entries(); ++e) column_[p.row[at(e)]] = entries_[e];
    factor_tops();
    solve_tops(column_.data());
    for (std::int64_t k = 0; k < n_state_; ++k) dx[k] = next_[at(k)].is_top ? column_[next_[at(k)].at] : S(0);
}

template <class S> void Linearised<S>::dense(S* matrix) {
    linalg::Vector<S> unit(n_state_);
    for (std::int64_t j = 0; j < n_state_; ++j) {
        unit[j] = 1;
        apply(unit.data(), matrix + j * n_state_);
        unit[j] = 0;
    }
}

template class Linearised<double>;
template class Linearised<Quad>;

} // namespace vessiot
