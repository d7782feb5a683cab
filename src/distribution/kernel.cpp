#include "distribution/kernel.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

template <class S>
KernelDistribution<S>::KernelDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                          const expr::EvaluatorOptions& evaluator, bool by_svd)
    : Distribution<S>(p), system_(system, p, jets, evaluator),
      qr_(static_cast<int>(p.n_tops()), static_cast<int>(p.n_tops()) + 1), lu_(static_cast<int>(p.n_tops()) + 1),
      r_(p.n_tops()), entries_(system_.pattern().entries()), kernel_(p.n_tops() + 1) {
    if (by_svd) svd_.emplace(static_cast<int>(p.n_tops()), static_cast<int>(p.n_tops()) + 1);
}

// Fills qr_ with (r, A), rows scaled to largest entry 1.
template <class S> bool KernelDistribution<S>::evaluate(S t, const S* u) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    system_(t, u, r_.data(), entries_.data());
    const std::int64_t n = this->n_tops();
    if (!all_finite(r_.data(), n) || !all_finite(entries_.data(), entries_.size())) return false;
    S* a = qr_.matrix();
    std::fill_n(a, n * (n + 1), S(0));
    std::copy_n(r_.data(), n, a);
    const linalg::Pattern& p = system_.pattern();
    for (std::int64_t c = 0; c < n; ++c)
        for (std::int64_t k = p.column_start[static_cast<std::size_t>(c)];
             k < p.column_start[static_cast<std::size_t>(c) + 1]; ++k)
            a[(c + 1) * n + p.row[static_cast<std::size_t>(k)]] = entries_[k];
    for (std::int64_t i = 0; i < n; ++i) {
        S largest = 0;
        for (std::int64_t c = 0; c <= n; ++c) largest = std::max(largest, linalg::absolute(a[c * n + i]));
        if (largest > S(0))
            for (std::int64_t c = 0; c <= n; ++c) a[c * n + i] /= largest;
    }
    return true;
}

// The sign of det (r A; kernel^T); lu_ holds the first n rows already.
template <class S> int KernelDistribution<S>::orientation() {
    const std::int64_t n = this->n_tops();
    for (std::int64_t c = 0; c <= n; ++c) lu_.matrix()[c * (n + 1) + n] = kernel_[c];
    return lu_.factor() ? lu_.determinant_sign() : 0;
}

// A unit vector (tau, omega) of the kernel, of either sign; lu_ gets (r, A) in its first n rows.
template <class S> PointStatus KernelDistribution<S>::find_kernel(S t, const S* u) {
    if (!evaluate(t, u)) return PointStatus::not_finite;
    const std::int64_t n = this->n_tops();
    for (std::int64_t c = 0; c <= n; ++c) std::copy_n(qr_.matrix() + c * n, n, lu_.matrix() + c * (n + 1));
    ++this->counts_.factorisations;
    const S tolerance = S(100) * linalg::epsilon<S>();
    if (svd_) {
        std::copy_n(qr_.matrix(), n * (n + 1), svd_->matrix());
        if (!svd_->factor() || svd_->rank(tolerance) < n) return PointStatus::singular;
        std::copy_n(svd_->vector(static_cast<int>(n)), n + 1, kernel_.data());
        return PointStatus::good;
    }
    qr_.factor(tolerance);
    if (qr_.rank() < n) return PointStatus::singular;
    qr_.kernel_vector(kernel_.data());
    return PointStatus::good;
}

template <class S> PointStatus KernelDistribution<S>::tangent(S t, const S* u, S* du, S* dt) {
    if (const PointStatus status = find_kernel(t, u); status != PointStatus::good) return status;
    const std::int64_t n = this->n_tops();
    const int found = orientation();
    if (found == 0) return PointStatus::singular;
    if (sign_ == 0) sign_ = kernel_[0] >= S(0) ? found : -found;
    const S sign = found == sign_ ? S(1) : S(-1);
    for (std::int64_t k = 0; k <= n; ++k) kernel_[k] *= sign;
    *dt = kernel_[0];
    this->spread(u, kernel_.data() + 1, kernel_[0], du);
    return PointStatus::good;
}

template <class S> PointStatus KernelDistribution<S>::tops(S t, const S* u, S* w) {
    if (const PointStatus status = find_kernel(t, u); status != PointStatus::good) return status;
    const std::int64_t n = this->n_tops();
    for (std::int64_t k = 0; k < n; ++k) w[k] = kernel_[k + 1] / kernel_[0];
    return all_finite(w, n) ? PointStatus::good : PointStatus::singular;
}

template class KernelDistribution<double>;
template class KernelDistribution<expr::Quad>;

} // namespace vessiot
