// The distribution `shortest`: the shortest w among those that satisfy r + A w = 0, for systems whose motion is unique
// but whose multipliers are not, because constraints are redundant. By QR with column pivoting of A, of known rank;
// dense.
#pragma once

#include "distribution/distribution.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace vessiot {

template <class S> class ShortestDistribution final : public Distribution<S> {
public:
    ShortestDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                         const expr::EvaluatorOptions& evaluator, std::int64_t rank);

    std::string_view name() const override { return "shortest"; }
    PointStatus tops(S t, const S* u, S* w) override;
    std::optional<std::int64_t> deficient_rank() const override { return rank_; }

private:
    TopSystem<S> system_;
    linalg::PivotedQr<S> qr_;
    std::int64_t rank_;
    linalg::Vector<S> r_, entries_;
};

extern template class ShortestDistribution<double>;
extern template class ShortestDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind shortest_distribution; // kind.hpp

} // namespace vessiot
