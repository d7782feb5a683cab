// The components of library/ against models that are written out by hand.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::library_test {
namespace {

Solution run(const std::string& text) {
    const System system = lang::read_model(lang::Source("m.ves", text));
    SolveOptions o = model_options(system);
    o.method = "dop853";
    o.rtol = 1e-11;
    o.atol = 1e-12;
    o.throw_on_failure = false;
    return solve_system(system, o);
}

// Both end at the same values.
void expect_same(const std::string& parts, const std::string& by_hand,
                 const std::map<std::string, std::string>& names) {
    const Solution a = run("include \"mechanics\"\n" + parts), b = run(by_hand);
    ASSERT_EQ(a.status, Status::success) << a.message;
    ASSERT_EQ(b.status, Status::success) << b.message;
    for (const auto& [part, own] : names) EXPECT_NEAR(a.column(part).back(), b.column(own).back(), 1e-8) << part;
}

const std::string until = "solve t = 0 .. 1\n";

TEST(Mechanics, PivotedBody) {
    expect_same("part a = Body2(m = 2, J = 0.5)\npart p = Pivot2(a, [-1, 0])\nstart a.r = [1, 0], a.r' = 0\n" + until,
                "unknown phi\n(0.5 + 2)*phi'' = -2*9.81*cos(phi)\nstart phi = 0, phi' = 0\n" + until,
                {{"a.phi", "phi"}});
}

TEST(Mechanics, PointsOnARod) {
    expect_same(
        "part a = Point2(m = 2)\npart b = Point2(gravity = [0, -1])\nconstraint dot(a.r - b.r, a.r - b.r) = 1\n"
        "start a.r = [1, 0], b.r = [0, 0], a.r' = [0, 1], b.r' = [0, 0]\n" +
            until,
        "unknown x, y, u, v\nlagrangian x'^2 + y'^2 + (u'^2 + v'^2)/2 - 2*9.81*y - v\n"
        "constraint (x - u)^2 + (y - v)^2 = 1\nstart x = 1, y = 0, u = 0, v = 0, x' = 0, y' = 1, u' = 0, v' = 0\n" +
            until,
        {{"a.r[1]", "x"}, {"a.r[2]'", "y'"}, {"b.r[1]", "u"}, {"b.r[2]", "v"}});
}

TEST(Mechanics, DoublePendulumOfBodies) {
    expect_same("part a = Body2(m = 1, J = 1/12)\npart b = Body2(m = 2, J = 1/6)\npart p = Pivot2(a, [-0.5, 0])\n"
                "part j = Revolute2(a, [0.5, 0], b, [-0.5, 0])\npart m = Motor2(b, moment = 0.3)\n"
                "start a.r = [0.5, 0], b.r = [1.5, 0], a.r' = 0, b.r' = 0\n" +
                    until,
                "unknown p, q\nlet x = cos(p)/2, y = sin(p)/2, u = cos(p) + cos(q)/2, v = sin(p) + sin(q)/2\n"
                "lagrangian (x'^2 + y'^2)/2 + p'^2/24 + u'^2 + v'^2 + q'^2/12 - 9.81*(y + 2*v)\nforce q = 0.3\n"
                "start p = 0, q = 0, p' = 0, q' = 0\n" +
                    until,
                {{"a.phi", "p"}, {"b.phi", "q"}, {"b.phi'", "q'"}});
}

TEST(Mechanics, SliderAndAnchor) {
    expect_same("part a = Body2(m = 2, gravity = [0, 0])\npart s = Slider2(a, [0, 1])\npart k = Anchor2(a, [0, 0], [0, "
                "0], 5, 1, 0.4)\n"
                "start a.r = [2, 1], a.r' = [0, 0]\n" +
                    until,
                "unknown x\nlet s = sqrt(x^2 + 1)\n2*x'' = -(5*(s - 1) + 0.4*s')*x/s\nstart x = 2, x' = 0\n" + until,
                {{"a.r[1]", "x"}, {"a.r[1]'", "x'"}});
}

TEST(Mechanics, SpringDistanceAndLoad) {
    expect_same(
        "part a = Body2(gravity = [0, 0])\npart b = Body2(J = 2, gravity = [0, 0])\n"
        "part s = Spring2(a, [0.5, 0], b, [0, 0.5], k = 7, l = 0.5)\npart f = Load2(a, [0, t], [0, 0.2])\n"
        "start a.r = [0, 0], b.r = [2, 0], a.phi = 0, b.phi = 0, a.r' = 0, b.r' = 0, a.phi' = 0, b.phi' = 0\n" +
            until,
        "unknown x, y, p, u, v, q\nlet d1 = x + 0.5*cos(p) - u + 0.5*sin(q), d2 = y + 0.5*sin(p) - v - 0.5*cos(q)\n"
        "lagrangian (x'^2 + y'^2 + p'^2 + u'^2 + v'^2)/2 + q'^2 - 7/2*(sqrt(d1^2 + d2^2) - 0.5)^2\n"
        "force y = t\nforce p = -0.2*sin(p)*t\n"
        "start x = 0, y = 0, p = 0, u = 2, v = 0, q = 0, x' = 0, y' = 0, p' = 0, u' = 0, v' = 0, q' = 0\n" +
            until,
        {{"a.r[1]", "x"}, {"a.r[2]", "y"}, {"a.phi", "p"}, {"b.r[1]", "u"}, {"b.r[2]", "v"}, {"b.phi", "q"}});
    expect_same("part a = Body2(gravity = [0, 0])\npart b = Body2(gravity = [0, 0])\npart d = Distance2(a, [0, 0], b, "
                "[0, 0], 2)\n"
                "start a.r = [0, 0], b.r = [2, 0], a.r' = [0, 0], b.r' = [0, 1]\n" +
                    until,
                "unknown x, y, u, v\nlagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2\nconstraint (x - u)^2 + (y - v)^2 = 4\n"
                "start x = 0, y = 0, u = 2, v = 0, x' = 0, y' = 0, u' = 0, v' = 1\n" +
                    until,
                {{"a.r[1]", "x"}, {"b.r[2]", "v"}});
}

// A free body: Euler's equations for its angular velocity.
TEST(Mechanics, BodyInSpace) {
    expect_same("part a = Body3(J = [1, 2, 3], gravity = [0, 0, -1])\n"
                "start a.r = [0, 0, 0], a.r' = [1, 0, 0], a.q' = [0, 0.5, 0.05, 0.25]\noutput w1 = a.w[1]\noutput w2 = "
                "a.w[2]\noutput w3 = a.w[3]\n" +
                    until,
                "unknown x, z, w1, w2, w3\nx'' = 0\nz'' = -1\nw1' = (2 - 3)*w2*w3\n2*w2' = (3 - 1)*w3*w1\n3*w3' = (1 - "
                "2)*w1*w2\n"
                "start x = 0, z = 0, x' = 1, z' = 0, w1 = 1, w2 = 0.1, w3 = 0.5\n" +
                    until,
                {{"a.r[1]", "x"}, {"a.r[3]", "z"}});
    const Solution a =
        run("include \"mechanics\"\npart a = Body3(J = [1, 2, 3])\n"
            "start a.r = 0, a.r' = 0, a.q' = [0, 0.5, 0.05, 0.25]\noutput w1 = a.w[1]\noutput w3 = a.w[3]\n" +
            until);
    const Solution b = run("unknown w1, w2, w3\nw1' = (2 - 3)*w2*w3\n2*w2' = (3 - 1)*w3*w1\n3*w3' = (1 - 2)*w1*w2\n"
                           "start w1 = 1, w2 = 0.1, w3 = 0.5\n" +
                           until);
    EXPECT_NEAR(a.column("w1").back(), b.column("w1").back(), 1e-8);
    EXPECT_NEAR(a.column("w3").back(), b.column("w3").back(), 1e-8);
}

// A physical pendulum in space that swings in a plane; two of them on a ball joint, revolute joint, universal joint.
TEST(Mechanics, JointsInSpace) {
    const std::string bodies =
        "part a = Body3(m = 2, J = [0.1, 0.5, 0.5])\npart b = Body3(m = 1, J = [0.1, 0.2, 0.2])\n"
        "part p = Pivot3(a, [-1, 0, 0])\n";
    const std::string start =
        "start a.r = [1, 0, 0], a.r' = 0, a.q' = 0, b.r = [3, 0, 0], b.r' = 0, b.q' = 0\n" + until;
    const std::string by_hand =
        "unknown p, q\nlet x = cos(p), z = sin(p), u = 2*cos(p) + cos(q), v = 2*sin(p) + sin(q)\n"
        "lagrangian x'^2 + z'^2 + p'^2/4 + (u'^2 + v'^2)/2 + q'^2/10 - 9.81*(2*z + v)\n"
        "start p = 0, q = 0, p' = 0, q' = 0\noutput x = x\noutput v = v\n" +
        until;
    for (const char* joint : {"Ball3(a, [1, 0, 0], b, [-1, 0, 0])",
                              "Revolute3(a, [1, 0, 0], [0, 1, 0], b, [-1, 0, 0], [1, 0, 0], [0, 0, 1])",
                              "Universal3(a, [1, 0, 0], [0, 1, 0], b, [-1, 0, 0], [1, 0, 0])"})
        expect_same(bodies + "part j = " + joint + "\n" + start, by_hand, {{"a.r[1]", "x"}, {"b.r[3]", "v"}});
}

TEST(Mechanics, SpringsInSpace) {
    expect_same(
        "part a = Body3(gravity = [0, 0, 0])\npart b = Body3(m = 2, gravity = [0, 0, 0])\n"
        "part s = Spring3(a, [0, 0, 0], b, [0, 0, 0], k = 3, l = 1)\npart k = Anchor3(a, k = 2)\npart f = Load3(b, [0, "
        "0, sin(t)])\n"
        "start a.r = [1, 0, 0], a.r' = 0, b.r = [1, 2, 0], b.r' = 0, a.q' = 0, b.q' = 0\n" +
            until,
        "unknown r[3], s[3]\nlet d = r - s\nlagrangian dot(r', r')/2 + dot(s', s') - 3/2*(norm(d) - 1)^2 - norm(r)^2\n"
        "force s[3] = sin(t)\nstart r = [1, 0, 0], s = [1, 2, 0], r' = 0, s' = 0\n" +
            until,
        {{"a.r[1]", "r[1]"}, {"a.r[2]", "r[2]"}, {"b.r[3]", "s[3]"}});
    expect_same("part a = Body3(gravity = [0, 0, 0])\npart b = Body3(gravity = [0, 0, 0])\npart d = Distance3(a, [0, "
                "0, 0], b, [0, 0, 0], 2)\n"
                "start a.r = [0, 0, 0], b.r = [2, 0, 0], a.r' = 0, b.r' = [0, 1, 0], a.q' = 0, b.q' = 0\n" +
                    until,
                "unknown x, y, u, v\nlagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2\nconstraint (x - u)^2 + (y - v)^2 = 4\n"
                "start x = 0, y = 0, u = 2, v = 0, x' = 0, y' = 0, u' = 0, v' = 1\n" +
                    until,
                {{"a.r[1]", "x"}, {"b.r[2]", "v"}});
}

// Families of bodies and joints: a chain of n links, whatever n is.
TEST(Mechanics, AChainOfLinks) {
    const std::string parts = "parameter n = 3\npart b[i = 1..n] = Body2(J = 1/12)\npart p = Pivot2(b[1], [-0.5, 0])\n"
                              "part j[i = 1..n-1] = Revolute2(b[i], [0.5, 0], b[i+1], [-0.5, 0])\n"
                              "for i = 1..n: start b[i].r = [i - 0.5, 0], b[i].r' = 0\n" +
                              until;
    expect_same(parts,
                "parameter n = 3\nunknown phi[n]\nlet x[i = 1..n] = sum(j = 1..i-1, cos(phi[j])) + cos(phi[i])/2\n"
                "let y[i = 1..n] = sum(j = 1..i-1, sin(phi[j])) + sin(phi[i])/2\n"
                "lagrangian sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2 + phi[i]'^2/24 - 9.81*y[i])\n"
                "for i = 1..n: start phi[i] = 0, phi[i]' = 0\n" +
                    until,
                {{"b[1].phi", "phi[1]"}, {"b[3].phi", "phi[3]"}, {"b[3].phi'", "phi[3]'"}});
}

} // namespace
} // namespace vessiot::library_test
