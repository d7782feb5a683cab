// Tableaux that users bring: read, checked, their order found, and used like the methods of the program.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/temporary_folder.hpp"
#include "support/refusal.hpp"
#include "support/solved.hpp"
#include "support/user_tableaux.hpp"
#include "vessiot/methods.hpp"

namespace vessiot::tableau_test {
namespace {

using test::has;
using test::refusal;
using test::solved;
using namespace test::user_tableaux;

TEST(UserTableaux, HaveTheirOrderFound) {
    const MethodDescription heun = add_tableau(heun_euler());
    EXPECT_EQ(heun.order, 2);
    EXPECT_EQ(heun.embedded_order, 1);
    EXPECT_FALSE(heun.is_implicit);
    EXPECT_EQ(add_tableau(norsett()).order, 3);
    EXPECT_EQ(add_tableau(gauss()).order, 4);
    EXPECT_EQ(add_tableau(lobatto3b()).order, 4);
    const MethodDescription bdf = add_tableau(tr_bdf2());
    EXPECT_EQ(bdf.order, 2);
    EXPECT_EQ(bdf.embedded_order, 3);
    EXPECT_TRUE(bdf.is_implicit);
}

TEST(UserTableaux, OfRoundedDecimalsHaveTheOrderThatTheyStandFor) {
    ButcherTableau t = gauss();
    t.name = "user_rounded";
    t.a = {{0.25, -0.03867513459481288}, {0.5386751345948129, 0.25}};
    EXPECT_EQ(add_tableau(t).order, 4);
    t.a = {{0.25, -0.0386751}, {0.5386751, 0.25}}; // exact, as it stands
    EXPECT_EQ(add_tableau(t).order, 2);
}

TEST(UserTableaux, AreRefusedWhereTheirShapeIsWrong) {
    ButcherTableau t = heun_euler();
    t.a = {{0, 0}};
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "so there must be 2 stages, but a has 1 row"));
    t = heun_euler();
    t.a[1] = {1};
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "row 2 of a has 1 number"));
    t = heun_euler();
    t.b_hat = {1};
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "b_hat has 1 weight"));
    t = heun_euler();
    t.b = {};
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "b is empty"));
    t = heun_euler();
    t.b[0] = "one half";
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "b[1] is a number or a fraction"));
    t.b[0] = "1/0";
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "found '1/0'"));
}

TEST(UserTableaux, AreRefusedWhereTheyAreInconsistent) {
    ButcherTableau t = heun_euler();
    t.c = {0, "1/2"};
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "row 2 of a sums to 1, but c[2] = 0.5"));
    t = heun_euler();
    t.b = {"1/2", "1/3"};
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "the weights b sum to 0.833333333333333"));
    t = heun_euler();
    t.b_hat = t.b;
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "b_hat equals b"));
}

TEST(UserTableaux, AreRefusedWhereTheyClaimAnOrderThatTheyHaveNot) {
    ButcherTableau t = heun_euler();
    t.order = 3;
    const std::string text = refusal([&] { add_tableau(t); });
    EXPECT_TRUE(has(text, "the order is said to be 3, but it is 2"));
    EXPECT_TRUE(has(text, "[o o]"));
    t.order = 2;
    t.embedded_order = 2;
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "the embedded_order is said to be 2, but it is 1"));
    t.embedded_order = 1;
    EXPECT_EQ(add_tableau(t).order, 2);
}

TEST(UserTableaux, AreRefusedWithTheNameOfAnotherMethod) {
    ButcherTableau t = heun_euler();
    t.name = "rk4";
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "that of a method of the program"));
    t.name = "a b";
    EXPECT_TRUE(has(refusal([&] { add_tableau(t); }), "letters, digits"));
}

class TableauFile : public ::testing::Test {
protected:
    std::string file(const std::string& text, const std::string& name = "mine.json") {
        const std::string path = (std::filesystem::path(folder_.path()) / name).string();
        std::ofstream(path) << text;
        return path;
    }
    TemporaryFolder folder_;
};

