// What follows when an event sets some values: impulses of constraints, and algebraic unknowns on their branch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vessiot/model.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::impacts_test {
namespace {

Solution solved(const std::string& text, const std::string& precision = "double") {
    SolveOptions o;
    o.method = "dop853";
    o.rtol = 1e-12;
    o.atol = 1e-13;
    o.precision = precision;
    o.throw_on_failure = false;
    return solve(Model::parse(text), o);
}

// A value of an event, before and after.
struct Change {
    double before, after;
};
Change change(const Solution& s, const std::string& name, std::size_t event = 0) {
    const auto k = static_cast<std::size_t>(std::ranges::find(s.names, name) - s.names.begin());
    return {s.events.at(event).values.at(k), s.events.at(event).values_after.at(k)};
}

bool has_note(const Solution& s, const std::string& part) {
    return std::ranges::any_of(s.notes, [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

// ---- impulses ----

constexpr const char* rod_constraint = "constraint (x1-x2)^2 + (y1-y2)^2 = 1\n";
constexpr const char* rod_solve = "solve t = 0 .. 0.6\n";

// The impulses J of the ground on the end 1 and of the rod, by hand: v1 += (J e_y + L n)/m1, v2 -= L n/m2.
void expect_impact(const Solution& s, const std::vector<std::string>& velocities, double m1, double m2, double bounce) {
    const Change x1 = change(s, "x1"), y1 = change(s, "y1"), x2 = change(s, "x2"), y2 = change(s, "y2");
    EXPECT_EQ(x1.before, x1.after);
    EXPECT_EQ(y2.before, y2.after);
    const double nx = x1.before - x2.before, ny = y1.before - y2.before;
    std::vector<Change> v;
    for (const std::string& name : velocities) v.push_back(change(s, name));
    const double along = (v[0].before - v[2].before) * nx + (v[1].before - v[3].before) * ny;
    // J + ny L = -(1 + bounce) m1 v1y,   ny J/m1 + (1/m1 + 1/m2) L = -along
    const double rhs = -(1 + bounce) * m1 * v[1].before;
    const double L = (-along - ny * rhs / m1) / (1 / m1 + 1 / m2 - ny * ny / m1), J = rhs - ny * L;
    EXPECT_NEAR(v[0].after, v[0].before + L * nx / m1, 1e-12);
    EXPECT_NEAR(v[1].after, v[1].before + (J + L * ny) / m1, 1e-12);
    EXPECT_NEAR(v[2].after, v[2].before - L * nx / m2, 1e-12);
    EXPECT_NEAR(v[3].after, v[3].before - L * ny / m2, 1e-12);
}

TEST(Impacts, ARodOnASmoothFloorKeepsItsHorizontalMomentum) {
    const std::string head = "parameter g = 9.81, m1 = 1, m2 = 10\nunknown x1, y1, x2, y2\n"
                             "lagrangian m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2 - g*(m1*y1 + m2*y2)\n";
    const std::string tail = "start x1 = 0, y1 = 1, x2 = 0.6, y2 = 1.8, x1' = 0, y1' = 0, x2' = 0, y2' = 0\n" +
                             std::string(rod_solve) +
                             "event ground: y1 = 0 falling then y1' = -0.5*y1'\n"
                             "output p = m1*x1' + m2*x2'\n";
    for (const std::string precision : {"double", "quad"}) {
        const Solution s = solved(head + rod_constraint + tail, precision);
        ASSERT_EQ(s.status, Status::success) << s.message;
        expect_impact(s, {"x1'", "y1'", "x2'", "y2'"}, 1, 10, 0.5);
        for (const double p : s.column("p")) EXPECT_NEAR(p, 0, 1e-11);
    }
    // a constraint that is written twice has impulses that are not unique, but the same velocities
    const Solution twice = solved(head + rod_constraint + "constraint 2*(x1-x2)^2 + 2*(y1-y2)^2 = 2\n" + tail);
    ASSERT_EQ(twice.status, Status::success) << twice.message;
    expect_impact(twice, {"x1'", "y1'", "x2'", "y2'"}, 1, 10, 0.5);
}

TEST(Impacts, MomentaOfAHamiltonian) {
    const Solution s = solved("parameter g = 9.81, m1 = 1, m2 = 10\nunknown x1, y1, x2, y2, a1, b1, a2, b2\n"
                              "hamiltonian (a1^2 + b1^2)/2/m1 + (a2^2 + b2^2)/2/m2 + g*(m1*y1 + m2*y2) with x1: a1, "
                              "y1: b1, x2: a2, y2: b2\n" +
                              std::string(rod_constraint) +
                              "start x1 = 0, y1 = 1, x2 = 0.6, y2 = 1.8, a1 = 0, b1 = 0, a2 = 0, b2 = 0\n" + rod_solve +
                              "event ground: y1 = 0 falling then b1 = -0.5*b1\n"
                              "output u1 = a1/m1\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const Change a1 = change(s, "a1"), a2 = change(s, "a2"), b1 = change(s, "b1"), b2 = change(s, "b2");
    const double nx = change(s, "x1").before - change(s, "x2").before;
    const double ny = change(s, "y1").before - change(s, "y2").before;
    EXPECT_NEAR(a1.after + a2.after, 0, 1e-11);
    EXPECT_NEAR(b1.after, -0.5 * b1.before, 1e-12);
    EXPECT_NEAR((a1.after - a2.after / 10) * nx + (b1.after - b2.after / 10) * ny, 0, 1e-11);
    EXPECT_NEAR((a2.after - a2.before) * ny, (b2.after - b2.before) * nx, 1e-11); // along the rod
}

// A cart with a pendulum against a wall: its momentum of the angle stays, m l cos(phi) x' + m l^2 phi'.
TEST(Impacts, MassesThatAreCoupled) {
    const Solution s = solved("parameter M = 2, m = 1, l = 0.7\nunknown x, phi\n"
                              "lagrangian (M+m)/2*x'^2 + m*l*x'*phi'*cos(phi) + m*l^2/2*phi'^2 + m*9.81*l*cos(phi)\n"
                              "start x = 0, phi = 1, x' = 1, phi' = 0\nsolve t = 0 .. 1\n"
                              "event wall: x = 0.3 rising then x' = -x'\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const Change v = change(s, "x'"), w = change(s, "phi'");
    EXPECT_NEAR(v.after, -v.before, 1e-13);
    EXPECT_NEAR(w.after - w.before, -std::cos(change(s, "phi").before) / 0.7 * (v.after - v.before), 1e-12);
}

// Fast particles, L = -sqrt(1 - v^2): momenta balance, not velocities.
TEST(Impacts, LagrangiansThatAreNotQuadratic) {
    const Solution s = solved("unknown x, y\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
                              "start x = 0, y = 0, x' = 0.6, y' = 0.5\nsolve t = 0 .. 1\n"
                              "event wall: x = 0.3 rising then x' = 0\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const double p = 0.5 / std::sqrt(1 - 0.36 - 0.25); // of y, kept
    EXPECT_NEAR(change(s, "y'").after, p / std::sqrt(1 + p * p), 1e-11);
}

TEST(Impacts, AChainHitsTheGroundAndLosesEnergy) {
    const Solution s =
        solved("parameter n = 40, l = 0.1\nunknown x[n], y[n]\n"
               "lagrangian sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2 - 9.81*y[i])\n"
               "for i = 1..n-1: constraint (x[i+1]-x[i])^2 + (y[i+1]-y[i])^2 = l^2\n"
               "for i = 1..n: start x[i] = i*l*0.6, y[i] = 0.5 + 0.8*l*i, x[i]' = 0, y[i]' = 0\n"
               "solve t = 0 .. 0.4\nevent ground: y[1] = 0 falling then y[1]' = 0\n"
               "output E = sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2 + 9.81*y[i])\noutput p = sum(i = 1..n, x[i]')\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    ASSERT_GE(s.events.size(), 1U);
    const std::vector<double> e = s.column("E");
    EXPECT_LT(e.back(), e.front() - 1e-3);
    for (const double p : s.column("p")) EXPECT_NEAR(p, 0, 1e-9);
}

TEST(Impacts, PositionsAreNotMovedForVelocities) {
    const Solution s = solved("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint x^2 + y^2 = 1\n"
                              "start x = 0.6, y = -0.8, x' = 0.4, y' = 0.3\nsolve t = 0 .. 5\n"
                              "event low: x = 0.3 then x' = 1, y' = 1\n");
    EXPECT_EQ(s.status, Status::failed);
    EXPECT_NE(s.message.find("contradicts the constraints"), std::string::npos) << s.message;
}

// ---- algebraic unknowns ----

// A load of constant power at the end of a line to a stiff net, and a fault beside it while s = 1.
TEST(Branches, TheVoltageComesBackWhenAFaultIsCleared) {
    for (const double B : {20.0, 60.0, 100.0}) {
        const Solution s = solved(fmt::format(
            "parameter E = 1, X = 0.1, P = 0.1, Q = 0.02, B = {}\nunknown c, s, V, th\nc' = 1\ns' = 0\n"
            "E*V/X*sin(th) = -P\n(E*V*cos(th) - V^2)/X - B*s*V^2 = Q\nstart c = 0, s = 0\nguess V = 1, th = 0\n"
            "solve t = 0 .. 3\nevent fault: c = 1 then s = 1\nevent clear: c = 1.2 then s = 0\n",
            B));
        ASSERT_EQ(s.status, Status::success) << s.message;
        EXPECT_FALSE(has_note(s, "no continuation"));
        // V^2/X is the larger root of q^2 + ... = 0: (V^2/X + Q)^2 + P^2 = (V/X)^2
        const auto voltage = [&](double shunt) {
            const double k = 10 + shunt, b = 2 * 0.02 * k - 100, c = 0.02 * 0.02 + 0.01;
            return std::sqrt((-b + std::sqrt(b * b - 4 * k * k * c)) / (2 * k * k));
        };
        EXPECT_NEAR(change(s, "V", 0).after, voltage(B), 1e-10) << B;
        EXPECT_NEAR(change(s, "V", 1).after, voltage(0), 1e-10) << B;
        EXPECT_NEAR(s.column("V").back(), voltage(0), 1e-10) << B;
    }
}

TEST(Branches, AnUnknownMayBecomeZero) {
    const Solution s = solved("unknown x, s, y\nx' = 1\ns' = 0\ny^3 + y = x + s^2\nstart x = -1, s = 1\nguess y = 0\n"
                              "solve t = 0 .. 2\nevent e: x = 0 then s = 0\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(change(s, "y").after, 0, 1e-12);
    EXPECT_NEAR(s.column("y").back(), 0.6823278038280193, 1e-8);
}

// Conditions make the equations jump on the way: that is no end of a branch.
TEST(Branches, EquationsMayJump) {
    const std::string head = "unknown x, y\ndiscrete s = 0\nx' = 1\n";
    const std::string tail = "start x = 0\nguess y = 1\nsolve t = 0 .. 3\nevent e: x = 1 then s = 1\n";
    for (const std::string row :
         {"y^3 + y = if(s > 0.5, 10, 2) + x\n", "if(s == 1, y^3 + y - 11, y^3 - x - 1) = 0\n"}) {
        const Solution s = solved(head + row + tail);
        ASSERT_EQ(s.status, Status::success) << s.message;
        EXPECT_FALSE(has_note(s, "no continuation")) << row;
        const double y = change(s, "y").after;
        EXPECT_NEAR(y * y * y + y, 11, 1e-11) << row;
    }
}

// Fault and clearance as a discrete quantity.
TEST(Branches, DiscreteQuantitiesAreFollowedToo) {
    const Solution s = solved("parameter E = 1, X = 0.1, P = 0.1, Q = 0.02, B = 60\nunknown c, V, th\ndiscrete s = 0\n"
                              "c' = 1\nE*V/X*sin(th) = -P\n(E*V*cos(th) - V^2)/X - B*s*V^2 = Q\nstart c = 0\n"
                              "guess V = 1, th = 0\nsolve t = 0 .. 3\nevent fault: c = 1 then s = 1\n"
                              "event clear: c = 1.2 then s = 0\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_LT(change(s, "V", 0).after, 0.2);
    EXPECT_NEAR(change(s, "V", 1).after, 0.99794, 1e-4);
    EXPECT_FALSE(has_note(s, "no continuation"));
}

// y^3 - 3 y = s has three solutions for s = 0.5; the continued one is the largest.
TEST(Branches, AGuessChooses) {
    const std::string head = "unknown x, s, y\nx' = 1\ns' = 0\ny^3 - 3*y = s\nstart x = 0, s = 0\nguess y = 1.7\n"
                             "solve t = 0 .. 3\nevent e: x = 1 then s = 0.5";
    EXPECT_NEAR(change(solved(head + "\n"), "y").after, 1.8100, 1e-3);
    EXPECT_NEAR(change(solved(head + ", guess y = -s - 0.1\n"), "y").after, -0.1682, 1e-3);
    const Solution low = solved(head + ", guess y = -2\n");
    EXPECT_NEAR(change(low, "y").after, -1.6418, 1e-3);
    EXPECT_FALSE(has_note(low, "no continuation"));

    Model m("cubic");
    const Expr x = m.unknown("x"), s = m.unknown("s"), y = m.unknown("y");
    m.equation(der(x) == 1);
    m.equation(der(s) == 0);
    m.equation(pow(y, 3) - 3 * y == s);
    m.start(x == 0);
    m.start(s == 0);
    m.guess(y == 1.7);
    m.interval(0, 3);
    m.event("e", x == 1, {.then = {s == 0.5}, .guess = {y == -2}});
    EXPECT_NEAR(change(solve(m), "y").after, -1.6418, 1e-3);
}

TEST(Branches, AGuessIsForWhatIsAlgebraic) {
    const auto refusal = [](const std::string& then) -> std::string {
        try {
            Model::parse("unknown x, y\nx' = 1\ny^2 = x\nstart x = 1\nsolve t = 0 .. 1\nevent e: x = 2 then " + then);
        } catch (const InvalidInput& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(refusal("x = 1, guess y = 1\n"), "");
    EXPECT_NE(refusal("x = 1, guess x = 1\n").find("a guess is for algebraic unknowns"), std::string::npos);
    EXPECT_NE(refusal("guess y = 1\n").find("nothing is set here"), std::string::npos);
}

// y^3 - 3 y = s: the upper branch ends at s = -2; beside it, for ever, y = 3.
TEST(Branches, ALostBranchIsSaidAndTheOthersNamed) {
    const std::string tail = "start x = 0, s = 0\nguess y = 1.7\nsolve t = 0 .. 3\nevent e: x = 1 then s = -2.5\n";
    const Solution one = solved("unknown x, s, y\nx' = 1\ns' = 0\ny^3 - 3*y = s\n" + tail);
    ASSERT_EQ(one.status, Status::success) << one.message;
    EXPECT_TRUE(has_note(one, "no continuation"));
    EXPECT_NEAR(change(one, "y").after, -2.0536, 1e-3);
    const Solution two = solved("unknown x, s, y\nx' = 1\ns' = 0\n(y - 3)*(y^3 - 3*y - s) = 0\n" + tail);
    ASSERT_EQ(two.status, Status::success) << two.message;
    EXPECT_TRUE(has_note(two, "y = -2.0536"));
    EXPECT_TRUE(has_note(two, "y = 3"));
    EXPECT_TRUE(has_note(two, "guess"));
}

} // namespace
} // namespace vessiot::impacts_test
