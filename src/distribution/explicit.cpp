#include "distribution/explicit.hpp"

namespace vessiot {

using namespace expr;

template <class S>
ExplicitDistribution<S>::ExplicitDistribution(const System& system, const Prolongation& p, const ExplicitTops& tops,
                                              Jets<S>& jets, const EvaluatorOptions& evaluator, std::string_view name)
    : Distribution<S>(p), name_(name), jets_(jets),
      tops_(jets.compile(*system.graph, "tops", p.n_tops(), tops.tops, evaluator)),
      velocity_(jets.compile(*system.graph, "velocity", p.n_state(), tops.velocity, evaluator)) {}

template <class S> PointStatus ExplicitDistribution<S>::tops(S t, const S* u, S* w) {
    call(tops_, jets_.at(t, u), w);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> PointStatus ExplicitDistribution<S>::velocity(S t, const S* u, S* du) {
    ++this->counts_.evaluations;
    call(velocity_, jets_.at(t, u), du);
    return PointStatus::good; // whether it is finite, the caller looks
}

template class ExplicitDistribution<double>;
template class ExplicitDistribution<Quad>;

} // namespace vessiot
