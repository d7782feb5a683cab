// Rooted trees against what is known of them by other means.
#include "method/rooted_trees.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace vessiot::method::rooted_trees_test {
namespace {

std::int64_t factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

std::int64_t power(std::int64_t base, int exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

TEST(RootedTrees, AreAsManyAsCayleyCounted) {
    std::vector<int> counts(11);
    for (const RootedTree& tree : rooted_trees(10)) ++counts[static_cast<std::size_t>(tree.order)];
    EXPECT_EQ(counts, (std::vector<int>{0, 1, 1, 2, 4, 9, 20, 48, 115, 286, 719})); // OEIS A000081
}

TEST(RootedTrees, AreAllDifferent) {
    const auto trees = rooted_trees(10);
    std::set<std::string> names;
    for (std::size_t t = 0; t < trees.size(); ++t) names.insert(to_string(trees, t));
    EXPECT_EQ(names.size(), trees.size());
}

TEST(RootedTrees, ComeAfterThoseTheyAreMadeOf) {
    const auto trees = rooted_trees(8);
    for (std::size_t t = 0; t < trees.size(); ++t) {
        EXPECT_LE(trees[t > 0 ? t - 1 : 0].order, trees[t].order);
        for (const std::size_t child : trees[t].children) EXPECT_LT(child, t);
    }
}

TEST(RootedTrees, HaveTheDensityAndSymmetryOfTheBooks) {
    // [HNW93, Table II.2.1] for gamma, [But16, Table 301(II)] for sigma
    const std::map<std::string, std::pair<int, int>> known{
        {"o", {1, 1}},           {"[o]", {2, 1}},        {"[o o]", {3, 2}},      {"[[o]]", {6, 1}},
        {"[o o o]", {4, 6}},     {"[[o] o]", {8, 1}},    {"[[o o]]", {12, 2}},   {"[[[o]]]", {24, 1}},
        {"[o o o o]", {5, 24}},  {"[[o] o o]", {10, 2}}, {"[[o] [o]]", {20, 2}}, {"[[o o] o]", {15, 2}},
        {"[[[o]] o]", {30, 1}},  {"[[o o o]]", {20, 6}}, {"[[[o] o]]", {40, 1}}, {"[[[o o]]]", {60, 2}},
        {"[[[[o]]]]", {120, 1}},
    };
    const auto trees = rooted_trees(5);
    ASSERT_EQ(trees.size(), known.size());
    for (std::size_t t = 0; t < trees.size(); ++t) {
        const auto place = known.find(to_string(trees, t));
        ASSERT_NE(place, known.end()) << to_string(trees, t);
        EXPECT_EQ(trees[t].density, place->second.first) << place->first;
        EXPECT_EQ(trees[t].symmetry, place->second.second) << place->first;
    }
}

TEST(RootedTrees, HaveAsManyLabellingsAsTheSumsSay) {
    std::vector<std::int64_t> monotonic(13), labelled(13);
    for (const RootedTree& tree : rooted_trees(12)) {
        const auto n = static_cast<std::size_t>(tree.order);
        const std::int64_t all = factorial(tree.order);
        ASSERT_EQ(all % (tree.density * tree.symmetry), 0);
        monotonic[n] += all / (tree.density * tree.symmetry);
        labelled[n] += all / tree.symmetry;
    }
    for (int n = 1; n <= 12; ++n) {
        // Node k + 1 of an increasing tree hangs on any of the k before it: (n - 1)! of them.
        EXPECT_EQ(monotonic[static_cast<std::size_t>(n)], factorial(n - 1)) << n;
        // Cayley: n^(n-2) labelled trees, each with n choices of the root.
        EXPECT_EQ(labelled[static_cast<std::size_t>(n)], power(n, n - 1)) << n;
    }
}

TEST(RootedTrees, RefuseOrdersOutOfRange) {
    EXPECT_THROW(rooted_trees(0), std::out_of_range);
    EXPECT_THROW(rooted_trees(17), std::out_of_range);
}

TEST(OrderConditions, OfTheImplicitMidpointRuleHoldToOrderTwo) {
    const auto trees = rooted_trees(3);
    const std::array<double, 1> a{0.5}, b{1.0};
    const auto phi = elementary_weights<double>(trees, a, 1);
    const auto residuals = order_residuals<double>(trees, phi, 1, b);
    // All numbers are exact in binary, but for 1/3 and 1/6: o, [o], then 1/4 - 1/3 and 1/4 - 1/6.
    EXPECT_EQ(residuals[0], 0);
    EXPECT_EQ(residuals[1], 0);
    std::multiset<double> third{residuals[2], residuals[3]};
    EXPECT_NEAR(*third.begin(), -1.0 / 12, 1e-16);
    EXPECT_NEAR(*third.rbegin(), 1.0 / 12, 1e-16);
}

TEST(OrderConditions, RefuseMatricesOfTheWrongSize) {
    const auto trees = rooted_trees(2);
    const std::vector<double> a(3), b(2);
    EXPECT_THROW(elementary_weights<double>(trees, a, 2), std::invalid_argument);
    EXPECT_THROW(order_residuals<double>(trees, a, 1, b), std::invalid_argument);
}

} // namespace
} // namespace vessiot::method::rooted_trees_test
