// Small dense factorisations on random, singular, permuted and badly scaled matrices, in both precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_ldlt.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::linalg::linalg_dense_test {
namespace {

template <class S> class LinalgDense : public testing::Test {};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(LinalgDense, Scalars);

// Column-major.
template <class S> struct Matrix {
    Matrix(int m, int n) : rows(m), cols(n), a(at(m) * at(n)) {}
    S& operator()(int i, int j) { return a[at(j) * at(rows) + at(i)]; }
    const S& operator()(int i, int j) const { return a[at(j) * at(rows) + at(i)]; }
    int rows, cols;
    std::vector<S> a;
};

std::mt19937_64& random_bits() {
    static std::mt19937_64 bits(20);
    return bits;
}

double number() {
    return std::uniform_real_distribution<double>(-1, 1)(random_bits());
}

template <class S> Matrix<S> random_matrix(int m, int n) {
    Matrix<S> a(m, n);
    for (S& x : a.a) x = S(number());
    return a;
}

template <class S> std::vector<S> random_vector(int n) {
    std::vector<S> v(at(n));
    for (S& x : v) x = S(number());
    return v;
}

template <class S> Matrix<S> product(const Matrix<S>& a, const Matrix<S>& b) {
    Matrix<S> c(a.rows, b.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.cols; ++j)
            for (int k = 0; k < a.cols; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}

template <class S> std::vector<S> product(const Matrix<S>& a, const std::vector<S>& x) {
    std::vector<S> b(at(a.rows));
    for (int j = 0; j < a.cols; ++j)
        for (int i = 0; i < a.rows; ++i) b[at(i)] += a(i, j) * x[at(j)];
    return b;
}

template <class S> Matrix<S> transposed(const Matrix<S>& a) {
    Matrix<S> t(a.cols, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) t(j, i) = a(i, j);
    return t;
}

// In units of the rounding of S.
template <class S> double distance(const std::vector<S>& a, const std::vector<S>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, double(absolute(a[i] - b[i]) / epsilon<S>()));
    return largest;
}

template <class S> bool factor(DenseLu<S>& lu, const Matrix<S>& a) {
    std::copy(a.a.begin(), a.a.end(), lu.matrix());
    return lu.factor();
}

TYPED_TEST(LinalgDense, LuSolvesRandomSystemsAndTheirTransposes) {
    using S = TypeParam;
    for (const int n : {1, 2, 3, 4, 5, 8, 13, 40}) {
        DenseLu<S> lu(n);
        for (int round = 0; round < 20; ++round) {
            const Matrix<S> a = random_matrix<S>(n, n);
            const std::vector<S> b = random_vector<S>(n);
            ASSERT_TRUE(factor(lu, a));
            std::vector<S> x = b, y = b;
            lu.solve(x.data());
            lu.solve_transposed(y.data());
            // The residual of a stable factorisation is a modest multiple of eps |A| |x|.
            const auto size = [](const std::vector<S>& v) {
                double s = 1;
                for (const S& e : v) s = std::max(s, double(absolute(e)));
                return s;
            };
            EXPECT_LT(distance(product(a, x), b), 20 * n * size(x));
            EXPECT_LT(distance(product(transposed(a), y), b), 20 * n * size(y));
            EXPECT_GT(lu.pivot_ratio(), 0);
            EXPECT_LE(lu.pivot_ratio(), 1);
        }
    }
}

TYPED_TEST(LinalgDense, LuDoesNotMindPermutedAndRescaledRows) {
    using S = TypeParam;
    const int n = 6;
    const Matrix<S> a = random_matrix<S>(n, n);
    const std::vector<S> x = random_vector<S>(n);
    DenseLu<S> lu(n);
    ASSERT_TRUE(factor(lu, a));
    const int sign = lu.determinant_sign();
    const S ratio = lu.pivot_ratio();
    Matrix<S> b(n, n), scaled(n, n);
    for (int i = 0; i < n; ++i) // times 2^(60 i), and then the rows reversed: three exchanges
        for (int j = 0; j < n; ++j) b(n - 1 - i, j) = scaled(i, j) = std::ldexp(1.0, 60 * i) * a(i, j);
    ASSERT_TRUE(factor(lu, scaled));
    EXPECT_EQ(lu.determinant_sign(), sign);
    EXPECT_TRUE(lu.pivot_ratio() == ratio);
    ASSERT_TRUE(factor(lu, b));
    EXPECT_EQ(lu.determinant_sign(), -sign);
    std::vector<S> y = product(b, x);
    lu.solve(y.data());
    EXPECT_LT(distance(y, x), 1e4); // the condition of this matrix
}

TYPED_TEST(LinalgDense, LuKnowsTheSignOfTheDeterminant) {
    using S = TypeParam;
    DenseLu<S> lu(2);
    Matrix<S> a(2, 2);
    a.a = {0, 3, 2, 0};
    ASSERT_TRUE(factor(lu, a));
    EXPECT_EQ(lu.determinant_sign(), -1);
    a.a = {0, -3, 2, 0};
    ASSERT_TRUE(factor(lu, a));
    EXPECT_EQ(lu.determinant_sign(), 1);
}

TYPED_TEST(LinalgDense, LuNoticesSingularMatricesWhateverTheirScale) {
    using S = TypeParam;
    for (const int n : {1, 2, 5, 20})
        for (const double scale : {1e-200, 1.0, 1e200}) {
            Matrix<S> a = random_matrix<S>(n, n);
            // NOTE: pivots tell the rank reliably where the other rows are far from dependent
            for (int i = 0; i < n; ++i) a(i, i) += 3;
            for (int j = 0; j < n; ++j) { // the last row is a combination of the others
                a(n - 1, j) = 0;
                for (int i = 0; i < n - 1; ++i) a(n - 1, j) += S(1 + 0.05 * i) * a(i, j);
            }
            for (S& x : a.a) x *= S(scale);
            DenseLu<S> lu(n);
            EXPECT_FALSE(factor(lu, a)) << n << ' ' << scale;
            EXPECT_EQ(lu.determinant_sign(), 0);
            EXPECT_TRUE(lu.pivot_ratio() == 0);
        }
}

TYPED_TEST(LinalgDense, LuRefusesWhatIsNotFinite) {
    using S = TypeParam;
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (int place = 0; place < 9; ++place) {
            Matrix<S> a(3, 3);
            a(0, 0) = a(1, 1) = a(2, 2) = 1;
            a.a[at(place)] = S(bad);
            DenseLu<S> lu(3);
            EXPECT_FALSE(factor(lu, a)) << bad << ' ' << place;
        }
}

// rows x cols of a given rank
template <class S> Matrix<S> of_rank(int rows, int cols, int rank) {
    return product(random_matrix<S>(rows, rank), random_matrix<S>(rank, cols));
}

TYPED_TEST(LinalgDense, QrFindsTheRankAndTheShortestSolution) {
    using S = TypeParam;
    struct Shape {
        int rows, cols, rank;
    };
    for (const Shape s :
         {Shape{3, 5, 3}, {5, 3, 3}, {4, 4, 4}, {4, 7, 2}, {7, 4, 2}, {1, 6, 1}, {6, 1, 1}, {9, 9, 8}}) {
        const Matrix<S> a = of_rank<S>(s.rows, s.cols, s.rank);
        PivotedQr<S> qr(s.rows, s.cols);
        std::copy(a.a.begin(), a.a.end(), qr.matrix());
        qr.factor(1000 * epsilon<S>());
        ASSERT_EQ(qr.rank(), s.rank);
        const std::vector<S> b = random_vector<S>(s.rows);
        std::vector<S> x(at(s.cols));
        qr.solve_min_norm(b.data(), x.data());
        // Normal equations: A^T (A x - b) = 0, and x in the range of A^T: orthogonal to the kernel.
        std::vector<S> r = product(a, x);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b[i];
        EXPECT_LT(distance(product(transposed(a), r), std::vector<S>(at(s.cols))), 1e5);
        if (s.rank == s.cols) continue;
        std::vector<S> kernel(at(s.cols));
        qr.kernel_vector(kernel.data());
        EXPECT_LT(distance(product(a, kernel), std::vector<S>(at(s.rows))), 1e3);
        S length = 0, angle = 0;
        for (std::size_t j = 0; j < kernel.size(); ++j) {
            length += kernel[j] * kernel[j];
            angle += kernel[j] * x[j];
        }
        EXPECT_LT(double(absolute(length - 1) / epsilon<S>()), 100);
        EXPECT_LT(double(absolute(angle) / epsilon<S>()), 1e5);
    }
}

TYPED_TEST(LinalgDense, QrNamesItsColumnsInOrder) {
    using S = TypeParam;
    PivotedQr<S> qr(2, 3);
    const double a[] = {1, 0, 0, 5, 0, 0.5};
    std::copy_n(a, 6, qr.matrix());
    qr.factor(S(1e-12));
    EXPECT_EQ(std::vector<int>(qr.column_order().begin(), qr.column_order().end()), (std::vector<int>{1, 0, 2}));
    std::fill_n(qr.matrix(), 6, S(0));
    qr.factor(S(1e-12));
    EXPECT_EQ(qr.rank(), 0);
    const S b[] = {1, 2};
    S x[] = {9, 9, 9};
    qr.solve_min_norm(b, x);
    for (const S& value : x) EXPECT_TRUE(value == 0);
}

TYPED_TEST(LinalgDense, DependentRowsAreCombinationsOfEarlierOnes) {
    using S = TypeParam;
    Matrix<S> a = random_matrix<S>(6, 8);
    for (int j = 0; j < 8; ++j) {
        a(2, j) = S(1e9) * (a(0, j) - 3 * a(1, j));
        a(4, j) = 0;
        a(5, j) = S(1e-9) * a(3, j);
    }
    EXPECT_EQ(dependent_rows(a.a.data(), 6, 8, S(1e-10)), (std::vector<int>{2, 4, 5}));
    EXPECT_EQ(dependent_rows(random_matrix<S>(5, 3).a.data(), 5, 3, S(1e-10)), (std::vector<int>{3, 4}));
}

TYPED_TEST(LinalgDense, LdltLeavesDependentRowsOutAndSolvesWhatIsConsistent) {
    using S = TypeParam;
    for (const int rank : {1, 3, 6, 8}) {
        const int k = 8;
        Matrix<S> a = of_rank<S>(k, 10, rank);
        for (int i = 0; i < k; ++i) // badly scaled rows
            for (int j = 0; j < 10; ++j) a(i, j) *= S(std::ldexp(1.0, 30 * (i % 3) - 30));
        const Matrix<S> n = product(a, transposed(a));
        PivotedLdlt<S> ldlt(k);
        std::copy(n.a.begin(), n.a.end(), ldlt.matrix());
        ASSERT_EQ(ldlt.factor(), rank);
        const std::vector<S> d = random_vector<S>(10), b = product(a, d);
        std::vector<S> lambda = b;
        ldlt.solve(lambda.data());
        const std::vector<S> back = product(n, lambda);
        for (int i = 0; i < k; ++i)
            EXPECT_LT(double(absolute(back[at(i)] - b[at(i)]) / (square_root(n(i, i)) * square_root(epsilon<S>()))), 1);
    }
}

} // namespace
} // namespace vessiot::linalg::linalg_dense_test
