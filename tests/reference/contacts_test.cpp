// Contacts: impacts, rest, release, stick and slip, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vessiot/ensemble.hpp"
#include "vessiot/error.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::contacts_test {
namespace {

Solution solved(const std::string& text, SolveOptions o = {}) {
    if (!o.method) o.method = "dop853";
    if (!o.rtol) o.rtol = 1e-12;
    if (!o.atol) o.atol = 1e-13;
    o.throw_on_failure = false;
    return solve(Model::parse(text), o);
}

double last(const Solution& s, const std::string& name) {
    const auto find = [&](const std::vector<std::string>& names, const std::vector<double>& values) {
        const auto k = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
        return k < names.size() ? values.at((s.t.size() - 1) * names.size() + k) : std::nan("");
    };
    const double value = find(s.names, s.numbers);
    return std::isnan(value) ? find(s.output_names, s.output_numbers) : value;
}

std::vector<double> times(const Solution& s, const std::string& event) {
    std::vector<double> found;
    for (const EventPoint& e : s.events)
        if (e.name == event) found.push_back(e.t);
    return found;
}

std::string refused(const std::string& text, const SolveOptions& o = {}) {
    try {
        const Solution s = solve(Model::parse(text), o);
        return "solved: " + s.message;
    } catch (const std::exception& e) {
        return e.what();
    }
}

void expect_same(const Solution& a, const Solution& b) {
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.numbers, b.numbers);
    ASSERT_EQ(a.events.size(), b.events.size());
    for (std::size_t k = 0; k < a.events.size(); ++k) {
        EXPECT_EQ(a.events[k].t, b.events[k].t);
        EXPECT_EQ(a.events[k].values_after, b.events[k].values_after);
    }
}

constexpr const char* ball = "parameter g = 9.81, c = 0.8, m = 2\nunknown y\nlagrangian m/2*y'^2 - m*g*y\n"
                             "contact floor: y >= 0, restitution c\nstart y = 1, y' = 0\n";

constexpr const char* stack = "parameter n = 3\nunknown y[n]\nlagrangian sum(i = 1..n, y[i]'^2/2 - 9.81*y[i])\n"
                              "contact floor: y[1] >= 0.5, restitution 0.5\n"
                              "for i = 1..n-1: contact touch: y[i+1] - y[i] >= 1, restitution 0.5\n"
                              "for i = 1..n: start y[i] = i + 0.1*i^2\nsolve t = 0 .. 6\n";

constexpr const char* belt = "parameter k = 20, mu = 0.4, v = 0.5, g = 9.81\nunknown x, y\n"
                             "lagrangian (x'^2 + y'^2)/2 - k/2*x^2 - g*y\n"
                             "contact belt: y >= 0, friction mu along x' - v\n"
                             "start x = -0.3, x' = 0.5, y = 0, y' = 0\nsolve t = 0 .. 2\n";

