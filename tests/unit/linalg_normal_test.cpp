// Shortest corrections of under-determined systems: chains, borders, full columns, dependent rows, both precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "support/count_allocations.hpp"

namespace vessiot::linalg::linalg_normal_test {
namespace {

template <class S> class LinalgNormal : public testing::Test {};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(LinalgNormal, Scalars);

std::mt19937_64 random_bits(22);

double number() {
    return std::uniform_real_distribution<double>(-1, 1)(random_bits);
}

template <class S> std::vector<S> numbers(std::int64_t n) {
    std::vector<S> v(at(n));
    for (S& x : v) x = S(number());
    return v;
}

// k links of a chain in the plane: link i meets the coordinates of joints i and i + 1.
std::vector<Place> chain(std::int32_t k) {
    std::vector<Place> places;
    for (std::int32_t i = 0; i < k; ++i)
        for (std::int32_t c = 2 * i; c < 2 * i + 4; ++c) places.push_back({i, c});
    return places;
}

Pattern chain_pattern(std::int32_t k) {
    return make_pattern(k, 2 * k + 2, chain(k));
}

// One more row that meets every column.
Pattern bordered_pattern(std::int32_t k) {
    std::vector<Place> places = chain(k);
    for (std::int32_t c = 0; c < 2 * k + 2; ++c) places.push_back({k, c});
    return make_pattern(k + 1, 2 * k + 2, places);
}

// One more column that every row meets.
Pattern full_column_pattern(std::int32_t k) {
    std::vector<Place> places = chain(k);
    for (std::int32_t i = 0; i < k; ++i) places.push_back({i, 2 * k + 2});
    return make_pattern(k, 2 * k + 3, places);
}

// Rows of a chain in any order.
Pattern shuffled_pattern(std::int32_t k) {
    std::vector<std::int32_t> name(at(k));
    std::iota(name.begin(), name.end(), 0);
    std::shuffle(name.begin(), name.end(), random_bits);
    std::vector<Place> places = chain(k);
    for (Place& place : places) place.row = name[at(place.row)];
    return make_pattern(k, 2 * k + 2, places);
}

// Links between the neighbours of a grid: N is neither banded nor dense.
Pattern grid_pattern(std::int32_t side) {
    std::vector<Place> places;
    std::int32_t row = 0;
    for (std::int32_t joint = 0; joint < side * side; ++joint)
        for (const std::int32_t other : {joint % side + 1 < side ? joint + 1 : -1, joint + side}) {
            if (other < 0 || other >= side * side) continue;
            for (const std::int32_t c : {joint, other})
                places.insert(places.end(), {{row, 3 * c}, {row, 3 * c + 1}, {row, 3 * c + 2}});
            ++row;
        }
    return make_pattern(row, std::int64_t(3) * side * side, places);
}

template <class S> std::vector<S> product(const Pattern& p, const std::vector<S>& a, const std::vector<S>& x) {
    std::vector<S> b(at(p.rows));
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
            b[at(p.row[at(k)])] += a[at(k)] * x[at(j)];
    return b;
}

template <class S> double distance(const std::vector<S>& a, const std::vector<S>& b) { // in units of eps
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, double(absolute(a[i] - b[i]) / epsilon<S>()));
    return largest;
}

template <class S> std::vector<S> dense(const Pattern& p, const std::vector<S>& a) {
    std::vector<S> result(at(p.rows * p.columns));
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
            result[at(j * p.rows + p.row[at(k)])] = a[at(k)];
    return result;
}

// By complete orthogonal decomposition of A W^1/2, which does not square the condition.
template <class S>
std::vector<S> shortest(const Pattern& p, const std::vector<S>& a, const std::vector<S>& w, const std::vector<S>& b) {
    PivotedQr<S> qr(static_cast<int>(p.rows), static_cast<int>(p.columns));
    std::vector<S> scaled = dense(p, a), d(at(p.columns));
    for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] *= square_root(w[k / at(p.rows)]);
    std::copy(scaled.begin(), scaled.end(), qr.matrix());
    qr.factor(100 * epsilon<S>());
    qr.solve_min_norm(b.data(), d.data());
    for (std::size_t c = 0; c < d.size(); ++c) d[c] *= square_root(w[c]);
    return d;
}

TYPED_TEST(LinalgNormal, FindsTheShortestCorrection) {
    using S = TypeParam;
    struct Case {
        Pattern p;
        const char* kind;
    };
    for (const Case& c : {Case{chain_pattern(1), "dense"},
                          {chain_pattern(2), "dense"},
                          {chain_pattern(7), "dense"},
                          {chain_pattern(30), "band"},
                          {bordered_pattern(30), "dense"},
                          {chain_pattern(100), "band"},
                          {shuffled_pattern(100), "band"},
                          {bordered_pattern(60), "band"},
                          {full_column_pattern(60), "augmented"},
                          {grid_pattern(8), "sparse"}}) {
        NormalSolver<S> solver(c.p);
        EXPECT_EQ(solver.kind(), c.kind);
        const std::vector<S> a = numbers<S>(c.p.entries()), b = numbers<S>(c.p.rows);
        std::vector<S> w = numbers<S>(c.p.columns);
        for (S& x : w) x = x * x + S(0.1);
        for (const bool has_weights : {false, true}) {
            const S* weights = has_weights ? w.data() : nullptr;
            ASSERT_TRUE(solver.factor(a.data(), weights));
            std::vector<S> d(at(c.p.columns));
            const std::size_t before = test::n_allocations();
            ASSERT_TRUE(solver.factor(a.data(), weights));
            solver.solve_correction(b.data(), d.data());
            EXPECT_EQ(test::n_allocations(), before);
            EXPECT_EQ(solver.rank(), c.p.rows);
            EXPECT_TRUE(solver.dependent_rows().empty());
            const auto expected = shortest(c.p, a, has_weights ? w : std::vector<S>(w.size(), S(1)), b);
            // N squares the condition, which is some hundreds for these matrices.
            EXPECT_LT(distance(d, expected), 1e7) << c.kind << ' ' << c.p.rows;
            EXPECT_LT(distance(product(c.p, a, d), b), 1e7);
        }
    }
}

