// Schur's form of a small dense complex matrix: A = Q R Q^H, Q unitary, R upper triangular with the eigenvalues on its
// diagonal, by QR steps with Wilkinson's shift on the Hessenberg form. Multiple and defective eigenvalues are no
// exception. Cost about 25 n^3. [GV13, 7.4, 7.5]
#pragma once

#include <vector>

#include "linalg/complex.hpp"

namespace vessiot::linalg {

template <class S> class ComplexSchur {
public:
    using C = Complex<S>;
    explicit ComplexSchur(int n) : n_(n), r_(at(n, 0)), q_(at(n, 0)) {}

    // Column-major, n x n: to be filled before factor(), which makes R of it.
    C* matrix() { return r_.data(); }
    // False where the steps do not come to an end (entries that are not finite).
    bool factor();
    C r(int i, int j) const { return r_[at(j, i)]; }
    C q(int i, int j) const { return q_[at(j, i)]; }
    C eigenvalue(int k) const { return r(k, k); }

private:
    std::size_t at(int column, int row) const {
        return static_cast<std::size_t>(column) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(row);
    }
    // Unitary, of rows and columns k, k + 1, which makes (a, b) to (r, 0).
    struct Rotation {
        C a = S(1), b = S(0);
    };
    static Rotation rotation(C a, C b);
    void rotate_rows(const Rotation& g, int k, int first);
    void rotate_columns(std::vector<C>& m, const Rotation& g, int k, int last) const;
    void make_hessenberg();
    C shift(int u) const;
    void step(int l, int u, C sigma);

    int n_;
    std::vector<C> r_, q_;
};

extern template class ComplexSchur<double>;
extern template class ComplexSchur<Quad>;

} // namespace vessiot::linalg
