// The notes print pictures and say what they show. The numbers beside ours come from independent programs that were
// written for these problems; errors are those against solutions with 24 digits and more.
#include "reproduce/papers/hairer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "reproduce/papers/hairer_orders.hpp"

namespace vessiot::reproduce {

namespace hairer_notes {

RunSetting pendulum_setting(const std::string& method, const std::string& projection, const std::string& to) {
    return {.model = "spherical_pendulum",
            .options = {{"method", method}, {"projection", projection}, {"step", "0.01"}, {"to", to}}};
}

RunSetting sphere_setting(const std::string& method, const std::string& projection, const std::string& step,
                          const std::string& to) {
    return {.model = "hairer_sphere",
            .options = {{"method", method}, {"projection", projection}, {"step", step}, {"to", to}}};
}

} // namespace hairer_notes

namespace {

using hairer_notes::pendulum_setting;
using hairer_notes::sphere_setting;

constexpr double energy_0 = 25.8924988286245874069979841093;
constexpr double body_energy_0 = 1.16190091642822558670104500911 / 2;

bool has_method(std::string_view name) {
    return std::ranges::any_of(method::methods(), [&](const method::MethodInfo& m) { return m.name == name; });
}

Computed failed(const Solution& s) {
    return {std::numeric_limits<double>::quiet_NaN(), s.message};
}

// A column at t, which is a point of the run.
double at(const Solution& s, const std::string& name, double t) {
    const auto near = std::ranges::min_element(s.t, {}, [&](double x) { return std::abs(x - t); });
    return s.column(name)[static_cast<std::size_t>(near - s.t.begin())];
}

double largest_distance(const std::vector<double>& values, double from) {
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v - from));
    return largest;
}

// ---- figure I.2 ----

Table rigid_body_table() {
    Table table;
    table.name = "I.2";
    table.title = "rigid body on the sphere (figure I.2): drift from the sphere, and of the energy";
    table.note = "Explicit Euler, h = 0.025; |y| - 1 without a projection, H - H0 with one onto the sphere.";
    const auto add = [&](const std::string& row, std::string_view projection, const std::string& output, double from,
                         double t, std::string_view published) {
        const RunSetting run = sphere_setting("euler", std::string(projection), "0.025", "200");
        table.add(
            row, fmt::format("t = {}", t), {std::string(published)},
            [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return s.status == Status::success ? Computed{at(s, output, t) - from, ""} : failed(s);
            },
            "");
    };
    struct Value {
        double t;
        std::string_view drift, energy;
    };
    for (const Value& v : {Value{10, "1.48855e-2", "-3.605e-3"}, Value{20, "2.85149e-2", "-7.074e-3"},
                           Value{40, "6.04105e-2", "-1.361e-2"}, Value{100, "1.75239e-1", "-3.018e-2"},
                           Value{200, "4.38546e-1", "-4.945e-2"}}) {
        add("|y| - 1, no projection", "none", "radius", 1, v.t, v.drift);
        add("H - H0, with projection", "newton", "H", body_energy_0, v.t, v.energy);
    }
    return table;
}

