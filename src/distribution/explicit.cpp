#include "distribution/explicit.hpp"

#include <type_traits>

#include "distribution/tops/stage_kernel.hpp"

namespace vessiot {

using namespace expr;

template <class S>
ExplicitDistribution<S>::ExplicitDistribution(const System& system, const Prolongation& p, const ExplicitTops& tops,
                                              Jets<S>& jets, const EvaluatorOptions& evaluator, std::string_view name)
    : Distribution<S>(p), system_(system), prolongation_(p), formulas_(tops), evaluator_(evaluator), name_(name),
      jets_(jets), tops_(jets.compile(*system.graph, "tops", p.n_tops(), tops.tops, evaluator)),
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

template <class S> Stages<S>* ExplicitDistribution<S>::stages(const StagePlan& plan) {
    if constexpr (std::is_same_v<S, double>) {
        const auto [it, is_new] = stages_.try_emplace(plan.a.data());
        if (is_new) it->second = StageKernel::make(system_, prolongation_, formulas_, jets_, evaluator_, plan);
        return it->second.get();
    }
    return nullptr;
}

template class ExplicitDistribution<double>;
template class ExplicitDistribution<Quad>;

} // namespace vessiot
