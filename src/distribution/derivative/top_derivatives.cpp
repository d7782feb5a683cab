#include "distribution/derivative/top_derivatives.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;
using linalg::Pattern;

namespace {

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

std::vector<expr::ArrayId> columns(const System& system, const Prolongation& p) {
    std::vector<expr::ArrayId> result = p.z.jets;
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

} // namespace

template <class S>
TopDerivatives<S>::TopDerivatives(const System& system, const Prolongation& p, Jets<S>& jets,
                                  const expr::EvaluatorOptions& evaluator)
    : jets_(jets), n_state_(p.n_state()), n_tops_(p.n_tops()), n_equations_(p.n_equations()),
      coordinate_of_top_(at(n_tops_), -1),
      function_(*system.graph, jets, templates(p), selection(p), {evaluator, true, columns(system, p)}),
      by_u_(slice(function_.pattern(), 0, n_state_)), by_w_(slice(function_.pattern(), n_state_, n_state_ + n_tops_)),
      w_first_(by_u_.entries()), entries_(function_.pattern().entries()), rows_(n_equations_) {
    std::vector<std::int32_t> state_at(at(p.z.size), -1), top_at = state_at;
    for (std::size_t k = 0; k < p.state.size(); ++k) state_at[at(p.state[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.top.size(); ++k) top_at[at(p.top[k])] = static_cast<std::int32_t>(k);
    for (const std::int32_t z : p.next) {
        const bool is_top = top_at[at(z)] >= 0;
        if (is_top) coordinate_of_top_[at(top_at[at(z)])] = static_cast<std::int32_t>(next_.size());
        next_.push_back({is_top ? top_at[at(z)] : state_at[at(z)], is_top});
    }
}

template <class S> bool TopDerivatives<S>::evaluate(S t, const S* u, const S* w, linalg::Vector<S>& to) {
    function_(jets_.at(t, u, w), rows_.data(), to.data());
    return linalg::all_finite(to.data(), to.size());
}

template <class S> void TopDerivatives<S>::take(const linalg::Vector<S>& entries) {
    std::copy_n(entries.data(), entries_.size(), entries_.data());
}

template <class S> std::pair<std::int64_t, std::int64_t> TopDerivatives<S>::not_finite() const {
    std::pair<std::int64_t, std::int64_t> found{-1, -1};
    for_each_entry(function_.pattern(), [&](auto i, auto j, auto e) {
        if (found.first < 0 && !linalg::is_finite(entries_[e])) found = {i, j};
    });
    return found;
}

template <class S> void TopDerivatives<S>::add_products(const S* x, S* rows) const {
    for_each_entry(by_u_, [&](auto i, auto j, auto e) { rows[i] += entries_[e] * x[j]; });
}

template <class S> void TopDerivatives<S>::time_column(S* rows) const {
    const Pattern& p = function_.pattern();
    for (std::int64_t e = w_first_ + by_w_.entries(); e < p.entries(); ++e) rows[p.row[at(e)]] = entries_[e];
}

template <class S> void TopDerivatives<S>::spread(const S* y, const S* dw, S* dx) const {
    for (std::int64_t k = 0; k < n_state_; ++k) {
        const Next n = next_[at(k)];
        dx[k] = n.is_top ? dw[n.at] : y[n.at];
    }
}

template class TopDerivatives<double>;
template class TopDerivatives<Quad>;

} // namespace vessiot