TEST_F(TableauFile, IsReadWithFractionsDecimalsAndNumbers) {
    const MethodDescription m = load_tableau(file(
        R"({"a": [[0, 0, 0], ["1/2", 0, 0], [-1, 2.0, 0]], "b": ["1/6", "2/3", "1/6"], "c": [0, 0.5, 1], "order": 3})"));
    EXPECT_EQ(m.name, "mine");
    EXPECT_EQ(m.order, 3);
}

TEST_F(TableauFile, SaysWhatIsWrongWithIt) {
    EXPECT_TRUE(has(refusal([&] { load_tableau("/nowhere.json"); }), "cannot be read"));
    EXPECT_TRUE(has(refusal([&] { load_tableau(file("{")); }), "is no JSON"));
    EXPECT_TRUE(has(refusal([&] { load_tableau(file("[1]")); }), "a list as a whole"));
    EXPECT_TRUE(has(refusal([&] { load_tableau(file(R"({"a": [[0]]})")); }), "a tableau needs 'b'"));
    EXPECT_TRUE(has(refusal([&] { load_tableau(file(R"({"bhat": [0]})")); }), "did you mean 'b_hat'?"));
    EXPECT_TRUE(
        has(refusal([&] { load_tableau(file(R"({"a": [0], "b": [1]})")); }), "row 1 of a is a list of numbers"));
    EXPECT_TRUE(has(refusal([&] { load_tableau(file(R"({"a": [[true]], "b": [1]})")); }), "true or false"));
    EXPECT_TRUE(has(refusal([&] { load_tableau(file(R"({"a": [[0]], "b": [1], "order": 0})")); }),
                    "order is a whole number from 1 on"));
}

TEST_F(TableauFile, IsAMethodOfASolve) {
    const MethodDescription m =
        load_tableau(file(R"({"a": [[0, 0], [1, 0]], "b": ["1/2", "1/2"], "b_hat": [1, 0]})", "from_file.json"));
    const Solution s = solved(oscillator, {.method = m.name, .rtol = 1e-6});
    EXPECT_EQ(s.method.name, "from_file");
    EXPECT_EQ(s.method.order, 2);
    EXPECT_NEAR(test::last(s, "x"), std::cos(3.0), 1e-4); // about 100 tolerances of a step
}

// The same numbers give the same bits as the method that comes with the program.
TEST(UserTableaux, OfKnownMethodsGiveTheBitsOfThese) {
    ButcherTableau t{.name = "user_rk4",
                     .a = {{0, 0, 0, 0}, {"1/2", 0, 0, 0}, {0, "1/2", 0, 0}, {0, 0, 1, 0}},
                     .b = {"1/6", "1/3", "1/3", "1/6"}};
    EXPECT_EQ(add_tableau(t).order, 4);
    const Solution mine = solved(pendulum, {.method = "user_rk4", .step = 0.05});
    const Solution known = solved(pendulum, {.method = "rk4", .step = 0.05});
    EXPECT_EQ(mine.numbers, known.numbers);
}

// Implicit ones with errors of their own, adaptive and with constant steps, without and with constraints.
TEST(UserTableaux, AreAdaptiveWithAnEmbeddedMethod) {
    add_tableau(tr_bdf2());
    const std::string stiff = "unknown x\nx' = -1000*(x - cos(t))\nstart x = 0\nsolve t = 0 .. 1\n";
    const Solution s = solved(stiff, {.method = "user_tr_bdf2", .rtol = 1e-6});
    // x = (cos t + sin t / 1000) / (1 + 1e-6) after the transient
    EXPECT_NEAR(test::last(s, "x"), (std::cos(1.0) + std::sin(1.0) / 1000) / (1 + 1e-6), 1e-5);
    EXPECT_LT(s.stats.steps, 400); // an explicit method needs 500 at least
}

TEST(UserTableaux, CarryDerivativesOfTheSolution) {
    add_tableau(norsett());
    const std::string model = "parameter k = 2\nunknown x\nx' = -k*x\nstart x = 1\nsolve t = 0 .. 1\n";
    const Solution s = solved(model, {.method = "user_sdirk", .rtol = 1e-8, .atol = 1e-10, .sensitivity = {"k"}});
    EXPECT_NEAR(s.sensitivity("x", "k").back(), -std::exp(-2.0), 1e-6);
}

} // namespace
} // namespace vessiot::tableau_test
