// Patterns, orders and sparse factorisations against known bands, random matrices, singular ones, both precisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "linalg/product.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/band.hpp"
#include "linalg/sparse/ordering.hpp"
#include "linalg/sparse/sparse_lu.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "support/count_allocations.hpp"

namespace vessiot::linalg::linalg_sparse_test {
namespace {

template <class S> class LinalgSparse : public testing::Test {};
using Scalars = testing::Types<double, Quad>;
TYPED_TEST_SUITE(LinalgSparse, Scalars);

std::mt19937_64 random_bits(21);

double number() {
    return std::uniform_real_distribution<double>(-1, 1)(random_bits);
}

std::int32_t index(std::int64_t n) {
    return std::uniform_int_distribution<std::int32_t>(0, static_cast<std::int32_t>(n) - 1)(random_bits);
}

template <class S> std::vector<S> numbers(std::int64_t n) {
    std::vector<S> v(at(n));
    for (S& x : v) x = S(number());
    return v;
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

Pattern band_pattern(std::int64_t n, std::int64_t lower, std::int64_t upper) {
    std::vector<Place> places;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = std::max<std::int64_t>(0, i - lower); j <= std::min(n - 1, i + upper); ++j)
            places.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    return make_pattern(n, n, places);
}

std::vector<std::int32_t> shuffled(std::int64_t n) {
    std::vector<std::int32_t> order(at(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_bits);
    return order;
}

// Rows and columns renamed.
Pattern renamed(const Pattern& p, const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns) {
    std::vector<Place> places;
    for (std::int32_t j = 0; j < p.columns; ++j)
        for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
            places.push_back({rows[at(p.row[at(k)])], columns[at(j)]});
    return make_pattern(p.rows, p.columns, places);
}

// A five-point grid.
Pattern grid_pattern(std::int32_t side) {
    std::vector<Place> places;
    for (std::int32_t i = 0; i < side * side; ++i) {
        places.push_back({i, i});
        if (i % side > 0) places.insert(places.end(), {{i, i - 1}, {i - 1, i}});
        if (i >= side) places.insert(places.end(), {{i, i - side}, {i - side, i}});
    }
    return make_pattern(std::int64_t(side) * side, std::int64_t(side) * side, places);
}

// Random numbers with a dominant diagonal: condition of order 1, symmetric.
template <class S> std::vector<S> definite_entries(const Pattern& p) {
    std::map<std::pair<std::int32_t, std::int32_t>, double> known;
    std::vector<S> sums(at(p.rows), S(1)), a(p.row.size());
    for (std::int32_t j = 0; j < p.columns; ++j)
        for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k) {
            const std::int32_t i = p.row[at(k)];
            if (i == j) continue;
            a[at(k)] = S(known.try_emplace(std::minmax(i, j), number()).first->second);
            sums[at(i)] += absolute(a[at(k)]);
        }
    for (std::int32_t j = 0; j < p.columns; ++j)
        for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
            if (p.row[at(k)] == j) a[at(k)] = sums[at(j)];
    return a;
}

bool is_permutation_of_all(std::vector<std::int32_t> order, std::int64_t n) {
    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < order.size(); ++k)
        if (order[k] != static_cast<std::int32_t>(k)) return false;
    return std::ssize(order) == n;
}

TEST(LinalgPattern, SortsMergesAndTransposes) {
    const Pattern p = make_pattern(3, 2, {{2, 0}, {0, 1}, {0, 0}, {2, 0}, {1, 1}});
    EXPECT_EQ(p.column_start, (std::vector<std::int64_t>{0, 2, 4}));
    EXPECT_EQ(p.row, (std::vector<std::int32_t>{0, 2, 0, 1}));
    std::vector<std::int64_t> source;
    const Pattern t = transposed(p, &source);
    EXPECT_EQ(t.column_start, (std::vector<std::int64_t>{0, 2, 3, 4}));
    EXPECT_EQ(t.row, (std::vector<std::int32_t>{0, 1, 1, 0}));
    EXPECT_EQ(source, (std::vector<std::int64_t>{0, 2, 3, 1}));
    const Pattern n = neighbours(make_pattern(3, 3, {{0, 0}, {2, 0}, {1, 2}}));
    EXPECT_EQ(n.column_start, (std::vector<std::int64_t>{0, 1, 2, 4}));
    EXPECT_EQ(n.row, (std::vector<std::int32_t>{2, 2, 0, 1}));
}

TEST(LinalgOrdering, CuthillMcKeeFindsHiddenBands) {
    for (const std::int64_t width : {1, 2, 5}) {
        const auto names = shuffled(500);
        const Pattern p = renamed(band_pattern(500, width, width), names, names);
        const auto order = reverse_cuthill_mckee(p);
        EXPECT_TRUE(is_permutation_of_all(order, 500));
        EXPECT_EQ(bandwidth(band_pattern(500, width, width), {}), width);
        EXPECT_LE(bandwidth(p, order), 2 * width - (width == 1)); // 1 for a path; levels of `width` rows else
    }
    EXPECT_TRUE(reverse_cuthill_mckee(Pattern{}).empty());
    EXPECT_TRUE(is_permutation_of_all(reverse_cuthill_mckee(make_pattern(5, 5, {})), 5)); // no entries at all
}

TEST(LinalgOrdering, MinimumDegreeFillsLittle) {
    // A star: the hub must come last but one at the earliest. A grid: less than half the fill of its band.
    std::vector<Place> places;
    for (std::int32_t i = 1; i < 12; ++i) places.insert(places.end(), {{0, i}, {i, 0}});
    const auto star = minimum_degree(make_pattern(12, 12, places));
    EXPECT_TRUE(is_permutation_of_all(star, 12));
    EXPECT_GE(std::find(star.begin(), star.end(), 0) - star.begin(), 10);
    const Pattern grid = grid_pattern(60);
    EXPECT_TRUE(is_permutation_of_all(minimum_degree(grid), 3600));
    SparseLu<double> lu(grid);
    ASSERT_TRUE(lu.factor(definite_entries<double>(grid).data()));
    EXPECT_LT(lu.fill(), 3600 * 60);
    EXPECT_TRUE(minimum_degree(Pattern{}).empty());
    EXPECT_TRUE(is_permutation_of_all(minimum_degree(make_pattern(5, 5, {})), 5));
}

TEST(LinalgOrdering, MinimumDegreeHandlesRandomGraphs) {
    for (int round = 0; round < 200; ++round) {
        const std::int64_t n = 1 + index(80);
        std::vector<Place> places;
        for (std::int32_t k = index(4 * n); k > 0; --k) places.push_back({index(n), index(n)});
        EXPECT_TRUE(is_permutation_of_all(minimum_degree(neighbours(make_pattern(n, n, places))), n));
    }
}

TYPED_TEST(LinalgSparse, BandsAreSolvedWithAndWithoutPivoting) {
    using S = TypeParam;
    struct Shape {
        std::int64_t n, lower, upper;
    };
    for (const Shape s :
         {Shape{1, 0, 0}, {2, 1, 1}, {3, 1, 1}, {50, 1, 1}, {51, 1, 1}, {40, 0, 0}, {40, 2, 2}, {40, 3, 1}, {9, 8, 8}})
        for (const bool pivots : {false, true}) {
            const Pattern p = band_pattern(s.n, s.lower, s.upper);
            std::vector<S> a = pivots ? numbers<S>(p.entries()) : definite_entries<S>(p);
            BandLu<S> lu(s.n, s.lower, s.upper, pivots);
            lu.set_zero();
            for (std::int64_t j = 0; j < s.n; ++j)
                for (std::int64_t k = p.column_start[at(j)]; k < p.column_start[at(j + 1)]; ++k)
                    lu.at(p.row[at(k)], j) = a[at(k)];
            ASSERT_TRUE(lu.factor()) << s.n << ' ' << s.lower << ' ' << pivots;
            EXPECT_GT(lu.pivot_ratio(), 0);
            EXPECT_LE(lu.pivot_ratio(), 1);
            const std::vector<S> b = numbers<S>(s.n);
            std::vector<S> x = b;
            lu.solve(x.data());
            S size = 1;
            for (const S& e : x) size = std::max(size, absolute(e));
            EXPECT_LT(distance(product(p, a, x), b), 200 * double(size));
        }
}

TYPED_TEST(LinalgSparse, BandsNoticeRankLoss) {
    using S = TypeParam;
    for (const bool pivots : {false, true}) // [1 -1] blocks: a chain of springs that is fixed nowhere
        for (const std::int64_t width : {1, 2})
            for (const double scale : {1e-150, 1.0, 1e150}) {
                const std::int64_t n = 31;
                BandLu<S> lu(n, width, width, pivots);
                lu.set_zero();
                for (std::int64_t i = 0; i + 1 < n; ++i) {
                    lu.at(i, i) += S(scale);
                    lu.at(i + 1, i + 1) += S(scale);
                    lu.at(i, i + 1) = lu.at(i + 1, i) = -S(scale);
                }
                EXPECT_FALSE(lu.factor());
                EXPECT_TRUE(lu.pivot_ratio() == 0);
                lu.set_zero();
                EXPECT_FALSE(lu.factor());
            }
}

TYPED_TEST(LinalgSparse, LuSolvesMatricesWithPermutedAndRescaledRows) {
    using S = TypeParam;
    for (const Pattern& base :
         {band_pattern(300, 2, 3), grid_pattern(16), band_pattern(1, 0, 0), band_pattern(30, 29, 29)}) {
        std::vector<std::int32_t> same(at(base.rows));
        std::iota(same.begin(), same.end(), 0);
        const Pattern p = renamed(base, shuffled(base.rows), same);
        std::vector<S> a = numbers<S>(p.entries()), scale(at(p.rows));
        for (S& s : scale) s = S(std::ldexp(1.0, index(100) - 50));
        SparseLu<S> lu(p);
        for (int round = 0; round < 3; ++round) {
            for (S& x : a) x += S(0.001 * number());
            std::vector<S> scaled = a;
            for (std::size_t k = 0; k < a.size(); ++k) scaled[k] *= scale[at(p.row[k])];
            ASSERT_TRUE(lu.factor(scaled.data()));
            const std::vector<S> b = numbers<S>(p.rows);
            std::vector<S> x = b;
            for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale[i];
            lu.solve(x.data());
            S size = 1;
            for (const S& e : x) size = std::max(size, absolute(e));
            EXPECT_LT(distance(product(p, a, x), b), 1e4 * double(size)); // growth of pivots down to 1/1000
        }
    }
}

TYPED_TEST(LinalgSparse, LuFindsNewPivotsWhenTheOldOnesVanish) {
    using S = TypeParam;
    const Pattern p = make_pattern(2, 2, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
    SparseLu<S> lu(p);
    const std::vector<S> first{1, 2, 3, 1}, second{0, 2, 3, 0}, third{1, 2, 2, 4}, none{0, 0, 0, 0};
    for (const auto& a : {first, second}) {
        ASSERT_TRUE(lu.factor(a.data()));
        std::vector<S> x{1, 1};
        lu.solve(x.data());
        EXPECT_LT(distance(product(p, a, x), {1, 1}), 10);
    }
    EXPECT_FALSE(lu.factor(third.data()));
    EXPECT_FALSE(lu.factor(none.data()));
    std::vector<S> x{1, 1};
    lu.solve(x.data()); // of no use, of no harm
    ASSERT_TRUE(lu.factor(first.data()));
    EXPECT_FALSE(SparseLu<S>(make_pattern(2, 2, {{0, 0}, {0, 1}})).factor(first.data()));
    EXPECT_FALSE(SparseLu<S>(make_pattern(2, 2, {{0, 0}, {1, 0}})).factor(first.data()));
}

TYPED_TEST(LinalgSparse, ProductsAreThoseOfTheDenseMatrices) {
    using S = TypeParam;
    std::vector<Place> places_a, places_b;
    for (int k = 0; k < 30; ++k) places_a.push_back({index(6), index(9)});
    for (int k = 0; k < 30; ++k) places_b.push_back({index(5), index(9)});
    const Pattern pa = make_pattern(6, 9, places_a), pb = make_pattern(5, 9, places_b);
    const std::vector<S> a = numbers<S>(pa.entries()), b = numbers<S>(pb.entries()), w = numbers<S>(9);
    const ScaledProduct plan(pa, pb);
    std::vector<S> n(at(plan.pattern().entries()));
    const std::vector<S> x = numbers<S>(5);
    for (const S* weights : {static_cast<const S*>(nullptr), w.data()}) {
        plan.compute(a.data(), weights, b.data(), n.data());
        std::vector<S> y(9); // B^T x
        for (std::int64_t c = 0; c < 9; ++c)
            for (std::int64_t k = pb.column_start[at(c)]; k < pb.column_start[at(c + 1)]; ++k)
                y[at(c)] += b[at(k)] * x[at(pb.row[at(k)])] * (weights ? weights[c] : S(1));
        EXPECT_LT(distance(product(plan.pattern(), n, x), product(pa, a, y)), 100);
    }
}

TYPED_TEST(LinalgSparse, SquareSolverSuitsThePattern) {
    using S = TypeParam;
    const auto names = shuffled(400);
    struct Case {
        Pattern p;
        const char* kind;
    };
    for (const Case& c : {Case{band_pattern(5, 1, 1), "dense"},
                          {band_pattern(35, 34, 34), "dense"},
                          {band_pattern(120, 119, 119), "dense"},
                          {band_pattern(30, 1, 1), "band"},
                          {renamed(band_pattern(400, 2, 2), names, names), "band"},
                          {grid_pattern(30), "sparse"}})
        for (const bool is_definite : {false, true}) {
            SquareSolver<S> solver(c.p, is_definite);
            EXPECT_EQ(solver.kind(), c.kind);
            const std::vector<S> a = definite_entries<S>(c.p), b = numbers<S>(c.p.rows);
            ASSERT_TRUE(solver.factor(a.data()));
            std::vector<S> x = b;
            const std::size_t before = test::n_allocations();
            ASSERT_TRUE(solver.factor(a.data()));
            solver.solve(x.data());
            EXPECT_EQ(test::n_allocations(), before);
            EXPECT_LT(distance(product(c.p, a, x), b), 500);
            EXPECT_GT(solver.pivot_ratio(), 0);
            std::vector<S> bad(a.size(), S(0));
            EXPECT_FALSE(solver.factor(bad.data()));
            EXPECT_TRUE(solver.pivot_ratio() == 0);
            bad.assign(a.size(), S(std::numeric_limits<double>::quiet_NaN()));
            EXPECT_FALSE(solver.factor(bad.data()));
            ASSERT_TRUE(solver.factor(a.data()));
        }
    EXPECT_TRUE(SquareSolver<S>(Pattern{}).factor(nullptr));
}

// [1 e; e 1], then [d 1; 1 d]: pivots that are kept are d, chosen anew they are 1.
TEST(SparseLu, ForgetsThePivotsThatBelongToItAndNoOthers) {
    const auto own = std::make_shared<Pivots>(), other = std::make_shared<Pivots>();
    const Pattern pattern = make_pattern(2, 2, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
    std::optional<SparseLu<double>> lu;
    {
        const PivotsInUse outer(other);
        {
            const PivotsInUse use(own);
            lu.emplace(pattern);
        }
        EXPECT_EQ(PivotsInUse::now(), other);
    }
    EXPECT_EQ(PivotsInUse::now(), nullptr);
    const double first[] = {1, 0.01, 0.01, 1}, then[] = {0.02, 1, 1, 0.02};
    ASSERT_TRUE(lu->factor(first));
    other->forget();
    ASSERT_TRUE(lu->factor(then));
    EXPECT_LT(lu->pivot_ratio(), 0.01) << "kept";
    ASSERT_TRUE(lu->factor(first));
    own->forget();
    ASSERT_TRUE(lu->factor(then));
    EXPECT_GT(lu->pivot_ratio(), 0.5) << "chosen anew";
}

} // namespace
} // namespace vessiot::linalg::linalg_sparse_test
