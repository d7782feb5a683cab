// The distributions `kernel-qr` and `kernel-svd`: the tangent as kernel of the k x (n + 1) matrix (r, A), k >= n, by
// QR with column pivoting, or as the right singular vector of the smallest singular value.
//
//   r dt + A omega = 0,   du = (dt y^(k+1), omega)
//
// With more than n rows the others follow from n of them, up to round-off (the system is involutive): rows of which
// only round-off is left count for nothing. It exists wherever (r, A) has rank n, also where A alone is singular: at
// impasse points, where dt = 0 and w = omega / dt is infinite. The sign is that of det (r A; dt omega^T), which does
// not change along a curve as long as the rank is full; it is chosen once, by dt > 0. [Tuomela, Arponen, Normi,
// section 5; numerical continuation: AG90, ch. 2]
//
// Dense: cost n^3 an evaluation.
#pragma once

#include <optional>

#include "distribution/distribution.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/jacobi_svd.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace vessiot {

template <class S> class KernelDistribution final : public Distribution<S> {
public:
    KernelDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                       const expr::EvaluatorOptions& evaluator, bool by_svd);

    std::string_view name() const override { return svd_ ? "kernel-svd" : "kernel-qr"; }
    PointStatus tops(S t, const S* u, S* w) override;
    PointStatus tangent(S t, const S* u, S* du, S* dt) override;
    void forget() override {
        chosen_.clear();
        sign_ = 0;
    }

private:
    PointStatus find_kernel(S t, const S* u);
    bool evaluate(S t, const S* u);
    int orientation();
    void choose_rows();

    TopSystem<S> system_;
    linalg::PivotedQr<S> qr_;
    std::optional<linalg::JacobiSvd<S>> svd_;
    linalg::DenseLu<S> lu_;
    std::int64_t k_;                   // equations
    std::vector<std::int32_t> chosen_; // n independent rows
    int sign_ = 0;                     // of the determinant; 0: not chosen yet
    linalg::Vector<S> r_, entries_, matrix_, kernel_;
};

extern template class KernelDistribution<double>;
extern template class KernelDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind kernel_qr_distribution, kernel_svd_distribution; // kind.hpp

} // namespace vessiot
