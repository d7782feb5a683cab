// The distribution `explicit`: u' is one compiled function of t and u.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "distribution/distribution.hpp"
#include "distribution/tops/explicit_tops.hpp"
#include "expr/graph/function.hpp"
#include "manifold/jets.hpp"

namespace vessiot {

template <class S> class ExplicitDistribution final : public Distribution<S> {
public:
    ExplicitDistribution(const System& system, const Prolongation& p, const ExplicitTops& tops, Jets<S>& jets,
                         const expr::EvaluatorOptions& evaluator, std::string_view name);

    std::string_view name() const override { return name_; }
    PointStatus tops(S t, const S* u, S* w) override;
    PointStatus velocity(S t, const S* u, S* du) override;
    Stages<S>* stages(const StagePlan& plan) override;
    const ExplicitTops* formulas() const override { return &formulas_; }
    const expr::Function<S>* velocity_function() const override { return &velocity_; }
    const expr::Function<S>* tops_function() const override { return &tops_; }

private:
    const System& system_;
    const Prolongation& prolongation_;
    ExplicitTops formulas_;
    expr::EvaluatorOptions evaluator_;
    std::map<const Quad*, std::unique_ptr<Stages<S>>> stages_; // by the coefficients a
    std::string_view name_;
    Jets<S>& jets_;
    expr::Function<S> tops_, velocity_;
};

extern template class ExplicitDistribution<double>;
extern template class ExplicitDistribution<Quad>;

struct DistributionShape;
struct NamedTops {
    ExplicitTops tops;
    std::string_view name; // of the distribution that they are
};
std::optional<NamedTops> named_tops(const DistributionShape& shape);

struct DistributionKind;
extern const DistributionKind explicit_distribution; // kind.hpp

} // namespace vessiot
