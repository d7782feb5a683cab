// The pendulum in Cartesian coordinates: its equations, and their values and derivatives at a point.
#include <cstdio>
#include <vector>

#include <vessiot/functions.hpp>
#include <vessiot/model.hpp>

int main() {
    vessiot::Model m("pendulum");
    auto g = m.parameter("g", 9.81), l = m.parameter("l", 1);
    auto x = m.unknown("x"), y = m.unknown("y"), lambda = m.unknown("lambda");

    m.equation(der(x, 2) == -lambda * x);
    m.equation(der(y, 2) == -lambda * y - g);
    m.equation(x * x + y * y == l * l);
    m.invariant((pow(der(x), 2) + pow(der(y), 2)) / 2 + g * y);

    vessiot::Functions F(m);
    const std::vector<double> z{0.6, 0, 0, -0.8, 0, 0, 5}; // x, x', x'', y, y', y'', lambda
    for (const double value : F.f(0, z)) std::printf("f = %g\n", value);

    const auto& pattern = F.df_pattern();
    const std::vector<double> df = F.df(0, z);
    for (std::size_t c = 0; c < F.names().size(); ++c)
        for (auto k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k)
            std::printf("d f%d / d %s = %g\n", pattern.row[k] + 1, F.names()[c].c_str(), df[k]);
}
