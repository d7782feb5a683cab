// One pendulum, compiled once: solved on several planets, and stepped by hand.
#include <cstdio>

#include <vessiot/model.hpp>
#include <vessiot/problem.hpp>

int main() {
    const auto model = vessiot::Model::parse(R"(
        parameter g = 9.81, l = 1
        unknown   x, y, lambda
        x'' = -lambda*x
        y'' = -lambda*y - g
        x^2 + y^2 = l^2
        start x = l, y = 0, x' = 0, y' = 0
        solve t = 0 .. 10
    )",
                                             "pendulum");

    const vessiot::Problem problem(model, {.method = "dop853", .rtol = 1e-10}); // analysis, completion, code: once

    for (const double g : {9.81, 3.7, 1.62}) {
        const vessiot::Solution sol = problem.solve({.parameters = {{"g", g}}, .to = 4}); // from any thread
        std::printf("g = %.2f: x(3.7) = %9.6f\n", g, sol(3.7, "x"));
    }

    vessiot::Integrator run = problem.begin({.start = {{"x", 0.6}, {"y", -0.8}}});
    bool goes_on = true;
    while (goes_on && run["x"] > 0) goes_on = run.step(); // to the first step behind the lowest position
    std::printf("x' = %.4f behind the lowest position\n", run["x'"]);
    run.advance(5.0); // this t exactly, on the constraints
    std::printf("x(%.1f) = %.6f, residual below 1e-12: %s\n", run.t(), run["x"], run.residual() < 1e-12 ? "yes" : "no");
}
