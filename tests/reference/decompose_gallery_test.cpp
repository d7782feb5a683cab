// `vessiot decompose` with Singular: the components of problems whose components are known, and runs on them.
#include <gtest/gtest.h>

#include "decompose/decompose.hpp"
#include "decompose/process.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"

namespace vessiot::decompose {
namespace {

using Texts = std::vector<std::string>;

class Components : public testing::Test {
protected:
    void SetUp() override {
        // components are found by another program, which a user may not have
        if (find_program("Singular").empty()) GTEST_SKIP() << "Singular, which finds the components, is not installed";
    }
};

lang::Source gallery(const std::string& name) {
    return lang::Source::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves");
}

Decomposition decomposed(const std::string& text, const Options& options = {}) {
    return decompose(lang::Source("test.ves", text), {}, options);
}

// All generators, a line each, components separated by empty lines.
std::vector<Texts> generators(const Decomposition& d) {
    std::vector<Texts> result;
    for (std::size_t k = 0; k < d.answer.components.size(); ++k) result.push_back(d.generators(k));
    return result;
}

TEST_F(Components, OfTheLinkageThatFoldsFlatAreThoseOfTheCatalogue) {
    const Decomposition d = decompose(gallery("four_bar_singular"), {}, {});
    EXPECT_EQ(generators(d),
              (std::vector<Texts>{{"y3^2 + y4^2 - 4*y3 + 3", "y2 - y4", "y1 - y3 + 2"},
                                  {"y3^2 + y4^2 - 4*y3 + 3", "4*y2*y3 - 3*y2 + 3*y4", "4*y2*y4 + 3*y1 - 3*y3 + 6"}}));
    for (const Component& c : d.answer.components) {
        EXPECT_EQ(c.dimension, 1);
        EXPECT_TRUE(c.is_smooth());
        EXPECT_TRUE(c.is_minimal);
    }
    EXPECT_EQ(d.answer.is_radical, true);
    ASSERT_EQ(d.answer.meetings.size(), 1U);
    EXPECT_EQ(d.answer.meetings[0].places.size(), 2U); // (1, 0, 3, 0) and (-1, 0, 1, 0)
    EXPECT_EQ(d.chosen, 1U);
    EXPECT_TRUE(d.problem.empty());
}

TEST_F(Components, OfTheLinkagePassesItsFlatPositionsFourTimes) {
    const Decomposition d = decompose(gallery("four_bar_singular"), {}, {});
    ASSERT_TRUE(d.model);
    const System system = lang::read_model(lang::Source("component.ves", d.model->text + "event flat: y4 = 0\n"));
    EXPECT_TRUE(system.warnings.empty());
    SolveOptions options = model_options(system);
    options.rtol = 1e-11;
    options.atol = 1e-13;
    options.method = "dop853";
    const Solution solution = solve_system(system, options);
    EXPECT_EQ(solution.status, Status::success);
    ASSERT_EQ(solution.events.size(), 4U);
    // From a run of gallery/four_bar_crossed.ves in quadruple precision, rtol 1e-18, which has the reference values of
    // that file at t = 0.5, 1, 2, 5 to 16 digits. The catalogue of problems has 1.436, 1.618, 4.504, 4.686.
    const double computed[] = {1.4416581704131521, 1.6227265044320691, 4.506042845258373, 4.687111179277291};
    const double listed[] = {1.436, 1.618, 4.504, 4.686};
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(solution.events[k].t, computed[k], 1e-8); // what is left of rtol 1e-11 after 5 s
        EXPECT_NEAR(solution.events[k].t, listed[k], 0.01);
    }
    // the reference value of the gallery at t = 5
    EXPECT_NEAR(solution.column("y4").back(), -0.363120587496599, 1e-8);
    EXPECT_LT(solution.constraint_residual_max, 1e-12);
}

TEST_F(Components, OfAGeneralLinkageAreOne) {
    const Decomposition d = decompose(gallery("four_bar"), {}, {});
    EXPECT_EQ(d.answer.components.size(), 1U);
    EXPECT_TRUE(d.answer.components[0].is_smooth());
    EXPECT_FALSE(d.is_worth_writing());
}

TEST_F(Components, OfTheRingOfSixRodsAreTwoThatMeet) {
    const Decomposition d = decompose(gallery("six_piece_ring"), {}, {});
    ASSERT_EQ(d.answer.components.size(), 2U);
    for (const Component& c : d.answer.components) {
        EXPECT_EQ(c.dimension, 1);
        EXPECT_TRUE(c.is_smooth());
        EXPECT_EQ(c.generators.size(), 8U); // 9 coordinates - 1: independent everywhere
    }
    EXPECT_FALSE(d.answer.meetings.empty());
    EXPECT_EQ(d.start.on.size(), 1U);
}

// N windows in a row: N + 1 posts of length 1, N lintels between their ends. Each window is a parallelogram or crossed.
std::string windows(int n) {
    return "parameter n = " + std::to_string(n) +
           "\nunknown x[n+1], y[n+1]\nlagrangian sum(i = 1..n+1, x[i]'^2 + y[i]'^2)/2\n"
           "for i = 1..n+1: constraint (x[i] - i)^2 + y[i]^2 = 1\n"
           "for i = 1..n: constraint (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1\n"
           "for i = 1..n+1: start x[i] = i, y[i] = 1\nsolve t = 0 .. 1\n";
}

TEST_F(Components, OfWindowsGrowWithTheirNumber) {
    const std::size_t expected[] = {3, 6};
    for (int n = 1; n <= 2; ++n) {
        const Decomposition d = decomposed(windows(n));
        EXPECT_EQ(d.answer.components.size(), expected[n - 1]) << n;
        for (const Component& c : d.answer.components) EXPECT_EQ(c.dimension, 1);
        ASSERT_EQ(d.start.on.size(), 1U);
        EXPECT_TRUE(d.answer.components[d.start.on[0]].is_smooth()); // all posts upright: the parallelograms
    }
}

TEST_F(Components, OfAnglesAreInAnglesAgain) {
    const Decomposition d = decomposed(
        "unknown a, b\nlagrangian (a'^2 + b'^2)/2\nconstraint cos(2*a) = cos(b)\nstart a = 1, b = 2, a' = 1\n"
        "solve t = 0 .. 3\n");
    // b = -2 a and b = 2 a
    EXPECT_EQ(generators(d), (std::vector<Texts>{{"sin(2*a) + sin(b)", "cos(2*a) - cos(b)"},
                                                 {"sin(2*a) - sin(b)", "cos(2*a) - cos(b)"}}));
    EXPECT_EQ(d.start.on, std::vector<std::size_t>{1});
    const Decomposition two =
        decomposed("unknown a, b\nlagrangian (a'^2 + b'^2)/2\nconstraint sin(a - b)*sin(a + b) = 0\n"
                   "start a = 1, b = 1, a' = 1, b' = 1\nsolve t = 0 .. 3\n");
    EXPECT_EQ(two.answer.components.size(), 4U); // a = b, a = b + pi, a = -b, a = pi - b
    ASSERT_TRUE(two.model);
    const System system = lang::read_model(lang::Source("component.ves", two.model->text));
    const Solution solution = solve_system(system, model_options(system));
    EXPECT_EQ(solution.status, Status::success) << solution.message;
    EXPECT_NEAR(solution.column("b").back(), 4, 1e-6); // a = b all the way, through a = pi/2 and pi
}

TEST_F(Components, ThatNeedTooManyEquationsGetThoseThatAreIndependentAtTheStart) {
    // Two parallel vectors x, y: three minors x_i y_k - x_k y_i describe a set of codimension 2. Two of them, as the
    // model has it, contain the set x_1 = y_1 = 0 as well.
    const Decomposition d = decomposed("unknown x[3], y[3]\nlagrangian (dot(x', x') + dot(y', y'))/2 - x[3]\n"
                                       "constraint x[1]*y[2] = x[2]*y[1]\nconstraint x[1]*y[3] = x[3]*y[1]\n"
                                       "start x = [1, 2, 3], y = [2, 4, 6], x' = [-2, 1, 0], y' = [-4, 2, 0]\n"
                                       "solve t = 0 .. 2\n");
    EXPECT_EQ(generators(d),
              (std::vector<Texts>{{"y[1]", "x[1]"},
                                  {"x[3]*y[2] - x[2]*y[3]", "x[3]*y[1] - x[1]*y[3]", "x[2]*y[1] - x[1]*y[2]"}}));
    EXPECT_EQ(d.answer.components[1].singular_dimension, 0); // both vectors 0
    ASSERT_EQ(d.notes.size(), 1U);
    EXPECT_TRUE(d.notes[0].starts_with("component 2 needs 3 equations; the new model has 2")) << d.notes[0];
    ASSERT_TRUE(d.model);
    const System system = lang::read_model(lang::Source("component.ves", d.model->text));
    const Solution solution = solve_system(system, model_options(system));
    ASSERT_EQ(solution.status, Status::success) << solution.message;
    const auto last = [&](const char* name) { return solution.column(name).back(); };
    EXPECT_NEAR(last("x[1]") * last("y[2]"), last("x[2]") * last("y[1]"), 1e-10); // the minor that was left out
}

TEST_F(Components, OverRootsAreFound) {
    // x^2 - 2 is irreducible over the rational numbers, but here sqrt(2) is one of the numbers
    EXPECT_EQ(decomposed("unknown x, y\ny' = 1\nx^2 = 2\n").answer.components.size(), 1U);
    const Decomposition d = decomposed("unknown x, y\ny' = 1\n(x - sqrt(2))*(x + sqrt(2))*x*sqrt(2) = 0\n");
    EXPECT_EQ(generators(d), (std::vector<Texts>{{"x"}, {"x + sqrt(2)"}, {"x - sqrt(2)"}}));
}

TEST_F(Components, WhereSomethingIsDividedByZeroAreLeftOut) {
    const Decomposition d = decomposed("unknown x, y\ny' = 1\nx*y/(x - 1) = x/(x - 1)\nstart x = 2\n");
    EXPECT_EQ(d.answer.n_excluded, 0); // x (y - 1) = 0
    EXPECT_EQ(d.answer.components.size(), 2U);
    const Decomposition e = decomposed("unknown x, y\ny' = 1\n(x^2 - 1)/(x - 1) = 0\n");
    EXPECT_EQ(e.answer.n_excluded, 1);
    EXPECT_EQ(generators(e), std::vector<Texts>{{"x + 1"}});
    EXPECT_THROW(decomposed("unknown x, y\ny' = 1\n(x - 1)/(x - 1) = 2\n"), InvalidInput);
}

TEST_F(Components, SingularPointsAreNamed) {
    const Decomposition d =
        decomposed("unknown x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint x^3 = y^2\nstart x = 1, y = 1\n");
    ASSERT_EQ(d.answer.components.size(), 1U);
    EXPECT_EQ(d.answer.components[0].singular_dimension, 0);
    ASSERT_EQ(d.answer.components[0].singular_places.size(), 1U);
}

TEST_F(Components, DoNotDependOnTheOrderOfWriting) {
    const std::string head = "unknown y4, y2, y3, y1\nlagrangian (y1'^2 + y2'^2 + y3'^2 + y4'^2)/2\n";
    const Decomposition d =
        decomposed(head + "constraint (2 - y3)^2 + y4^2 = 1\nconstraint (y3 - y1)^2 + (y4 - y2)^2 = 4\n"
                          "constraint y1^2 + y2^2 = 1\nstart y1 = 1/2, y2 = sqrt(3)/2, y3 = 3/2, "
                          "y4 = -sqrt(3)/2\n");
    ASSERT_EQ(d.answer.components.size(), 2U);
    EXPECT_EQ(d.start.on, std::vector<std::size_t>{1});
    for (const Component& c : d.answer.components) EXPECT_EQ(c.generators.size(), 3U);
}

TEST_F(Components, TheTimeLimitHolds) {
    Options options;
    options.singular.time_limit_s = 0.2;
    EXPECT_THROW(decompose(gallery("andrews"), {}, options), SingularFailed);
    options.singular = {.time_limit_s = 60, .is_interrupted = [] { return true; }};
    EXPECT_THROW(decompose(gallery("andrews"), {}, options), Interrupted);
}

// ---- which component, and from one to another ----

constexpr const char* two_lines = "unknown x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint y*(y - x) = 0\n"
                                  "start x = -1, y = 0, x' = 1, y' = 0\nsolve t = 0 .. 3\n";

Options on(const std::string& component) {
    Options o;
    o.component = component;
    return o;
}

std::string refusal(const std::string& text, const std::string& component) {
    try {
        decomposed(text, on(component));
    } catch (const InvalidInput& e) {
        return e.what();
    }
    ADD_FAILURE() << "not refused: " << component;
    return "";
}

// On y = 0 to the origin, then on y = x: of the velocity (1, 0) the part along (1, 1) stays, which is (1/2, 1/2).
TEST_F(Components, ARunChangesFromOneToAnotherWhereTheyMeet) {
    for (const std::string word : {"other", "auto,other", "y = 0,x - y"}) {
        const Decomposition d = decomposed(two_lines, on(word));
        ASSERT_TRUE(d.chosen && d.then && d.model) << word;
        const System system = lang::read_model(lang::Source("changing.ves", d.model->text));
        const Solution s = solve_system(system, {.rtol = 1e-9, .atol = 1e-9, .at = {0.5, 3}});
        ASSERT_EQ(s.status, Status::success) << s.message << d.model->text;
        EXPECT_NEAR(s.column("x").front(), -0.5, 1e-9);
        EXPECT_NEAR(s.column("y").front(), 0, 1e-12);
        EXPECT_NEAR(s.column("x").back(), 1, 1e-8);
        EXPECT_NEAR(s.column("y").back(), 1, 1e-8);
        ASSERT_EQ(s.events.size(), 1U);
        EXPECT_NEAR(s.events[0].t, 1, 1e-9);
    }
}

TEST_F(Components, AreFoundByNumberAndByEquation) {
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(*decomposed(two_lines, on(std::to_string(k + 1))).chosen, k);
        const std::string equation = decomposed(two_lines).generators(k)[0];
        EXPECT_EQ(*decomposed(two_lines, on(equation + " = 0")).chosen, k);
    }
}

