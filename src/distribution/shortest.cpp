#include "distribution/shortest.hpp"

#include <algorithm>

#include "distribution/kind.hpp"

namespace vessiot {

template <class S>
ShortestDistribution<S>::ShortestDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                              const expr::EvaluatorOptions& evaluator, std::int64_t rank)
    : Distribution<S>(p), system_(system, p, jets, evaluator),
      qr_(static_cast<int>(p.n_equations()), static_cast<int>(p.n_tops())), rank_(rank), r_(p.n_equations()),
      entries_(system_.pattern().entries()) {}

template <class S> PointStatus ShortestDistribution<S>::tops(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    ++this->counts_.factorisations;
    system_(t, u, r_.data(), entries_.data());
    const std::int64_t k = r_.size(), n = this->n_tops();
    if (!all_finite(r_.data(), k) || !all_finite(entries_.data(), entries_.size())) return PointStatus::not_finite;
    S* a = qr_.matrix();
    linalg::fill_dense(system_.pattern(), entries_.data(), a);
    for (std::int64_t i = 0; i < k; ++i) { // rows to largest entry 1
        S largest = 0;
        for (std::int64_t c = 0; c < n; ++c) largest = std::max(largest, linalg::absolute(a[c * k + i]));
        const S factor = largest > S(0) ? S(1) / largest : S(1);
        for (std::int64_t c = 0; c < n; ++c) a[c * k + i] *= factor;
        r_[i] *= -factor;
    }
    qr_.factor(S(1e-9));
    if (qr_.rank() != rank_) return PointStatus::singular;
    qr_.solve_min_norm(r_.data(), w);
    return all_finite(w, n) ? PointStatus::good : PointStatus::singular;
}

template class ShortestDistribution<double>;
template class ShortestDistribution<Quad>;

namespace {

template <class S>
std::unique_ptr<Distribution<S>> make_shortest(const DistributionParts<S>& parts, std::string& /*misfit*/) {
    return std::make_unique<ShortestDistribution<S>>(parts.shape.system, parts.shape.prolongation, parts.jets,
                                                     parts.evaluator, parts.shape.rank);
}

} // namespace

const DistributionKind shortest_distribution{.name = "shortest",
                                             .help = "the shortest of all solutions, where multipliers are not unique",
                                             .needs = "",
                                             .suits = never_suits,
                                             .make_double = make_shortest<double>,
                                             .make_quad = make_shortest<Quad>};

} // namespace vessiot