TYPED_TEST(LinalgNormal, DoesNotMindRescaledRows) {
    using S = TypeParam;
    for (const Pattern& p : {chain_pattern(6), chain_pattern(30), bordered_pattern(50)}) {
        const std::vector<S> a = numbers<S>(p.entries()), b = numbers<S>(p.rows);
        std::vector<S> scaled = a, scaled_b = b, d(at(p.columns)), e(at(p.columns));
        const auto scale = [](std::int64_t row) { return S(std::ldexp(1.0, static_cast<int>(row % 5) * 40 - 80)); };
        for (std::size_t k = 0; k < a.size(); ++k) scaled[k] *= scale(p.row[k]);
        for (std::int64_t i = 0; i < p.rows; ++i) scaled_b[at(i)] *= scale(i);
        NormalSolver<S> solver(p);
        ASSERT_TRUE(solver.factor(a.data(), nullptr));
        solver.solve_correction(b.data(), d.data());
        ASSERT_TRUE(solver.factor(scaled.data(), nullptr));
        solver.solve_correction(scaled_b.data(), e.data());
        EXPECT_LT(distance(d, e), 1e6);
    }
}

TYPED_TEST(LinalgNormal, LeavesDependentRowsOutWhenTheyAreFew) {
    using S = TypeParam;
    // Dense rows 0 .. 4, of which 3 is twice row 1 and 4 the sum of rows 0 and 2; then a chain with a link twice.
    std::vector<Place> places;
    for (std::int32_t i = 0; i < 5; ++i)
        for (std::int32_t c = 0; c < 8; ++c) places.push_back({i, c});
    const Pattern p = make_pattern(5, 8, places);
    std::vector<S> a = numbers<S>(40);
    for (std::size_t c = 0; c < 40; c += 5) {
        a[c + 3] = 2 * a[c + 1];
        a[c + 4] = a[c] + a[c + 2];
    }
    NormalSolver<S> solver(p);
    EXPECT_FALSE(solver.factor(a.data(), nullptr));
    EXPECT_EQ(solver.rank(), 3);
    EXPECT_EQ(solver.dependent_rows().size(), 2u);
    const std::vector<S> b = product(p, a, numbers<S>(8));
    std::vector<S> d(8);
    solver.solve_correction(b.data(), d.data());
    EXPECT_LT(distance(product(p, a, d), b), 1e4);
    EXPECT_LT(distance(d, shortest(p, a, std::vector<S>(8, S(1)), b)), 1e4);

    std::vector<Place> twice = chain(20);
    for (std::int32_t c = 10; c < 14; ++c) twice.push_back({20, c});
    const Pattern q = make_pattern(21, 42, twice);
    std::vector<S> e = numbers<S>(q.entries());
    for (std::int64_t c = 10; c < 14; ++c) { // row 20 is row 5
        std::int64_t same = q.column_start[at(c)];
        while (q.row[at(same)] != 5) ++same;
        e[at(q.column_start[at(c + 1)] - 1)] = e[at(same)];
    }
    NormalSolver<S> second(q);
    EXPECT_FALSE(second.factor(e.data(), nullptr));
    EXPECT_EQ(second.rank(), 20);
    ASSERT_EQ(second.dependent_rows().size(), 1u);
    EXPECT_TRUE(second.dependent_rows()[0] == 5 || second.dependent_rows()[0] == 20);
    const std::vector<S> r = product(q, e, numbers<S>(42));
    std::vector<S> x(42);
    second.solve_correction(r.data(), x.data());
    EXPECT_LT(distance(product(q, e, x), r), 1e6);
}

TYPED_TEST(LinalgNormal, SaysWhenManyRowsAreDeficientOrNotFinite) {
    using S = TypeParam;
    for (const Pattern& p :
         {chain_pattern(3), chain_pattern(100), bordered_pattern(60), full_column_pattern(60), grid_pattern(8)}) {
        NormalSolver<S> solver(p);
        std::vector<S> a = numbers<S>(p.entries());
        const std::vector<S> good = a;
        for (std::size_t k = 0; k < a.size(); ++k)
            if (p.row[k] == p.rows - 2) a[k] = 0;
        EXPECT_FALSE(solver.factor(a.data(), nullptr));
        EXPECT_LT(solver.rank(), p.rows);
        a[3] = S(std::numeric_limits<double>::quiet_NaN());
        EXPECT_FALSE(solver.factor(a.data(), nullptr));
        a[3] = S(std::numeric_limits<double>::infinity());
        EXPECT_FALSE(solver.factor(a.data(), nullptr));
        EXPECT_TRUE(solver.factor(good.data(), nullptr));
    }
}

TYPED_TEST(LinalgNormal, AcceptsNoRowsAtAll) {
    using S = TypeParam;
    NormalSolver<S> solver(make_pattern(0, 3, {}));
    EXPECT_TRUE(solver.factor(nullptr, nullptr));
    std::vector<S> d(3, S(1));
    solver.solve_correction(nullptr, d.data());
    for (const S& x : d) EXPECT_TRUE(x == 0);
}

} // namespace
} // namespace vessiot::linalg::linalg_normal_test