TEST_F(Components, ThatAreNotThereAreRefused) {
    EXPECT_NE(refusal(two_lines, "3").find("there are 2 components, but --component asks for number 3"),
              std::string::npos);
    EXPECT_NE(refusal(two_lines, "0").find("number 0"), std::string::npos);
    EXPECT_NE(refusal(two_lines, "left").find("found 'left'"), std::string::npos);
    EXPECT_NE(refusal(two_lines, "").find("found ''"), std::string::npos);
    EXPECT_NE(refusal(two_lines, "1,1").find("from component 1 to component 1"), std::string::npos);
    EXPECT_NE(refusal(two_lines, "1,2,1").find("found '2,1'"), std::string::npos);
    // parallel lines never meet; of one component there is no other; of three it is not clear which
    const std::string rest = " = 0\nstart x = -1, y = 0, x' = 1, y' = 0\nsolve t = 0 .. 3\n",
                      head = "unknown x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint ";
    EXPECT_NE(refusal(head + "y*(y - 1)" + rest, "other").find("no point in common"), std::string::npos);
    EXPECT_NE(refusal(head + "y" + rest, "other").find("1 component only"), std::string::npos);
    EXPECT_NE(refusal(head + "y*(y - x)*(y + x)" + rest, "other").find("which one is meant"), std::string::npos);
}

} // namespace
} // namespace vessiot::decompose