// The largest |H - H0|, or ||y| - 1|, over so many steps of 1.
Table implicit_table() {
    Table table;
    table.name = "I.2-implicit";
    table.title = "rigid body on the sphere (figure I.2), h = 1: largest errors of the energy and of the length";
    const auto add = [&](const std::string& row, const std::string& method, const std::string& projection,
                         const std::string& output, double from, int steps, std::string_view published) {
        if (!has_method(method)) return;
        const RunSetting run = sphere_setting(method, projection, "1", "1000");
        table.add(
            row, fmt::format("{} steps", steps), {std::string(published)},
            [=](Runner& runner) {
                const Solution& s = runner.run(run);
                if (s.status != Status::success) return failed(s);
                std::vector<double> values = s.column(output);
                values.resize(static_cast<std::size_t>(steps) + 1);
                return Computed{largest_distance(values, from), ""};
            },
            "");
    };
    const std::string trapezoidal = "trapezoidal";
    add("trapezoidal rule, projection: H", trapezoidal, "newton", "H", body_energy_0, 10, "2.182e-4");
    add("trapezoidal rule, projection: H", trapezoidal, "newton", "H", body_energy_0, 100, "2.782e-4");
    add("trapezoidal rule, projection: H", trapezoidal, "newton", "H", body_energy_0, 1000, "8.101e-4");
    add("trapezoidal rule: H", trapezoidal, "none", "H", body_energy_0, 10, "1.760e-2");
    add("trapezoidal rule: H", trapezoidal, "none", "H", body_energy_0, 1000, "1.814e-2");
    add("trapezoidal rule: |y|", trapezoidal, "none", "radius", 1, 10, "1.484e-2");
    add("trapezoidal rule: |y|", trapezoidal, "none", "radius", 1, 1000, "1.529e-2");
    add("implicit midpoint rule: H", "implicit_midpoint", "none", "H", body_energy_0, 1000, "0");
    add("implicit midpoint rule: |y|", "implicit_midpoint", "none", "radius", 1, 1000, "0");
    return table;
}

// ---- figure V.1 ----

Table pendulum_table() {
    Table table;
    table.name = "V.1";
    table.title = "spherical pendulum (figure V.1), h = 0.01: error of the energy, of 25.89";
    const auto largest = [&](const std::string& row, const std::string& method, std::string_view published) {
        const RunSetting run = pendulum_setting(method, "auto", "100");
        table.add(
            row, "largest, t to 100", {std::string(published)},
            [=](Runner& runner) {
                const Solution& s = runner.run(run);
                return s.status == Status::success ? Computed{largest_distance(s.column("E"), energy_0), ""}
                                                   : failed(s);
            },
            "");
    };
    largest("symplectic Euler (4.4)-(4.5)", "symplectic_euler", "3.19e-2");
    largest("RATTLE (5.3)", "rattle", "1.01e-3");
    struct Value {
        double t;
        std::string_view with, without;
    };
    for (const Value& v : {Value{0.1, "-1.26", "-2.27"}, Value{1, "-8.82", "-13.1"}, Value{10, "-21.8", "-23.8"}})
        for (const bool has_hidden : {true, false}) {
            const RunSetting run = pendulum_setting("constrained_euler", has_hidden ? "auto" : "none", "10");
            table.add(
                has_hidden ? "implicit Euler (4.4)-(4.5)" : "implicit Euler (4.4)", fmt::format("t = {}", v.t),
                {std::string(has_hidden ? v.with : v.without)},
                [=, t = v.t](Runner& runner) {
                    const Solution& s = runner.run(run);
                    return s.status == Status::success ? Computed{at(s, "E", t) - energy_0, ""} : failed(s);
                },
                "");
        }
    return table;
}

// ---- errors and orders ----

// A problem with its solution at t.
struct Exact {
    std::string model;
    double t;
    std::string t_text;
    std::vector<std::pair<std::string, std::string>> values;
};

const Exact& body() {
    static const Exact exact{"hairer_sphere",
                             5,
                             "5",
                             {{"y[1]", "-0.3382586675520020697048826"},
                              {"y[2]", "-0.6899022005610295742072344"},
                              {"y[3]", "0.6400125213517256388772516"}}};
    return exact;
}

const Exact& pendulum() {
    static const Exact exact{"spherical_pendulum",
                             1,
                             "1",
                             {{"q[1]", "0.678919009761193478166142"},
                              {"q[2]", "0.715766191362999562596521"},
                              {"q[3]", "-0.163547355486373930767209"}}};
    return exact;
}

const Exact& pendulum_with_velocities() {
    static const Exact exact = [] {
        Exact e = pendulum();
        e.values.insert(e.values.end(), {{"q[1]'", "-4.99288291844351703941194"},
                                         {"q[2]'", "3.96128459520089253547137"},
                                         {"q[3]'", "-3.38990219427655045353009"}});
        return e;
    }();
    return exact;
}

