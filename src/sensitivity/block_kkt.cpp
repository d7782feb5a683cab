#include "sensitivity/block_kkt.hpp"

#include <algorithm>
#include <numeric>

namespace vessiot {

using namespace expr;

namespace {

std::int64_t count_multipliers(const Graph& g, const KktTops& tops) {
    std::int64_t n = 0;
    for (const ArrayId l : tops.multipliers) n += g.array(l).size();
    return n;
}

Selection all_rows(std::int64_t n_rows, std::int64_t n_columns) {
    Selection s{n_rows, n_columns, std::vector<std::int32_t>(static_cast<std::size_t>(n_rows)),
                std::vector<std::int32_t>(static_cast<std::size_t>(n_columns))};
    std::iota(s.row.begin(), s.row.end(), 0);
    std::iota(s.column.begin(), s.column.end(), 0);
    return s;
}

std::vector<RowTemplate> derivatives_of(Augmentation& augmentation, const std::vector<RowTemplate>& rows) {
    std::vector<RowTemplate> result;
    for (std::size_t j = 0; j < augmentation.by().size(); ++j)
        for (const RowTemplate& row : rows) result.push_back({row.domain, augmentation.derivative(j, row.value)});
    return result;
}

} // namespace

template <class S>
BlockKktDistribution<S>::BlockKktDistribution(Augmentation& augmentation, const KktTops& tops, Jets<S>& base,
                                              Jets<S>& jets, const EvaluatorOptions& evaluator, bool is_mechanical)
    : Distribution<S>(augmentation.prolongation()), base_(base), jets_(jets),
      n_blocks_(std::ssize(augmentation.by()) + 1), n_block_tops_(this->n_tops() / n_blocks_),
      rows_(*augmentation.system().graph, base, tops.rows,
            all_rows(count_multipliers(*augmentation.system().graph, tops),
                     count_multipliers(*augmentation.system().graph, tops)),
            {evaluator, true, tops.multipliers}),
      derivatives_(*augmentation.system().graph, jets, derivatives_of(augmentation, tops.rows),
                   all_rows((n_blocks_ - 1) * rows_.n_rows(), 0), {evaluator, false, {}}),
      tops_(jets.compile(*augmentation.system().graph, "tops", this->n_tops(),
                         augmentation.with_derivatives(tops.tops, n_block_tops_), evaluator)),
      velocity_(jets.compile(*augmentation.system().graph, "velocity", this->n_state(),
                             augmentation.with_derivatives(tops.velocity, this->n_state() / n_blocks_), evaluator)),
      solver_(rows_.pattern(), is_mechanical), w_(this->n_tops()), entries_(rows_.pattern().entries()),
      l_(rows_.n_rows()), r_(derivatives_.n_rows()) {
    std::int64_t from = 0;
    for (std::size_t k = 0; k < tops.multipliers.size(); ++k) {
        const std::int64_t n = augmentation.system().graph->array(tops.multipliers[k]).size();
        runs_.push_back({from, tops.first[k], n});
        from += n;
    }
}

template <class S> void BlockKktDistribution<S>::put_multipliers(std::int64_t block, const S* l) {
    for (const Run& r : runs_) std::copy_n(l + r.from, r.n, w_.data() + block * n_block_tops_ + r.to);
}

template <class S> PointStatus BlockKktDistribution<S>::find_multipliers(S t, const S* u) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    ++this->counts_.factorisations;
    rows_(base_.at(t, u), l_.data(), entries_.data());
    if (!solver_.factor(entries_.data()))
        return all_finite(entries_.data(), entries_.size()) ? PointStatus::singular : PointStatus::not_finite;
    for (S& l : l_) l = -l;
    solver_.solve(l_.data());
    std::fill(w_.begin(), w_.end(), S(0));
    put_multipliers(0, l_.data());
    derivatives_(jets_.at_contiguous(t, u, w_.data()), r_.data(), nullptr);
    for (std::int64_t b = 1; b < n_blocks_; ++b) {
        S* l = r_.data() + (b - 1) * l_.size();
        for (std::int64_t k = 0; k < l_.size(); ++k) l[k] = -l[k];
        solver_.solve(l);
        put_multipliers(b, l);
    }
    return PointStatus::good;
}

template <class S> PointStatus BlockKktDistribution<S>::tops(S t, const S* u, S* w) {
    const PointStatus status = find_multipliers(t, u);
    if (status != PointStatus::good) return status;
    call(tops_, jets_.at_contiguous(t, u, w_.data()), w);
    for (std::int64_t b = 0; b < n_blocks_; ++b)
        for (const Run& r : runs_) {
            const std::int64_t first = b * n_block_tops_ + r.to;
            std::copy_n(w_.data() + first, r.n, w + first);
        }
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> PointStatus BlockKktDistribution<S>::velocity(S t, const S* u, S* du) {
    const PointStatus status = find_multipliers(t, u);
    if (status == PointStatus::good) call(velocity_, jets_.at_contiguous(t, u, w_.data()), du);
    return status;
}

template class BlockKktDistribution<double>;
template class BlockKktDistribution<Quad>;

} // namespace vessiot
