#include "distribution/explicit.hpp"

namespace vessiot {

using namespace expr;

namespace {

template <class S>
Function<S> compile(Graph& g, const std::string& name, std::int64_t size, const std::vector<Contribution>& body,
                    Jets<S>& jets, const EvaluatorOptions& evaluator) {
    const ArrayId array = g.define(name, {0}, {size}, body, true);
    Function<S> function(g, jets.inputs(), {{name, {array}}}, evaluator);
    function.prepare(jets.parameters_only());
    return function;
}

} // namespace

template <class S>
ExplicitDistribution<S>::ExplicitDistribution(const System& system, const Prolongation& p, const ExplicitTops& tops,
                                              Jets<S>& jets, const EvaluatorOptions& evaluator, std::string_view name)
    : Distribution<S>(p), name_(name), jets_(jets),
      tops_(compile(*system.graph, "tops", p.n_tops(), tops.tops, jets, evaluator)),
      velocity_(compile(*system.graph, "velocity", p.n_state(), tops.velocity, jets, evaluator)) {}

template <class S> PointStatus ExplicitDistribution<S>::tops(S t, const S* u, S* w) {
    tops_(jets_.at(t, u), &w);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template <class S> PointStatus ExplicitDistribution<S>::velocity(S t, const S* u, S* du) {
    ++this->counts_.evaluations;
    velocity_(jets_.at(t, u), &du);
    return all_finite(du, this->n_state()) ? PointStatus::good : PointStatus::not_finite;
}

template class ExplicitDistribution<double>;
template class ExplicitDistribution<Quad>;

} // namespace vessiot
