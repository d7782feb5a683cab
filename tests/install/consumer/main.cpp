// The pendulum, built against the installed library: its equations at a point, and its motion.
#include <vessiot/callable.hpp>
#include <vessiot/functions.hpp>
#include <vessiot/model.hpp>
#include <vessiot/solve.hpp>
#include <vessiot/version.hpp>

#include <cmath>
#include <iostream>
#include <vector>

vessiot::Model pendulum() {
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
    m.event("lowest", x == 0);
    return m;
}

bool evaluates(const vessiot::Model& m) {
    vessiot::Functions F(m);
    const std::vector<double> z{0.6, 0, -3, -0.8, 0, 0, 5}; // x, x', x'', y, y', y'', lambda
    const std::vector<double> f = F.f(0, z), df = F.df(0, z);
    for (const double value : f) std::cout << "f = " << value << '\n';
    const auto& pattern = F.df_pattern();
    for (std::size_t c = 0; c < F.names().size(); ++c)
        for (auto k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k)
            std::cout << "d f" << pattern.row[k] + 1 << " / d " << F.names()[c] << " = " << df[k] << '\n';
    F.wait();
    std::cout << (F.is_native() ? "native code" : "interpreted") << '\n';

    // x'' + lambda x = 0,  y'' + lambda y + g = -4 + 9.81,  x^2 + y^2 - 1 = 0, up to rounding
    return std::abs(f[0]) < 1e-14 && std::abs(f[1] - 5.81) < 1e-14 && std::abs(f[2]) < 1e-14 && df.size() == 8;
}

bool solves(const vessiot::Model& m) {
    const vessiot::Solution sol = vessiot::solve(m, {.method = "dop853", .rtol = 1e-10, .to = 1.0});
    std::cout << sol.summary();
    // From rest at the height of the pivot, at the lowest point: v^2 = 2 g l, to the tolerance.
    const bool is_met = sol.events.size() == 1 && std::abs(sol(sol.events[0].t, "x'") + std::sqrt(2 * 9.81)) < 1e-7;
    return sol.status == vessiot::Status::success && is_met && sol.constraint_residual_max < 1e-12;
}

int main() {
    std::cout << "consumer of vessiot " << vessiot::version() << '\n';
    const vessiot::Model m = pendulum();
    const bool is_right = evaluates(m) && solves(m);
    if (!is_right) std::cout << "these values are wrong\n";
    return is_right ? 0 : 1;
}
