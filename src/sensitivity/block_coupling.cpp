#include "sensitivity/block_coupling.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "sensitivity/tangent_projection.hpp"

namespace vessiot {

using namespace expr;
using linalg::at;

namespace {

template <class S>
RowFunction<S> coupling_rows(std::int64_t n_blocks, const System& system, const Prolongation& p, Jets<S>& jets,
                             const EvaluatorOptions& evaluator) {
    const std::size_t first = p.tops.families.size() / at(n_blocks);
    const std::int64_t n_equations = p.n_equations() / n_blocks, n_rows = p.tops.n_rows / n_blocks;
    const std::int64_t n = p.n_state() / n_blocks, n_tops = p.n_tops() / n_blocks;
    std::vector<RowTemplate> templates;
    for (std::size_t k = first; k < p.tops.families.size(); ++k)
        templates.push_back({p.tops.families[k].domain, p.tops.families[k].residual});
    Selection s{p.n_equations() - n_equations, n + n_tops, {}, {}};
    s.row.assign(at(p.tops.n_rows - n_rows), -1);
    for (std::size_t k = at(n_equations); k < p.tops.selected.size(); ++k)
        s.row[at(p.tops.selected[k] - n_rows)] = p.tops.equation[k] - static_cast<std::int32_t>(n_equations);
    s.column.assign(at(p.z.size), -1);
    for (std::int64_t k = 0; k < n; ++k) s.column[at(p.state[at(k)])] = static_cast<std::int32_t>(k);
    for (std::int64_t k = 0; k < n_tops; ++k) s.column[at(p.top[at(k)])] = static_cast<std::int32_t>(n + k);
    return RowFunction<S>(*system.graph, jets, templates, s, {evaluator, true, p.z.jets});
}

} // namespace

template <class S>
BlockCoupling<S>::BlockCoupling(Linearised<S>& field, const System& system, const Prolongation& p, Jets<S>& jets,
                                const EvaluatorOptions& evaluator, Manifold<S>* base, Manifold<S>* all)
    : field_(field), jets_(jets), all_(base && base->n_constraints() > 0 ? all : nullptr), n_(field.n_state()),
      n_tops_(field.n_tops()), n_equations_(field.n_equations()), n_constraints_(all_ ? base->n_constraints() : 0),
      n_blocks_(p.n_state() / n_), rows_(coupling_rows(n_blocks_, system, p, jets, evaluator)),
      entries_(rows_.pattern().entries()), values_(rows_.n_rows()), products_(rows_.n_rows()),
      offsets_((n_blocks_ - 1) * n_constraints_), y_(n_), q_(n_), dw_(std::max(n_equations_, n_tops_)),
      dw_j_(std::max(n_equations_, n_tops_)) {
    if (!all_) return;
    df_ = linalg::Vector<S>(all_->pattern().entries());
    f_ = linalg::Vector<S>(all_->n_constraints());
    const std::vector<std::int32_t> row_of = rows_of_blocks(*base, *all);
    std::vector<std::int32_t> place(at(all->n_constraints()), -1); // among the rows of blocks 1 ..
    for (std::size_t k = at(n_constraints_); k < row_of.size(); ++k)
        place[at(row_of[k])] = static_cast<std::int32_t>(std::int64_t(k) - n_constraints_);
    const linalg::Pattern& a = all_->pattern();
    for (std::int64_t j = 0; j < n_; ++j)
        for (std::int64_t e = a.column_start[at(j)]; e < a.column_start[at(j + 1)]; ++e)
            if (const std::int32_t row = place[at(a.row[at(e)])]; row >= 0)
                constraint_entries_.push_back({e, row, static_cast<std::int32_t>(j)});
}

template <class S> PointStatus BlockCoupling<S>::set(S t, const S* x, const S* w) {
    rows_(jets_.at(t, x, w), values_.data(), entries_.data());
    if (!linalg::all_finite(entries_.data(), entries_.size())) return PointStatus::not_finite;
    if (!all_) return PointStatus::good;
    all_->df(t, x, f_.data(), df_.data());
    return linalg::all_finite(df_.data(), df_.size()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> void BlockCoupling<S>::apply(const S* x, S* dx) {
    std::copy_n(x, n_, y_.data());
    if (all_) field_.project(y_.data());
    std::fill(dw_.begin(), dw_.end(), S(0));
    field_.tops(y_.data(), dw_.data());
    // G y + H dw of all blocks
    std::fill(products_.begin(), products_.end(), S(0));
    const linalg::Pattern& a = rows_.pattern();
    for (std::int64_t j = 0; j < a.columns; ++j) {
        const S factor = j < n_ ? y_[j] : dw_[j - n_];
        for (std::int64_t e = a.column_start[at(j)]; e < a.column_start[at(j + 1)]; ++e)
            products_[a.row[at(e)]] += entries_[e] * factor;
    }
    std::fill(offsets_.begin(), offsets_.end(), S(0));
    for (const Entry& e : constraint_entries_) offsets_[e.row] += df_[e.from] * y_[e.column];
    for (std::int64_t b = 0; b + 1 < n_blocks_; ++b) {
        std::fill(q_.begin(), q_.end(), S(0));
        if (all_) field_.project(q_.data(), offsets_.data() + b * n_constraints_);
        std::copy_n(products_.data() + b * n_equations_, n_equations_, dw_j_.data());
        field_.tops(q_.data(), dw_j_.data());
        field_.spread(q_.data(), dw_j_.data(), dx + b * n_);
    }
}

template class BlockCoupling<double>;
template class BlockCoupling<Quad>;

} // namespace vessiot
