// From offsets to what is integrated: coordinates, tops, rows; raised offsets; families whose elements differ, end to
// end against models that were reduced by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "lang/model.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::prolongation_test {
namespace {

using Numbers = std::vector<std::int32_t>;
using Names = std::vector<std::string>;

System read(const std::string& text) {
    return lang::read_model(lang::Source("test.ves", text));
}

// A prolongation with the names of what it refers to.
struct Named {
    Prolongation p;
    Names state, top, next;
    Numbers constraint_orders, top_orders; // by family

    explicit Named(const System& system) : p(prolong(system, analyse(system))) {
        const Names all = coordinate_names(system, p.z);
        const auto named = [&](const Numbers& places) {
            Names names;
            for (const std::int32_t k : places) names.push_back(all[static_cast<std::size_t>(k)]);
            return names;
        };
        state = named(p.state);
        top = named(p.top);
        next = named(p.next);
        for (const RowFamily& f : p.constraints.families) constraint_orders.push_back(f.order);
        for (const RowFamily& f : p.tops.families) top_orders.push_back(f.order);
    }
    explicit Named(const std::string& text) : Named(read(text)) {}
};

const std::string pendulum = "unknown x, y, z\nx'' = -z*x\ny'' = -z*y - 9.81\nx^2 + y^2 = 1\n";

TEST(Prolongation, OfThePendulumHasPositionsVelocitiesAndTwoConstraints) {
    const Named n(pendulum);
    EXPECT_FALSE(n.p.is_raised);
    EXPECT_EQ(n.p.offsets.c, (Numbers{0, 0, 2}));
    EXPECT_EQ(n.p.offsets.d, (Numbers{2, 2, 0}));
    EXPECT_EQ(n.state, (Names{"x", "x'", "y", "y'"}));
    EXPECT_EQ(n.next, (Names{"x'", "x''", "y'", "y''"}));
    EXPECT_EQ(n.top, (Names{"x''", "y''", "z"}));
    EXPECT_TRUE(n.p.is_contiguous);
    EXPECT_EQ(n.constraint_orders, (Numbers{0, 1}));
    EXPECT_EQ(n.top_orders, (Numbers{0, 0, 2}));
    EXPECT_EQ(n.p.constraints.n_rows, 2);
    EXPECT_EQ(n.p.tops.n_rows, 3);
    EXPECT_EQ(n.p.constraints.equation, (Numbers{2, 2}));
}

TEST(Prolongation, OfAnExplicitSystemHasNoConstraints) {
    const Named n("unknown x, y\nx' = y\ny' = -x\n");
    EXPECT_EQ(n.state, (Names{"x", "y"}));
    EXPECT_EQ(n.top, (Names{"x'", "y'"}));
    EXPECT_TRUE(n.p.constraints.selected.empty());
    EXPECT_TRUE(n.p.is_contiguous);
    EXPECT_FALSE(n.p.is_raised);
}

TEST(Prolongation, AnAlgebraicUnknownThatEntersLinearlyIsNoCoordinate) {
    const Named n("unknown y, z\ny' = y*z\ny + (2 + y^2)*z = t\n");
    EXPECT_FALSE(n.p.is_raised);
    EXPECT_EQ(n.state, (Names{"y"}));
    EXPECT_EQ(n.top, (Names{"y'", "z"}));
}

TEST(Prolongation, AnAlgebraicUnknownThatEntersNonlinearlyBecomesOne) {
    for (const std::string& text : {std::string("unknown y, z\ny' = -z\nz^3 + z = y\n"),
                                    std::string("unknown y, z\ny' = -exp(z)*y\nz + z^5 = y*t\n")}) {
        const Named n(text);
        EXPECT_TRUE(n.p.is_raised);
        EXPECT_EQ(n.p.offsets.c, (Numbers{0, 1}));
        EXPECT_EQ(n.p.offsets.d, (Numbers{1, 1}));
        EXPECT_EQ(n.state, (Names{"y", "z"}));
        EXPECT_EQ(n.top, (Names{"y'", "z'"}));
        EXPECT_EQ(n.constraint_orders, (Numbers{0}));
        EXPECT_EQ(n.top_orders, (Numbers{0, 1}));
    }
}

// z is a name for y*t: its equation is linear in it, the one that reads it is not.
TEST(Prolongation, AnAlgebraicUnknownThatIsReadNonlinearlyBecomesACoordinateAndNothingElse) {
    const Named n("unknown y, z\ny' = exp(z)\nz = y*t\n");
    EXPECT_EQ(n.state, (Names{"y", "z"}));
    EXPECT_EQ(n.p.offsets.c, (Numbers{0, 1}));
}

TEST(Prolongation, AnImplicitEquationBecomesAConstraint) {
    const Named n("unknown y\ny'^2 + y^2 = 1\n");
    EXPECT_TRUE(n.p.is_raised);
    EXPECT_EQ(n.p.offsets.c, (Numbers{1}));
    EXPECT_EQ(n.p.offsets.d, (Numbers{2}));
    EXPECT_EQ(n.state, (Names{"y", "y'"}));
    EXPECT_EQ(n.top, (Names{"y''"}));
    // through a let, and with a partner of its own
    const Named hidden("unknown x, y\nlet v = x'^3\nv + x' = y\ny' = x\n");
    EXPECT_EQ(hidden.state, (Names{"x", "x'", "y"}));
}

TEST(Prolongation, OfPlugFlowKeepsThreeCoordinates) {
    const Named n(test::gallery_system("plug_flow"));
    EXPECT_TRUE(n.p.is_raised);
    EXPECT_EQ(n.p.offsets.c, (Numbers{0, 1, 1}));
    EXPECT_EQ(n.p.offsets.d, (Numbers{1, 1, 1}));
    EXPECT_EQ(n.state, (Names{"y1", "y2", "y3"}));
    EXPECT_EQ(n.constraint_orders, (Numbers{0, 0}));
}

// For every model: u and w are apart and complete, tops follow states, offsets satisfy their inequalities.
TEST(Prolongation, OffsetsAreRaisedOnceAlsoWhereSeveralAskForIt) {
    // each equation contains all of it: raised for z, the others have to follow, and ask for each other
    const Named n("unknown x, y, z\nx' + y' + z + z^3 = t\nx' - y' + z^3 = 1\nx' + 2*y' + 2*z + z^3 = 0\n");
    EXPECT_TRUE(n.p.is_raised);
    EXPECT_EQ(n.p.offsets.c, (Numbers{1, 1, 1}));
    EXPECT_EQ(n.p.offsets.d, (Numbers{2, 2, 1}));
}

TEST(Prolongation, OfTheGalleryIsWellFormed) {
    for (const std::string& name : test::gallery_names()) {
        SCOPED_TRACE(name);
        const System system = test::gallery_system(name);
        const Structure s = analyse(system);
        if (!s.is_regular) continue;
        const Prolongation p = prolong(system, s);
        for (std::int32_t i = 0; i < s.signature.n_equations; ++i)
            for (std::size_t k = 0; k < s.signature.row(i).size(); ++k)
                EXPECT_GE(p.offsets.d[static_cast<std::size_t>(s.signature.row(i).unknown[k])] -
                              p.offsets.c[static_cast<std::size_t>(i)],
                          s.signature.row(i).order[k]);
        EXPECT_EQ(phase_dimension(p.offsets), s.phase_dimension);
        EXPECT_EQ(p.n_state() - std::ssize(p.constraints.selected), s.phase_dimension);
        EXPECT_EQ(p.n_tops(), s.signature.n_unknowns);
        EXPECT_EQ(std::ssize(p.tops.selected), p.n_tops());
        Numbers both(p.state);
        both.insert(both.end(), p.top.begin(), p.top.end());
        std::ranges::sort(both);
        EXPECT_EQ(std::ranges::adjacent_find(both), both.end());
        for (std::size_t k = 0; k < p.next.size(); ++k) EXPECT_TRUE(std::ranges::binary_search(both, p.next[k]));
    }
}

// ---- families whose elements differ ----

// The first element of a chain is driven: x[1] is a top, or a coordinate, where the others have order 2.
const std::string chain_start = "for i = 2..n: start x[i] = 1/i, x[i]' = 0\nsolve t = 0 .. 2\n";

TEST(Prolongation, OfAChainWithADrivenElementHasElementsOfSeveralOrders) {
    const Named algebraic("parameter n = 4\nunknown x[n]\nx[1] = sin(t)\nfor i = 2..n: x[i]'' = x[i-1] - x[i]\n");
    EXPECT_EQ(algebraic.p.offsets.c, (Numbers{0, 0, 0, 0}));
    EXPECT_EQ(algebraic.p.offsets.d, (Numbers{0, 2, 2, 2}));
    EXPECT_EQ(algebraic.state, (Names{"x[2]", "x[3]", "x[4]", "x[2]'", "x[3]'", "x[4]'"}));
    EXPECT_EQ(algebraic.top, (Names{"x[1]", "x[2]''", "x[3]''", "x[4]''"}));
    EXPECT_FALSE(algebraic.p.is_contiguous);

    const Named damped("parameter n = 4\nunknown x[n]\nx[1] = sin(t)\nfor i = 2..n: x[i]'' = x[i-1]' - x[i]\n");
    EXPECT_EQ(damped.p.offsets.c, (Numbers{1, 0, 0, 0}));
    EXPECT_EQ(damped.p.offsets.d, (Numbers{1, 2, 2, 2}));
    EXPECT_EQ(damped.state, (Names{"x[1]", "x[2]", "x[3]", "x[4]", "x[2]'", "x[3]'", "x[4]'"}));
    EXPECT_EQ(damped.top, (Names{"x[1]'", "x[2]''", "x[3]''", "x[4]''"}));
    EXPECT_FALSE(damped.p.is_contiguous);

    // x[3] is given, and by derivatives the others
    const Named backwards("unknown x[3]\nfor i = 1..2: x[i+1]' = x[i]\nx[3] = sin(t)\n");
    EXPECT_EQ(backwards.p.offsets.c, (Numbers{0, 1, 2}));
    EXPECT_EQ(backwards.p.offsets.d, (Numbers{0, 1, 2}));
    EXPECT_EQ(backwards.state, (Names{"x[2]", "x[3]", "x[3]'"}));
    EXPECT_EQ(backwards.p.constraints.equation, (Numbers{1, 2, 2}));
    EXPECT_EQ(backwards.p.constraints.n_rows, 4); // of the first family one row of two is used
}

// Solutions at t = 2 in every way of solving; `full` and `reduced` name the same values.
void expect_same(const std::string& full, const std::string& reduced, const Names& names, const Names& reduced_names,
                 double tolerance = 1e-11) {
    const System a = read(full), b = read(reduced);
    SolveOptions o{.method = "dop853", .rtol = 1e-13, .atol = 1e-14, .at = {2}, .backend = "interpreter"};
    const Solution expected = solve_system(b, o);
    for (const std::string distribution : {"auto", "solve"})
        for (const std::string projection : {"simplified", "newton"})
            for (const std::string precision : {"double", "quad"}) {
                SCOPED_TRACE(distribution + " " + projection + " " + precision);
                SolveOptions with = o;
                with.distribution = distribution;
                with.projection = projection;
                with.precision = precision;
                const Solution found = solve_system(a, with);
                EXPECT_LT(found.constraint_residual_max, 1e-13);
                for (std::size_t k = 0; k < names.size(); ++k) {
                    const double wanted = expected.column(reduced_names[k]).back();
                    EXPECT_NEAR(found.column(names[k]).back(), wanted, tolerance * (1 + std::fabs(wanted))) << names[k];
                }
            }
}

TEST(Prolongation, AChainWithADrivenElementIsSolvedLikeTheReducedOne) {
    const Names full{"x[2]", "x[3]", "x[4]", "x[2]'", "x[4]'"}, reduced{"y[1]", "y[2]", "y[3]", "y[1]'", "y[3]'"};
    const std::string start = "for i = 1..3: start y[i] = 1/(i + 1), y[i]' = 0\nsolve t = 0 .. 2\n";
    expect_same("parameter n = 4\nunknown x[n]\nx[1] = sin(t)\nfor i = 2..n: x[i]'' = x[i-1] - x[i]^3\n" + chain_start,
                "unknown y[3]\ny[1]'' = sin(t) - y[1]^3\nfor i = 2..3: y[i]'' = y[i-1] - y[i]^3\n" + start, full,
                reduced);
    expect_same("parameter n = 4\nunknown x[n]\nx[1] = sin(t)\nfor i = 2..n: x[i]'' = x[i-1]' - x[i]^3\n" + chain_start,
                "unknown y[3]\ny[1]'' = cos(t) - y[1]^3\nfor i = 2..3: y[i]'' = y[i-1]' - y[i]^3\n" + start, full,
                reduced);
    expect_same(
        "parameter n = 4\nunknown x[n]\nx[1] = sin(t)\nfor i = 2..n: x[i]'' = x[i-1]'' - x[i]^3\n" + chain_start,
        "unknown y[3]\ny[1]'' = -sin(t) - y[1]^3\nfor i = 2..3: y[i]'' = y[i-1]'' - y[i]^3\n" + start, full, reduced);
}

TEST(Prolongation, AChainDrivenInItsMiddleOrAtItsEndIsSolvedLikeTheReducedOne) {
    expect_same("unknown x[5]\nx[3] = sin(t)\nfor i = 1..2: x[i]'' = x[i+1] - x[i]\n"
                "for i = 4..5: x[i]'' = x[i-1]' - x[i]\nstart x[1] = 1, x[5]' = 2\nsolve t = 0 .. 2\n",
                "unknown a, b, c, d\na'' = b - a\nb'' = sin(t) - b\nc'' = cos(t) - c\nd'' = c' - d\n"
                "start a = 1, d' = 2\nsolve t = 0 .. 2\n",
                {"x[1]", "x[2]", "x[4]", "x[5]", "x[1]'"}, {"a", "b", "c", "d", "a'"});
    // by differentiation alone: nothing is integrated
    expect_same("unknown x[3]\nfor i = 1..2: x[i+1]' = x[i]\nx[3] = sin(t)\nsolve t = 0 .. 2\n",
                "unknown s, c\ns' = c\nc' = -s\nstart s = 0, c = 1\nsolve t = 0 .. 2\n", {"x[3]", "x[2]"}, {"s", "c"});
}

TEST(Prolongation, ADrivenMechanicalChainIsSolvedLikeTheReducedOne) {
    expect_same("unknown x[4]\nlagrangian sum(i = 1..4, x[i]'^2/2) - sum(i = 1..3, (x[i+1] - x[i])^4/4)\n"
                "constraint x[1] = sin(t)\nfor i = 1..4: start x[i] = 0\nstart x[1]' = 1\nsolve t = 0 .. 2\n",
                "unknown y[3]\nlagrangian sum(i = 1..3, y[i]'^2/2) - sum(i = 1..2, (y[i+1] - y[i])^4/4)"
                " - (y[1] - sin(t))^4/4\nsolve t = 0 .. 2\n",
                {"x[2]", "x[3]", "x[4]", "x[4]'"}, {"y[1]", "y[2]", "y[3]", "y[3]'"});
}

TEST(Prolongation, RaisedOffsetsAreSolvedLikeReducedModels) {
    expect_same("unknown y, z\ny' = -z\nz^3 + z = y\nstart y = 2\nguess z = 1\nsolve t = 0 .. 2\n",
                "unknown z\nz' = -z/(3*z^2 + 1)\nstart z = 1\nsolve t = 0 .. 2\n", {"z"}, {"z"});
    // one element of the family is linear, the other is not
    expect_same("unknown y, z[2]\ny' = -z[1] - z[2]\nfor i = 1..2: z[i]^i = y\nstart y = 9\nguess z[2] = 3\n"
                "solve t = 0 .. 2\n",
                "unknown y\ny' = -y - sqrt(y)\nstart y = 9\nsolve t = 0 .. 2\n", {"y", "z[1]"}, {"y", "y"});
    expect_same("unknown x, y\nx'^3 + x' = y\ny' = -x\nstart x = 1, y = 2\nguess x' = 1\nsolve t = 0 .. 2\n",
                "unknown x, v\nx' = v\nv' = -x/(3*v^2 + 1)\nstart x = 1, v = 1\nsolve t = 0 .. 2\n", {"x", "x"},
                {"x", "x"});
}

} // namespace
} // namespace vessiot::prolongation_test