TEST(Contacts, ABallRestsFromItsZenoTimeOn) {
    const Solution s = solved(std::string(ball) + "solve t = 0 .. 6\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const double zeno = std::sqrt(2 / 9.81) * 1.8 / 0.2;
    EXPECT_NEAR(times(s, "floor").back(), zeno, 1e-12);
    EXPECT_NEAR(last(s, "y"), 0, 1e-15);
    EXPECT_NEAR(last(s, "y'"), 0, 1e-15);
    EXPECT_NEAR(last(s, "floor.force"), 2 * 9.81, 1e-12);
    const std::vector<double> at = times(s, "floor");
    for (std::size_t k = 0; k < 10; ++k)
        EXPECT_NEAR(at.at(k), std::sqrt(2 / 9.81) * (1 + 2 * (1 - std::pow(0.8, double(k))) / 0.2 * 0.8), 1e-12);
}

TEST(Contacts, WithoutRestitutionItStaysAtOnce) {
    const Solution s = solved("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ncontact floor: y >= 0\n"
                              "start x = 0, y = 1, x' = 3, y' = 0\nsolve t = 0 .. 2\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_EQ(times(s, "floor").size(), 1U);
    EXPECT_NEAR(last(s, "x"), 6, 1e-12);
    EXPECT_NEAR(last(s, "y"), 0, 1e-15);
}

TEST(Contacts, EnergyIsKeptOverAThousandImpacts) {
    const Solution s = solved("unknown y\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= 0, restitution 1\n"
                              "output E = y'^2/2 + 9.81*y\nstart y = 1, y' = 0\nsolve t = 0 .. 905\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_GE(times(s, "floor").size(), 1000U);
    EXPECT_NEAR(last(s, "E"), 9.81, 1e-9 * 9.81);
}

TEST(Contacts, ARodKeepsEnergyAndItsMomentumAlongTheFloor) {
    const Solution s = solved(
        "parameter l = 1, J = 1/12\nunknown x, y, phi\nlagrangian (x'^2 + y'^2)/2 + J/2*phi'^2 - 9.81*y\n"
        "contact left: y - l/2*sin(phi) >= 0, restitution 1\ncontact right: y + l/2*sin(phi) >= 0, restitution 1\n"
        "output E = (x'^2 + y'^2)/2 + J/2*phi'^2 + 9.81*y\n"
        "start x = 0, y = 2, phi = 0.5, x' = 0.3, y' = 0, phi' = 1\nsolve t = 0 .. 20\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "x'"), 0.3, 1e-15);
    EXPECT_NEAR(last(s, "E"), 0.045 + 1.0 / 24 + 19.62, 1e-8);
}

TEST(Contacts, AStackOfThreeBlocksComesToRest) {
    const Solution s = solved(stack);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "y[1]"), 0.5, 1e-10);
    EXPECT_NEAR(last(s, "y[3]"), 2.5, 1e-10);
    EXPECT_NEAR(last(s, "floor.force"), 3 * 9.81, 1e-9);
    EXPECT_NEAR(last(s, "touch[1].force"), 2 * 9.81, 1e-9);
    EXPECT_NEAR(last(s, "touch[2].force"), 9.81, 1e-9);
}

// Moreau's law: n + 1 equal masses in a row that touch.
TEST(Contacts, ACradleThatTouchesFollowsMoreau) {
    const Solution s = solved("parameter n = 4\nunknown x, y[n]\nlagrangian x'^2/2 + sum(i = 1..n, y[i]'^2/2)\n"
                              "contact first: y[1] - x >= 0, restitution 1\n"
                              "for i = 1..n-1: contact touch: y[i+1] - y[i] >= 0, restitution 1\n"
                              "start x = -1, x' = 2\nfor i = 1..n: start y[i] = 0\nsolve t = 0 .. 1\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "x'"), 2 * -3.0 / 5, 1e-13);
    EXPECT_NEAR(last(s, "y[4]'"), 2 * 2.0 / 5, 1e-13);
}

TEST(Contacts, ItIsLeftWhereItWouldPull) {
    // a mass on a table that goes up and down: it leaves where -a w^2 sin(w t) = -g
    const Solution s = solved("parameter w = 10, a = 0.2\nunknown y\nlagrangian y'^2/2 - 9.81*y\n"
                              "contact table: y >= a*sin(w*t)\nstart y = 0, y' = 2\nsolve t = 0 .. 0.1\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const std::vector<double> left = times(s, "table.release");
    ASSERT_EQ(left.size(), 1U);
    EXPECT_NEAR(left[0], std::asin(9.81 / 20) / 10, 1e-12);
}

TEST(Contacts, ABlockSticksSlipsAndSticks) {
    const Solution s = solved(belt);
    ASSERT_EQ(s.status, Status::success) << s.message;
    // the spring pulls it forward at once: x = -r + A cos(w t) + v/w sin(w t), r = mu g/k, until it is as fast as the
    // belt again, where x = -r - A; there it sticks, up to x = r
    const double w = std::sqrt(20.0), r = 0.4 * 9.81 / 20, A = -0.3 + r;
    const double sticks = 2 * std::atan(-A * w / 0.5) / w, slips = sticks + (2 * r + A) / 0.5;
    ASSERT_EQ(times(s, "belt.stick").size(), 1U);
    EXPECT_NEAR(times(s, "belt.stick")[0], sticks, 1e-10);
    ASSERT_EQ(times(s, "belt.slip").size(), 1U);
    EXPECT_NEAR(times(s, "belt.slip")[0], slips, 1e-10);
    EXPECT_NEAR(last(s, "x"), r + 0.5 / w * std::sin(w * (2 - slips)), 1e-9);
}

TEST(Contacts, SlidingEndsWhereFrictionHasStoppedIt) {
    const Solution s =
        solved("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ncontact floor: y >= 0, friction 0.3 along x'\n"
               "start x = 0, x' = 2, y = 0, y' = 0\nsolve t = 0 .. 3\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "x"), 4 / (2 * 0.3 * 9.81), 1e-12);
    EXPECT_NEAR(last(s, "floor.friction"), 0, 1e-12);
    ASSERT_EQ(times(s, "floor.stick").size(), 1U);
    EXPECT_NEAR(times(s, "floor.stick")[0], 2 / (0.3 * 9.81), 1e-12);
}

TEST(Contacts, AlongTwoVelocitiesFrictionActsAgainstTheMotion) {
    const Solution s = solved("unknown x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - 9.81*z\n"
                              "contact floor: z >= 0, friction 0.3 along x', y'\n"
                              "start x = 0, y = 0, z = 0, x' = 3, y' = 4, z' = 0\nsolve t = 0 .. 3\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const double way = 25 / (2 * 0.3 * 9.81);
    EXPECT_NEAR(last(s, "x"), way * 0.6, 1e-8);
    EXPECT_NEAR(last(s, "y"), way * 0.8, 1e-8);
}

TEST(Contacts, AHamiltonianBouncesLikeItsLagrangian) {
    const Solution s =
        solved("unknown y, p\nhamiltonian p^2/4 + 2*9.81*y with y: p\ncontact floor: y >= 0, restitution 0.8\n"
               "start y = 1, p = 0\nsolve t = 0 .. 2\n");
    const Solution t = solved(std::string(ball) + "solve t = 0 .. 2\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "y"), last(t, "y"), 1e-10);
    EXPECT_NEAR(last(s, "p"), 2 * last(t, "y'"), 1e-10);
}

TEST(Contacts, BesideOtherConstraints) {
    // a pendulum in Cartesian coordinates that swings against a wall, without losses: half of the swing, mirrored
    const Solution s = solved("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint x^2 + y^2 = 1\n"
                              "contact wall: x >= 0, restitution 1\noutput E = (x'^2 + y'^2)/2 + 9.81*y\n"
                              "start x = sin(1), y = -cos(1), x' = 0, y' = 0\nsolve t = 0 .. 10\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "E"), -9.81 * std::cos(1), 1e-9);
    EXPECT_GT(times(s, "wall").size(), 5U);
}

TEST(Contacts, EnergyNeverGrows) {
    // different coefficients at contacts that are met at once: Newton's law would make energy
    const Solution s =
        solved("unknown x, y, phi\nlagrangian (x'^2 + y'^2)/2 + phi'^2/60 - 9.81*y\n"
               "contact a: y - 0.5*sin(phi) >= 0, restitution 0.9, friction 0.8 along x' + 0.5*sin(phi)*phi'\n"
               "contact b: y + 0.5*sin(phi) >= 0, restitution 0.2, friction 0.8 along x' - 0.5*sin(phi)*phi'\n"
               "output E = (x'^2 + y'^2)/2 + phi'^2/60 + 9.81*y\n"
               "start x = 0, y = 1, phi = 0.3, x' = 2, y' = 0, phi' = -3\nsolve t = 0 .. 5\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    for (std::size_t i = 1; i < s.t.size(); ++i)
        EXPECT_LE(s.output_numbers[i], s.output_numbers[i - 1] + 1e-8) << s.t[i];
}

TEST(Contacts, InPartsAndFamilies) {
    const Solution s = solved("component Ball(h = 1):\n    unknown y\n    lagrangian y'^2/2 - 9.81*y\n"
                              "    contact floor: y >= 0, restitution 0.5\n    start y = h\n"
                              "part b[i = 1..2] = Ball(h = i)\nsolve t = 0 .. 5\n"
                              "output F = b[2].floor.force\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(last(s, "b[1].floor.force"), 9.81, 1e-12);
    EXPECT_NEAR(last(s, "F"), 9.81, 1e-12);
    EXPECT_NEAR(times(s, "b[2].floor")[0], std::sqrt(4 / 9.81), 1e-12);
}

TEST(Contacts, TheTwinInCppIsTheSame) {
    Model m("ball");
    const Expr y = m.unknown("y");
    m.lagrangian(der(y) * der(y) - 2 * 9.81 * y);
    m.contact("floor", y, {.restitution = 0.8});
    m.start(y == 1);
    m.interval(0, 2);
    SolveOptions o;
    o.method = "dop853";
    o.rtol = 1e-12;
    o.atol = 1e-13;
    const Solution a = solve(m, o), b = solved(std::string(ball) + "solve t = 0 .. 2\n");
    EXPECT_EQ(last(a, "y"), last(b, "y"));
}

TEST(Contacts, ManySolvesOfOneProblemAreTheSame) {
    const Problem p(Model::parse(std::string(ball) + "solve t = 0 .. 6\n"), {});
    const Solution a = p.solve({}), b = p.solve({});
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.numbers, b.numbers);
}

// Whatever the step is, in the middle of a bounce, of sliding or of rest.
TEST(Contacts, ARunGoesOnFromItsCheckpointWithTheSameBits) {
    const std::string path = (std::filesystem::temp_directory_path() / "vessiot_contacts_checkpoint").string();
    for (const std::string& text : {std::string(ball) + "solve t = 0 .. 6\n", std::string(stack), std::string(belt)}) {
        SolveOptions o;
        o.checkpoint = path;
        o.checkpoint_every = 0;
        o.checkpoint_steps = 7;
        const Solution whole = solved(text, o);
        ASSERT_EQ(whole.status, Status::success) << whole.message;
        ASSERT_GT(whole.stats.steps, 30);
        for (const std::int64_t part : {4, 2}) {
            SolveOptions first = o, second = o;
            first.max_steps = whole.stats.steps * (part - 1) / part;
            std::filesystem::remove(path);
            EXPECT_EQ(solved(text, first).status, Status::failed);
            ASSERT_TRUE(std::filesystem::exists(path));
            second.resume = path;
            expect_same(whole, solved(text, second));
        }
    }
    std::filesystem::remove(path);
}

TEST(Contacts, AnEnsembleOnThreadsHasTheBitsOfSingleRuns) {
    const SolveOptions how{.method = "dop853"};
    const Problem p(Model::parse(std::string(ball) + "solve t = 0 .. 2\n"), how);
    EnsembleOptions o{.vary = {Vary::linear("c", 0, 1, 21)}};
    o.threads = 3;
    const EnsembleResult all = p.ensemble(o);
    ASSERT_EQ(all.counts[0], 21) << (all.failures.empty() ? "" : all.failures[0].message);
    for (std::int64_t k = 0; k < 21; ++k) {
        const double c = all.members.varied[static_cast<std::size_t>(k)];
        RunOptions run;
        run.parameters = {{"c", c}};
        const Solution s = p.solve(run);
        EXPECT_EQ(all.value(k, "y"), last(s, "y")) << c;
        EXPECT_EQ(all.value(k, "y'"), last(s, "y'")) << c;
        EXPECT_EQ(all.value(k, "floor.force"), last(s, "floor.force")) << c;
    }
    EXPECT_NEAR(all.value(0, "floor.force"), 2 * 9.81, 1e-12); // c = 0 stays
    EXPECT_EQ(all.value(20, "floor.force"), 0);                // c = 1 does not
}

TEST(Contacts, QuadruplePrecision) {
    SolveOptions o;
    o.precision = "quad";
    o.rtol = 1e-22;
    o.atol = 1e-24;
    const Solution s = solved(std::string(ball) + "solve t = 0 .. 6\n", o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_NEAR(times(s, "floor").back(), std::sqrt(2 / 9.81) * 9, 1e-12);
    EXPECT_NEAR(times(s, "floor")[5], std::sqrt(2 / 9.81) * (1 + 8 * (1 - std::pow(0.8, 5))), 2e-15);
    EXPECT_NEAR(last(s, "y"), 0, 1e-30);
    EXPECT_NEAR(last(s, "floor.force"), 2 * 9.81, 1e-14);
}

TEST(Contacts, WhatDoesNotGoTogetherWithThem) {
    const std::string text = std::string(ball) + "solve t = 0 .. 1\n";
    const auto says = [](const std::string& found, const std::vector<std::string>& parts) {
        for (const std::string& part : parts) EXPECT_NE(found.find(part), std::string::npos) << found;
    };
    SolveOptions o;
    o.sensitivity = {"g"};
    says(refused(text, o), {"'floor'", "velocities jump", "leave out --sensitivity"});
    o = {};
    o.parametrisation = "arclength";
    says(refused(text, o), {"'floor'", "arclength", "--parametrisation time"});
    o = {};
    o.to = -1;
    says(refused(text, o), {"'floor'", "from t = 0 back to -1", "run forwards"});
    says(refused(std::string(ball) + "solve t = 1 .. 0\n"), {"from t = 1 back to 0"});
    const Problem p(Model::parse(text), {});
    RunOptions back;
    back.to = -1;
    EXPECT_THROW(p.begin(back), InvalidInput);
    o = {};
    o.method = "dae_radau5";
    says(refused(text, o), {"'floor'", "as they stand", "radau5"});
    says(refused("parameter v = 1\nunknown y\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= 0\n"
                 "start y = 1, y' = v\nend y = 2\nfree v\nsolve t = 0 .. 1\n"),
         {"'floor'", "both ends"});
}

TEST(Contacts, BadInput) {
    const auto with = [](const std::string& contact, const std::string& start = "start y = 1\n") {
        return refused("unknown x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\n" + contact + "\n" + start +
                       "solve t = 0 .. 1\n");
    };
    const auto says = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    says(with("contact floor: y >= 0", "start y = -0.5\n"), "'floor' by 0.5");
    says(with("contact floor: y >= 0, restitution 1.5"), "restitution of the contact 'floor' is 1.5");
    says(with("contact floor: y >= 0, restitution -0.1"), "lies between 0");
    says(with("contact floor: y >= 0, friction -1 along x'"), "cannot be negative");
    says(with("contact floor: y > 0"), "holds on one side");
    says(with("contact floor: y = 0"), "holds on one side");
    says(with("contact floor: y >= 0, restitutoin 0.5"), "did you mean 'restitution'");
    says(with("contact floor: y >= 0, friction 0.5"), "along");
    says(with("contact floor: y >= 0, friction 0.5 along x'^2"), "affine");
    says(with("contact floor: y >= 0, friction 0.5 along x"), "no velocity");
    says(with("contact floor: y' >= 0"), "condition of positions");
    says(with("contact floor: y >= 0\ncontact floor: x >= 0"), "given twice");
    says(refused("unknown y\ny'' = -1\ncontact floor: y >= 0\nstart y = 1, y' = 0\nsolve t = 0 .. 1\n"),
         "needs a lagrangian or hamiltonian");
    // a room whose floor and ceiling move into each other
    says(with("contact floor: y >= 2*t\ncontact roof: y <= 1", "start y = 0.5\n"), "contradict");
}

} // namespace
} // namespace vessiot::contacts_test
