// Do methods for differential-algebraic equations, on the equations as they stand, have the orders of theory in every
// component? [HW96, VI.1, VII.4; the measured orders of problems/liu-hairer, H9]
//
// With constant steps, in quadruple precision; a model computes its errors as outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lang/model.hpp"
#include "method/registry.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"
#include "support/reference_problem.hpp"
#include "support/refusal.hpp"

namespace vessiot::direct_test {
namespace {

using nlohmann::json;

// A model of the gallery with the error of some values at t as outputs.
System with_errors(const std::string& name, const std::string& t, const std::vector<std::string>& values) {
    return test::reference_problem(name, test::gallery_text(name) + "\n", name, t, values).system;
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
        for (std::size_t v = 0; v < orders.size(); ++v) logs[v].push_back(std::log2(std::abs(s.output_numbers[v])));
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
    for (int order = 1; order <= 6; ++order) {
        const std::string name = "bdf" + std::to_string(order);
        const auto q = static_cast<double>(order);
        Subject of_index_1 = index_1;
        of_index_1.first = order < 4 ? 20 : 80; // with fewer, much of the interval is the start
        expect_orders(name, of_index_1, {q, q});
        expect_orders(name, index_2, {q, q});
        expect_orders(name, index_3, {q, q, q});
    }
}

// With steps of their own size in index 1 and 2; in index 3 they say that steps must be constant.
TEST(DirectMethods, OfBdfReachTheirTolerances) {
    for (int order = 1; order <= 6; ++order)
        for (const Subject& subject : {index_1, index_2}) {
            const std::string method = "bdf" + std::to_string(order);
            const System system = with_errors(subject.name, subject.t, subject.values);
            for (const double rtol : {1e-4, 1e-7}) {
                if (order == 1 && rtol < 1e-5) continue; // too many steps
                const double t = std::stod(subject.t);
                SolveOptions o{.method = method, .rtol = rtol, .atol = rtol, .to = t, .at = {t}};
                const Solution s = solve_system(system, o);
                ASSERT_EQ(s.status, Status::success) << method << ", " << subject.name << ": " << s.message;
                // errors of steps add up, and grow with the solution: e^2 and more at the end
                EXPECT_LT(std::abs(s.output_numbers[0]), 20 * static_cast<double>(s.stats.steps) * rtol)
                    << method << ", " << subject.name;
            }
        }
    const System system = with_errors(index_3.name, index_3.t, index_3.values);
    EXPECT_TRUE(test::has(test::refusal([&] { solve_system(system, {.method = "bdf4"}); }),
                          "constant steps where equations have index 3"));
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
                EXPECT_LT(std::abs(s.output_numbers[0]), (subject.values.size() > 2 ? 500 : 100) * rtol)
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
        for (const double e : s.output_numbers) EXPECT_LT(std::abs(e), 1e-4) << method;
    }
}

// The largest error of the seven angles, and the number of steps.
std::pair<double, std::int64_t> andrews(const std::string& model, const std::string& method, double rtol) {
    const System system = with_errors(model, "0.03", {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"});
    SolveOptions o{.method = method, .rtol = rtol, .atol = rtol, .to = 0.03, .at = {0.03}};
    o.max_steps = 10'000;
    const Solution s = solve_system(system, o);
    EXPECT_EQ(s.status, Status::success) << model << ", " << method << ": " << s.message;
    double error = 0;
    for (const double e : s.output_numbers) error = std::max(error, std::abs(e));
    return {error, s.stats.steps};
}

// The table of docs/solve.md. Masses depend on the angles: with an estimate that took them from an old Jacobian, index
// 1 needed millions of steps.
TEST(DirectMethods, SolveAndrewsMechanismOfEveryIndex) {
    struct Row {
        std::string model;
        double error_6, error_8; // with rtol = 1e-6, 1e-8: measured, times 5
        std::int64_t steps_6, steps_8;
    };
    for (const Row& row : {Row{"andrews", 8e-5, 4e-6, 130, 400}, Row{"andrews_index2", 4e-6, 2e-8, 280, 850},
                           Row{"andrews_index1", 1e-6, 1e-8, 280, 600}}) {
        const auto [error_6, steps_6] = andrews(row.model, "dae_radau5", 1e-6);
        const auto [error_8, steps_8] = andrews(row.model, "dae_radau5", 1e-8);
        EXPECT_LT(error_6, row.error_6) << row.model;
        EXPECT_LT(error_8, row.error_8) << row.model;
        EXPECT_LT(steps_6, row.steps_6) << row.model;
        EXPECT_LT(steps_8, row.steps_8) << row.model;
    }
}

// The last component enters nonlinearly: without a start along the tangent the iteration diverges for every h.
TEST(DirectMethods, StartWhereTheLastComponentIsNonlinear) {
    for (const std::string method : {"dae_radau3", "dae_radau5", "dae_radau"}) {
        const System system = with_errors("jay_index3", "1", {"y1", "z1"});
        SolveOptions o{.method = method, .rtol = 1e-8, .atol = 1e-8, .to = 1.0, .at = {1}};
        o.max_steps = 5'000;
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << method << ": " << s.message;
        EXPECT_LT(std::abs(s.output_numbers[0]), 1e-5) << method;
    }
}

std::int64_t steps_of_order(const Solution& s, int order) {
    const std::string text = " " + s.method.choice, key = " " + std::to_string(order) + " in ";
    const std::size_t at = text.find(key);
    return at == std::string::npos ? 0 : std::stoll(text.substr(at + key.size()));
}

// The order goes up along smooth pieces and down where the iteration is slow; the tolerance is reached as by one order.
TEST(DirectMethods, OfRadauChooseTheirOrder) {
    for (const std::string name : {"hires", "van_der_pol", "robertson"}) {
        const System system = test::gallery_system(name);
        const json data = test::gallery_data(name);
        const double t = name == "hires" ? 321.8122 : name == "van_der_pol" ? 2000 : 1e11;
        json reference;
        for (const json& point : data["reference"])
            if (!point.contains("parameters") && std::stod(point["t"].get<std::string>()) == t)
                reference = point["values"];
        ASSERT_FALSE(reference.is_null()) << name;
        for (const int most : {0, 9}) {
            SolveOptions o{.method = "dae_radau", .rtol = 1e-8, .atol = 1e-20, .to = t, .at = {t}};
            o.atol = name == "robertson" ? 1e-20 : 1e-12;
            o.max_order = most;
            const Solution s = solve_system(system, o);
            ASSERT_EQ(s.status, Status::success) << name << ": " << s.message;
            for (std::size_t k = 0; k < s.names.size(); ++k) {
                const double exact = std::stod(reference[s.names[k]].get<std::string>());
                EXPECT_LT(std::abs(s.numbers[k] - exact), 1e-5 * std::abs(exact)) << name << " " << s.names[k];
            }
            EXPECT_GT(steps_of_order(s, 5), 0) << s.method.choice;
            EXPECT_EQ(steps_of_order(s, 9) > 0, most == 9) << s.method.choice;
            const std::int64_t sum =
                steps_of_order(s, 1) + steps_of_order(s, 3) + steps_of_order(s, 5) + steps_of_order(s, 9);
            EXPECT_EQ(sum, s.stats.steps) << s.method.choice;
        }
    }
}

// With constant steps it is the method of its highest order.
TEST(DirectMethods, OfVaryingOrderAreOfTheHighestWithConstantSteps) {
    const System system = with_errors("hairer_index2", "1", {"y1", "z"});
    for (const int order : {3, 5, 9}) {
        SolveOptions o{.method = "dae_radau", .step = 0.05, .to = 1.0, .at = {1}};
        o.max_order = order;
        const Solution varying = solve_system(system, o);
        *o.method += std::to_string(order);
        o.max_order = 0;
        EXPECT_EQ(varying.output_numbers, solve_system(system, o).output_numbers) << order;
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

// x1 = sin(t), and each of the others the derivative of the one before: of index n.
System chain(int n) {
    std::string text = "unknown x[" + std::to_string(n) + "]\nx[1] = sin(t)\nfor i = 2..";
    text += std::to_string(n) + ": x[i] = x[i-1]'\nsolve t = 0 .. 2\n";
    return lang::read_model(lang::Source("chain.ves", text));
}

std::string refusal_of(const System& system, const SolveOptions& options) {
    return test::message([&] { solve_system(system, options); });
}

// There is no theory beyond some index, and no convergence.
TEST(DirectMethods, RefuseAnIndexThatIsTooHigh) {
    int n = 0;
    for (const method::MethodInfo& m : method::direct_methods()) {
        ASSERT_GT(m.max_index, 0) << m.name;
        for (int index = 1; index <= 5; ++index) {
            SolveOptions o{.method = std::string(m.name), .step = 0.01, .to = 0.1};
            o.throw_on_failure = false;
            const std::string message = refusal_of(chain(index), o);
            if (index <= m.max_index) {
                EXPECT_EQ(message, test::nothing_thrown) << m.name << ", " << index;
                continue;
            }
            ++n;
            EXPECT_NE(message.find("converges where their index is " + std::to_string(m.max_index) + " at most, but "),
                      std::string::npos)
                << message;
            EXPECT_NE(message.find("such as radau5"), std::string::npos) << message;
        }
    }
    EXPECT_GT(n, 20);
}

// The pendulum of first order: the constraint on the velocities contains x' and y', which are not reported. Steps that
// are too long leave it, and the residual says so.
TEST(DirectMethods, ReportTheResidualsOfHiddenConstraints) {
    const System system = test::gallery_system("pendulum_first_order");
    double before = 1;
    for (const double rtol : {1e-3, 1e-6, 1e-9}) {
        SolveOptions o{.method = "dae_radau5", .rtol = rtol, .atol = rtol, .to = 1.0};
        const Solution s = solve_system(system, o);
        ASSERT_EQ(s.status, Status::success) << s.message;
        double off = 0; // of x u + y v = 0
        for (std::size_t k = 0; k < s.t.size(); ++k) {
            const auto row = s.row(k);
            const double a = row[0] * row[2], b = row[1] * row[3];
            off = std::max(off, std::abs(a + b) / std::max({1.0, std::abs(a), std::abs(b)}));
        }
        EXPECT_GE(s.constraint_residual_max, off / 4) << rtol;
        EXPECT_GT(s.constraint_residual_max, 1e-15) << rtol;
        EXPECT_LT(s.constraint_residual_max, before) << rtol;
        before = s.constraint_residual_max;
    }
}

// From rest, where velocities are smaller than the round-off that the index multiplies by 1/h.
TEST(DirectMethods, MakeSmallConstantStepsFromRest) {
    for (const std::string method : {"bdf1", "bdf2", "bdf3", "bdf4", "bdf5", "bdf6", "dae_radau3", "dae_radau5"})
        for (const double step : {2e-3, 1e-3, 2e-4}) {
            const SolveOptions o{.method = method, .step = step, .to = 0.1};
            const Solution s = solve_system(test::gallery_system("pendulum"), o);
            ASSERT_EQ(s.status, Status::success) << method << " " << step << ": " << s.message;
            // x = cos phi, phi'' = -g cos phi: y = -g t^2/2 + O(t^6)
            EXPECT_NEAR(s.column("y").back(), -0.049, method == "bdf1" ? 0.02 : 0.002) << method << " " << step;
        }
}

} // namespace
} // namespace vessiot::direct_test
