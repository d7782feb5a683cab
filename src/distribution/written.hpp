// The distribution of a system as it stands (prolong_direct.hpp): the shortest w with r + A w = 0, where there is one.
// Derivatives of unknowns that occur without any are 0. For the first step and for outputs; the methods that work on
// such systems do not ask for it. Dense, up to 300 unknowns; 0 above.
#pragma once

#include "distribution/distribution.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace vessiot {

template <class S> class WrittenDistribution final : public Distribution<S> {
public:
    WrittenDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                        const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return "written"; }
    PointStatus tops(S t, const S* u, S* w) override;

private:
    TopSystem<S> system_;
    linalg::Vector<S> r_, entries_;
    std::unique_ptr<linalg::PivotedQr<S>> qr_;
};

extern template class WrittenDistribution<double>;
extern template class WrittenDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind written_distribution; // kind.hpp

} // namespace vessiot
