// Singular values and vectors of small matrices.
#include "linalg/dense/jacobi_svd.hpp"

#include <gtest/gtest.h>

#include <random>

#include "linalg/scalar.hpp"

namespace vessiot::linalg::jacobi_svd_test {
namespace {

template <class S> class JacobiSvdTest : public testing::Test {};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(JacobiSvdTest, Scalars);

TYPED_TEST(JacobiSvdTest, FindsTheKernelOfWideMatrices) {
    using S = TypeParam;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (int n = 1; n < 20; ++n) {
        JacobiSvd<S> svd(n, n + 1);
        std::vector<S> a;
        for (int k = 0; k < n * (n + 1); ++k) a.push_back(S(normal(random)));
        std::ranges::copy(a, svd.matrix());
        ASSERT_TRUE(svd.factor());
        EXPECT_EQ(svd.rank(S(1000) * epsilon<S>()), n);
        const S* v = svd.vector(n);
        S length = 0;
        for (int j = 0; j <= n; ++j) length += v[j] * v[j];
        EXPECT_LT(absolute(length - S(1)), S(100) * epsilon<S>());
        for (int i = 0; i < n; ++i) {
            S sum = 0;
            for (int j = 0; j <= n; ++j) sum += a[static_cast<std::size_t>(j * n + i)] * v[j];
            EXPECT_LT(absolute(sum), S(1000) * epsilon<S>()) << n; // entries of size 1, a few operations each
        }
    }
}

TYPED_TEST(JacobiSvdTest, KnowsTheValuesOfATriangularMatrix) {
    using S = TypeParam;
    // (3 0; 4 5): singular values sqrt(45), sqrt(5)
    JacobiSvd<S> svd(2, 2);
    const S a[] = {3, 4, 0, 5};
    std::ranges::copy(a, svd.matrix());
    ASSERT_TRUE(svd.factor());
    EXPECT_LT(absolute(svd.values()[0] - square_root(S(45))), S(16) * epsilon<S>());
    EXPECT_LT(absolute(svd.values()[1] - square_root(S(5))), S(16) * epsilon<S>());
}

TYPED_TEST(JacobiSvdTest, SeesALossOfRank) {
    using S = TypeParam;
    JacobiSvd<S> svd(2, 3);
    const S a[] = {1, 2, 2, 4, 3, 6}; // the second row is twice the first
    std::ranges::copy(a, svd.matrix());
    ASSERT_TRUE(svd.factor());
    EXPECT_EQ(svd.rank(S(100) * epsilon<S>()), 1);
}

TYPED_TEST(JacobiSvdTest, RefusesWhatIsNotFinite) {
    using S = TypeParam;
    JacobiSvd<S> svd(1, 2);
    svd.matrix()[0] = S(NAN);
    svd.matrix()[1] = S(1);
    EXPECT_FALSE(svd.factor());
}

} // namespace
} // namespace vessiot::linalg::jacobi_svd_test
