// A loop without instances gives none of anything: a model with such a statement is the system without it.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lang/model.hpp"
#include "model/builder.hpp"
#include "system/describe/fingerprint.hpp"
#include "vessiot/model.hpp"

namespace vessiot::empty_loops_test {
namespace {

System read(const std::string& text) {
    return lang::read_model(lang::Source("model.ves", text));
}

const std::string head = "parameter n = 2, tab[2] = [1, 2]\nunknown x[2,2]\n";
const std::string motion = "lagrangian sum(i = 1..2, j = 1..2, x[i,j]'^2/2 - x[i,j]^2/2)\n";
const std::string equations = "for i = 1..2, j = 1..2: x[i,j]'' = -x[i,j]\n";
const std::string tail = "solve t = 0 .. 1\nstart x = 1, x' = 0\n";

// By one, by two and by many; after a long loop and before it; through an outer index, in both orders.
const std::vector<std::string> empty_loops{"i = 1..n, j = 2..n-1", "i = 1..n, j = 3..2",     "i = 1..n, j = 4..2",
                                           "i = 1..n, j = 38..3",  "j = 3..2, i = 1..n",     "j = 38..3, i = 1..n",
                                           "i = 1..n, j = i+1..i", "i = 1..n, j = 38*i..i",  "j = 1..0, i = 1..j",
                                           "i = 1..1, j = 1..0",   "i = 1..100000, j = 2..1"};

struct Statement {
    std::string text;
    bool is_mechanical = false;
};

class EmptyLoops : public testing::TestWithParam<Statement> {};

TEST_P(EmptyLoops, AddNothing) {
    const std::string before = head + (GetParam().is_mechanical ? motion : equations);
    const std::uint64_t without = fingerprint(read(before + tail));
    for (const std::string& loops : empty_loops) {
        const System system = read(before + "for " + loops + ": " + GetParam().text + "\n" + tail);
        EXPECT_EQ(fingerprint(system), without) << loops << ": " << GetParam().text;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, EmptyLoops,
    testing::Values(Statement{"x[i,j]' = 7"}, Statement{"x[1,1] = 2"}, Statement{"x[i,j] = floor(6/j)"},
                    Statement{"[x[1,1], x[i,j]] = [1, 2]"}, Statement{"x[tab[j],1]' = 7"},
                    Statement{"x[tab[9],tab[i]]' = 7"}, Statement{"x[i,1] = sum(k = 1..j, x[k,i])"},
                    Statement{"x[i,1] = product(k = 1..j, x[k,i])"}, Statement{"constraint x[i,j] = 1", true},
                    Statement{"constraint x[1,1] = 1", true}, Statement{"force x[i,j] = 1", true},
                    Statement{"force x[1,1] = 1", true}, Statement{"force x = x", true}, Statement{"invariant x[i,j]"},
                    Statement{"invariant x[1,1] = 1"}, Statement{"start x[i,j] = 5"}, Statement{"start x[1,1]' = 5"},
                    Statement{"guess x[i,j] = 5"}, Statement{"hold x[i,j]"}, Statement{"hold x"}));

TEST(EmptyLoop, GiveSumsOfZeroAndProductsOfOne) {
    const auto with = [](const std::string& value) {
        return fingerprint(read(head + "let a[j = 9..n] = x[j,1], b[i = 9..n, j = 9..n] = x[i,j]\n" + equations +
                                "output e = " + value + "\n" + tail));
    };
    for (const char* zero :
         {"sum(j = 3..2, x[j,1])", "sum(j = 38..3, x[1,j])", "sum(j = 5..n, x[j,j])", "sum(i = 1..n, j = 9..n, x[i,j])",
          "sum(j = 9..n, i = 1..n, x[i,j])", "sum(i = 1..n, j = i+1..i, x[i,j])", "sum(i = 1..n, i > 5, x[i,1])",
          "sum(i = 1..n, sum(j = 9..n, x[i,j]))", "sum(j = 7..n, tab[j])", "sum(i = 9..n, a[i])", "norm(a)",
          "dot(a, a)", "trace(b)", "product(j = 3..2, x[j,1]) - 1", "product(j = 9..n, x[j,j]) - 1",
          "product(i = 1..n, i > 5, x[i,1]) - 1", "det(b) - 1"})
        EXPECT_EQ(with(zero), with("0")) << zero;
}

TEST(EmptyLoop, HaveNoLargestElement) {
    for (const std::string function : {"min", "max"}) {
        try {
            read(head + "let a[j = 9..n] = x[j,1]\n" + equations + "output e = " + function + "(a)\n" + tail);
            ADD_FAILURE() << function;
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find("its range is empty"), std::string::npos) << e.what();
        }
    }
}

// A factor that a condition excludes may lie outside of a table.
TEST(EmptyLoop, AFactorThatIsNeverTakenReadsNothing) {
    const System system = read(
        head + "for i = 1..2: x[i,1]' = product(k = 1..3, k <= i, x[tab[k],2])\nfor i = 1..2: x[i,2]' = 0\n" + tail);
    EXPECT_EQ(system.equations.size(), 2u);
}

// ---- the same in C++ ----

using Addition = std::function<void(Model&, const Array&, const Loops&)>;

std::uint64_t of_model(bool is_mechanical, const Addition& add, std::int64_t first, std::int64_t last, bool is_inner) {
    Model m("model");
    const Array x = m.unknown("x", {2, 2});
    const Index i = m.index("i", 1, 2), j = m.index("j", 1, 2), none = m.index("k", first, last);
    if (is_mechanical)
        m.lagrangian(sum(i, sum(j, der(x(i, j)) * der(x(i, j)) / 2)));
    else
        m.equation({i, j}, der(x(i, j), 2) == -x(i, j));
    if (add) add(m, x, is_inner ? Loops{i, none} : Loops{none, i});
    return fingerprint(ModelAccess::system(m));
}

TEST(EmptyLoop, AddNothingInCpp) {
    const std::vector<std::pair<bool, Addition>> all{
        {false, [](Model& m, const Array& x, const Loops& l) { m.equation(l, x(l.indices[0], l.indices[1]) == 1); }},
        {true, [](Model& m, const Array& x, const Loops& l) { m.constraint(l, x(l.indices[0], l.indices[1]) == 1); }},
        {true, [](Model& m, const Array& x, const Loops& l) { m.force(l, x(l.indices[0], l.indices[1]) == 1); }},
        {true, [](Model& m, const Array& x, const Loops& l) { m.force(l, x(1, 1) == 1); }},
        {false, [](Model& m, const Array& x, const Loops& l) { m.invariant(l, x(l.indices[0], l.indices[1])); }},
        {false, [](Model& m, const Array& x, const Loops& l) { m.start(l, x(l.indices[0], l.indices[1]) == 1); }},
        {false, [](Model& m, const Array& x, const Loops& l) { m.guess(l, x(1, 1) == 1); }},
        {false, [](Model& m, const Array& x, const Loops& l) { m.hold(l, x(1, 1)); }},
    };
    for (const auto& [is_mechanical, add] : all)
        for (const auto& [first, last] : {std::pair{3, 2}, std::pair{4, 2}, std::pair{38, 3}})
            for (const bool is_inner : {true, false})
                EXPECT_EQ(of_model(is_mechanical, add, first, last, is_inner), of_model(is_mechanical, {}, 1, 1, true))
                    << first << ".." << last;
}

} // namespace
} // namespace vessiot::empty_loops_test
