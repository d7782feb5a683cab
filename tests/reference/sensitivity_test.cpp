// Derivatives of the solutions of gallery models of all classes, against differences of solutions: index 1 to 3,
// implicit, overdetermined, holonomic, with invariants, stiff; with explicit and implicit methods.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::sensitivity_test {
namespace {

struct Subject {
    std::string name;
    std::vector<std::string> by;
    double to = 1;
    std::string method = "dop853";
    std::vector<std::pair<std::string, std::string>> set{}; // parameters
    std::string distribution = "auto";
    std::string formulation = "auto";
    std::vector<std::pair<std::string, double>> start{};
};

void PrintTo(const Subject& s, std::ostream* out) {
    *out << s.name << " " << s.method << " " << s.distribution << " " << s.formulation;
}

SolveOptions options_of(const System& system, const Subject& subject) {
    SolveOptions o = with_model_options(system, {});
    o.method = subject.method;
    o.rtol = 1e-11;
    o.atol = 1e-13;
    o.step = 0;
    o.every = 0;
    o.at = {subject.to / 3, subject.to};
    o.to = subject.to;
    o.distribution = subject.distribution;
    o.formulation = subject.formulation;
    o.parametrisation = "time";
    o.projection = "auto";
    o.project = "auto";
    o.start = subject.start;
    return o;
}

// The solution where one variable is moved by a part of its size.
Solution moved(const Subject& subject, const std::string& variable, double by, double& size) {
    test::ParameterSettings set = subject.set;
    const System before = test::gallery_system(subject.name, set);
    if (variable.starts_with("start:")) {
        const std::string name = variable.substr(6);
        SolveOptions o = options_of(before, subject);
        o.at = {o.at[0], o.at[1]};
        SolveOptions at_start = o;
        at_start.at.clear();
        const Solution s = solve_system(before, at_start);
        double x = s.row(0)[s.column_of(name)];
        for (const auto& [given, value] : o.start)
            if (given == name) x = value;
        std::erase_if(o.start, [&](const auto& given) { return given.first == name; });
        size = std::max(1.0, std::abs(x));
        o.start.emplace_back(name, x + by * size);
        return solve_system(before, o);
    }
    double value = 0;
    for (const Parameter& p : before.parameters)
        if (p.name == variable) value = static_cast<double>(p.values[0]);
    size = std::abs(value);
    std::erase_if(set, [&](const auto& s) { return s.first == variable; });
    set.emplace_back(variable, fmt::format("{:.17g}", value + by * size));
    const System system = test::gallery_system(subject.name, set);
    return solve_system(system, options_of(system, subject));
}

class GallerySensitivity : public testing::TestWithParam<Subject> {};

// Differences of fourth order with h = 1e-3 of the size: their own error is about h^4 = 1e-12 times a fifth
// derivative, which is large where solutions are fast; that of the solutions is 10 rtol / h.
TEST_P(GallerySensitivity, IsTheDerivativeOfTheSolution) {
    const Subject& subject = GetParam();
    const System system = test::gallery_system(subject.name, subject.set);
    SolveOptions o = options_of(system, subject);
    o.sensitivity = subject.by;
    const Solution s = solve_system(system, o);
    ASSERT_EQ(s.status, Status::success) << s.message;
    EXPECT_LT(s.constraint_residual_max, 1e-11);
    const double h = 1e-3;
    for (const std::string& variable : subject.by) {
        double size = 0;
        const Solution a = moved(subject, variable, h, size), b = moved(subject, variable, -h, size);
        const Solution c = moved(subject, variable, 2 * h, size), d = moved(subject, variable, -2 * h, size);
        for (const std::string& name : s.names) {
            const std::vector<double> found = s.sensitivity(name, variable);
            const auto column = [&](const Solution& from) { return from.column(name); };
            for (std::size_t k = 0; k < s.t.size(); ++k) {
                const double difference =
                    (8 * (column(a)[k] - column(b)[k]) - (column(c)[k] - column(d)[k])) / (12 * h * size);
                double largest = 0, value = 0;
                for (const std::string& other : s.names) {
                    largest = std::max(largest, std::abs(s.sensitivity(other, variable)[k]));
                    value = std::max(value, std::abs(s.column(other)[k]));
                }
                EXPECT_NEAR(found[k], difference, 1e-6 * largest + 1e-10 * value / (h * size))
                    << "d(" << name << ")/d(" << variable << ") at t = " << s.t[k];
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models, GallerySensitivity,
    testing::Values(
        // explicit, with invariants
        Subject{"lotka_volterra", {"start:x"}, 2}, Subject{"kepler", {"e", "start:x"}, 2},
        Subject{"pleiades", {"start:x[1]"}, 1}, Subject{"rigid_body", {"alpha", "I1", "start:y[1]"}, 2},
        // holonomic, index 3
        Subject{"pendulum", {"g", "l", "start:x'"}, 2}, Subject{"pendulum_energy", {"g", "l"}, 2},
        Subject{"four_bar", {"a", "m1", "T", "gamma"}, 1}, Subject{"double_pendulum_cartesian", {"l1", "m2", "g"}, 2},
        Subject{"hamiltonian_pendulum", {"m", "g", "l"}, 2}, Subject{"hanging_chain", {"g", "l"}, 0.3},
        Subject{"car_axis", {"M", "eps", "L"}, 0.5},
        // the same with factorised matrices
        Subject{"pendulum", {"g", "l"}, 2, "dop853", {}, "solve"},
        Subject{"four_bar", {"a", "T"}, 1, "dop853", {}, "solve"},
        Subject{"pendulum", {"g", "l"}, 1, "dop853", {}, "kernel-svd"},
        Subject{"lotka_volterra", {"start:x"}, 1, "dop853", {}, "auto", "general"},
        Subject{"hanging_chain", {"g", "l", "start:y[3]'"}, 0.2, "dop853", {{"n", "40"}}},
        Subject{"hanging_chain", {"g", "l"}, 0.1, "radau5", {{"n", "40"}}},
        // index 1 and 2, implicit, overdetermined
        Subject{"hairer_index1", {"start:y"}, 0.3}, Subject{"hairer_index2", {"start:y1"}, 0.5},
        Subject{"sine_implicit", {"start:y"}, 0.7}, Subject{"stiff_pendulum_overdetermined", {"eps"}, 0.5},
        Subject{"stiff_pendulum", {"eps"}, 0.5},
        // start values that are moved onto the constraints
        Subject{
            "pendulum", {"g", "l", "start:x", "start:y'"}, 1, "dop853", {}, "auto", "auto", {{"x", 0.7}, {"y", -0.5}}},
        Subject{"four_bar", {"a", "start:y3"}, 0.5, "dop853", {}, "auto", "auto", {{"y3", 2.5}}},
        // power series
        Subject{"pendulum", {"g", "l", "start:x'"}, 2, "taylor"}, Subject{"kepler", {"e"}, 2, "taylor"},
        Subject{"hanging_chain", {"g", "l"}, 0.1, "taylor"},
        // stiff
        Subject{"van_der_pol", {"mu"}, 2, "radau9", {{"mu", "50"}}}, Subject{"pendulum", {"g", "l"}, 1, "radau9"},
        Subject{"transistor_amplifier", {"Ub", "R0"}, 0.005, "radau5"}, Subject{"four_bar", {"a"}, 0.5, "radau9"},
        Subject{"sine_implicit", {"start:y"}, 0.7, "radau9"}));

} // namespace
} // namespace vessiot::sensitivity_test
