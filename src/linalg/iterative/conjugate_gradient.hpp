// A x = b by conjugate gradients, A symmetric and positive definite, given by its products; optionally preconditioned
// by its diagonal D:
//
//   z = D^-1 r,   alpha = r.z / p.Ap,   x += alpha p,   r -= alpha A p,   p = z + (r.z)_new / (r.z)_old p
//
// Where A is singular but b is in its range, the part of x in the kernel of A stays what it was (without D): from x = 0
// the solution is the shortest. Ends early where p.Ap <= 0, which a definite matrix does not have. [GV13, 11.3]
#pragma once

#include <algorithm>

#include "linalg/iterative/krylov.hpp"
#include "linalg/vector.hpp"

namespace vessiot::linalg {

template <class S> class ConjugateGradient {
public:
    explicit ConjugateGradient(std::int64_t n) : n_(n), r_(n), p_(n), q_(n), z_(n) {}

    // x is the start, and the result: the last iterate in any case. inverse_diagonal: n numbers > 0, or null for
    // ones. Does not allocate.
    template <class Product>
    KrylovReport<S> solve(const Product& product, const S* b, S* x, S tolerance, int max_iterations,
                          const S* inverse_diagonal = nullptr);

private:
    void precondition(const S* inverse_diagonal) {
        if (!inverse_diagonal) return;
        for (std::int64_t i = 0; i < n_; ++i) z_[i] = inverse_diagonal[i] * r_[i];
    }

    std::int64_t n_;
    Vector<S> r_, p_, q_, z_; // residual, direction, A p, D^-1 r
};

template <class S>
template <class Product>
KrylovReport<S> ConjugateGradient<S>::solve(const Product& product, const S* b, S* x, S tolerance, int max_iterations,
                                            const S* inverse_diagonal) {
    KrylovReport<S> report;
    const S size = norm(n_, b);
    if (size == S(0)) {
        std::fill_n(x, n_, S(0));
        report.has_converged = true;
        return report;
    }
    product(x, r_.data());
    for (std::int64_t i = 0; i < n_; ++i) r_[i] = b[i] - r_[i];
    const S* z = inverse_diagonal ? z_.data() : r_.data();
    precondition(inverse_diagonal);
    std::copy_n(z, n_, p_.data());
    S rz = dot(n_, r_.data(), z);
    while (true) {
        report.residual = norm(n_, r_.data()) / size;
        report.has_converged = report.residual <= tolerance;
        if (report.has_converged || report.iterations == max_iterations) return report;
        product(p_.data(), q_.data());
        ++report.iterations;
        const S curvature = dot(n_, p_.data(), q_.data());
        if (!(curvature > S(0)) || !is_finite(curvature)) return report;
        const S alpha = rz / curvature;
        add_multiple(n_, alpha, p_.data(), x);
        add_multiple(n_, -alpha, q_.data(), r_.data());
        precondition(inverse_diagonal);
        const S before = rz;
        rz = dot(n_, r_.data(), z);
        const S beta = rz / before;
        for (std::int64_t i = 0; i < n_; ++i) p_[i] = z[i] + beta * p_[i];
    }
}

} // namespace vessiot::linalg
