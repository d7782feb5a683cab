// The shortest solution of an under-determined system A d = b, A sparse with k rows and m >= k columns:
//
//   minimise d^T W^-1 d  where A d = b:     N lambda = b,   N = A W A^T,   d = W A^T lambda
//
// with W = diag(w), squared weights. Up to 40 rows N is dense and factorised with symmetric pivoting, so that rows that
// are combinations of others are found and left out (lambda = 0 there): a consistent system is still solved. (Where N
// is a narrow band that is tried first, and given up where it loses rank.) Larger N are banded or sparse; rows of A
// with very many entries then form a border, eliminated last (Schur complement); and where columns of A with very many
// entries would fill N, the sparse system [1, -W A^T; A, 0] takes its place.
//
// NOTE: N squares the condition of A: rows count as dependent where an angle between them is below about 1e-6 (double).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/quad.hpp"
#include "linalg/sparse/sparse_pattern.hpp"

namespace vessiot::linalg {

template <class S> class NormalPart;

template <class S> class NormalSolver {
public:
    explicit NormalSolver(const Pattern& a);
    NormalSolver(NormalSolver&&) noexcept;
    NormalSolver& operator=(NormalSolver&&) noexcept;
    ~NormalSolver();

    // w: m positive numbers, or null for ones. The entries are in the order of the pattern. False where the rank is
    // below k: dense N can be used all the same, the others cannot. Does not allocate (sparse: after the first call).
    bool factor(const S* entries, const S* w);
    // N lambda = b, k numbers each; b may be lambda. Does not allocate.
    void solve(const S* b, S* lambda);
    // d = W A^T lambda, with entries and weights of any point. Does not allocate.
    void correction(const S* entries, const S* w, const S* lambda, S* d) const;
    // Both, with the entries and weights of factor(), which must still be there. b may not be d.
    void solve_correction(const S* b, S* d);

    // Few rows: after a deficient factor() solutions of consistent systems are found all the same.
    bool leaves_out_rows() const;
    // k, or less after a deficient factor(): what was found (dense), or k - 1 for "less" (band, sparse).
    int rank() const;
    // The rows left out by a deficient dense factor(), ascending.
    std::vector<int> dependent_rows() const;
    // "dense", "band", "sparse" or "augmented".
    std::string_view kind() const;

private:
    Pattern a_;
    std::unique_ptr<NormalPart<S>> part_;
    std::vector<S> lambda_;
    const S* entries_ = nullptr; // of the last factor()
    const S* w_ = nullptr;
};

extern template class NormalSolver<double>;
extern template class NormalSolver<Quad>;

} // namespace vessiot::linalg