const Exact& arm() {
    static const Exact exact{"robot_arm",
                             6.28318530717958647692528676655900577,
                             "2*pi",
                             {{"theta[1]", "1.705290479907628020942678"},
                              {"theta[2]", "0.7173535840540328810958748"},
                              {"theta[3]", "-0.04263580429006463005317606"},
                              {"theta[4]", "-0.6506945415274712298310848"}}};
    return exact;
}

const Exact& rotation() {
    static const Exact exact{"magnus_so3",
                             5,
                             "5",
                             {{"Y[1,1]", "0.544546529374433661187294901427"},
                              {"Y[1,2]", "0.656678394462871386935016108669"},
                              {"Y[1,3]", "0.521768687822414793441311459826"},
                              {"Y[2,1]", "-0.833639721777293531848690468941"},
                              {"Y[2,2]", "0.492199083205009967004891644328"},
                              {"Y[2,3]", "0.250569105771689874088927874429"},
                              {"Y[3,1]", "-0.0922707517111229029577185687751"},
                              {"Y[3,2]", "-0.571413640664810487170322220361"},
                              {"Y[3,3]", "0.81545849657775419408456286245"}}};
    return exact;
}

const Exact& airy() {
    static const Exact exact{"airy_sl2",
                             5,
                             "5",
                             {{"Y[1,1]", "0.381481898085060864263275861542"},
                              {"Y[1,2]", "0.831947798341728872363612359422"},
                              {"Y[2,1]", "-1.09372915285570452882437397618"},
                              {"Y[2,2]", "0.236117204385535593505103640475"}}};
    return exact;
}

struct Way {
    std::string row, method, projection, project;
};

// |error| after n steps
Computed error(Runner& runner, const Exact& exact, const Way& way, int n) {
    RunSetting run{.model = exact.model,
                   .options = {{"method", way.method},
                               {"projection", way.projection},
                               {"project", way.project},
                               {"step", fmt::format("({})/{}", exact.t_text, n)},
                               {"to", exact.t_text},
                               {"at", exact.t_text}}};
    for (std::size_t k = 0; k < exact.values.size(); ++k)
        run.lines += fmt::format("output e{} = {} - ({})\n", k, exact.values[k].first, exact.values[k].second);
    const Solution& s = runner.run(run);
    if (s.status != Status::success) return failed(s);
    double sum = 0;
    for (std::size_t k = 0; k < exact.values.size(); ++k) {
        const double e = s.column(fmt::format("e{}", k)).back();
        sum += e * e;
    }
    return {std::sqrt(sum), ""};
}

struct Measured {
    Way way;
    int n; // the larger number of steps of the pair
    std::string error{}, order{};
    std::string reason{};
};

Table order_table(std::string name, std::string title, const Exact& exact, const std::vector<Measured>& rows) {
    Table table;
    table.name = std::move(name);
    table.title = std::move(title);
    for (const Measured& m : rows) {
        if (!has_method(m.way.method)) continue;
        const std::string row = fmt::format("{}, {} steps", m.way.row, m.n);
        if (!m.error.empty())
            table.add(
                row, "error", {m.error}, [=, &exact](Runner& r) { return error(r, exact, m.way, m.n); }, m.reason);
        if (m.order.empty()) continue;
        table.add(
            row, "order", {m.order},
            [=, &exact](Runner& r) {
                const Computed coarse = error(r, exact, m.way, m.n / 2), fine = error(r, exact, m.way, m.n);
                return Computed{std::log2(coarse.value / fine.value), coarse.problem + fine.problem};
            },
            m.reason);
    }
    return table;
}

constexpr const char* partitions =
    "Which partitions are used, and when they change, is a choice: errors differ with it, the order does not.";
constexpr const char* other_projection =
    "Another projection onto the same manifold: errors differ, the order does not.";

