// SYMMLQ and conjugate gradients against dense factorisations: definite, indefinite, singular; both precisions.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/iterative/conjugate_gradient.hpp"
#include "linalg/iterative/symmlq.hpp"
#include "support/count_allocations.hpp"

namespace vessiot::linalg::linalg_krylov_test {
namespace {

template <class S> class Krylov : public testing::Test {};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(Krylov, Scalars);

// A symmetric matrix Q diag(d) Q^T, Q from random reflections.
template <class S> struct Symmetric {
    int n;
    std::vector<S> a;

    Symmetric(const std::vector<double>& d, unsigned seed) : n(static_cast<int>(d.size())), a(at(n) * at(n)) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> number;
        for (int i = 0; i < n; ++i) a[at(i * n + i)] = S(d[at(i)]);
        for (int k = 0; k < 4; ++k) {
            std::vector<S> v(at(n)), av(at(n));
            for (S& x : v) x = S(number(random));
            const S vv = dot<S>(n, v.data(), v.data());
            // (1 - 2 v v^T/vv) A (1 - 2 v v^T/vv)
            (*this)(v.data(), av.data());
            const S vav = dot<S>(n, v.data(), av.data());
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    a[at(i * n + j)] += S(4) * vav / (vv * vv) * v[at(i)] * v[at(j)] -
                                        S(2) / vv * (v[at(i)] * av[at(j)] + av[at(i)] * v[at(j)]);
        }
    }
    void operator()(const S* x, S* y) const {
        for (int i = 0; i < n; ++i) y[i] = dot<S>(n, a.data() + i * n, x);
    }
    std::vector<S> image(const std::vector<S>& x) const {
        std::vector<S> y(x.size());
        (*this)(x.data(), y.data());
        return y;
    }
    // The shortest solution, by a factorisation.
    std::vector<S> solution(const std::vector<S>& b) const {
        PivotedQr<S> qr(n, n);
        std::copy(a.begin(), a.end(), qr.matrix());
        qr.factor(S(1000) * epsilon<S>());
        std::vector<S> x(at(n));
        qr.solve_min_norm(b.data(), x.data());
        return x;
    }
};

template <class S> std::vector<S> numbers(int n, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<S> v(at(n));
    for (S& x : v) x = S(number(random));
    return v;
}

template <class S> S relative_distance(const std::vector<S>& x, const std::vector<S>& y) {
    std::vector<S> d(x);
    add_multiple<S>(std::ssize(d), S(-1), y.data(), d.data());
    return norm<S>(std::ssize(d), d.data()) / norm<S>(std::ssize(y), y.data());
}

std::vector<double> spectrum(int n, bool is_indefinite, int n_zero) {
    std::vector<double> d;
    for (int i = 0; i < n; ++i) d.push_back((1 + 9.0 * i / n) * (is_indefinite && i % 3 == 1 ? -1 : 1));
    for (int i = 0; i < n_zero; ++i) d[at(i)] = 0;
    return d;
}

// Eigenvalues between 1 and 10 in size: the error is at most 10 times the residual, and round-off of as many products.
template <class S> S accuracy() {
    return S(1e4) * epsilon<S>();
}

template <class S> void expect_solved(const Symmetric<S>& a, const std::vector<S>& b, bool is_definite) {
    const std::vector<S> exact = a.solution(b);
    std::vector<S> x(b.size());
    const auto r = Symmlq<S>(a.n).solve(a, b.data(), x.data(), S(100) * epsilon<S>(), 10 * a.n + 10);
    EXPECT_TRUE(r.has_converged) << a.n;
    EXPECT_LT(relative_distance(x, exact), accuracy<S>()) << a.n;
    if (!is_definite) return;
    std::fill(x.begin(), x.end(), S(0));
    const auto c = ConjugateGradient<S>(a.n).solve(a, b.data(), x.data(), S(100) * epsilon<S>(), 10 * a.n + 10);
    EXPECT_TRUE(c.has_converged) << a.n;
    EXPECT_LT(relative_distance(x, exact), accuracy<S>()) << a.n;
}

TYPED_TEST(Krylov, SolvesDefiniteAndIndefiniteSystems) {
    using S = TypeParam;
    for (const int n : {1, 2, 3, 10, 40})
        for (const bool is_indefinite : {false, true})
            expect_solved(Symmetric<S>(spectrum(n, is_indefinite, 0), 7), numbers<S>(n, 8), !is_indefinite);
}

TYPED_TEST(Krylov, FindsTheShortestSolutionOfSingularSystemsThatHaveOne) {
    using S = TypeParam;
    for (const bool is_indefinite : {false, true}) {
        const Symmetric<S> a(spectrum(30, is_indefinite, 4), 9);
        expect_solved(a, a.image(numbers<S>(30, 10)), !is_indefinite);
    }
}

TYPED_TEST(Krylov, SaysWhereThereIsNoSolution) {
    using S = TypeParam;
    const Symmetric<S> a(spectrum(20, false, 3), 11);
    const std::vector<S> b = numbers<S>(20, 12);
    std::vector<S> x(20);
    EXPECT_FALSE(Symmlq<S>(20).solve(a, b.data(), x.data(), S(1e-6), 200).has_converged);
    EXPECT_TRUE(all_finite(x.data(), 20));
    std::fill(x.begin(), x.end(), S(0));
    EXPECT_FALSE(ConjugateGradient<S>(20).solve(a, b.data(), x.data(), S(1e-6), 200).has_converged);
}

TYPED_TEST(Krylov, ReportsTheTrueResidualWhenItStopsEarly) {
    using S = TypeParam;
    const Symmetric<S> a(spectrum(50, true, 0), 13);
    const std::vector<S> b = numbers<S>(50, 14);
    for (const double tolerance : {0.5, 0.1, 1e-3, 1e-6}) {
        std::vector<S> x(50);
        const auto r = Symmlq<S>(50).solve(a, b.data(), x.data(), S(tolerance), 500);
        EXPECT_TRUE(r.has_converged);
        const S residual = relative_distance(a.image(x), b);
        EXPECT_LE(static_cast<double>(residual), tolerance * (1 + 1e-9));
        EXPECT_NEAR(static_cast<double>(residual), static_cast<double>(r.residual), 1e-9);
    }
    std::vector<S> x(50);
    const auto r = Symmlq<S>(50).solve(a, b.data(), x.data(), S(1e-12), 5);
    EXPECT_FALSE(r.has_converged);
    EXPECT_EQ(r.iterations, 5);
    EXPECT_NEAR(static_cast<double>(relative_distance(a.image(x), b)), static_cast<double>(r.residual), 1e-9);
}

TYPED_TEST(Krylov, NeedsAsManyProductsAsThereAreEigenvalues) {
    using S = TypeParam;
    std::vector<double> d(30, 1);
    d[3] = d[4] = -2;
    d[5] = 7;
    const Symmetric<S> a(d, 15);
    const std::vector<S> b = numbers<S>(30, 16);
    std::vector<S> x(30);
    EXPECT_LE(Symmlq<S>(30).solve(a, b.data(), x.data(), S(1e-12), 100).iterations, 3);
}

TYPED_TEST(Krylov, ConjugateGradientsTakeAStartAndADiagonal) {
    using S = TypeParam;
    const int n = 40;
    // rows and columns scaled between 1 and 1e4
    Symmetric<S> a(spectrum(n, false, 0), 17);
    std::vector<S> inverse(at(n));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a.a[at(i * n + j)] *= S(std::pow(10.0, i % 5 + j % 5));
    for (int i = 0; i < n; ++i) inverse[at(i)] = S(1) / a.a[at(i * n + i)];
    const std::vector<S> exact = numbers<S>(n, 18), b = a.image(exact);
    std::vector<S> x(at(n)), y(at(n));
    ConjugateGradient<S> cg(n);
    const auto plain = cg.solve(a, b.data(), x.data(), S(1e-10), 2000);
    const auto scaled = cg.solve(a, b.data(), y.data(), S(1e-10), 2000, inverse.data());
    EXPECT_TRUE(scaled.has_converged);
    EXPECT_LT(scaled.iterations, plain.iterations / 2);
    EXPECT_EQ(cg.solve(a, b.data(), y.data(), S(1e-9), 2000).iterations, 0);
}

TYPED_TEST(Krylov, ZeroHasTheSolutionZero) {
    using S = TypeParam;
    const Symmetric<S> a(spectrum(5, true, 0), 19);
    const std::vector<S> b(5, S(0));
    std::vector<S> x(5, S(1)), y(5, S(1));
    EXPECT_TRUE(Symmlq<S>(5).solve(a, b.data(), x.data(), S(1e-9), 10).has_converged);
    EXPECT_TRUE(ConjugateGradient<S>(5).solve(a, b.data(), y.data(), S(1e-9), 10).has_converged);
    EXPECT_EQ(norm<S>(5, x.data()), S(0));
    EXPECT_EQ(norm<S>(5, y.data()), S(0));
}

TYPED_TEST(Krylov, DoesNotAllocateNorFailOnNumbersThatAreNone) {
    using S = TypeParam;
    const Symmetric<S> a(spectrum(20, true, 0), 20);
    std::vector<S> b = numbers<S>(20, 21), x(20);
    Symmlq<S> symmlq(20);
    ConjugateGradient<S> cg(20);
    const std::size_t before = test::n_allocations();
    symmlq.solve(a, b.data(), x.data(), S(1e-12), 100);
    cg.solve(a, b.data(), x.data(), S(1e-12), 100);
    EXPECT_EQ(test::n_allocations(), before);
    b[3] = S(0) / S(0);
    EXPECT_FALSE(symmlq.solve(a, b.data(), x.data(), S(1e-12), 100).has_converged);
    EXPECT_FALSE(cg.solve(a, b.data(), x.data(), S(1e-12), 100).has_converged);
}

} // namespace
} // namespace vessiot::linalg::linalg_krylov_test
