// The tables of [BIT 2001]: numbers of steps of an older program, whose error norm and safety factor are not printed.
// No single rule gives all of them: several are run, and each table uses the one that is nearest to it. The order of
// dopri54 is measured in quadruple precision against the right solution of the first example.
#include "reproduce/papers/tuomela_arponen.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "reproduce/papers/tuomela_arponen_claims.hpp"
#include "reproduce/slope.hpp"

namespace vessiot::reproduce {

namespace {

constexpr std::string_view old_rules =
    "The error norm, the safety factor and the first step of this older program are not printed; the claim about its "
    "rule lists what those that are run here give.";

// Accepted steps that end up to x; NaN where the run did not get there.
Computed steps_up_to(const Solution& solution, double x, int points_per_step) {
    if (solution.status != Status::success) return {std::numeric_limits<double>::quiet_NaN(), solution.message};
    std::int64_t n = 0;
    for (const StepTrace& step : solution.trace) n += step.h != 0 && step.t <= x;
    return {static_cast<double>(n * points_per_step), ""};
}

struct PrintedRow {
    std::string_view name, method, continuation, tolerance;
    std::array<std::string_view, 3> counts; // by column
};

struct PrintedTable {
    std::string_view name, title;
    RunSetting run;
    std::size_t rule;                   // of its rows, by number
    double n_coordinates;               // of the curve, x among them
    std::vector<std::string_view> ends; // of x, by column
    std::vector<PrintedRow> rows;
};

// What is not printed of the control of steps.
struct Rule {
    std::string text;
    double safety;       // 0: that of the later paper
    double relative;     // > 0: |e| in the Euclidean norm, below tol times this size of the solution; 0: as there
    bool is_rms = false; // the root mean square of e_i instead of |e|
};

const std::vector<Rule>& rules() {
    static const std::vector<Rule> all{
        {"errors as in the later paper: the root mean square of e_i/(tol (1 + |p_i|)), safety factor 0.9", 0, 0},
        {"the Euclidean norm |e| below tol, safety factor 0.8", 0.8, 1},
        {"the Euclidean norm |e| below tol |(y, y1)|, which is about 0.24 tol along Hénon-Heiles, safety factor 0.8",
         0.8, 0.24},
        {"the root mean square of e_i below tol, safety factor 0.9", 0.9, 1, true},
    };
    return all;
}

RunSetting stiff_pendulum(std::string_view eps, std::string_view y3) {
    return {.model = "stiff_pendulum_reduced",
            .set = {{"eps", std::string(eps)}},
            .options = {{"start", fmt::format("y3={}", y3)}}};
}

std::vector<PrintedTable> printed_tables() {
    return {
        {"6.1",
         "Hénon-Heiles, number of steps (Table 1 of the report)",
         {.model = "henon_heiles"},
         2,
         5,
         {"110", "550", "1100"},
         {{"dopri54, point of order 4", "dopri54", "low", "5e-5", {"186", "920", "1837"}},
          {"dopri54, point of order 5", "dopri54", "high", "1e-5", {"242", "1201", "2404"}},
          {"dopri54, point of order 4", "dopri54", "low", "5e-6", {"268", "1373", "2722"}},
          {"RK4", "rk4", "auto", "5e-4", {"568", "2897", "5801"}}}},
        {"6.2",
         "stiff pendulum, eps = 0.01, number of steps (Table 2 of the report)",
         stiff_pendulum("0.01", "-1765"),
         3,
         6,
         {"0.5", "1.5"},
         {{"dopri54", "dopri54", "high", "1e-4", {"357", "1141"}},
          {"dopri54", "dopri54", "high", "1e-5", {"685", "2051"}},
          {"RK4", "rk4", "auto", "1e-2", {"643", "1931"}},
          {"RK4", "rk4", "auto", "1e-3", {"957", "2857"}}}},
        {"6.3",
         "stiff pendulum, eps = 0.1, number of steps (Table 3 of the report)",
         stiff_pendulum("0.1", "-17.65"),
         3,
         6,
         {"3.7", "20"},
         {{"dopri54", "dopri54", "high", "1e-4", {"136", "751"}},
          {"dopri54", "dopri54", "high", "1e-5", {"260", "1444"}},
          {"RK4", "rk4", "auto", "1e-2", {"223", "1259"}},
          {"RK4", "rk4", "auto", "1e-3", {"371", "2082"}}}},
    };
}

// Projections by the chord method from the point (5.3), until no number changes by more than 1e-7, as 5.3 says. The
// error of RK4 is the distance itself of the points of one step and of two half ones, not a 15th part of it.
RunSetting row_setting(const PrintedTable& t, const PrintedRow& row, const Rule& rule) {
    RunSetting run = t.run;
    const auto set = [&](std::string_view name, std::string_view value) { run.options.emplace_back(name, value); };
    set("method", row.method);
    set("control", "tuomela");
    set("parametrisation", "arclength");
    set("project", "stages");
    set("projection", "chord");
    set("newton_start", "curvature");
    set("newton_stop", "increment");
    const std::string tolerance =
        row.method == "rk4" ? fmt::format("{}/15", row.tolerance) : std::string(row.tolerance);
    set("rtol", rule.relative > 0 ? "1e-16" : tolerance);
    // the root mean square of e_i/atol is |e| / (atol sqrt(n))
    set("atol", rule.relative > 0
                    ? fmt::format("{}*{}/sqrt({})", tolerance, rule.relative, rule.is_rms ? 1 : t.n_coordinates)
                    : tolerance);
    if (rule.safety > 0) set("safety", fmt::format("{}", rule.safety));
    if (row.continuation != "auto") set("continue", row.continuation);
    set("to", t.ends.back());
    set("at", "0"); // no values are looked at
    return run;
}

Table make_table(const PrintedTable& t) {
    Table table;
    table.name = t.name;
    table.title = t.title;
    table.note = "RK4 compares a step with two of half the size; both of these are counted.";
    for (const PrintedRow& row : t.rows) {
        const Rule& rule = rules()[t.rule];
        const RunSetting run = row_setting(t, row, rule);
        const int points_per_step = row.method == "rk4" ? 2 : 1;
        for (std::size_t k = 0; k < t.ends.size(); ++k) {
            const double end = Printed{std::string(t.ends[k])}.value();
            Cell& cell = table.add(
                fmt::format("{}, tol {}", row.name, row.tolerance), fmt::format("x = {}", t.ends[k]),
                {std::string(row.counts[k])},
                [=](Runner& runner) { return steps_up_to(runner.run(run), end, points_per_step); }, old_rules);
            cell.reading = {rule.text, true};
        }
    }
    return table;
}

// All tables with each of the rules.
Claim rule_claim() {
    return {"Tables 6.1 to 6.3", "one strategy of step size control gives the printed numbers of steps",
            [](Runner& runner) -> Finding {
                std::string text;
                bool is_found = false;
                for (const Rule& rule : rules()) {
                    int n = 0, n_near = 0;
                    for (const PrintedTable& t : printed_tables())
                        for (const PrintedRow& row : t.rows)
                            for (std::size_t k = 0; k < t.ends.size(); ++k) {
                                const Computed steps =
                                    steps_up_to(runner.run(row_setting(t, row, rule)),
                                                Printed{std::string(t.ends[k])}.value(), row.method == "rk4" ? 2 : 1);
                                ++n;
                                n_near += compare({std::string(row.counts[k])}, steps.value) != Verdict::differs;
                            }
                    text += fmt::format("{}{} of {} are within 10 % with {}", text.empty() ? "" : "; ", n_near, n,
                                        rule.text);
                    is_found |= n_near == n;
                }
                return {is_found ? Standing::holds : Standing::does_not_hold, text + "."};
            }};
}

// Conjecture 4.7: the order of a method with projected stages is its classical one.
Table conjecture_table() {
    Table table;
    table.name = "conj4.7";
    table.title = "conjecture 4.7: orders of Runge-Kutta methods with projected stages, beside the classical ones";
    table.note = "Spherical pendulum (index 3), t = 1, every stage moved to the nearest point, in quadruple precision: "
                 "slopes of errors with n, 2n, 4n, 8n steps, n = 160, of Euler 1280, of the last two 40.";
    table.source = Source::reference;
    for (const auto& [method, order, first] :
         std::initializer_list<std::tuple<const char*, int, int>>{{"euler", 1, 1280},
                                                                  {"rk2", 2, 160},
                                                                  {"heun", 2, 160},
                                                                  {"rk3", 3, 160},
                                                                  {"bs32", 3, 160},
                                                                  {"rk4", 4, 160},
                                                                  {"rkf45", 4, 160},
                                                                  {"dopri54", 5, 160},
                                                                  {"tsit54", 5, 160},
                                                                  {"dop853", 8, 40},
                                                                  {"feagin108", 10, 40}}) {
        const auto setting = [method = std::string(method)](int n) {
            return RunSetting{.model = "spherical_pendulum",
                              .options = {{"method", method},
                                          {"precision", "quad"},
                                          {"projection", "newton"},
                                          {"project", "stages"},
                                          {"step", fmt::format("1/{}", n)},
                                          {"to", "1"},
                                          {"at", "1"}},
                              .lines = "output e1 = q[1] - 0.678919009761193478166142\n"
                                       "output e2 = q[2] - 0.715766191362999562596521\n"
                                       "output e3 = q[3] - (-0.163547355486373930767209)\n"
                                       "output e4 = q[1]' - (-4.99288291844351703941194)\n"
                                       "output e5 = q[2]' - 3.96128459520089253547137\n"
                                       "output e6 = q[3]' - (-3.38990219427655045353009)\n"};
        };
        table.add(
            method, "order", {std::to_string(order), 2},
            [=, first = first](Runner& runner) {
                return slope(runner, setting, {"e1", "e2", "e3", "e4", "e5", "e6"}, first);
            },
            "");
    }
    return table;
}

// The slope of log2 |error| over log2 h for h = 2^-6 .. 2^-last, by least squares.
Computed slope_of_figure(Runner& runner, double length, int last) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 6; k <= last; ++k) {
        const Solution& s = runner.run(arponen::order_setting(k, length));
        if (s.status != Status::success) return {std::numeric_limits<double>::quiet_NaN(), s.message};
        const double x = -k, y = std::log2(std::abs(s.column("error").back()));
        n += 1;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return {(n * sxy - sx * sy) / (n * sxx - sx * sx), ""};
}

// NOTE: steps are of arclength in the space of (x, y, y'). Nodes do not meet x = 0.002 and 0.01, so that all runs end
// at the multiple of the largest step that is next to it.
Table order_table() {
    Table table;
    table.name = "fig6.1";
    table.title = "order of dopri54 in the first example, by slopes (Figure 3.1 of the report)";
    table.note = "Errors are those against the right solution, -2/3 x^2 - 4/9 x - 4/27 + 58/27 e^(3x); the printed "
                 "one belongs to 3x^2 instead of 2x^2.";
    const auto add = [&](std::string_view row, double length, std::string_view column, std::string_view published,
                         int last) {
        table.add(
            std::string(row), std::string(column), {std::string(published)},
            [=](Runner& runner) { return slope_of_figure(runner, length, last); },
            "The printed slopes suffer from round-off at the smallest step.");
    };
    constexpr std::string_view all = "h = 2^-6 .. 2^-13", less = "h = 2^-6 .. 2^-12";
    constexpr double h = 1.0 / 64;
    add("x = 0.002", 2 * h, all, "4.836", 13);
    add("x = 0.002", 2 * h, less, "5.008", 12);
    add("x = 0.01", 12 * h, all, "4.952", 13);
    add("x = 0.01", 12 * h, less, "5.011", 12);
    return table;
}

Table section_table() {
    const RunSetting run{.model = "henon_heiles", .options = {{"rtol", "1e-9"}, {"atol", "1e-12"}, {"at", "0"}}};
    Table table;
    table.name = "fig6.2";
    table.title = "Hénon-Heiles, points of the section y1 = 0 up to x = 1100";
    table.note = "Printed as \"about 340\".";
    table.add(
        "section", "points", {"340"},
        [run](Runner& runner) { return Computed{static_cast<double>(runner.run(run).events.size()), ""}; }, "");
    return table;
}

} // namespace

Paper tuomela_arponen() {
    Paper paper;
    paper.name = "tuomela-arponen";
    paper.title = "Tuomela, Arponen: On the numerical solution of involutive ordinary differential systems: higher "
                  "order methods (BIT 2001), and the report A409 with the same tables";
    paper.tables = {order_table(), section_table()};
    for (const PrintedTable& t : printed_tables()) paper.tables.push_back(make_table(t));
    paper.tables.push_back(conjecture_table());
    paper.claims = arponen::claims();
    paper.claims.push_back(rule_claim());
    paper.drawings = arponen::drawings();
    return paper;
}

} // namespace vessiot::reproduce
