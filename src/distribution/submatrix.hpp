// The distribution `submatrix`: n of k >= n linear equations r + A w = 0 for the n tops, solved by LU.
//
// The rows are chosen by QR with column pivoting of A^T at the first point, and anew where they become singular; the
// other equations follow from them on the manifold (the system is involutive). Dense.
// [Tuomela, Arponen, Normi, Algorithm 5.1]
#pragma once

#include <vector>

#include "distribution/distribution.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace vessiot {

template <class S> class SubmatrixDistribution final : public Distribution<S> {
public:
    SubmatrixDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                          const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return "submatrix"; }
    PointStatus tops(S t, const S* u, S* w) override;
    bool solve_again(const S* r, S* w) override;
    void forget() override { ratio_ = 0; }

    std::optional<TopEquations<S>> all_equations() const override {
        return TopEquations<S>{system_.pattern(), r_.data(), entries_.data()};
    }

private:
    void choose_rows();
    bool factor_rows();

    TopSystem<S> system_;
    std::int64_t k_;
    linalg::PivotedQr<S> qr_; // of A^T
    linalg::DenseLu<S> lu_;
    linalg::Vector<S> r_, entries_;
    std::vector<std::int32_t> row_;    // the rows chosen
    std::vector<std::int32_t> number_; // by row: its number among them, -1 for none
    S ratio_ = 0;                      // of the pivots, when they were chosen
};

extern template class SubmatrixDistribution<double>;
extern template class SubmatrixDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind submatrix_distribution; // kind.hpp

} // namespace vessiot
