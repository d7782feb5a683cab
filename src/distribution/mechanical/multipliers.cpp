#include "distribution/mechanical/multipliers.hpp"

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
MultiplierDistribution<S>::MultiplierDistribution(const System& system, const Prolongation& p, const KktTops& tops,
                                                  Jets<S>& jets, const EvaluatorOptions& evaluator)
    : Distribution<S>(p), jets_(jets),
      rows_(*system.graph, jets, tops.rows, everything(*system.graph, tops), {evaluator, true, tops.multipliers}),
      tops_(jets.compile(*system.graph, "tops", p.n_tops(), tops.tops, evaluator)),
      velocity_(jets.compile(*system.graph, "velocity", p.n_state(), tops.velocity, evaluator)), w_(p.n_tops()),
      entries_(rows_.pattern().entries()), r_(rows_.n_rows()), l_(rows_.n_rows()) {
    std::int64_t from = 0;
    for (std::size_t k = 0; k < tops.multipliers.size(); ++k) {
        const std::int64_t n = system.graph->array(tops.multipliers[k]).size();
        runs_.push_back({from, tops.first[k], n});
        from += n;
    }
}

template <class S> PointStatus MultiplierDistribution<S>::find_multipliers(S t, const S* u) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    rows_(jets_.at(t, u), r_.data(), entries_.data());
    const PointStatus status = solve_multipliers(t);
    if (status == PointStatus::good)
        for (const Run& r : runs_) std::copy_n(l_.data() + r.from, r.n, w_.data() + r.to);
    return status;
}

template <class S> PointStatus MultiplierDistribution<S>::tops(S t, const S* u, S* w) {
    const PointStatus status = find_multipliers(t, u);
    if (status != PointStatus::good) return status;
    call(tops_, jets_.at_contiguous(t, u, w_.data()), w);
    for (const Run& r : runs_) std::copy_n(w_.data() + r.to, r.n, w + r.to);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> PointStatus MultiplierDistribution<S>::velocity(S t, const S* u, S* du) {
    const PointStatus status = find_multipliers(t, u);
    if (status == PointStatus::good) call(velocity_, jets_.at_contiguous(t, u, w_.data()), du);
    return status;
}

template class MultiplierDistribution<double>;
template class MultiplierDistribution<Quad>;

} // namespace vessiot
