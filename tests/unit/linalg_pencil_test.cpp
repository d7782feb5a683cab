// The form of Weierstrass and Kronecker: made up from known parts, and found again.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "linalg/dense/pencil.hpp"

namespace vessiot::linalg {
namespace {

using Entries = std::vector<Quad>;

Entries product(int n, const Entries& a, const Entries& b) {
    Entries c(a.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                c[static_cast<std::size_t>(i * n + j)] +=
                    a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
    return c;
}

struct Pencil {
    int n;
    Entries a, b;
};

// X diag(C, 1) Y and X diag(1, N) Y with C of distinct eigenvalues, blocks of N of these sizes, X and Y of small
// integers.
Pencil made_of(const std::vector<double>& eigenvalues, const std::vector<int>& blocks, unsigned seed) {
    int n = static_cast<int>(eigenvalues.size());
    for (const int size : blocks) n += size;
    const auto nn = static_cast<std::size_t>(n * n);
    Entries a(nn), b(nn), x(nn), y(nn);
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * n + j); };
    int k = 0;
    for (const double e : eigenvalues) {
        a[at(k, k)] = e;
        b[at(k, k)] = 1;
        ++k;
    }
    for (const int size : blocks)
        for (int i = 0; i < size; ++i, ++k) {
            a[at(k, k)] = 1;
            if (i > 0) b[at(k - 1, k)] = 1;
        }
    std::mt19937 random(seed);
    for (Entries* m : {&x, &y}) {
        for (Quad& v : *m) v = static_cast<int>(random() % 7) - 3;
        for (int i = 0; i < n; ++i) (*m)[at(i, i)] += 5 * n; // regular
    }
    return {n, product(n, product(n, x, a), y), product(n, product(n, x, b), y)};
}

TEST(Pencil, IsTakenApartIntoWhatItWasMadeOf) {
    struct Case {
        std::vector<double> eigenvalues;
        std::vector<int> blocks;
    };
    for (const Case& c : std::initializer_list<Case>{{{1, 2}, {}},
                                                     {{}, {1}},
                                                     {{}, {3, 2, 1, 1}},
                                                     {{-1, 0, 4}, {1, 1}},
                                                     {{0.5}, {2}},
                                                     {{3, 3, 3}, {4}},
                                                     {{1e6, 1, 1e-6}, {3, 1}},
                                                     {{2, -2, 7, 9}, {3, 3, 2}}})
        for (const unsigned seed : {1U, 2U, 3U}) {
            SCOPED_TRACE(testing::PrintToString(c.eigenvalues) + testing::PrintToString(c.blocks));
            const Pencil p = made_of(c.eigenvalues, c.blocks, seed);
            const auto form = weierstrass_form(p.n, p.a, p.b);
            ASSERT_TRUE(form);
            EXPECT_EQ(form->n_regular, static_cast<int>(c.eigenvalues.size()));
            EXPECT_EQ(form->blocks, c.blocks);
            EXPECT_EQ(form->index(), c.blocks.empty() ? 0 : c.blocks.front());
            EXPECT_LT(form->residual, 1e-14); // 34 digits: eigenvalues of 1e6 and 1e-6 cost twelve, chains the same
            Quad trace = 0, sum = 0;
            for (int i = 0; i < form->n_regular; ++i)
                trace += form->c[static_cast<std::size_t>(i * form->n_regular + i)];
            for (const double e : c.eigenvalues) sum += e;
            EXPECT_NEAR(static_cast<double>(trace), static_cast<double>(sum), 1e-9 * (1 + static_cast<double>(sum)));
        }
}

// Exercise IV.5.1: det(A + lambda B) = 0 for all lambda
TEST(Pencil, ThatIsSingularHasNoSuchForm) {
    EXPECT_FALSE(weierstrass_form(2, {1, 2, 2, 4}, {1, 2, 3, 6}));
    EXPECT_FALSE(weierstrass_form(2, {0, 0, 0, 0}, {1, 0, 0, 0}));
    EXPECT_TRUE(weierstrass_form(2, {0, 0, 0, 1}, {1, 0, 0, 0}));
    EXPECT_FALSE(weierstrass_form(3, {0, 1, 0, 0, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 0}));
}

// A number that is small decides about the form: that is told.
TEST(Pencil, TellsHowNearAnotherFormIs) {
    const auto near = weierstrass_form(2, {1, 0, 0, 1}, {1, 0, 0, Quad(1e-9)});
    ASSERT_TRUE(near);
    EXPECT_EQ(near->n_regular, 2);
    EXPECT_LT(near->gap, 1e-8);
    const auto far = weierstrass_form(2, {1, 0, 0, 1}, {1, 0, 0, 0});
    ASSERT_TRUE(far);
    EXPECT_EQ(far->n_regular, 1);
    EXPECT_GT(far->gap, 0.1);
}

} // namespace
} // namespace vessiot::linalg
