#include <gtest/gtest.h>

#include "expr/graph/index.hpp"
#include "expr/kernel/layout.hpp"

namespace vessiot::expr::index_test {
namespace {

class Indices : public ::testing::Test {
protected:
    VarId loop(const char* name, int level, std::int64_t lo, std::int64_t hi) {
        return index.loop_var(name, level, index.constant(lo), index.constant(hi));
    }
    IndexSpace index;
};

TEST_F(Indices, EqualFormsAreOneForm) {
    const FormId i = index.var(loop("i", 0, 1, 9));
    EXPECT_EQ(index.add(i, index.constant(2)), index.subtract(index.add(i, index.constant(3)), index.constant(1)));
    EXPECT_EQ(index.subtract(i, i), index.constant(0));
    EXPECT_EQ(index.print(index.add(index.scale(i, 2), index.constant(-1))), "2*i-1");
}

TEST_F(Indices, LoopsOfOneLevelAndRangeAreOneVariable) {
    EXPECT_EQ(loop("i", 0, 1, 9), loop("k", 0, 1, 9));
    EXPECT_NE(loop("i", 0, 1, 9), loop("i", 1, 1, 9));
    EXPECT_NE(loop("i", 0, 1, 9), loop("i", 0, 1, 8));
}

TEST_F(Indices, ModuloAndQuotientAreFloored) {
    EXPECT_EQ(index.modulo(index.constant(-1), index.constant(5)), index.constant(4));
    EXPECT_EQ(index.quotient(index.constant(-1), index.constant(5)), index.constant(-1));
    const FormId i = index.var(loop("i", 0, 1, 9));
    EXPECT_EQ(index.value(index.modulo(i, index.constant(4)), Env{9}), 1);
}

TEST_F(Indices, TriangularAndConditionalDomainsAreCounted) {
    const VarId i = loop("i", 0, 1, 4);
    const VarId j = index.loop_var("j", 1, index.add(index.var(i), index.constant(1)), index.constant(4));
    EXPECT_EQ(index.count(index.domain({i, j}), 100), 6);
    const VarId k = loop("k", 1, 1, 4);
    const CondId different = index.complement(index.equal(index.var(i), index.var(k)));
    EXPECT_EQ(index.count(index.domain({i, k}, different), 100), 12);
    EXPECT_EQ(index.count(index.domain({i, k}, different), 7), 8) << "stops counting beyond the limit";
    EXPECT_EQ(index.print_cond(index.less(index.var(i), index.constant(3))), "i < 3");
}

TEST_F(Indices, AnEmptyRangeHasNoInstances) {
    const VarId i = loop("i", 0, 3, 2);
    EXPECT_EQ(index.count(index.domain(std::vector{i}), 10), 0);
    std::vector<std::int64_t> lo, hi;
    EXPECT_FALSE(index.bounding_box(index.domain(std::vector{i}), lo, hi));
}

// Whatever the limit: a long range before an empty one is no reason to stop looking.
TEST_F(Indices, OneEmptyRangeEmptiesTheNest) {
    const VarId i = loop("i", 0, 1, 1000);
    for (const std::int64_t hi : {2, 1, -35}) {
        const VarId j = loop("j", 1, 3, hi);
        for (const std::int64_t limit : {0, 1, 10, 100'000}) EXPECT_EQ(index.count(index.domain({i, j}), limit), 0);
    }
    EXPECT_EQ(index.count(index.domain({i, loop("j", 1, 1, 5)}), 10), 11) << "beyond the limit";
}

TEST_F(Indices, LeavingATableIsAnError) {
    const TableId t = index.table({"edge", {3}, {7, 8, 9}});
    const VarId i = loop("i", 0, 1, 4);
    const FormId f = index.lookup(t, index.list({index.var(i)}));
    EXPECT_EQ(index.value(f, Env{2}), 8);
    try {
        index.value(f, Env{4});
        FAIL();
    } catch (const std::out_of_range& e) {
        EXPECT_STREQ(e.what(), "index 4 of 'edge' is outside 1..3");
    }
}

// ---- addresses ----

class Layouts : public Indices {
protected:
    Loop lay(DomainId d, const std::vector<FormId>& forms) {
        Loop loop;
        std::vector<AddressForm> addresses;
        for (FormId f : forms) addresses.push_back({0, f});
        lay_out(index, d, addresses, {}, 1, loop);
        return loop;
    }
};

TEST_F(Layouts, ARangeIsOneSegmentWhateverItsLength) {
    const VarId i = loop("i", 0, 1, 100'000);
    const Loop l = lay(index.domain(std::vector{i}), {index.var(i), index.constant(5), index.scale(index.var(i), 3)});
    EXPECT_EQ(l.lengths, (std::vector<std::int64_t>{100'000}));
    EXPECT_EQ(l.starts, (std::vector<std::int64_t>{1, 5, 3}));
    EXPECT_EQ(l.addresses[0].stride, 1);
    EXPECT_EQ(l.addresses[1].stride, 0);
    EXPECT_EQ(l.addresses[2].stride, 3);
}

TEST_F(Layouts, ARingIsTwoSegments) {
    const VarId i = loop("i", 0, 0, 999);
    const FormId next = index.modulo(index.add(index.var(i), index.constant(1)), index.constant(1000));
    const Loop l = lay(index.domain(std::vector{i}), {index.var(i), next});
    EXPECT_EQ(l.lengths, (std::vector<std::int64_t>{999, 1}));
    EXPECT_EQ(l.starts, (std::vector<std::int64_t>{0, 1, 999, 0}));
    EXPECT_TRUE(l.tables.empty());
}

TEST_F(Layouts, AnIrregularIndexBecomesATable) {
    IndexTable t{"edge", {64}, {}};
    for (int k = 0; k < 64; ++k) t.values.push_back((k * 37) % 64);
    const VarId i = loop("i", 0, 1, 64);
    const FormId f = index.lookup(index.table(t), index.list({index.var(i)}));
    const Loop l = lay(index.domain(std::vector{i}), {index.var(i), f});
    ASSERT_EQ(l.tables.size(), 1U);
    EXPECT_EQ(l.tables[0][3], 111 % 64);
    EXPECT_EQ(l.addresses[1].table, 0);
    EXPECT_EQ(l.lengths.size(), 1U);
}

TEST_F(Layouts, ALongRangeGoesInnermost) {
    const VarId i = loop("i", 0, 0, 999), k = loop("k", 1, 0, 2);
    // element [i, k] of an array with three columns, and a factor that depends on i alone
    const FormId element = index.add(index.scale(index.var(i), 3), index.var(k));
    const Loop l = lay(index.domain({i, k}), {element, index.var(i)});
    EXPECT_EQ(l.lengths, (std::vector<std::int64_t>{1000, 1000, 1000}));
    EXPECT_EQ(l.addresses[0].stride, 3);
    EXPECT_EQ(l.addresses[1].stride, 1);
}

TEST_F(Layouts, RowsThatContinueEachOtherAreOneSegment) {
    const VarId i = loop("i", 0, 0, 99), k = loop("k", 1, 0, 19);
    const Loop l = lay(index.domain({i, k}), {index.add(index.scale(index.var(i), 20), index.var(k))});
    EXPECT_EQ(l.lengths, (std::vector<std::int64_t>{2000}));
}

TEST_F(Layouts, AConditionOnTheInnermostIndexCutsSegments) {
    const VarId i = loop("i", 0, 0, 9), k = loop("k", 1, 0, 99);
    const CondId different = index.complement(index.equal(index.var(i), index.var(k)));
    const Loop l = lay(index.domain({i, k}, different), {index.var(k), index.var(i)});
    EXPECT_EQ(l.n_instances(), 990);
    EXPECT_EQ(l.lengths.size(), 19U); // k != 0 leaves one piece, the others two
}

} // namespace
} // namespace vessiot::expr::index_test
