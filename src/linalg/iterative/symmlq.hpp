// A x = b by SYMMLQ, A symmetric, possibly indefinite, given by its products. [PS75]
//
// Lanczos vectors v_1 = b/|b|, beta_(k+1) v_(k+1) = A v_k - alpha_k v_k - beta_k v_(k-1) make A tridiagonal, T_k; its
// factors T_k = L_k Q_k with L_k lower triangular exist whether or not T_k is singular:
//
//   gamma = sqrt(gbar^2 + beta^2),  c = gbar/gamma,  s = beta/gamma     the rotation that takes beta away
//   delta = c dbar + s alpha,  gbar' = s dbar - c alpha,  epsilon = s beta',  dbar' = -c beta'
//   zeta = rho_1/gamma,  x += zeta (c w + s v),  w = s w - c v,  rho_1 = rho_2 - delta zeta,  rho_2 = -epsilon zeta
//
// x is the point nearest to the solution in A times the Krylov space; its residual is |(rho_1, rho_2)|. The point of
// conjugate gradients is x + (rho_1/gbar) w, with the residual |b| (product of all s) beta/|gbar|: where that is the
// smaller one, x goes there at the end. Where A is singular but b is in its range, x is the shortest solution.
#pragma once

#include <algorithm>
#include <utility>

#include "linalg/iterative/krylov.hpp"
#include "linalg/vector.hpp"

namespace vessiot::linalg {

template <class S> class Symmlq {
public:
    explicit Symmlq(std::int64_t n) : n_(n), v_(n), next_(n), before_(n), w_(n) {}

    // x is the result only. Does not allocate.
    template <class Product>
    KrylovReport<S> solve(const Product& product, const S* b, S* x, S tolerance, int max_iterations);

private:
    void begin(const S* b, S size);
    template <class Product> void lanczos(const Product& product);
    void rotate(S beta, S* x);
    bool is_regular() const { return absolute(gbar_) > S(4) * epsilon<S>() * size_; }
    S residual_lq() const { return square_root(rho1_ * rho1_ + rho2_ * rho2_); }
    S residual_cg() const { return is_regular() ? sines_ * beta_ / absolute(gbar_) : S(1e300); }

    std::int64_t n_;
    Vector<S> v_, next_, before_, w_; // v_k, v_(k+1), v_(k-1)
    S alpha_ = 0, beta_ = 0;          // alpha_k, beta_(k+1); 0 where the Krylov space is complete
    S gbar_ = 0, dbar_ = 0, rho1_ = 0, rho2_ = 0;
    S sines_ = 0; // |b| times the product of all s
    S size_ = 0;  // of the entries of T so far
};

template <class S> void Symmlq<S>::begin(const S* b, S size) {
    for (std::int64_t i = 0; i < n_; ++i) v_[i] = w_[i] = b[i] / size;
    std::fill(before_.begin(), before_.end(), S(0));
    beta_ = size_ = rho2_ = S(0);
    rho1_ = sines_ = size;
}

// alpha_k, beta_(k+1) and v_(k+1), from v_(k-1), v_k and beta_k.
template <class S> template <class Product> void Symmlq<S>::lanczos(const Product& product) {
    product(v_.data(), next_.data());
    add_multiple(n_, -beta_, before_.data(), next_.data());
    alpha_ = dot(n_, v_.data(), next_.data());
    add_multiple(n_, -alpha_, v_.data(), next_.data());
    const S length = norm(n_, next_.data());
    size_ = std::max(size_, absolute(alpha_) + length);
    beta_ = length > S(4) * epsilon<S>() * size_ ? length : S(0);
    if (beta_ == S(0)) return;
    for (std::int64_t i = 0; i < n_; ++i) next_[i] /= beta_;
}

// v_ is v_(k+1), alpha_ is alpha_(k+1), beta_ is beta_(k+2), and the argument beta_(k+1).
template <class S> void Symmlq<S>::rotate(S beta, S* x) {
    const S gamma = square_root(gbar_ * gbar_ + beta * beta);
    const S c = gbar_ / gamma, s = beta / gamma;
    const S delta = c * dbar_ + s * alpha_, epsilon_k = s * beta_;
    gbar_ = s * dbar_ - c * alpha_;
    dbar_ = -c * beta_;
    const S zeta = rho1_ / gamma;
    for (std::int64_t i = 0; i < n_; ++i) {
        x[i] += zeta * (c * w_[i] + s * v_[i]);
        w_[i] = s * w_[i] - c * v_[i];
    }
    rho1_ = rho2_ - delta * zeta;
    rho2_ = -epsilon_k * zeta;
    sines_ *= s;
}

template <class S>
template <class Product>
KrylovReport<S> Symmlq<S>::solve(const Product& product, const S* b, S* x, S tolerance, int max_iterations) {
    KrylovReport<S> report;
    std::fill_n(x, n_, S(0));
    const S size = norm(n_, b);
    report.has_converged = size == S(0) || tolerance >= S(1);
    if (report.has_converged || !is_finite(size) || max_iterations <= 0) return report;
    begin(b, size);
    lanczos(product);
    report.iterations = 1;
    gbar_ = alpha_;
    dbar_ = beta_;
    while (true) {
        const S lq = residual_lq(), cg = residual_cg();
        report.residual = std::min(lq, cg) / size;
        report.has_converged = report.residual <= tolerance;
        if (report.has_converged || beta_ == S(0) || report.iterations == max_iterations || !is_finite(alpha_)) {
            if (cg < lq) add_multiple(n_, rho1_ / gbar_, w_.data(), x);
            return report;
        }
        std::swap(before_, v_);
        std::swap(v_, next_);
        const S beta = beta_;
        lanczos(product);
        ++report.iterations;
        rotate(beta, x);
    }
}

} // namespace vessiot::linalg
