// Structural analysis of signature matrices, against all permutations and against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "completion/structure.hpp"
#include "support/gallery.hpp"

namespace vessiot::signature_matrix_test {
namespace {

using Numbers = std::vector<std::int32_t>;
using Matrix = std::vector<Numbers>; // sigma; -1: no entry

Signature sparse(const Matrix& sigma, std::size_t n_unknowns) {
    Signature s;
    s.n_equations = static_cast<std::int32_t>(sigma.size());
    s.n_unknowns = static_cast<std::int32_t>(n_unknowns);
    for (const Numbers& row : sigma) {
        for (std::size_t j = 0; j < row.size(); ++j)
            if (row[j] >= 0) {
                s.unknown.push_back(static_cast<std::int32_t>(j));
                s.order.push_back(row[j]);
            }
        s.start.push_back(std::ssize(s.unknown));
    }
    s.equations = {0, s.n_equations};
    s.unknowns = {0, s.n_unknowns};
    return s;
}

TEST(SignatureMatrix, AnIndexOfAHundredThousandTakesOneSweep) {
    // x1 = f(t), x1' = x2, x2' = x3, ...
    Signature s;
    s.n_equations = s.n_unknowns = 100'000;
    for (std::int32_t i = 0; i < s.n_equations; ++i) {
        if (i > 0) {
            s.unknown.push_back(i - 1);
            s.order.push_back(1);
        }
        s.unknown.push_back(i);
        s.order.push_back(0);
        s.start.push_back(std::ssize(s.unknown));
    }
    const Structure result = analyse(std::move(s));
    ASSERT_TRUE(result.is_regular);
    EXPECT_EQ(result.index, 100'000);
    EXPECT_EQ(result.phase_dimension, 0);
    EXPECT_EQ(result.offsets.c.front(), 99'999);
    EXPECT_LE(result.transversal.n_rounds, 2);
    EXPECT_EQ(result.blocks.n_blocks(), 100'000);
}

Signature permuted(const Signature& s, const Numbers& rows, const Numbers& columns) { // new number of each
    std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> entries(rows.size());
    for (std::int32_t i = 0; i < s.n_equations; ++i) {
        auto& row = entries[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
        for (std::size_t k = 0; k < s.row(i).size(); ++k)
            row.emplace_back(columns[static_cast<std::size_t>(s.row(i).unknown[k])], s.row(i).order[k]);
    }
    Signature result;
    result.n_equations = s.n_equations;
    result.n_unknowns = s.n_unknowns;
    for (auto& row : entries) {
        std::ranges::sort(row);
        for (const auto& [unknown, order] : row) {
            result.unknown.push_back(unknown);
            result.order.push_back(order);
        }
        result.start.push_back(std::ssize(result.unknown));
    }
    return result;
}

TEST(SignatureMatrix, TheOrderInWhichEquationsAndUnknownsAreWrittenDoesNotMatter) {
    std::mt19937 random(5);
    for (const std::string name :
         {"andrews", "car_axis", "mech", "batch_reactor", "hairer_index3", "heat_dae", "long"}) {
        SCOPED_TRACE(name);
        const bool is_long = name == "long";
        const Structure s =
            analyse(is_long ? test::gallery_system("mech", {{"n", "10000"}}) : test::gallery_system(name));
        Numbers rows(s.offsets.c.size()), columns(s.offsets.d.size());
        std::iota(rows.begin(), rows.end(), 0);
        std::iota(columns.begin(), columns.end(), 0);
        for (int round = 0; round < (is_long ? 1 : 20); ++round) {
            std::shuffle(rows.begin(), rows.end(), random);
            std::shuffle(columns.begin(), columns.end(), random);
            const Structure p = analyse(permuted(s.signature, rows, columns));
            for (std::size_t i = 0; i < rows.size(); ++i)
                EXPECT_EQ(p.offsets.c[static_cast<std::size_t>(rows[i])], s.offsets.c[i]);
            for (std::size_t j = 0; j < columns.size(); ++j)
                EXPECT_EQ(p.offsets.d[static_cast<std::size_t>(columns[j])], s.offsets.d[j]);
            EXPECT_EQ(p.constraints.hidden, s.constraints.hidden);
            EXPECT_EQ(p.blocks.n_blocks(), s.blocks.n_blocks());
            EXPECT_EQ(p.blocks.largest(), s.blocks.largest());
        }
    }
}

// The reference: all permutations, and the iteration of the definition.
struct Reference {
    std::optional<std::int64_t> value; // of the highest transversal
    std::size_t most_pairs = 0;
    Numbers c, d;
};

Reference reference(const Matrix& sigma) {
    const std::size_t n = sigma.size();
    Reference r;
    Numbers columns(n), best;
    std::iota(columns.begin(), columns.end(), 0);
    do {
        std::int64_t value = 0;
        std::size_t n_pairs = 0;
        for (std::size_t i = 0; i < n; ++i)
            if (const std::int32_t order = sigma[i][static_cast<std::size_t>(columns[i])]; order >= 0) {
                value += order;
                ++n_pairs;
            }
        r.most_pairs = std::max(r.most_pairs, n_pairs);
        if (n_pairs == n && (!r.value || value > *r.value)) {
            r.value = value;
            best = columns;
        }
    } while (std::next_permutation(columns.begin(), columns.end()));
    if (!r.value) return r;
    r.c.assign(n, 0);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        r.d.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (sigma[i][j] >= 0) r.d[j] = std::max(r.d[j], sigma[i][j] + r.c[i]);
        for (std::size_t i = 0; i < n; ++i) {
            const auto j = static_cast<std::size_t>(best[i]);
            is_changed |= r.c[i] != r.d[j] - sigma[i][j];
            r.c[i] = r.d[j] - sigma[i][j];
        }
    }
    return r;
}

// Which unknowns' highest derivatives an equation leads to, over any number of steps.
std::vector<std::vector<bool>> reachable(const Matrix& sigma, const Structure& s) {
    const std::size_t n = sigma.size();
    std::vector<std::vector<bool>> leads(n, std::vector<bool>(n, false)); // from equation to equation
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (sigma[i][j] >= 0 && s.offsets.d[j] - s.offsets.c[i] == sigma[i][j])
                leads[i][static_cast<std::size_t>(s.transversal.equation_of[j])] = true;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (leads[i][k] && leads[k][j]) leads[i][j] = true;
    return leads;
}

void check_blocks(const Matrix& sigma, const Structure& s) {
    std::vector<std::int64_t> block(sigma.size(), -1);
    for (std::int64_t b = 0; b < s.blocks.n_blocks(); ++b)
        for (const std::int32_t i : s.blocks.equations_of(b)) block[static_cast<std::size_t>(i)] = b;
    const auto leads = reachable(sigma, s);
    for (std::size_t i = 0; i < sigma.size(); ++i)
        for (std::size_t k = 0; k < sigma.size(); ++k) {
            EXPECT_TRUE(!leads[i][k] || block[k] <= block[i]); // what is needed comes first
            EXPECT_EQ(block[i] == block[k], i == k || (leads[i][k] && leads[k][i]));
        }
}

// The overdetermined part has its unknowns to itself, and one equation more for each pair that is missing.
void check_singular(const Matrix& sigma, const Structure& s, std::size_t n_missing) {
    const SingularParts& parts = s.singular;
    const auto has = [](const Numbers& list, std::size_t k) {
        return std::ranges::binary_search(list, static_cast<std::int32_t>(k));
    };
    EXPECT_EQ(parts.overdetermined.equations.size(), parts.overdetermined.unknowns.size() + n_missing);
    EXPECT_EQ(parts.underdetermined.unknowns.size(), parts.underdetermined.equations.size() + n_missing);
    for (std::size_t i = 0; i < sigma.size(); ++i)
        for (std::size_t j = 0; j < sigma.size(); ++j) {
            if (sigma[i][j] < 0) continue;
            EXPECT_TRUE(!has(parts.overdetermined.equations, i) || has(parts.overdetermined.unknowns, j));
            EXPECT_TRUE(!has(parts.underdetermined.unknowns, j) || has(parts.underdetermined.equations, i));
        }
}

TEST(SignatureMatrix, RandomMatricesAgreeWithAllPermutations) {
    std::mt19937 random(20);
    int n_regular = 0, n_singular = 0;
    for (int round = 0; round < 3000; ++round) {
        SCOPED_TRACE(round);
        const std::size_t n = 1 + random() % (round % 20 == 0 ? 7 : 6);
        const std::size_t filling = 15 + random() % 70; // per cent
        const std::size_t orders = 1 + random() % 4;
        Matrix sigma(n, Numbers(n, -1));
        for (Numbers& row : sigma)
            for (std::int32_t& x : row)
                if (random() % 100 < filling) x = static_cast<std::int32_t>(random() % orders);
        const Reference r = reference(sigma);
        const Structure s = analyse(sparse(sigma, n));
        ASSERT_EQ(s.is_regular, r.value.has_value());
        EXPECT_EQ(s.transversal.n_pairs, static_cast<std::int64_t>(r.most_pairs));
        if (!r.value) {
            ++n_singular;
            check_singular(sigma, s, n - r.most_pairs);
            continue;
        }
        ++n_regular;
        EXPECT_EQ(s.transversal.value, *r.value);
        EXPECT_EQ(s.phase_dimension, *r.value);
        EXPECT_EQ(s.offsets.c, r.c);
        EXPECT_EQ(s.offsets.d, r.d);
        EXPECT_GE(s.constraints.hidden, 0);
        EXPECT_LE(s.transversal.n_rounds, static_cast<int>(orders) + *std::ranges::max_element(r.c));
        check_blocks(sigma, s);
    }
    EXPECT_GT(n_regular, 500);
    EXPECT_GT(n_singular, 500);
}

TEST(SignatureMatrix, ASingularSystemNamesItsParts) {
    // equations 0, 1, 2 are for unknowns 0, 1 alone; unknowns 2, 3 stand in equation 3 alone
    const Structure s = analyse(sparse({{0, 1, -1, -1}, {1, -1, -1, -1}, {-1, 0, -1, -1}, {0, -1, 1, 0}}, 4));
    EXPECT_TRUE(s.is_square);
    EXPECT_FALSE(s.is_regular);
    EXPECT_EQ(s.singular.overdetermined.equations, (Numbers{0, 1, 2}));
    EXPECT_EQ(s.singular.overdetermined.unknowns, (Numbers{0, 1}));
    EXPECT_EQ(s.singular.underdetermined.equations, (Numbers{3}));
    EXPECT_EQ(s.singular.underdetermined.unknowns, (Numbers{2, 3}));
    EXPECT_TRUE(s.offsets.c.empty());
}

TEST(SignatureMatrix, NothingIsAnalysedToNothing) {
    const Structure s = analyse(sparse({}, 0));
    EXPECT_TRUE(s.is_regular);
    EXPECT_EQ(s.index, 0);
    EXPECT_EQ(s.blocks.n_blocks(), 0);
}

} // namespace
} // namespace vessiot::signature_matrix_test
