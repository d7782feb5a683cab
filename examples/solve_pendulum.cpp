// The pendulum in Cartesian coordinates, solved: the points of the run, values between them, how the run went.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <vessiot/model.hpp>
#include <vessiot/solve.hpp>

int main() {
    vessiot::Model m("pendulum");
    auto g = m.parameter("g", 9.81), l = m.parameter("l", 1);
    auto x = m.unknown("x"), y = m.unknown("y"), lambda = m.unknown("lambda");

    m.equation(der(x, 2) == -lambda * x);
    m.equation(der(y, 2) == -lambda * y - g);
    m.equation(x * x + y * y == l * l);

    m.start(x == l);
    m.start(y == 0);
    m.start(der(x) == 0);
    m.start(der(y) == 0);
    m.interval(0, 10);
    m.output("tension", lambda * l);

    const vessiot::Solution sol = vessiot::solve(m, {.method = "dop853", .rtol = 1e-10, .atol = 1e-12});
    std::printf("%s", sol.summary().c_str());

    // The curve between the steps, on the constraints as well.
    std::printf("x(3.7) = %.6f, y(3.7) = %.6f\n", sol(3.7, "x"), sol(3.7, "y"));
    // One name, or one output, at all points.
    const std::vector<double> tension = sol.column("tension");
    std::printf("largest tension %.2f in %lld steps\n", *std::max_element(tension.begin(), tension.end()),
                static_cast<long long>(sol.stats.steps));
}
