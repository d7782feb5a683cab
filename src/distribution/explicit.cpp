#include "distribution/explicit.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "distribution/kind.hpp"
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

// Formulas for the tops, where they are short enough; of a small mechanical system its Schur complement, unrolled,
// which is `kkt` in formulas.
std::optional<NamedTops> named_tops(const DistributionShape& shape) {
    if (!shape.structure.is_regular) return std::nullopt;
    std::optional<ExplicitTops> tops =
        explicit_tops(shape.system, shape.structure, shape.prolongation, shape.is_mechanical);
    if (!tops) return std::nullopt;
    const Offsets& offsets = shape.prolongation.offsets;
    const bool has_multipliers = std::ranges::any_of(offsets.d, [](int d) { return d == 0; }) &&
                                 std::ranges::any_of(offsets.c, [](int c) { return c > 0; });
    const bool is_kkt = tops->is_eliminated && has_multipliers;
    return NamedTops{std::move(*tops), is_kkt ? "kkt" : "explicit"};
}

namespace {

template <class S>
std::unique_ptr<Distribution<S>> make_explicit(const DistributionParts<S>& parts, std::string& misfit) {
    const DistributionShape& shape = parts.shape;
    const std::string_view own = explicit_distribution.name;
    misfit = misfit_of_square(own, shape);
    if (!misfit.empty()) return nullptr;
    const auto found = named_tops(shape);
    if (found && (!parts.is_asked || found->name == own))
        return std::make_unique<ExplicitDistribution<S>>(shape.system, shape.prolongation, found->tops, parts.jets,
                                                         parts.evaluator, found->name);
    misfit = misfit_text(own, shape, "its equations do not give each highest derivative by a formula of its own");
    return nullptr;
}

} // namespace

const DistributionKind explicit_distribution{
    .name = "explicit",
    .help = "formulas for the highest derivatives",
    .needs = "as many equations as unknowns, and a formula for each highest derivative",
    // NOTE: with contacts a pivot may vanish in some mode
    .suits = [](const DistributionShape& shape) { return shape.is_square() && shape.system.contacts.empty() ? 30 : 0; },
    .make_double = make_explicit<double>,
    .make_quad = make_explicit<Quad>};

} // namespace vessiot