std::vector<Table> order_tables() {
    return {
        order_table(
            "III.1", "rigid body on the sphere, t = 5: errors and orders", body(),
            {{{"RK4", "rk4", "none", "steps"}, 320, "5.106e-11", "4.00"},
             {{"RK4, standard projection", "rk4", "newton", "steps"}, 320, "4.206e-11", "3.99"},
             {{"RK4, internal projection", "rk4", "newton", "stages"}, 320, "5.705e-11", "4.00"},
             {{"Euler, standard projection", "euler", "newton", "steps"}, 320, "6.636e-3", "1.00"},
             {{"RK4, coordinate partitioning", "rk4", "partition", "stages"}, 320, "8.557e-11", "3.99", partitions},
             {{"RK4, tangent space", "rk4", "tangent", "stages"}, 320, "5.999e-11", "4.00"},
             {{"trapezoidal rule, standard projection", "trapezoidal", "newton", "steps"}, 320, "4.622e-6", "2.00"},
             {{"implicit midpoint rule", "implicit_midpoint", "none", "steps"}, 320, "4.629e-6", "2.00"}}),
        order_table("I.2-arm", "robot arm with the path of a circle, t = 2 pi: errors and orders", arm(),
                    {{{"Euler", "euler", "none", "steps"}, 320, "3.642e-3", "1.00"},
                     {{"Euler, projection", "euler", "newton", "steps"}, 320, "4.929e-4", "1.00"},
                     {{"RK4", "rk4", "none", "steps"}, 320, "1.016e-10", "4.00"},
                     {{"RK4, projection", "rk4", "newton", "steps"}, 320, "8.217e-11", "4.00"}}),
        order_table("V.5", "spherical pendulum, positions at t = 1: errors and orders", pendulum(),
                    {{{"symplectic Euler", "symplectic_euler", "auto", "steps"}, 3200, "7.068e-5", "1.12"},
                     {{"symplectic Euler", "symplectic_euler", "auto", "steps"}, 25600, "8.19e-6", "1.016"},
                     {{"implicit Euler", "constrained_euler", "auto", "steps"}, 6400, "1.474e-2", "0.99"},
                     {{"SHAKE", "shake", "none", "steps"}, 800, "9.655e-5", "2.00"},
                     {{"RATTLE", "rattle", "auto", "steps"}, 1600, "2.414e-5", "2.00"}}),
        order_table(
            "III.2", "spherical pendulum, positions and velocities at t = 1: errors and orders",
            pendulum_with_velocities(),
            {{{"RK4", "rk4", "none", "steps"}, 320, "1.118e-7", "3.99"},
             {{"RK4, projection", "rk4", "newton", "steps"}, 320, "1.213e-7", "4.09", other_projection},
             {{"RK4, coordinate partitioning", "rk4", "partition", "stages"}, 320, "6.125e-7", "4.01", partitions},
             {{"RK4, tangent space", "rk4", "tangent", "stages"}, 320, "5.848e-7", "4.01"}}),
        order_table(
            "III.4", "linear equation on SO(3), t = 5: errors and orders of Magnus methods", rotation(),
            {{{"midpoint (4.5)", "magnus2", "auto", "steps"}, 320, "6.621e-5", "2.00"},
             {{"Gauss (4.6), nodes in ascending order", "magnus4", "auto", "steps"}, 320, "3.988e-10", "4.00"}}),
        order_table("III.4-airy", "Airy's equation on SL(2), t = 5: errors and orders of Magnus methods", airy(),
                    {{{"midpoint (4.5)", "magnus2", "auto", "steps"}, 320, "2.412e-5", "2.00"},
                     {{"Gauss (4.6), nodes in ascending order", "magnus4", "auto", "steps"}, 320, "2.118e-9", "4.00"}}),
    };
}

// ---- in words ----

