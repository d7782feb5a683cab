#include "distribution/derivative/stabilised_solver.hpp"

#include <algorithm>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "linalg/sparse/entries.hpp"

namespace vessiot {

namespace {

using linalg::at;
using linalg::entry_at;
using linalg::Pattern;
using linalg::place;
using linalg::Place;

constexpr double least_delta = 1e-20, usual_delta = 1e-12; // over the square of the largest entry of df
constexpr double least_part = 1e-12;                       // of a row beside the others: with less it is left out
constexpr std::int64_t most_dense_entries = 4'000'000;     // entries of df as a dense matrix

// By coordinate: of an unknown without derivatives in the equations?
std::vector<char> algebraic_coordinates(const System& system, const Prolongation& p) {
    std::vector<char> result;
    for (const std::int32_t position : p.state) {
        const auto k = std::ranges::upper_bound(p.z.first, position) - p.z.first.begin() - 1;
        const auto has_array = [&](const Unknown& u) { return u.array == p.z.jets[at(k)]; };
        const auto unknown = std::ranges::find_if(system.unknowns, has_array);
        result.push_back(unknown != system.unknowns.end() && unknown->order == 0);
    }
    return result;
}

} // namespace

template <class S>
StabilisedSolver<S>::StabilisedSolver(const System& system, const Prolongation& p, Jets<S>& jets,
                                      const expr::EvaluatorOptions& evaluator, Manifold<S>* manifold)
    : manifold_(manifold && manifold->n_constraints() > 0 ? manifold : nullptr),
      linearised_(system, p, jets, evaluator, nullptr, false, LinearisedForm::expanded), n_(p.n_state()),
      n_inner_(linearised_.pattern().rows), freed_(freed_coordinates(algebraic_coordinates(system, p))),
      solver_(bordered()), is_out_(at(n_constraints()), 0), inner_entries_(linearised_.pattern().entries()),
      df_(manifold_ ? manifold_->pattern().entries() : 0), f_(n_constraints()), work_(n_inner_ + n_constraints()) {}

// As many constraints contain algebraic unknowns as there are of these in them.
template <class S>
std::vector<std::int64_t> StabilisedSolver<S>::freed_coordinates(const std::vector<char>& is_algebraic) const {
    std::vector<std::int64_t> freed(at(n_constraints()), -1), columns;
    if (!manifold_) return freed;
    std::vector<char> has_any(at(n_constraints()));
    const Pattern& p = manifold_->pattern();
    for (std::int64_t j = 0; j < n_; ++j) {
        if (!is_algebraic[at(j)] || p.column_start[at(j)] == p.column_start[at(j + 1)]) continue;
        columns.push_back(j);
        for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j + 1)]; ++e) has_any[at(p.row[at(e)])] = 1;
    }
    if (std::ranges::count(has_any, 1) != std::ssize(columns)) return freed;
    std::size_t next = 0;
    for (std::size_t i = 0; i < freed.size(); ++i)
        if (has_any[i]) freed[i] = columns[next++];
    return freed;
}

// Rows and columns: those of I - gamma J, then the constraints.
template <class S> Pattern StabilisedSolver<S>::bordered() {
    const Pattern& inner = linearised_.pattern();
    const std::int64_t k = n_constraints();
    std::vector<Place> places;
    for_each_entry(inner, [&](auto i, auto j, auto) { places.push_back(place(i, j)); });
    if (manifold_)
        for_each_entry(manifold_->pattern(), [&](auto i, auto j, auto) {
            places.push_back(place(n_inner_ + i, j));
            if (freed_[at(i)] < 0) places.push_back(place(j, n_inner_ + i));
        });
    for (std::int64_t i = 0; i < k; ++i)
        if (freed_[at(i)] >= 0) places.push_back(place(freed_[at(i)], n_inner_ + i));
    for (std::int64_t i = 0; i < k; ++i) places.push_back(place(n_inner_ + i, n_inner_ + i));
    Pattern p = linalg::make_pattern(n_inner_ + k, n_inner_ + k, places);
    for_each_entry(inner, [&](auto i, auto j, auto) { inner_.push_back(entry_at(p, i, j)); });
    if (manifold_)
        for_each_entry(manifold_->pattern(), [&](auto i, auto j, auto) {
            rows_.push_back(entry_at(p, n_inner_ + i, j));
            columns_.push_back(freed_[at(i)] < 0 ? entry_at(p, j, n_inner_ + i) : -1);
        });
    for (std::int64_t i = 0; i < k; ++i)
        ones_.push_back(freed_[at(i)] >= 0 ? entry_at(p, freed_[at(i)], n_inner_ + i) : -1);
    for (std::int64_t i = 0; i < k; ++i) diagonal_.push_back(entry_at(p, n_inner_ + i, n_inner_ + i));
    entries_ = linalg::Vector<S>(p.entries());
    return p;
}

