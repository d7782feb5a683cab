// A function of C++ inside of formulas, and a system that is made of functions.
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <vessiot/callable.hpp>
#include <vessiot/model.hpp>
#include <vessiot/problem.hpp>

// Measured: the drag of a ball against its speed, smooth between the points.
double drag(double v) {
    const double a = std::abs(v);
    return v * (0.1 + 0.02 * a) / (1 + 0.01 * a * a);
}

void fall() {
    vessiot::Model m("fall");
    auto y = m.unknown("y");
    auto resistance = m.external("resistance", drag);
    m.equation(der(y, 2) == -9.81 - resistance(der(y)));
    m.start(y == 100);
    m.start(der(y) == 0);
    m.interval(0, 20);
    m.event("ground", y == 0, {.is_stop = true});

    const vessiot::Solution sol = vessiot::solve(m, {.rtol = 1e-8});
    std::printf("%s with y' = %.3f\n", sol.message.c_str(), sol.column("y'").back());
}

void rod() {
    vessiot::CallableSystem s;
    s.name = "pendulum";
    s.unknowns = {{"x", 2}, {"y", 2}, {"lambda", 0}};
    s.rhs = [](auto, auto z, auto out) { // x, x', y, y', lambda; of any scalar
        out[0] = -z[4] * z[0];
        out[1] = -z[4] * z[2] - 9.81;
    };
    s.constraints = vessiot::CallablePart{.f = [](auto, auto z, auto out) { out[0] = z[0] * z[0] + z[2] * z[2] - 1; }};
    s.start = {{"x", 1}, {"y", 0}, {"x'", 0}, {"y'", 0}};

    const vessiot::Problem problem(s, {.method = "dop853", .rtol = 1e-10});
    const vessiot::Solution sol = problem.solve({.to = 10});
    std::printf("x(3.7) = %.6f, %lld hidden constraints found\n", sol(3.7, "x"),
                static_cast<long long>(sol.system.hidden_constraints));
}

void reactions() {
    vessiot::CallableSystem s;
    s.name = "reactions";
    s.unknowns = {{"a"}, {"b"}, {"c"}};
    s.rhs = [](double, std::span<const double> y, std::span<double> out) { // of numbers: a table, another program
        out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        out[2] = 3e7 * y[1] * y[1];
        out[1] = -out[0] - out[2];
    };
    s.start = {{"a", 1}, {"b", 0}, {"c", 0}};
    s.scale = {1, 1, 1e-5, 1e-5, 1, 1}; // of a, a', b, b', c, c': for differences
    s.depends_on_t = false;
    std::printf("a(40) = %.6f\n",
                vessiot::solve(s, {.method = "radau5", .rtol = 1e-8, .atol = 1e-11, .to = 40.0})(40, "a"));
}

int main() {
    fall();
    rod();
    reactions();
}
