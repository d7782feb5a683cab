#include "sensitivity/block_distribution.hpp"

#include <algorithm>

namespace vessiot {

using namespace expr;

namespace {

template <class S>
RowFunction<S> make_rows(std::int64_t n_blocks, const System& system, const Prolongation& p, Jets<S>& jets,
                         const EvaluatorOptions& evaluator) {
    const std::size_t first = p.tops.families.size() / static_cast<std::size_t>(n_blocks);
    const std::int64_t n_equations = p.n_equations() / n_blocks, n_rows = p.tops.n_rows / n_blocks;
    std::vector<RowTemplate> templates;
    for (std::size_t k = first; k < p.tops.families.size(); ++k)
        templates.push_back({p.tops.families[k].domain, p.tops.families[k].residual});
    Selection s{p.n_equations() - n_equations, 0, {}, {}};
    s.row.assign(static_cast<std::size_t>(p.tops.n_rows - n_rows), -1);
    for (std::size_t k = static_cast<std::size_t>(n_equations); k < p.tops.selected.size(); ++k)
        s.row[static_cast<std::size_t>(p.tops.selected[k] - n_rows)] =
            p.tops.equation[k] - static_cast<std::int32_t>(n_equations);
    return RowFunction<S>(*system.graph, jets, templates, s, {evaluator, false, {}});
}

} // namespace

template <class S>
BlockDistribution<S>::BlockDistribution(std::unique_ptr<Distribution<S>> inner, const System& system,
                                        const Prolongation& p, Jets<S>& jets, const EvaluatorOptions& evaluator)
    : Distribution<S>(p), inner_(std::move(inner)), jets_(jets), n_blocks_(p.n_tops() / inner_->n_tops()),
      n_equations_(p.n_equations() / n_blocks_), rows_(make_rows(n_blocks_, system, p, jets, evaluator)),
      r_(rows_.n_rows()) {}

template <class S> PointStatus BlockDistribution<S>::tops(S t, const S* u, S* w) {
    const std::int64_t n = inner_->n_tops();
    const PointStatus status = inner_->tops(t, u, w);
    this->counts_ = inner_->counts();
    if (status != PointStatus::good) return status;
    std::fill_n(w + n, (n_blocks_ - 1) * n, S(0));
    rows_(jets_.at(t, u, w), r_.data(), nullptr);
    if (!all_finite(r_.data(), r_.size())) return PointStatus::not_finite;
    for (std::int64_t b = 1; b < n_blocks_; ++b) inner_->solve_again(r_.data() + (b - 1) * n_equations_, w + b * n);
    return all_finite(w, n_blocks_ * n) ? PointStatus::good : PointStatus::singular;
}

template class BlockDistribution<double>;
template class BlockDistribution<Quad>;

} // namespace vessiot
