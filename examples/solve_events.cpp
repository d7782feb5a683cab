// A bead on a wire bent to a parabola, with friction: a Lagrangian, a constraint, events. It is let go at x = 1 and
// followed until it turns back on the other side.
#include <cstdio>

#include <vessiot/model.hpp>
#include <vessiot/solve.hpp>

int main() {
    vessiot::Model m("bead");
    auto g = m.parameter("g", 9.81), c = m.parameter("c", 0.2);
    auto x = m.unknown("x"), y = m.unknown("y");

    m.lagrangian((pow(der(x), 2) + pow(der(y), 2)) / 2 - g * y);
    m.constraint(y == x * x);
    m.force(x == -c * der(x));
    m.force(y == -c * der(y));

    m.start(x == 1);
    m.start(y == 1);
    m.start(der(x) == 0);
    m.start(der(y) == 0);
    m.interval(0, 10);
    m.event("lowest", x == 0);
    m.event("turns", der(x) == 0, {.crossing = vessiot::Crossing::rising, .is_stop = true});

    const vessiot::Solution sol = vessiot::solve(m, {.rtol = 1e-10, .every = 0.25});
    std::printf("%s\n", sol.message.c_str());

    const std::size_t x_column = sol.column_of("x"), y_column = sol.column_of("y");
    for (std::size_t k = 0; k < sol.t.size(); ++k)
        std::printf("t = %.2f   x = %.5f   y = %.5f\n", sol.t[k], sol.row(k)[x_column], sol.row(k)[y_column]);

    for (const vessiot::EventPoint& event : sol.events)
        std::printf("%s: t = %.5f, x' = %.3f, lambda = %.3f\n", event.name.c_str(), event.t,
                    event.values[sol.column_of("x'")], event.values[sol.column_of("lambda[1]")]);
}
