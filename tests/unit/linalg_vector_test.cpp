// Vectors and their kernels against plain loops.
#include "linalg/vector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "linalg/transform.hpp"

namespace vessiot::linalg::linalg_vector_test {
namespace {

template <class S> class LinalgVector : public testing::Test {};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(LinalgVector, Scalars);

template <class S> Vector<S> random_vector(std::int64_t n, std::mt19937_64& random) {
    std::uniform_real_distribution<double> number(-1, 1);
    Vector<S> v(n);
    for (S& x : v) x = S(number(random));
    return v;
}

TYPED_TEST(LinalgVector, IsAlignedAndPaddedWithZeros) {
    for (std::int64_t n = 1; n < 20; ++n) {
        const Vector<TypeParam> v(n);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0u);
        EXPECT_EQ(v.size(), n);
        EXPECT_EQ(v.end() - v.begin(), n);
        EXPECT_EQ(padded(n) % 8, 0);
        EXPECT_LT(padded(n) - n, 8);
        for (std::int64_t i = 0; i < padded(n); ++i) EXPECT_TRUE(v.data()[i] == 0);
    }
    EXPECT_EQ(padded(0), 0);
    EXPECT_EQ(Vector<TypeParam>(0).size(), 0);
}

TYPED_TEST(LinalgVector, CopiesAndMoves) {
    Vector<TypeParam> a(5);
    a[3] = 7;
    Vector<TypeParam> b = a;
    a[3] = 1;
    EXPECT_TRUE(b[3] == 7);
    const TypeParam* where = b.data();
    Vector<TypeParam> c = std::move(b);
    EXPECT_EQ(c.data(), where);
    a = c;
    EXPECT_TRUE(a[3] == 7);
    a = Vector<TypeParam>();
    EXPECT_EQ(a.size(), 0);
}

TYPED_TEST(LinalgVector, CombinesInTheOrderOfTheTerms) {
    using S = TypeParam;
    std::mt19937_64 random(1);
    for (const std::int64_t n : {1, 4, 8, 17, 40, 333})
        for (const int count : {0, 1, 2, 7, 13}) {
            const Vector<S> y = random_vector<S>(n, random), c = random_vector<S>(count, random);
            std::vector<Vector<S>> terms;
            std::vector<const S*> k;
            terms.reserve(static_cast<std::size_t>(count));
            k.reserve(static_cast<std::size_t>(count));
            for (int j = 0; j < count; ++j) terms.push_back(random_vector<S>(n, random));
            for (const Vector<S>& term : terms) k.push_back(term.data());
            const S h = S(0.375);
            Vector<S> out(n), without(n);
            combine(padded(n), y.data(), h, count, c.data(), k.data(), out.data());
            combine(padded(n), static_cast<const S*>(nullptr), h, count, c.data(), k.data(), without.data());
            for (std::int64_t i = 0; i < n; ++i) {
                S sum = 0;
                for (int j = 0; j < count; ++j) sum += c[j] * terms[static_cast<std::size_t>(j)][i];
                // NOTE: the same operations in the same order, so the same bits on every machine
                EXPECT_TRUE(out[i] == y[i] + h * sum);
                EXPECT_TRUE(without[i] == h * sum);
            }
            Vector<S> in_place = y;
            combine(padded(n), in_place.data(), h, count, c.data(), k.data(), in_place.data());
            for (std::int64_t i = 0; i < n; ++i) EXPECT_TRUE(in_place[i] == out[i]);
        }
}

// The same bits as a combination for each row.
TYPED_TEST(LinalgVector, TransformsSeveralAtOnce) {
    using S = TypeParam;
    std::mt19937_64 random(3);
    for (const std::int64_t n : {1, 8, 17, 333})
        for (const int count : {1, 2, 3, 4, 5, 7}) {
            const auto m = static_cast<std::size_t>(count);
            const Vector<S> matrix = random_vector<S>(count * count, random);
            std::vector<Vector<S>> in, out(m, Vector<S>(n));
            std::vector<const S*> from;
            std::vector<S*> to;
            for (int j = 0; j < count; ++j) in.push_back(random_vector<S>(n, random));
            for (std::size_t j = 0; j < m; ++j) {
                from.push_back(in[j].data());
                to.push_back(out[j].data());
            }
            transform(padded(n), count, matrix.data(), from.data(), to.data());
            Vector<S> expected(n);
            for (std::size_t row = 0; row < m; ++row) {
                combine(padded(n), static_cast<const S*>(nullptr), S(1), count, matrix.data() + row * m, from.data(),
                        expected.data());
                for (std::int64_t i = 0; i < padded(n); ++i)
                    EXPECT_TRUE(out[row].data()[i] == expected.data()[i]) << n << " " << count << " " << row;
            }
        }
}

TYPED_TEST(LinalgVector, SumsSquaresWithGivenWeights) {
    using S = TypeParam;
    std::mt19937_64 random(4);
    for (const std::int64_t n : {1, 8, 13, 100}) {
        const Vector<S> e = random_vector<S>(n, random), weight = random_vector<S>(n, random);
        S sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += (e[i] * weight[i]) * (e[i] * weight[i]);
        EXPECT_NEAR(static_cast<double>(weighted_sum_of_squares(padded(n), e.data(), weight.data()) / sum), 1, 1e-14);
    }
}

TYPED_TEST(LinalgVector, SumsWeightedSquaresInEightPartialSums) {
    using S = TypeParam;
    std::mt19937_64 random(2);
    const S atol = S(1e-3), rtol = S(0.125);
    for (const std::int64_t n : {0, 1, 3, 7, 8, 9, 31, 100}) {
        const Vector<S> e = random_vector<S>(n, random), y0 = random_vector<S>(n, random),
                        y1 = random_vector<S>(n, random);
        S p[8] = {};
        for (std::int64_t i = 0; i < n; ++i) {
            const S a0 = y0[i] < 0 ? -y0[i] : y0[i], a1 = y1[i] < 0 ? -y1[i] : y1[i];
            const S ratio = e[i] / (atol + rtol * (a0 > a1 ? a0 : a1));
            p[i % 8] += ratio * ratio;
        }
        const S sum = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        EXPECT_TRUE(weighted_sum_of_squares(n, e.data(), y0.data(), y1.data(), atol, rtol) == sum);
    }
}

TEST(LinalgVector, TakesNoHarmFromZeroTolerancesAndKeepsNaN) {
    for (const std::int64_t n : {4, 11}) {
        Vector<double> e(n), y(n);
        EXPECT_EQ(weighted_sum_of_squares(n, e.data(), y.data(), y.data(), 0.0, 1e-6), 0.0);
        e[n - 1] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(std::isnan(weighted_sum_of_squares(n, e.data(), y.data(), y.data(), 1.0, 1e-6)));
        e[n - 1] = 1;
        EXPECT_TRUE(std::isinf(weighted_sum_of_squares(n, e.data(), y.data(), y.data(), 0.0, 1e-6)));
    }
}

} // namespace
} // namespace vessiot::linalg::linalg_vector_test
