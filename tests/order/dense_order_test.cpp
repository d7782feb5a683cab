// The order of the curve between the steps, on the constraints, of methods that solve_order_test leaves out: geometric
// and mechanical ones, those on Lie groups, along rays, and on the equations as they stand.
//
// The error inside of the last of n constant steps is that of the points, h^order, and of the curve, h^(dense order +
// 1); it is taken at four places, so that no zero of it misleads. What is exact is a run of dop853 in quadruple
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::dense_order_test {
namespace {

using method::MethodInfo;

constexpr double length = 1; // of the interval

std::vector<double> places(int n) {
    std::vector<double> times;
    for (const double theta : {0.2, 0.4, 0.6, 0.8}) times.push_back(length * (n - 1 + theta) / n);
    return times;
}

SolveOptions options_for(const System& system, const std::string& method, int n) {
    SolveOptions o = model_options(system);
    o.method = method;
    o.projection = "auto";
    o.control = "auto";
    o.every = 0;
    o.at = places(n);
    o.from = 0;
    o.to = length;
    o.backend = "interpreter";
    o.throw_on_failure = false;
    o.dense = false;
    return o;
}

const std::vector<double>& exact_values(const std::string& problem, const System& system, int n) {
    static std::map<std::pair<std::string, int>, std::vector<double>> known;
    std::vector<double>& values = known[{problem, n}];
    if (!values.empty()) return values;
    SolveOptions o = options_for(system, "dop853", n);
    o.step = 0;
    o.precision = "quad";
    o.rtol = 1e-18;
    o.atol = 1e-20;
    return values = solve_system(system, o).numbers;
}

// -1 where the method does not fit.
double error(const std::string& problem, const System& system, const std::string& method, int n) {
    SolveOptions o = options_for(system, method, n);
    o.step = length / n;
    Solution s;
    try {
        s = solve_system(system, o);
    } catch (const InvalidInput&) {
        return -1;
    }
    const std::vector<double>& exact = exact_values(problem, system, n);
    if (s.numbers.size() != exact.size()) return -1;
    double largest = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        const std::string& name = s.names[k % s.names.size()];
        if (name.starts_with("lambda")) continue; // of index 3 it has an order of its own on equations as they stand
        largest = std::max(largest, std::fabs(s.numbers[k] - exact[k]));
    }
    return largest;
}

TEST(DenseOrder, IsTheDeclaredOneOfTheOtherMethods) {
    const std::vector<std::string> problems{
        "lotka_volterra", "hamiltonian_pendulum", "euler_top", "liu_top", "pendulum", "attitude", "airy_sl2"};
    std::map<std::string, System> systems;
    for (const std::string& name : problems) systems.emplace(name, test::gallery_system(name));
    int n_measured = 0;
    for (const MethodInfo& m : method::methods()) {
        if (m.family->is_explicit && !m.projection.ends_with("ray")) continue;
        if (m.family->is_implicit) continue;
        const int wanted = std::min(m.order, dense_order(m) + 1);
        if (wanted > 4) continue; // of the same polynomials in solve_order_test, in quadruple precision
        const int n = m.order >= 6 ? 8 : wanted <= 2 ? 64 : 32;
        bool is_measured = false;
        for (const std::string& problem : problems) {
            if (method::is_direct(m) && problem != "lotka_volterra") continue; // elsewhere the index counts
            const System& system = systems.at(problem);
            const double coarse = error(problem, system, std::string(m.name), n);
            if (coarse < 0 || is_measured) continue;
            const double fine = error(problem, system, std::string(m.name), 2 * n);
            const double finest = error(problem, system, std::string(m.name), 4 * n);
            if (finest < 1e-12) continue; // nothing left to measure: another problem
            is_measured = true;
            const double slope = std::max(std::log2(coarse / fine), std::log2(fine / finest));
            EXPECT_GE(slope, wanted - 0.25)
                << m.name << " on " << problem << ": " << coarse << ", " << fine << ", " << finest;
        }
        n_measured += is_measured;
        if (!is_measured) GTEST_LOG_(INFO) << m.name << " was not measured";
    }
    EXPECT_GE(n_measured, 35);
}

} // namespace
} // namespace vessiot::dense_order_test
