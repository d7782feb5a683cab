#include "distribution/kkt.hpp"

#include <algorithm>
#include <numeric>

namespace vessiot {

using namespace expr;

namespace {

// All rows, and all columns of the multipliers.
Selection everything(const Graph& g, const KktTops& tops) {
    std::int64_t n = 0;
    for (const ArrayId l : tops.multipliers) n += g.array(l).size();
    Selection s{n, n, std::vector<std::int32_t>(static_cast<std::size_t>(n)), {}};
    std::iota(s.row.begin(), s.row.end(), 0);
    s.column = s.row;
    return s;
}

} // namespace

template <class S>
KktDistribution<S>::KktDistribution(const System& system, const Prolongation& p, const KktTops& tops, Jets<S>& jets,
                                    const EvaluatorOptions& evaluator, bool is_mechanical)
    : Distribution<S>(p), jets_(jets),
      rows_(*system.graph, jets, tops.rows, everything(*system.graph, tops), {evaluator, true, tops.multipliers}),
      solver_(rows_.pattern(), is_mechanical),
      tops_(jets.compile(*system.graph, "tops", p.n_tops(), tops.tops, evaluator)),
      velocity_(jets.compile(*system.graph, "velocity", p.n_state(), tops.velocity, evaluator)),
      entries_(rows_.pattern().entries()), l_(rows_.n_rows()), w_(p.n_tops()) {
    std::int64_t from = 0;
    for (std::size_t k = 0; k < tops.multipliers.size(); ++k) {
        const std::int64_t n = system.graph->array(tops.multipliers[k]).size();
        runs_.push_back({from, tops.first[k], n});
        from += n;
    }
}

// r + S l = 0 for the multipliers, in their places in w.
template <class S> PointStatus KktDistribution<S>::multipliers(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    rows_(jets_.at(t, u), l_.data(), entries_.data());
    ++this->counts_.factorisations;
    if (!solver_.factor(entries_.data()))
        return all_finite(entries_.data(), entries_.size()) ? PointStatus::singular : PointStatus::not_finite;
    solver_.solve(l_.data());
    for (const Run& r : runs_)
        for (std::int64_t k = 0; k < r.n; ++k) w[r.to + k] = -l_[r.from + k];
    return PointStatus::good;
}

template <class S> PointStatus KktDistribution<S>::tops(S t, const S* u, S* w) {
    const PointStatus status = multipliers(t, u, w_.data());
    if (status != PointStatus::good) return status;
    call(tops_, jets_.at_contiguous(t, u, w_.data()), w);
    for (const Run& r : runs_) std::copy_n(w_.data() + r.to, r.n, w + r.to);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> PointStatus KktDistribution<S>::velocity(S t, const S* u, S* du) {
    const PointStatus status = multipliers(t, u, w_.data());
    if (status == PointStatus::good) call(velocity_, jets_.at_contiguous(t, u, w_.data()), du);
    return status;
}

template class KktDistribution<double>;
template class KktDistribution<Quad>;

} // namespace vessiot
