#include "linalg/dense/complex_schur.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "linalg/scalar.hpp"

namespace vessiot::linalg::complex_schur_test {
namespace {

using C = Complex<double>;

// |A - Q R Q^H| and |Q^H Q - 1|, the largest entries.
template <class S> double defect(const std::vector<Complex<S>>& a, const ComplexSchur<S>& f, int n) {
    double worst = 0;
    const auto conjugate = [](Complex<S> x) { return Complex<S>(x.re, -x.im); };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            Complex<S> sum(0), unit(0);
            for (int k = 0; k < n; ++k) {
                unit += conjugate(f.q(k, i)) * f.q(k, j);
                for (int l = k; l < n; ++l) sum += f.q(i, k) * f.r(k, l) * conjugate(f.q(j, l));
            }
            worst = std::max(worst, static_cast<double>(absolute(sum - a[static_cast<std::size_t>(j * n + i)])));
            worst = std::max(worst, static_cast<double>(absolute(unit - Complex<S>(i == j ? 1 : 0))));
        }
    return worst;
}

TEST(ComplexSchur, FactorsRandomMatrices) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int n = 1; n <= 20; ++n) {
        ComplexSchur<double> f(n);
        std::vector<C> a;
        for (int k = 0; k < n * n; ++k) a.emplace_back(number(random), n % 2 == 0 ? number(random) : 0.0);
        std::copy(a.begin(), a.end(), f.matrix());
        ASSERT_TRUE(f.factor());
        EXPECT_LT(defect(a, f, n), 1e-14 * n) << n; // a few units of the last digit for each row
        for (int j = 0; j < n; ++j)
            for (int i = j + 1; i < n; ++i) EXPECT_EQ(absolute(f.r(i, j)), 0) << "below the diagonal";
    }
}

TEST(ComplexSchur, FindsDefectiveEigenvalues) {
    constexpr int n = 4; // Jordan's block of 2, turned
    ComplexSchur<Quad> f(n);
    std::vector<Complex<Quad>> a(n * n);
    for (int i = 0; i < n; ++i) {
        a[static_cast<std::size_t>(i * n + i)] = Complex<Quad>(2);
        if (i > 0) a[static_cast<std::size_t>((i - 1) * n + i)] = Complex<Quad>(1); // lower triangular
    }
    std::copy(a.begin(), a.end(), f.matrix());
    ASSERT_TRUE(f.factor());
    EXPECT_LT(defect(a, f, n), 1e-30);
    for (int k = 0; k < n; ++k) // the fourth root of the round-off
        EXPECT_LT(static_cast<double>(absolute(f.eigenvalue(k) - Complex<Quad>(2))), 1e-7);
}

TEST(ComplexSchur, RefusesWhatIsNotFinite) {
    ComplexSchur<double> f(2);
    f.matrix()[0] = C(std::nan(""));
    EXPECT_FALSE(f.factor());
}

} // namespace
} // namespace vessiot::linalg::complex_schur_test
