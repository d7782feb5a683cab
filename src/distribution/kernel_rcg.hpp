// The distribution `kernel-rcg`: the tangent as kernel of the k x (n + 1) matrix M = (r, A), k >= n, by conjugate
// gradients on the sphere, begun at the last direction found.
//
//   f(v) = |M v|^2 / 2 on |v| = 1,   Y(v) = -grad f = |M v|^2 v - M^T M v,   G = Y(v), H = G at the beginning
//
//   1. h = H / |H|; the lowest point of the great circle, v~ = c v + s h, in closed form
//   2. carried along it: T H = |H| (c h - s v),  T G = G - <h, G> (s v + (1 - c) h)
//   3. G~ = Y(v~),  gamma = <G~, G~ - T G> / <H, G>,  H~ = G~ + gamma T H; every n + 1 steps gamma = 0
//
// [Tuomela, Arponen, Normi, Algorithm 5.2. There h is not computed anew where H is set back to G: it has to be.]
//
// Rows of M are scaled to largest entry 1 and columns to length 1, which changes the kernel by known factors and the
// rate, (sigma_1 / sigma_n)^2 of M, for the better. The search ends with |M v| of the size of round-off, 4 to 50
// epsilon |M|; the error of v is that divided by sigma_n. Where it comes to no end it begins anew at random, and then
// the kernel is found by QR (n <= 300) or not at all. At the first point it is made twice: two different vectors mean
// that the rank is below n, or almost, and QR is used from then on.
//
// Sign: that of det (M; v^T), kept along the curve, for n <= 300, as kernel-qr does. For more unknowns dt > 0 where A
// is far from singular, |dt| > |omega| / 1000 with columns scaled; else there is no direction: impasse points of large
// systems are not passed.
//
// Cost: two sparse products an iteration; of tangents, not of tops, the determinant too: n^3 / 3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "distribution/distribution.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace vessiot {

// (r, A) with scaled rows and columns: M = R (r, A) C.
template <class S> class ScaledKernelMatrix {
public:
    explicit ScaledKernelMatrix(const linalg::Pattern& a);

    std::int64_t rows() const { return pattern_.rows; }
    std::int64_t columns() const { return pattern_.columns + 1; }
    // Where r and the entries of A go, unscaled, before scale().
    S* r() { return r_.data(); }
    S* entries() { return entries_.data(); }
    // False where some number is not finite or all are 0.
    bool scale();
    const linalg::Vector<S>& column_factors() const { return column_factor_; } // C
    S longest_row() const { return longest_row_; }                             // at most |M|
    void times(const S* x, S* y) const;                                        // y = M x
    void transposed_times(const S* y, S* x) const;                             // x = M^T y
    void write_dense(S* m) const;                                              // column-major

private:
    void scale_rows();
    void scale_columns();
    void find_longest_row();

    const linalg::Pattern& pattern_;                                      // of A
    linalg::Vector<S> r_, entries_, row_factor_, of_row_, column_factor_; // of_row_: its largest entry in A, its length
    S longest_row_ = 0;
};

// Algorithm 5.2.
template <class S> class SphereSearch {
public:
    SphereSearch(std::int64_t rows, std::int64_t columns);

    // The vector it begins at, to be filled before, need not have length 1; afterwards a unit vector of the kernel.
    linalg::Vector<S>& vector() { return v_; }
    // False where |M v| stays above 50 epsilon |M|. Does not allocate.
    bool operator()(const ScaledKernelMatrix<S>& m);
    std::int64_t n_iterations() const { return n_iterations_; } // in all calls

private:
    bool begin(const ScaledKernelMatrix<S>& m);
    bool step(const ScaledKernelMatrix<S>& m, bool is_restart);
    void move_along_circle();
    S residual() const;

    std::int64_t rows_, columns_, n_iterations_ = 0;
    linalg::Vector<S> v_, h_, g_, next_g_, mv_, mh_;
    S length_ = 0; // |H|
};

template <class S> class KernelRcgDistribution final : public Distribution<S> {
public:
    KernelRcgDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                          const expr::EvaluatorOptions& evaluator);

    std::string_view name() const override { return "kernel-rcg"; }
    PointStatus tops(S t, const S* u, S* w) override;
    PointStatus tangent(S t, const S* u, S* du, S* dt) override;
    void forget() override;

    std::int64_t n_iterations() const { return search_.n_iterations(); }
    std::int64_t n_fallbacks() const { return n_fallbacks_; } // kernels found by QR

private:
    // Dense parts, for few unknowns.
    struct Dense {
        linalg::PivotedQr<S> qr;
        linalg::DenseLu<S> lu;
        linalg::Vector<S> matrix;
        std::vector<std::int32_t> chosen{}; // n independent rows
        int sign = 0;                       // of the determinant; 0: not chosen yet
    };

    PointStatus find_kernel(S t, const S* u);
    PointStatus search_first();
    PointStatus search_again();
    PointStatus factor();
    void begin_at_random();
    void begin_at_last();
    void keep_kernel();
    int orientation();
    int sign_by_determinant();
    void choose_rows();

    TopSystem<S> system_;
    ScaledKernelMatrix<S> matrix_;
    SphereSearch<S> search_;
    std::optional<Dense> dense_;
    bool has_last_ = false;
    bool is_searched_ = true; // false: M is too near to singular, QR finds the kernel
    std::uint64_t random_ = 1;
    std::int64_t n_fallbacks_ = 0;
    linalg::Vector<S> other_, kernel_; // a second vector of M; the kernel of (r, A), of length 1
};

extern template class ScaledKernelMatrix<double>;
extern template class ScaledKernelMatrix<Quad>;
extern template class SphereSearch<double>;
extern template class SphereSearch<Quad>;
extern template class KernelRcgDistribution<double>;
extern template class KernelRcgDistribution<Quad>;

struct DistributionKind;
extern const DistributionKind kernel_rcg_distribution; // kind.hpp

} // namespace vessiot