template <class S> PointStatus StabilisedSolver<S>::set(S t, const S* u, const S* w) {
    const PointStatus status = linearised_.set(t, u, w);
    if (status != PointStatus::good || !manifold_) return status;
    manifold_->movable_df(t, u, f_.data(), df_.data());
    S largest = 0;
    for (const S& d : df_) largest = std::max(largest, linalg::absolute(d));
    delta_ = largest * largest;
    return linalg::all_finite(df_.data(), df_.size()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> void StabilisedSolver<S>::choose_rows() {
    const std::int64_t k = n_constraints();
    if (k == 0 || k * n_ > most_dense_entries) return;
    linalg::Vector<S> matrix(k * n_);
    linalg::fill_dense(manifold_->pattern(), df_.data(), matrix.data());
    left_out_ = linalg::dependent_rows(matrix.data(), static_cast<int>(k), static_cast<int>(n_), S(least_part));
    std::ranges::fill(is_out_, 0);
    for (const int i : left_out_) is_out_[at(i)] = 1;
}

template <class S> void StabilisedSolver<S>::add_normal(const S* m, S* out) const {
    if (!manifold_) return;
    for_each_entry(manifold_->pattern(), [&](auto i, auto j, auto e) {
        if (!is_out_[at(i)] && freed_[at(i)] < 0) out[j] += df_[e] * m[i];
    });
    for (std::size_t i = 0; i < freed_.size(); ++i)
        if (!is_out_[i] && freed_[i] >= 0) out[freed_[i]] += m[i];
}

template <class S> bool StabilisedSolver<S>::factor(S gamma) {
    gamma_ = gamma;
    linearised_.matrix(gamma, inner_entries_.data());
    for (std::size_t e = 0; e < inner_.size(); ++e) entries_[inner_[e]] = inner_entries_[std::int64_t(e)];
    for (std::size_t e = 0; e < rows_.size(); ++e) {
        entries_[rows_[e]] = is_out_[at(manifold_->pattern().row[e])] ? S(0) : df_[std::int64_t(e)];
        if (columns_[e] >= 0) entries_[columns_[e]] = entries_[rows_[e]];
    }
    for (std::size_t i = 0; i < ones_.size(); ++i)
        if (ones_[i] >= 0) entries_[ones_[i]] = is_out_[i] ? S(0) : S(1);
    // NOTE: what is left of a row beside the others, squared, has to be above it (a diode that blocks: 1e-8 of the row)
    for (const double part : {least_delta, usual_delta}) {
        for (std::size_t i = 0; i < diagonal_.size(); ++i)
            entries_[diagonal_[i]] = is_out_[i] ? S(1) : freed_[i] >= 0 ? S(0) : -S(part) * delta_;
        if (solver_.factor(entries_.data())) return true;
    }
    return false;
}

template <class S> void StabilisedSolver<S>::solve(S* b, S* r) {
    linearised_.right_side(gamma_, b, work_.data());
    std::copy_n(r, n_constraints(), work_.data() + n_inner_);
    solver_.solve(work_.data());
    linearised_.take_solution(gamma_, work_.data(), b);
    std::copy_n(work_.data() + n_inner_, n_constraints(), r);
}

template class StabilisedSolver<double>;
template class StabilisedSolver<Quad>;

} // namespace vessiot
