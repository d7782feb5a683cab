// The order conditions of symmetric compositions, in quadruple precision.
//
// A symmetric method of order 2 is the exponential of h a_1 + h^3 a_3 + h^5 a_5 + .. with operators that do not
// commute. The composition of steps g_k h has order p where the logarithm of the product of these exponentials is h a_1
// + O(h^(p+1)): words in a_1, a_3, a_5, a_7 up to degree p must vanish in it.
#include "method/geometric/compositions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <span>
#include <vector>

namespace vessiot::method::compositions_test {
namespace {

using Word = std::vector<int>; // of letters 1, 3, 5, 7
using Series = std::map<Word, Quad>;

int degree(const Word& w) {
    return std::accumulate(w.begin(), w.end(), 0);
}

Series product(const Series& a, const Series& b, int highest) {
    Series result;
    for (const auto& [v, x] : a)
        for (const auto& [w, y] : b) {
            if (degree(v) + degree(w) > highest) continue;
            Word joined = v;
            joined.insert(joined.end(), w.begin(), w.end());
            result[joined] += x * y;
        }
    return result;
}

// The exponential, or (with signs) the logarithm of 1 + x.
Series exponential(const Series& x, int highest) {
    Series result{{{}, 1}}, term = result;
    for (int k = 1; k <= highest; ++k) {
        term = product(term, x, highest);
        for (auto& [w, c] : term) c /= k;
        for (const auto& [w, c] : term) result[w] += c;
    }
    return result;
}

Series logarithm(Series x, int highest) {
    x.erase(Word{});
    Series result, power{{{}, 1}};
    for (int k = 1; k <= highest; ++k) {
        power = product(power, x, highest);
        for (const auto& [w, c] : power) result[w] += (k % 2 == 1 ? c : -c) / k;
    }
    return result;
}

Series logarithm_of(std::span<const Quad> parts, int highest) {
    Series all{{{}, 1}};
    for (const Quad g : parts) {
        Series step;
        Quad power = g;
        for (int letter = 1; letter <= highest; letter += 2, power *= g * g) step[{letter}] = power;
        all = product(all, exponential(step, highest), highest);
    }
    return logarithm(all, highest);
}

// The largest coefficient that an order asks to vanish.
Quad defect(std::span<const Quad> parts, int order) {
    Quad largest = 0;
    for (const auto& [w, c] : logarithm_of(parts, order)) {
        const Quad off = w == Word{1} ? c - 1 : c;
        largest = std::max(largest, off < 0 ? -off : off);
    }
    return largest;
}

// Round-off of quadruple precision, some hundred operations of size 1: words of even degree vanish by symmetry.
constexpr Quad small = 1e-31;

TEST(Compositions, HaveTheirOrder) {
    EXPECT_LT(defect(rattle_parts, 2), small);
    EXPECT_LT(defect(rattle4_parts, 4), small);
    EXPECT_LT(defect(rattle6_parts, 6), small);
    EXPECT_LT(defect(rattle8_parts, 8), small);
}

TEST(Compositions, HaveNoHigherOrder) {
    EXPECT_GT(defect(rattle_parts, 3), 1e-3);
    EXPECT_GT(defect(rattle4_parts, 5), 1e-4);
    EXPECT_GT(defect(rattle6_parts, 7), 1e-6);
    EXPECT_GT(defect(rattle8_parts, 9), 1e-8);
}

TEST(Compositions, AreSymmetric) {
    for (std::size_t k = 0; k < rattle8_parts.size(); ++k)
        EXPECT_TRUE(rattle8_parts[k] == rattle8_parts[rattle8_parts.size() - 1 - k]);
}

} // namespace
} // namespace vessiot::method::compositions_test
