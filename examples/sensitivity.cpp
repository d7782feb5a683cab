// How far a pendulum swings: the derivatives of its position by gravity, length and first velocity, and a forecast for
// other values from one run.
#include <cstdio>

#include <vessiot/model.hpp>
#include <vessiot/solve.hpp>

int main() {
    const char* text = R"(
parameter g = 9.81, l = 1, v = 0.5
unknown x, y, lambda
x'' = -lambda*x
y'' = -lambda*y - g
x^2 + y^2 = l^2
start x = l, y = 0, x' = 0, y' = -v
event lowest: x = 0 falling
)";
    const auto m = vessiot::Model::parse(text, "pendulum");
    const auto sol =
        vessiot::solve(m, {.rtol = 1e-10, .to = 1.0, .every = 0.25, .sensitivity = {"g", "l", "start:y'"}});

    const auto x = sol.column("x"), by_g = sol.sensitivity("x", "g"), by_speed = sol.sensitivity("x", "start:y'");
    for (std::size_t k = 0; k < sol.t.size(); ++k)
        std::printf("t = %.2f   x = %8.5f   dx/dg = %8.5f   dx/dy'(0) = %8.5f\n", sol.t[k], x[k], by_g[k], by_speed[k]);

    // between the points, and the time of the lowest position
    std::printf("dx/dl at t = 0.7: %.6f\n", sol.sensitivity(0.7, "x", "l"));
    std::printf("lowest at t = %.6f, dt/dg = %.6f\n", sol.events[0].t, sol.events[0].t_sensitivities[0]);

    // to first order, and computed
    const double dg = 0.01;
    const auto other = vessiot::Model::parse(text, "pendulum", {.set = {{"g", "9.82"}}});
    std::printf("x(1) for g = 9.82: %.6f, forecast %.6f\n",
                vessiot::solve(other, {.rtol = 1e-10, .to = 1.0}).column("x").back(), x.back() + dg * by_g.back());
}
