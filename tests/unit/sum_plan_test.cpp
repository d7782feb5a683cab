// Sums of products in runs against sums one by one; entries of matrices in another order.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "linalg/scalar.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/sum_plan.hpp"

namespace vessiot::linalg::sum_plan_test {
namespace {

std::mt19937 random_bits(5);

template <class S> std::vector<S> numbers(std::size_t n) {
    std::vector<S> v(n);
    for (S& x : v) x = S(std::uniform_real_distribution<double>(-1, 1)(random_bits));
    return v;
}

template <class S> void expect_sums(const std::vector<std::vector<SumPlan::Term>>& sums) {
    const std::vector<S> a = numbers<S>(2000), b = numbers<S>(2000);
    std::vector<S> out(sums.size(), S(7));
    SumPlan(sums).compute(a.data(), b.data(), out.data());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        S sum = 0;
        for (const SumPlan::Term& t : sums[i]) sum += a[at(t.a)] * b[at(t.b)];
        EXPECT_TRUE(out[i] == sum) << i; // the same operations in the same order
    }
}

TEST(SumPlan, RunsOfNeighboursAreTheSums) {
    for (const std::int32_t terms : {0, 1, 2, 3, 4, 5}) {
        std::vector<std::vector<SumPlan::Term>> sums(700);
        for (std::int32_t i = 0; i < 700; ++i)
            for (std::int32_t p = 0; p < terms; ++p)
                sums[at(i)].push_back({i + 40 * p, p == 1 ? 9 : i + 3 * p}); // one factor stays
        expect_sums<double>(sums);
        expect_sums<Quad>(sums);
    }
}

TEST(SumPlan, SumsWithoutOrderAreTheSums) {
    std::vector<std::vector<SumPlan::Term>> sums(300);
    std::uniform_int_distribution<std::int32_t> any(0, 1999), length(0, 4);
    for (auto& sum : sums)
        for (std::int32_t n = length(random_bits); n > 0; --n) sum.push_back({any(random_bits), any(random_bits)});
    expect_sums<double>(sums);
    expect_sums<Quad>(sums);
    EXPECT_EQ(SumPlan(sums).size(), 300);
    expect_sums<double>({});
}

// Tridiagonal, dense and sparse matrices whose entries come backwards.
TEST(SquareSolver, TakesEntriesInAnyOrder) {
    for (const std::int32_t n : {3, 60, 61, 200}) {
        for (const std::int32_t far : {1, 37}) { // the second makes a band too wide
            std::vector<Place> places;
            for (std::int32_t i = 0; i < n; ++i)
                for (const std::int32_t j : {i - far, i - 1, i, i + 1, i + far})
                    if (j >= 0 && j < n) places.push_back({i, j});
            const Pattern p = make_pattern(n, n, places);
            std::vector<double> entries(p.row.size());
            for (std::int32_t j = 0; j < n; ++j)
                for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j) + 1]; ++e)
                    entries[at(e)] = p.row[at(e)] == j ? 5 + 0.01 * j : -1 + 0.1 * (p.row[at(e)] < j);
            std::vector<std::int32_t> order;
            for (auto e = static_cast<std::int32_t>(entries.size()); e-- > 0;) order.push_back(e);
            std::vector<double> backwards(entries.rbegin(), entries.rend());
            for (const bool is_definite : {false, true}) {
                SquareSolver<double> plain(p, is_definite), reordered(p, is_definite, order);
                EXPECT_EQ(plain.kind(), reordered.kind());
                std::vector<double> b = numbers<double>(at(n)), x = b;
                ASSERT_TRUE(plain.factor(entries.data()));
                ASSERT_TRUE(reordered.factor(backwards.data()));
                plain.solve(b.data());
                reordered.solve(x.data());
                EXPECT_EQ(b, x);
            }
        }
    }
}

} // namespace
} // namespace vessiot::linalg::sum_plan_test
