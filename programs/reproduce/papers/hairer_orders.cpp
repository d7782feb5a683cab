// In quadruple precision. Theorems of the notes: V.2.1 (index 1, z), V.3.2 and what follows it (index 2); of index 3
// [HLR89; HW96, VII.6], and of linear multistep methods [HW96, VII.3].
#include "reproduce/papers/hairer_orders.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "reproduce/slope.hpp"

namespace vessiot::reproduce::hairer_notes {

namespace {

// A system with the solution of some unknowns at t.
struct Subject {
    std::string name, model, t;
    int first;                                      // steps of the coarsest run
    std::vector<std::array<std::string, 3>> values; // column, unknown, its value
};

const std::vector<Subject>& subjects() {
    static const std::vector<Subject> all{
        {"index 1",
         "hairer_index1",
         "0.5",
         80,
         {{"y", "y", "1.5967683944573744782656995049541"}, {"z", "z", "-1.0303929933638597513076199919512"}}},
        {"index 2", "hairer_index2", "1", 160, {{"y", "y1", "exp(1)"}, {"z", "z", "exp(2)"}}},
        {"index 3", "hairer_index3", "1", 80, {{"y", "y1", "exp(2)"}, {"z", "z1", "exp(2)"}, {"u", "u", "exp(1)"}}},
    };
    return all;
}

struct Method {
    std::string row, name;
    std::vector<std::vector<int>> orders; // by subject, of each column; empty: not for that index
    int finer = 1;                        // times as many steps, where the first terms of the error are alike
};

const std::vector<Method>& methods() {
    static const std::vector<Method> all{
        {"Radau IIA, 1 stage", "dae_radau1", {{1, 1}, {1, 1}, {1, 1, 1}}},
        {"Radau IIA, 2 stages", "dae_radau3", {{3, 3}, {3, 2}, {3, 2, 1}}},
        {"Radau IIA, 3 stages", "dae_radau5", {{5, 5}, {5, 3}, {5, 3, 2}}},
        {"Gauss, 1 stage (rho = -1)", "dae_gauss2", {{2, 2}, {}, {}}},
        {"Gauss, 2 stages (rho = 1)", "dae_gauss4", {{4, 2}, {}, {}}},
        {"Gauss, 3 stages (rho = -1)", "dae_gauss6", {{6, 4}, {}, {}}},
        {"Lobatto IIIA, 3 stages, on the manifold", "lobatto4", {{4, 4}, {4, 4}, {4, 4, 4}}},
        {"BDF 1", "bdf1", {{1, 1}, {1, 1}, {1, 1, 1}}},
        {"BDF 2", "bdf2", {{2, 2}, {2, 2}, {2, 2, 2}}},
        {"BDF 3", "bdf3", {{3, 3}, {3, 3}, {3, 3, 3}}},
        {"BDF 4", "bdf4", {{4, 4}, {4, 4}, {4, 4, 4}}, 4},
        {"BDF 5", "bdf5", {{5, 5}, {5, 5}, {5, 5, 5}}, 4},
        {"BDF 6", "bdf6", {{6, 6}, {6, 6}, {6, 6, 6}}, 4},
    };
    return all;
}

RunSetting setting_of(const Method& method, const Subject& subject, int n) {
    RunSetting run{.model = subject.model,
                   .options = {{"method", method.name},
                               {"precision", "quad"},
                               {"step", fmt::format("({})/{}", subject.t, n)},
                               {"to", subject.t},
                               {"at", subject.t}}};
    for (const auto& [column, unknown, value] : subject.values)
        run.lines += fmt::format("output error_{} = {} - ({})\n", column, unknown, value);
    return run;
}

constexpr std::string_view eta_lines = "output error = z - (cos(2*t) - cos(t))\n";

RunSetting eta_setting(const std::string& eta, int n) {
    return {.model = "eta_problem",
            .set = {{"eta", eta}},
            .options = {{"method", "dae_radau1"},
                        {"precision", "quad"},
                        {"step", fmt::format("1/{}", n)},
                        {"to", "1"},
                        {"at", "1"}},
            .lines = std::string(eta_lines)};
}

// A step of h of the implicit Euler method from y = off; dae_radau1 is that method.
RunSetting off_setting(const std::string& h, const std::string& off) {
    return {.model = "off_manifold",
            .set = {{"h", h}, {"off", off}},
            .options = {{"method", "dae_radau1"}, {"step", h}, {"to", h}, {"at", h}}};
}

} // namespace

Table index_orders() {
    Table table;
    table.name = "V";
    table.title = "orders of methods on systems of index 1, 2 and 3 as they stand, beside those of theory";
    table.note = "Slopes of errors with n, 2n, 4n, 8n constant steps, in quadruple precision; n = 80, for index 2 160, "
                 "and 4 times as many for BDF 4 to 6. Lobatto IIIA, whose matrix is singular, is no method for these "
                 "systems as they stand; on the manifold nothing of its order is lost.";
    for (const Method& method : methods())
        for (std::size_t i = 0; i < method.orders.size(); ++i) {
            const Subject& subject = subjects()[i];
            for (std::size_t v = 0; v < method.orders[i].size(); ++v) {
                const std::string column = subject.values[v][0];
                table.add(
                    method.row, fmt::format("{}, {}", subject.name, column), {std::to_string(method.orders[i][v]), 2},
                    [&method, &subject, column](Runner& runner) {
                        return slope(
                            runner, [&](int n) { return setting_of(method, subject, n); }, {"error_" + column},
                            subject.first * method.finer);
                    },
                    "");
            }
        }
    return table;
}

Table eta_orders() {
    Table table;
    table.name = "V.6";
    table.title = "exercise V.6.2: order of z with the implicit Euler method, which converges for eta > -1/2";
    table.note = "Slopes of errors at t = 1 with 160, 320, 640, 1280 steps.";
    for (const std::string eta : {"1", "0", "-0.3", "-0.49"})
        table.add(
            fmt::format("eta = {}", eta), "order", {"1", 2},
            [eta](Runner& runner) { return slope(runner, [&](int n) { return eta_setting(eta, n); }, {"error"}, 160); },
            "The ratio eta/(1 + eta) of the recursion is near to -1: errors decay only after many steps.");
    return table;
}

std::vector<Claim> eta_claims() {
    return {
        {"V.6, exercise 2", "the implicit Euler method is unstable for eta < -1/2",
         [](Runner& runner) -> Finding {
             const Solution &coarse = runner.run(eta_setting("-0.6", 40)), &fine = runner.run(eta_setting("-0.6", 160));
             // NOTE: such runs are called failed, since what they reach has nothing to do with the solution
             for (const Solution* s : {&coarse, &fine})
                 if (s->t.empty() || s->t.back() != 1) return {Standing::not_computed, s->message};
             const double a = std::abs(coarse.column("error").back()), b = std::abs(fine.column("error").back());
             return {b > a && b > 1 ? Standing::holds : Standing::does_not_hold,
                     fmt::format("For eta = -0.6 the error of z at t = 1 is {:.1e} with 40 steps and {:.1e} with 160.",
                                 a, b)};
         }},
        {"V.6, exercise 2", "for eta = -1 its numerical solution does not exist",
         [](Runner& runner) -> Finding {
             const Solution& s = runner.run(eta_setting("-1", 40));
             if (s.status == Status::success)
                 return {Standing::does_not_hold,
                         fmt::format("A run with 40 steps reached t = 1, with the error {:.1e} of z.",
                                     std::abs(s.column("error").back()))};
             return {s.stats.steps == 0 ? Standing::holds : Standing::does_not_hold,
                     fmt::format("A run with steps of 1/40 ends after {} of them: {}.", s.stats.steps, s.message)};
         }},
    };
}

std::vector<Claim> off_manifold_claims() {
    return {
        {"V.6, exercise 5", "the implicit Euler method has no solution from y_0 = h, off the manifold y = t by O(h)",
         [](Runner& runner) -> Finding {
             for (const std::string h : {"0.1", "0.01", "0.001"}) {
                 const Solution& s = runner.run(off_setting(h, h));
                 if (s.status == Status::success || s.stats.steps > 0)
                     return {Standing::does_not_hold, fmt::format("With h = {} a step was made.", h)};
             }
             return {Standing::holds, "With h = 0.1, 0.01 and 0.001 the first step is not made."};
         }},
        {"V.6, exercise 5, remark", "it has one where the start is O(h^2) off",
         [](Runner& runner) -> Finding {
             std::string text;
             for (const double h : {0.1, 0.01, 0.001}) {
                 const Solution& s = runner.run(off_setting(fmt::format("{}", h), fmt::format("{}", h * h)));
                 if (s.status != Status::success) return {Standing::does_not_hold, s.message};
                 const double z = s.column("z").back(), exact = 1 + std::log(1 - 2 * h);
                 if (!(std::abs(z - exact) < 1e-9))
                     return {Standing::does_not_hold, fmt::format("z = {:.9g}, not {:.9g}.", z, exact)};
                 text += fmt::format("{}{:.6f}", text.empty() ? "" : ", ", z);
             }
             return {Standing::holds,
                     fmt::format("From y_0 = h^2 with h = 0.1, 0.01, 0.001: z = {}, which is 1 + log(1 - 2 h).", text)};
         }},
    };
}

} // namespace vessiot::reproduce::hairer_notes
