#include "distribution/kernel.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "distribution/kind.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

template <class S>
KernelDistribution<S>::KernelDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                          const expr::EvaluatorOptions& evaluator, bool by_svd)
    : Distribution<S>(p), system_(system, p, jets, evaluator),
      qr_(static_cast<int>(p.n_equations()), static_cast<int>(p.n_tops()) + 1), lu_(static_cast<int>(p.n_tops()) + 1),
      k_(p.n_equations()), r_(k_), entries_(system_.pattern().entries()), matrix_(k_ * (p.n_tops() + 1)),
      kernel_(p.n_tops() + 1) {
    if (by_svd) svd_.emplace(static_cast<int>(k_), static_cast<int>(p.n_tops()) + 1);
}

// Fills matrix_ with (r, A), column-major, rows scaled to largest entry 1; a row without entries in A, which is
// satisfied on the manifold whatever the tops are, is left out.
template <class S> bool KernelDistribution<S>::evaluate(S t, const S* u) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    system_(t, u, r_.data(), entries_.data());
    const std::int64_t n = this->n_tops();
    if (!all_finite(r_.data(), k_) || !all_finite(entries_.data(), entries_.size())) return false;
    S* a = matrix_.data();
    std::copy_n(r_.data(), k_, a);
    linalg::fill_dense(system_.pattern(), entries_.data(), a + k_);
    for (std::int64_t i = 0; i < k_; ++i) {
        S largest = 0, in_a = 0;
        for (std::int64_t c = 0; c <= n; ++c) {
            largest = std::max(largest, linalg::absolute(a[c * k_ + i]));
            if (c > 0) in_a = std::max(in_a, linalg::absolute(a[c * k_ + i]));
        }
        const S factor = k_ > n && in_a == S(0) ? S(0) : largest > S(0) ? S(1) / largest : S(1);
        for (std::int64_t c = 0; c <= n; ++c) a[c * k_ + i] *= factor;
    }
    return true;
}

// n independent rows, by QR of the transpose with column pivoting.
template <class S> void KernelDistribution<S>::choose_rows() {
    const std::int64_t n = this->n_tops();
    linalg::PivotedQr<S> transposed(static_cast<int>(n) + 1, static_cast<int>(k_));
    for (std::int64_t i = 0; i < k_; ++i)
        for (std::int64_t c = 0; c <= n; ++c) transposed.matrix()[i * (n + 1) + c] = matrix_[c * k_ + i];
    transposed.factor(S(0));
    const auto order = transposed.column_order();
    chosen_.assign(order.begin(), order.begin() + n);
    std::ranges::sort(chosen_);
}

// The sign of det (r A; kernel^T), of the chosen rows.
template <class S> int KernelDistribution<S>::orientation() {
    const std::int64_t n = this->n_tops();
    if (chosen_.empty()) choose_rows();
    for (std::int64_t c = 0; c <= n; ++c) {
        for (std::int64_t i = 0; i < n; ++i)
            lu_.matrix()[c * (n + 1) + i] = matrix_[c * k_ + chosen_[static_cast<std::size_t>(i)]];
        lu_.matrix()[c * (n + 1) + n] = kernel_[c];
    }
    return lu_.factor() ? lu_.determinant_sign() : 0;
}

// A unit vector (dt, omega) of the kernel, of either sign.
template <class S> PointStatus KernelDistribution<S>::find_kernel(S t, const S* u) {
    if (!evaluate(t, u)) return PointStatus::not_finite;
    const std::int64_t n = this->n_tops();
    ++this->counts_.factorisations;
    const S tolerance = S(100) * linalg::epsilon<S>();
    if (svd_) {
        std::copy_n(matrix_.data(), k_ * (n + 1), svd_->matrix());
        if (!svd_->factor() || svd_->rank(tolerance) < n) return PointStatus::singular;
        std::copy_n(svd_->vector(static_cast<int>(n)), n + 1, kernel_.data());
        return PointStatus::good;
    }
    std::copy_n(matrix_.data(), k_ * (n + 1), qr_.matrix());
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
template class KernelDistribution<Quad>;

namespace {

template <class S, bool by_svd>
std::unique_ptr<Distribution<S>> make_kernel(const DistributionParts<S>& parts, std::string& misfit) {
    const DistributionShape& shape = parts.shape;
    if (shape.n_tops() > most_dense_tops) {
        misfit = fmt::format("--distribution {} works with dense matrices, up to {} unknowns; {} has {}. Leave it "
                             "out, or use --distribution solve or kernel-rcg.",
                             (by_svd ? kernel_svd_distribution : kernel_qr_distribution).name, most_dense_tops,
                             shape.system.name, shape.n_tops());
        return nullptr;
    }
    return std::make_unique<KernelDistribution<S>>(shape.system, shape.prolongation, parts.jets, parts.evaluator,
                                                   by_svd);
}

} // namespace

const DistributionKind kernel_qr_distribution{
    .name = "kernel-qr",
    .help = "the tangent as kernel of a matrix, by QR",
    .needs = "",
    .suits = [](const DistributionShape& shape) { return shape.is_arclength && shape.n_tops() <= few_tops ? 40 : 0; },
    .make_double = make_kernel<double, false>,
    .make_quad = make_kernel<Quad, false>};

const DistributionKind kernel_svd_distribution{.name = "kernel-svd",
                                               .help = "the tangent as kernel of a matrix, by its singular values",
                                               .needs = "",
                                               .suits = never_suits,
                                               .make_double = make_kernel<double, true>,
                                               .make_quad = make_kernel<Quad, true>};

} // namespace vessiot
