// Do methods for differential-algebraic equations, on the equations as they stand, have the orders of theory in every
// component? [HW96, VI.1, VII.4; the measured orders of problems/liu-hairer, H9]
//
// With constant steps, in quadruple precision; a model computes its errors as outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lang/model.hpp"
#include "solve/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot {
namespace {

using nlohmann::json;

// A model of the gallery with the error of some values at t as outputs.
System with_errors(const std::string& name, const std::string& t, const std::vector<std::string>& values) {
    const json data = test::gallery_data(name);
    for (const json& point : data["reference"]) {
        if (point["t"] != t) continue;
        std::string text = test::gallery_text(name) + "\n";
        for (std::size_t k = 0; k < values.size(); ++k)
            text += "output error" + std::to_string(k) + " = " + values[k] + " - (" +
                    point["values"][values[k]].get<std::string>() + ")\n";
        return lang::read_model(lang::Source(name + ".ves", text));
    }
    ADD_FAILURE() << "no reference for " << name << " at t = " << t;
    return {};
}

struct Subject {
    std::string name, t;
    std::vector<std::string> values;
    int first = 20; // steps of the coarsest run
};

const Subject index_1{"hairer_index1", "0.5", {"y", "z"}};
const Subject index_2{"hairer_index2", "1", {"y1", "z"}, 40};
const Subject index_3{"hairer_index3", "1", {"y1", "z1", "u"}, 40};

void expect_orders(const std::string& method, const Subject& subject, const std::vector<double>& orders) {
    const System system = with_errors(subject.name, subject.t, subject.values);
    const double t = std::stod(subject.t);
    std::vector<std::vector<double>> logs(orders.size()); // binary, of the errors
    for (int k = 0; k < 4; ++k) {
        SolveOptions o{.method = method, .step = t / (subject.first << k), .to = t, .at = {t}};
        o.precision = "quad";
        o.backend = "interpreter";
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << method << ", " << subject.name << ": " << s.message;
        for (std::size_t v = 0; v < orders.size(); ++v) logs[v].push_back(std::log2(std::abs(s.outputs[v])));
    }
    for (std::size_t v = 0; v < orders.size(); ++v) {
        const std::vector<double>& y = logs[v];
        const double fit = (3 * (y[0] - y[3]) + (y[1] - y[2])) / 10; // least squares on equidistant points
        const std::string what = method + ", " + subject.name + ", " + subject.values[v];
        EXPECT_NEAR(fit, orders[v], 0.25) << what;
        EXPECT_NEAR(y[2] - y[3], orders[v], 0.25) << what;
        testing::Test::RecordProperty(what, std::to_string(fit) + " " + std::to_string(y[2] - y[3]));
    }
}

TEST(DirectMethods, OfRadauHaveTheOrdersOfEachIndex) {
    expect_orders("dae_radau1", index_1, {1, 1});
    expect_orders("dae_radau1", index_2, {1, 1});
    expect_orders("dae_radau1", index_3, {1, 1, 1});
    expect_orders("dae_radau3", index_1, {3, 3});
    expect_orders("dae_radau3", index_2, {3, 2});
    expect_orders("dae_radau3", index_3, {3, 2, 1});
    expect_orders("dae_radau5", index_1, {5, 5});
    expect_orders("dae_radau5", index_2, {5, 3});
    expect_orders("dae_radau5", index_3, {5, 3, 2});
}

TEST(DirectMethods, OfGaussLoseOrderInAlgebraicUnknowns) {
    expect_orders("dae_gauss2", index_1, {2, 2});
    expect_orders("dae_gauss4", index_1, {4, 2});
    expect_orders("dae_gauss6", index_1, {6, 4});
}

TEST(DirectMethods, BdfHasItsOrderInEveryComponent) {
    for (int order = 1; order <= 3; ++order) {
        const std::string name = "bdf" + std::to_string(order);
        const auto q = static_cast<double>(order);
        expect_orders(name, index_1, {q, q});
        expect_orders(name, index_2, {q, q});
        expect_orders(name, index_3, {q, q, q});
    }
}

// Adaptive: the error follows the tolerance in the differential unknowns. In index 3 errors of the others, which count
// h and h^2 times, come back to them.
TEST(DirectMethods, OfRadauReachTheirTolerances) {
    for (const Subject& subject : {index_1, index_2, index_3}) {
        const System system = with_errors(subject.name, subject.t, subject.values);
        for (const std::string method : {"dae_radau3", "dae_radau5", "dae_radau9"})
            for (const double rtol : {1e-6, 1e-9}) {
                const double t = std::stod(subject.t);
                SolveOptions o{.method = method, .rtol = rtol, .atol = rtol, .to = t, .at = {t}};
                const Solution s = solve_system(system, o);
                ASSERT_EQ(s.status, Status::success) << method << ", " << subject.name << ": " << s.message;
                EXPECT_LT(std::abs(s.outputs[0]), (subject.values.size() > 2 ? 500 : 100) * rtol)
                    << method << ", " << subject.name;
            }
    }
}

// Andrews' mechanism as it stands, of index 3, and on its constraints: the same mechanism, by two roads.
TEST(DirectMethods, AgreeWithThoseOnTheConstraints) {
    const System system = with_errors("andrews", "0.03", {"beta", "Theta", "gamma"});
    for (const std::string method : {"dae_radau5", "radau5"}) {
        SolveOptions o{.method = method, .rtol = 1e-8, .atol = 1e-8, .to = 0.03, .at = {0.03}};
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        for (const double e : s.outputs) EXPECT_LT(std::abs(e), 1e-4) << method;
    }
}

// [problems/liu-hairer, H10]: the implicit Euler method converges for eta > -1/2, blows up below, and has no solution
// at -1. The program says which; on the constraints all are the same easy problem.
TEST(DirectMethods, SayWhereTheyDoNotConverge) {
    const auto run = [](const std::string& eta, const std::string& method) {
        const System system = test::gallery_system("eta_problem", {{"eta", eta}});
        SolveOptions o{.method = method, .step = 1.0 / 160, .to = 1.0, .at = {1}};
        o.throw_on_failure = false;
        return solve_system(system, o);
    };
    for (const std::string eta : {"1", "0", "-0.3", "-0.49"}) {
        const Solution s = run(eta, "dae_radau1");
        EXPECT_EQ(s.status, Status::success) << eta << ": " << s.message;
        EXPECT_NEAR(s(1, "z"), -0.956449142415282, 0.02) << eta;
    }
    for (const std::string eta : {"-0.6", "-2"}) {
        const Solution s = run(eta, "dae_radau1");
        EXPECT_EQ(s.status, Status::failed) << eta;
        EXPECT_NE(s.message.find("does not converge on these equations as they stand"), std::string::npos) << s.message;
    }
    const Solution none = run("-1", "dae_radau1");
    EXPECT_EQ(none.status, Status::failed);
    EXPECT_NE(none.message.find("their pencil is singular"), std::string::npos) << none.message;
    for (const std::string eta : {"1", "-0.6", "-1", "-2"}) {
        const Solution s = run(eta, "radau5");
        EXPECT_EQ(s.status, Status::success) << eta << ": " << s.message;
        EXPECT_NEAR(s(1, "z"), -0.956449142415282, 1e-9) << eta;
    }
}

} // namespace
} // namespace vessiot