Claim drift_claim() {
    return {"I.1", "the numerical solution of explicit Euler drifts away from the manifold",
            [](Runner& runner) -> Finding {
                const Solution& s = runner.run(sphere_setting("euler", "none", "0.025", "200"));
                if (s.status != Status::success) return {Standing::not_computed, s.message};
                const std::vector<double> radius = s.column("radius");
                const bool grows = std::ranges::is_sorted(radius);
                return {grows ? Standing::holds : Standing::does_not_hold,
                        fmt::format("|y| grows with every step of 0.025, to {:.4f} at t = 10 and {:.4f} at t = 200.",
                                    at(s, "radius", 10), radius.back())};
            }};
}

Claim loss_claim() {
    return {"V.4", "implicit Euler: already after one period the solution deteriorates and the system loses energy",
            [](Runner& runner) -> Finding {
                const Solution &with = runner.run(pendulum_setting("constrained_euler", "auto", "10")),
                               &without = runner.run(pendulum_setting("constrained_euler", "none", "10"));
                for (const Solution* s : {&with, &without})
                    if (s->status != Status::success) return {Standing::not_computed, s->message};
                const double lost = energy_0 - at(with, "E", 0.87), more = energy_0 - at(without, "E", 0.87);
                return {lost > 0.2 * energy_0 ? Standing::holds : Standing::does_not_hold,
                        fmt::format("After one period, 0.872, {:.0f} % of the energy is lost, without (4.5) {:.0f} %.",
                                    100 * lost / energy_0, 100 * more / energy_0)};
            }};
}

Claim regular_claim() {
    return {"V.4", "symplectic Euler (4.4)-(4.5): a regular, qualitatively correct behaviour over many periods",
            [](Runner& runner) -> Finding {
                const Solution& s = runner.run(pendulum_setting("symplectic_euler", "auto", "100"));
                if (s.status != Status::success) return {Standing::not_computed, s.message};
                const std::vector<double> energy = s.column("E"), z = s.column("q[3]");
                const auto half = energy.begin() + std::ssize(energy) / 2;
                const double first = largest_distance({energy.begin(), half}, energy_0),
                             second = largest_distance({half, energy.end()}, energy_0);
                const auto [low, high] = std::ranges::minmax(z);
                return {second < 1.1 * first ? Standing::holds : Standing::does_not_hold,
                        fmt::format("Over 115 periods the energy is off by {:.4f} at most in the first half and {:.4f} "
                                    "in the second; q3 stays between {:.3f} and {:.3f} (exactly -0.507 and 0.478); the "
                                    "angular momentum is kept to {:.0e}.",
                                    first, second, low, high,
                                    largest_distance(s.column("Lz"), 6.26312820521175427055876609526))};
            }};
}

} // namespace

Paper hairer() {
    Paper paper;
    paper.name = "hairer";
    paper.title = "Hairer: Solving Differential Equations on Manifolds (lecture notes, Geneva 2011)";
    paper.note =
        "The notes print pictures, and say in words what they show. The numbers beside ours are orders that their "
        "theorems give, or were measured with independent programs for the same problems, steps and start values.";
    paper.tables = {rigid_body_table(), implicit_table(), pendulum_table()};
    for (Table& t : order_tables()) paper.tables.push_back(std::move(t));
    paper.tables.push_back(hairer_notes::index_orders());
    paper.tables.push_back(hairer_notes::eta_orders());
    paper.tables.push_back(hairer_notes::energy_orders());
    for (Table& t : paper.tables) t.source = Source::reference;
    paper.claims = {drift_claim(), regular_claim(), hairer_notes::energy_claim(), loss_claim()};
    for (Claim& c : hairer_notes::eta_claims()) paper.claims.push_back(std::move(c));
    for (Claim& c : hairer_notes::off_manifold_claims()) paper.claims.push_back(std::move(c));
    paper.drawings = hairer_notes::drawings();
    paper.drawings.push_back(hairer_notes::energy_drawing());
    return paper;
}

} // namespace vessiot::reproduce
