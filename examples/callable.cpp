// A system whose residual is a function of C++: a mass on a spring whose force was measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <vessiot/callable.hpp>
#include <vessiot/functions.hpp>

// Linear between the measured points -1, -0.5, ..., 1.
double spring(double x) {
    static constexpr std::array force{-1.4, -0.6, 0.0, 0.6, 1.4};
    const double place = std::clamp((x + 1) / 0.5, 0.0, 3.999);
    const auto k = static_cast<std::size_t>(place);
    return force[k] + (place - std::floor(place)) * (force[k + 1] - force[k]);
}

int main() {
    vessiot::CallableSystem s;
    s.name = "oscillator";
    s.unknowns = {{"x", 2}, {"F", 0}}; // z is x, x', x'', F
    s.f = [](double, std::span<const double> z, std::span<double> f) {
        f[0] = z[2] + 0.1 * z[1] + z[3];
        f[1] = z[3] - spring(z[0]);
    };
    s.pattern = vessiot::SparsePattern::from_entries(2, 4, {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 3}});

    vessiot::Functions F(s);
    const std::vector<double> z{0.7, 1, 0, 1};
    for (const double value : F.f(0, z)) std::printf("f = %.4f\n", value);
    for (const double value : F.df(0, z)) std::printf("df = %.4f\n", value);
}
