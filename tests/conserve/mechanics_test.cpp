// What the methods for mechanical systems keep over long runs: constraints at round-off, energy without drift, momenta.
//
// The figures are those of Hairer's lecture notes (V.4, V.5; figure V.1), recomputed: problems/liu-hairer, H6.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {
namespace {

Model gallery(const std::string& name, const std::vector<std::pair<std::string, std::string>>& set = {}) {
    return Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves", {.set = set});
}

constexpr double energy_0 = 25.8924988286245874;

std::vector<double> output(const Solution& s, const std::string& name) {
    const auto column = static_cast<std::size_t>(std::ranges::find(s.output_names, name) - s.output_names.begin());
    std::vector<double> values;
    for (std::size_t k = 0; k < s.t.size(); ++k) values.push_back(s.output_numbers[k * s.output_names.size() + column]);
    return values;
}

double largest_distance(const std::vector<double>& values, double from) {
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::fabs(v - from));
    return largest;
}

// Slope of a line fitted to the values, over the length of the run.
double trend(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    double mean = 0, xy = 0, xx = 0;
    for (const double v : values) mean += v / n;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double x = static_cast<double>(k) / n - 0.5;
        xy += x * (values[k] - mean);
        xx += x * x;
    }
    return xy / xx;
}

Solution pendulum(const std::string& method, const std::string& projection = "auto") {
    SolveOptions o{.method = method, .step = 0.01, .to = 100.0};
    o.projection = projection;
    o.dense = false;
    return solve(gallery("spherical_pendulum"), o);
}

TEST(Mechanics, SymplecticEulerKeepsTheEnergyOfTheSphericalPendulum) {
    const Solution s = pendulum("symplectic_euler");
    const std::vector<double> energy = output(s, "E");
    EXPECT_NEAR(largest_distance(energy, energy_0), 3.19e-2, 0.02e-2);
    EXPECT_LT(std::fabs(trend(energy)), 1e-3); // of 3e-2: no drift
    EXPECT_LT(largest_distance(output(s, "Lz"), 6.26312820521175427), 1e-13);
    EXPECT_LT(s.constraint_residual_max, 1e-14);
}

TEST(Mechanics, RattleKeepsTheEnergyOfTheSphericalPendulum) {
    const Solution s = pendulum("rattle");
    const std::vector<double> energy = output(s, "E");
    EXPECT_NEAR(largest_distance(energy, energy_0), 1.01e-3, 0.01e-3);
    EXPECT_LT(std::fabs(trend(energy)), 1e-4);
    EXPECT_LT(largest_distance(output(s, "Lz"), 6.26312820521175427), 1e-12);
    EXPECT_LT(s.constraint_residual_max, 1e-14);
}

TEST(Mechanics, ImplicitEulerLosesTheEnergyOfTheSphericalPendulum) {
    const std::vector<double> with = output(pendulum("constrained_euler"), "E"),
                              without = output(pendulum("constrained_euler", "none"), "E");
    EXPECT_NEAR(with[10] - energy_0, -1.26, 0.01);
    EXPECT_NEAR(with[100] - energy_0, -8.8, 0.05);
    EXPECT_NEAR(with[1000] - energy_0, -21.8, 0.05);
    EXPECT_NEAR(without[10] - energy_0, -2.27, 0.01);
    EXPECT_NEAR(without[100] - energy_0, -13.1, 0.05);
    EXPECT_NEAR(without[1000] - energy_0, -23.8, 0.05);
}

TEST(Mechanics, CompositionsKeepEnergyBetterWithTheirOrder) {
    double before = 0.1;
    for (const std::string method : {"rattle", "rattle4", "rattle6", "rattle8"}) {
        const double drift = largest_distance(output(pendulum(method), "E"), energy_0);
        EXPECT_LT(drift, before / 20) << method;
        before = drift;
    }
    EXPECT_LT(largest_distance(output(pendulum("lobatto3ab"), "E"), energy_0), 1e-6);
}

struct Sample {
    double mean = 0, square_error = 0; // of the mean
};

Sample sample(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    Sample s;
    for (const double v : values) s.mean += v / n;
    for (const double v : values) s.square_error += (v - s.mean) * (v - s.mean) / (n * (n - 1));
    return s;
}

// A chain whose links all swing, each its own way, so that energy need not spread first: the error of the energy is an
// oscillation whose envelope does not grow. (VESSIOT_CHAIN_STEPS asks for more steps.)
TEST(Mechanics, RattleKeepsTheEnergyOfAChain) {
    const char* asked = std::getenv("VESSIOT_CHAIN_STEPS");
    const double n_steps = asked ? std::atof(asked) : 1e5, h = 1e-3;
    const std::string text = "parameter n = 50, g = 9.81, l = 1/n\nunknown x[n], y[n]\n"
                             "let T = sum(i = 1..n, (x[i]'^2 + y[i]'^2)/2)\nlet U = g*sum(i = 1..n, y[i])\n"
                             "lagrangian T - U\nconstraint (x[1]^2 + y[1]^2 - l^2)/2 = 0\n"
                             "for i = 2..n: constraint ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - l^2)/2 = 0\n"
                             "output E = T + U\n"
                             "for i = 1..n: start x[i] = 0, y[i] = -i*l, x[i]' = 0.2*sin(3*i^2), y[i]' = 0\n";
    SolveOptions o{.method = "rattle", .step = h, .from = 0.0, .to = n_steps * h, .every = n_steps * h / 4000};
    o.dense = false;
    o.max_steps = 100'000'000;
    const Solution s = solve(Model::parse(text, "chain"), o);
    EXPECT_EQ(s.stats.steps, static_cast<std::int64_t>(n_steps));
    EXPECT_LT(s.constraint_residual_max, 1e-14);
    const std::vector<double> energy = output(s, "E");
    std::vector<double> envelope(40, 0); // the largest error of each of 40 parts of the run
    for (std::size_t k = 0; k < energy.size(); ++k) {
        double& part = envelope[std::min<std::size_t>(39, k * 40 / energy.size())];
        part = std::max(part, std::fabs(energy[k] - energy[0]));
    }
    const Sample first = sample(std::span(envelope).first(20)), second = sample(std::span(envelope).last(20));
    const double noise = std::sqrt(first.square_error + second.square_error);
    EXPECT_LT(std::fabs(second.mean - first.mean), std::max(4 * noise, 0.02 * first.mean))
        << first.mean << " and " << second.mean;
    EXPECT_LT(noise, 0.1 * first.mean);
    RecordProperty("halves", std::to_string(first.mean) + " " + std::to_string(second.mean));
    RecordProperty("noise", std::to_string(noise));
    RecordProperty("residual", std::to_string(s.constraint_residual_max * 1e16) + "e-16");
}

} // namespace
} // namespace vessiot
