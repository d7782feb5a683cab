// Runs with tables against the same input written in another way, and closed forms.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::tables_test {
namespace {

Solution run(const std::string& text, const std::string& method = "dopri54", double rtol = 1e-8,
             const std::string& backend = "auto") {
    const System system = lang::read_model(lang::Source("m.ves", text));
    SolveOptions o = model_options(system);
    o.method = method;
    o.rtol = rtol;
    o.atol = rtol;
    o.backend = backend;
    o.throw_on_failure = false;
    return solve_system(system, o);
}

double last(const Solution& s, const std::string& name) {
    return s.column(name).back();
}

// A measured input: made up, with kinks.
struct Input {
    std::vector<double> t, y;
};
Input measured(int n) {
    Input in;
    for (int k = 0; k <= n; ++k) {
        in.t.push_back(4.0 * k / n + (k % 3 == 1 ? 0.01 : 0));
        in.y.push_back(std::round(1000 * (std::sin(3.0 * k) + 0.3 * std::cos(17.0 * k))) / 1000);
    }
    in.t.back() = 4;
    return in;
}

std::string as_table(const Input& in, const std::string& words = "") {
    std::string text = "table f(s) = [";
    for (std::size_t k = 0; k < in.t.size(); ++k) text += fmt::format("{}{}: {}", k == 0 ? "" : ", ", in.t[k], in.y[k]);
    return text + "] " + words + "\n";
}

std::string as_conditions(const Input& in) {
    std::string text, end;
    for (std::size_t k = 0; k + 1 < in.t.size(); ++k) {
        const std::string line = fmt::format("({}) + (({}) - ({}))/({} - {})*(s - {})", in.y[k], in.y[k + 1], in.y[k],
                                             in.t[k + 1], in.t[k], in.t[k]);
        if (k + 2 == in.t.size()) {
            text += line;
        } else {
            text += fmt::format("if(s < {}, {}, ", in.t[k + 1], line);
            end += ')';
        }
    }
    return "function f(s) = " + text + end + "\n";
}

const std::string oscillator = "unknown x\nx'' = -4*x - 0.3*x' + f(t)\nstart x = 1, x' = 0\nsolve t = 0 .. 4\n";

// Kinks cost no accuracy: the same error as with `if`, whose places are found exactly.
TEST(Tables, KinksAreMet) {
    const Input in = measured(20);
    const Solution exact = run(as_conditions(in) + oscillator, "dop853", 1e-13);
    for (const char* method : {"dopri54", "dop853", "radau5"}) {
        const Solution table = run(as_table(in) + oscillator, method),
                       conditions = run(as_conditions(in) + oscillator, method);
        ASSERT_EQ(table.status, Status::success) << table.message;
        ASSERT_EQ(conditions.status, Status::success) << conditions.message;
        EXPECT_NEAR(last(table, "x"), last(exact, "x"), 1e-7) << method;
        EXPECT_NEAR(last(table, "x"), last(conditions, "x"), 1e-7) << method;
        for (const double t : in.t) // a step ends at each
            EXPECT_NE(std::ranges::find(table.t, t), table.t.end()) << method << " " << t;
    }
}

TEST(Tables, BackEndsAgreeBitForBit) {
    for (const char* words : {"", "cubic", "monotone outside hold", "step outside extend", "outside periodic"}) {
        const std::string model = as_table(measured(20), words) + oscillator;
        const Solution a = run(model, "dopri54", 1e-8, "interpreter"), b = run(model, "dopri54", 1e-8, "jit");
        ASSERT_EQ(a.status, Status::success) << words << " " << a.message;
        EXPECT_EQ(a.t, b.t) << words;
        EXPECT_EQ(a.column("x"), b.column("x")) << words;
    }
}

// x' = f(x) with f(x) = x up to 1 and 1 above: exp(t - 1) up to t = 1, then t.
TEST(Tables, OfUnknownsAreLocated) {
    const std::string model = "table f(s) = [0: 0, 1: 1, 2: 1] outside hold\nunknown x\nx' = f(x)\n"
                              "start x = exp(-1)\nsolve t = 0 .. 3\n";
    for (const char* method : {"dopri54", "dop853", "radau5"}) {
        const Solution s = run(model, method, 1e-10);
        ASSERT_EQ(s.status, Status::success) << s.message;
        EXPECT_NEAR(last(s, "x"), 3, 1e-8) << method;
    }
    const Solution back = run("table f(s) = [0: 0, 1: 1, 2: 1] outside hold\nunknown x\nx' = f(x)\nstart x = 3\n"
                              "solve t = 3 .. 0\n",
                              "dop853", 1e-11);
    EXPECT_NEAR(last(back, "x"), std::exp(-1.0), 1e-9);
}

// Two arguments: x' = K(t, x) = t x/2 between the points, bilinear as it is.
TEST(Tables, OfTwoArgumentsAndQuad) {
    const Solution s =
        run("table f(s) = [0: 0, 1: 1, 4: 16] cubic\nunknown x\nx' = f(t)\nstart x = 0\nsolve t = 0 .. 4\n");
    EXPECT_NEAR(last(s, "x"), 64.0 / 3, 1e-8); // the parabola t^2
    const System system = lang::read_model(lang::Source("m.ves", as_table(measured(20), "cubic") + oscillator));
    SolveOptions o = model_options(system);
    o.precision = "quad";
    o.method = "dop853";
    o.rtol = 1e-20;
    o.atol = 1e-20;
    EXPECT_NEAR(last(solve_system(system, o), "x"),
                last(run(as_table(measured(20), "cubic") + oscillator, "dop853", 1e-12), "x"), 1e-10);
}

// A table in a constraint: its derivatives are those of the spline.
TEST(Tables, InAConstraint) {
    const std::string table = "table f(s) = [0: 0, 1: 1, 2: 8, 3: 27, 4: 64] cubic outside extend\n";
    const Solution s =
        run(table + "unknown x, y, l\nx'' = -l\ny'' = l - 1\nx - y = f(t)\nstart x = 0, y = 0, y' = 0, x' = 0\n"
                    "solve t = 0 .. 4\n");
    ASSERT_EQ(s.status, Status::success) << s.message;
    const std::size_t n = s.t.size() - 1;
    EXPECT_NEAR(s.column("x")[n] - s.column("y")[n], 64, 1e-10);
    EXPECT_NEAR(s.column("x'")[n] - s.column("y'")[n], 48, 1e-9);
    EXPECT_NEAR(-2 * s.column("l")[n] + 1, 24, 1e-8);
}

TEST(Tables, EndsAreSaid) {
    const std::string table = "table torque(s) = [0: 0, 1: 1, 4: 0]\n";
    const std::string end = "start x = 0\nsolve t = 0 .. ";
    EXPECT_EQ(run(table + "unknown x\nx' = torque(t)\n" + end + "4\n").status, Status::success);
    const Solution beyond = run(table + "unknown x\nx' = torque(t)\n" + end + "5\n");
    EXPECT_EQ(beyond.status, Status::failed);
    EXPECT_NE(beyond.message.find("the table 'torque' has values from 0 to 4 only, and t = 4"), std::string::npos)
        << beyond.message;
    EXPECT_NEAR(beyond.t.back(), 4, 1e-9);
    EXPECT_NEAR(last(beyond, "x"), 2, 1e-7);
    const Solution unknown = run(table + "unknown x\nx' = 1 + torque(x)\n" + end + "9\n");
    EXPECT_EQ(unknown.status, Status::failed);
    EXPECT_NE(unknown.message.find("the table 'torque' has values from 0 to 4 only, and x = 4"), std::string::npos)
        << unknown.message;
    try {
        run(table + "unknown x\nx' = torque(x)\nstart x = -1\nsolve t = 0 .. 1\n");
        ADD_FAILURE() << "a start outside of the table";
    } catch (const InvalidInput& e) {
        EXPECT_NE(std::string(e.what()).find("the table 'torque' has values from 0 to 4 only, and x = -1"),
                  std::string::npos)
            << e.what();
    }
}

} // namespace
} // namespace vessiot::tables_test
