// The orders of group preserving schemes, methods along rays, splitting, Kahan's and the projected midpoint rule, on
// the problems of Liu's paper and others, against the reference solutions of the gallery.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "lang/model.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::geometric_order_test {
namespace {

struct Case {
    std::string model;
    test::ParameterSettings set{};
    std::string t; // of the reference
    SolveOptions options{};
    double from = 0;
};

// The largest error at t after n steps.
double error(const Case& c, int n) {
    const nlohmann::json data = test::gallery_data(c.model);
    for (const auto& r : data["reference"]) {
        const bool has_set = r.contains("parameters") == !c.set.empty();
        if (r["t"] != c.t || !has_set) continue;
        SolveOptions o = c.options;
        const double end = std::stod(c.t);
        o.to = end;
        o.step = (end - c.from) / n;
        o.at = {end};
        o.backend = "interpreter";
        const Solution s = solve_system(test::gallery_system(c.model, c.set), o);
        EXPECT_EQ(s.status, Status::success) << s.message;
        double largest = 0;
        for (std::size_t k = 0; k < s.names.size(); ++k)
            if (r["values"].contains(s.names[k]))
                largest = std::max(largest, std::abs(s.row(s.t.size() - 1)[k] -
                                                     std::stod(r["values"][s.names[k]].get<std::string>())));
        return largest;
    }
    ADD_FAILURE() << "no reference for " << c.model << " at " << c.t;
    return 0;
}

// Errors fall like n^-order: by the fit over n, 2n, 4n, 8n, and between the last two.
void expect_order(const Case& c, int first, double order, double tolerance = 0.15) {
    std::vector<double> e;
    for (int k = 0; k < 4; ++k) e.push_back(error(c, first << k));
    const double last = std::log2(e[2] / e[3]);
    // least squares through four equidistant points
    const double fit = (3 * (std::log2(e[0]) - std::log2(e[3])) + (std::log2(e[1]) - std::log2(e[2]))) / 10;
    const std::string what = c.model + " with " + *c.options.method;
    EXPECT_NEAR(last, order, tolerance) << what << ": " << e[0] << " " << e[1] << " " << e[2] << " " << e[3];
    EXPECT_NEAR(fit, order, 0.25) << what;
    EXPECT_GT(e[3], 2e-14) << what << ": round-off";
}

Case with(const std::string& method, const std::string& model, const std::string& t) {
    return {.model = model, .t = t, .options = {.method = method}};
}

TEST(Order, GroupPreservingSchemesAre1) {
    expect_order(with("gps", "lotka_volterra", "5"), 800, 1);
    expect_order(with("gps", "liu_planar", "10"), 3200, 1);
    expect_order(with("hgps", "lotka_volterra", "5"), 800, 1);
}

// MGPS tends to 1 from above for example 2.
TEST(Order, ModifiedGroupPreservingSchemesAre1) {
    expect_order(with("hmgps", "lotka_volterra", "5"), 800, 1);
    Case c{.model = "liu_index2_reduced", .t = "1", .options = {.method = "mgps"}, .from = 0.5};
    expect_order(c, 400, 1);
    expect_order(with("mgps", "liu_planar", "10"), 64000, 1, 0.2);
    Case top{.model = "liu_top", .set = {{"I2", "1.5"}}, .t = "10", .options = {.method = "mgps"}};
    top.options.partition = "[[P[1], P[2]], [P[3]]]";
    expect_order(top, 6400, 1, 0.2);
}

TEST(Order, KahanIs2) {
    expect_order(with("kahan", "lotka_volterra", "5"), 200, 2);
    Case top{.model = "liu_top", .set = {{"I2", "1.5"}}, .t = "10", .options = {.method = "kahan"}};
    expect_order(top, 400, 2);
}

// Examples 2 and 4, and with two constraints example 6, asymmetric. The solution of example 8 is irregular at folds of
// the rays; its table is in reproduce.
TEST(Order, RungeKuttaAlongRaysIs4) {
    expect_order(with("mrk4", "liu_planar", "10"), 400, 4);
    Case c{.model = "liu_index2_reduced", .t = "1", .options = {.method = "mrk4"}, .from = 0.5};
    expect_order(c, 40, 4);
    Case top{.model = "liu_top", .set = {{"I2", "1.5"}}, .t = "20", .options = {.method = "mrk4"}};
    top.options.partition = "[[P[1], P[2]], [P[3]]]";
    expect_order(top, 200, 4);
    top.options.partition = "auto"; // sets that are chosen along the run
    expect_order(top, 200, 4);
    Case gradient = with("rk4", "lotka_volterra", "5");
    gradient.options.projection = "gradient-ray";
    expect_order(gradient, 100, 4);
}

TEST(Order, OtherTableauxAlongRaysKeepTheirs) {
    // NOTE: on closed orbits methods of odd order gain one, since only the phase is left.
    for (const auto& [method, order, first] : {std::tuple("meuler", 1, 1000), std::tuple("mheun", 2, 100),
                                               std::tuple("mbs32", 3, 50), std::tuple("mrkf45", 4, 40)}) {
        const Case c{.model = "liu_index2_reduced", .t = "1", .options = {.method = method}, .from = 0.5};
        expect_order(c, first, order);
    }
}

TEST(Order, PostStabilisationKeepsTheOrder) {
    for (const auto& [method, order] : {std::pair("rk2", 2.0), std::pair("rk4", 4.0)}) {
        Case c = with(method, "liu_planar", "5");
        c.options.projection = "post";
        expect_order(c, order == 2 ? 800 : 200, order);
    }
}

TEST(Order, TheProjectedMidpointRuleIs2) {
    expect_order(with("projected_midpoint", "liu_planar", "5"), 200, 2);
    expect_order(with("projected_midpoint", "lotka_volterra", "5"), 200, 2);
}

TEST(Order, SplittingMethods) {
    const auto kepler = [](const std::string& method) {
        return Case{.model = "modified_kepler", .t = "1", .options = {.method = method}};
    };
    expect_order(kepler("verlet"), 200, 2);
    expect_order(kepler("forest_ruth"), 100, 4);
    expect_order(kepler("yoshida4"), 100, 4);
    expect_order(kepler("yoshida6"), 40, 6, 0.25);
    Case eight = kepler("yoshida8");
    eight.options.precision = "quad";
    expect_order(eight, 10, 8, 0.3);
}

// Halves that depend on t: the time of each move keeps the steps symmetric.
TEST(Order, SplittingMethodsKeepTheirsWhereTimeOccurs) {
    const System system = lang::read_model(lang::Source(
        "test.ves", "unknown x, p\nx' = p*(1 + 0.2*sin(t))\np' = -x*(1 + 0.3*cos(t))\nstart x = 1, p = 0\n"));
    const auto end = [&](SolveOptions o) {
        o.to = 10;
        o.at = {10};
        return solve_system(system, o).numbers;
    };
    const std::vector<double> exact = end({.method = "dop853", .rtol = 1e-13, .atol = 1e-14});
    for (const auto& [method, order] : {std::pair("verlet", 2.0), std::pair("forest_ruth", 4.0),
                                        std::pair("yoshida4", 4.0), std::pair("yoshida6", 6.0)}) {
        const auto miss = [&](int n) {
            const std::vector<double> v = end({.method = method, .step = 10.0 / n});
            return std::hypot(v[0] - exact[0], v[1] - exact[1]);
        };
        EXPECT_NEAR(std::log2(miss(100) / miss(200)), order, 0.15) << method;
    }
}

} // namespace
} // namespace vessiot::geometric_order_test
