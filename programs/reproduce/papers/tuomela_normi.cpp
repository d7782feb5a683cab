// Tables 1 to 15 (the runs: tuomela_normi_runs.hpp).
//
// Averages of Newton's iterations. With constant steps of Euler they are sums over steps by their number. All others
// that are printed are whole numbers by the number of steps, the one that crosses the end included (those of Table 14
// are multiples of 1/50): what is averaged are whole numbers a step. From the sum s of its iterations, over 3
// projections of Euler's comparison, 6 of a constant step of dopri54 and 7 of an adaptive one, they come out as
//
//   ceil(s/3),   ceil(s/7),   floor(s/8)
//
// of which nothing is printed: these are readings that were inferred.
#include "reproduce/papers/tuomela_normi.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "reproduce/papers/tuomela_normi_claims.hpp"
#include "reproduce/papers/tuomela_normi_figures.hpp"
#include "reproduce/papers/tuomela_normi_runs.hpp"
#include "reproduce/papers/tuomela_normi_times.hpp"

namespace vessiot::reproduce {

namespace {

using normi::Column;
using normi::columns;

constexpr std::string_view no_init = "no INIT", with_init = "w/INIT";
constexpr int average_digits = 3; // of the averages: "2" is 2.00

enum class Quantity { steps, rejected, newton_mean, newton_max };

std::string_view column_name(Quantity q) {
    switch (q) {
    case Quantity::steps: return "steps";
    case Quantity::rejected: return "rejected";
    case Quantity::newton_mean: return "Newton mean";
    case Quantity::newton_max: break;
    }
    return "Newton max";
}

// What becomes of the sum of the iterations of a step before it is averaged.
struct Averaging {
    std::int64_t divisor = 1;
    bool rounds_up = false;

    std::int64_t operator()(std::int64_t sum) const { return (sum + (rounds_up ? divisor - 1 : 0)) / divisor; }
};

double average(const std::vector<std::int64_t>& iterations, const Averaging& of_step) {
    double sum = 0;
    for (const std::int64_t n : iterations) sum += static_cast<double>(of_step(n));
    return sum / static_cast<double>(iterations.size());
}

Computed read(Runner& runner, const RunSetting& run, Quantity q, const Averaging& of_step) {
    const Solution& solution = runner.run(run);
    if (solution.status != Status::success) return {std::numeric_limits<double>::quiet_NaN(), solution.message};
    switch (q) {
    case Quantity::steps: return {static_cast<double>(solution.stats.steps), ""};
    case Quantity::rejected: return {static_cast<double>(solution.stats.rejected), ""};
    case Quantity::newton_mean: return {average(runner.iterations(run), of_step), ""};
    case Quantity::newton_max: break;
    }
    return {static_cast<double>(solution.stats.newton_max), ""};
}

std::vector<std::string> column_names() {
    std::vector<std::string> names;
    for (const Quantity q : {Quantity::steps, Quantity::rejected, Quantity::newton_mean, Quantity::newton_max})
        names.emplace_back(column_name(q));
    return names;
}

// How the cells of a column are computed, by their quantity: what is known where they do not come out, how they are
// read.
struct CellRules {
    Averaging averaging;
    std::function<std::string_view(Quantity)> reason;
    std::function<Reading(Quantity)> reading;
};

// The cells of one printed column: "115(6)" and "0.819(3)" are two each.
void add_cells(Table& table, const std::string& row, const normi::PrintedRun& printed, const RunSetting& run,
               const CellRules& rules) {
    const auto add = [&](Quantity q, std::string_view text, int digits) {
        Cell& cell = table.add(
            row, std::string(column_name(q)), {std::string(text), digits},
            [run, q, averaging = rules.averaging](Runner& runner) { return read(runner, run, q, averaging); },
            rules.reason(q));
        cell.reading = rules.reading(q);
    };
    const auto add_pair = [&](std::string_view text, Quantity first, Quantity second, int digits) {
        const std::size_t open = text.find('(');
        add(first, text.substr(0, open), digits);
        if (open != std::string_view::npos) add(second, text.substr(open + 1, text.size() - open - 2), 0);
    };
    add_pair(printed.steps, Quantity::steps, Quantity::rejected, 0);
    add_pair(printed.newton, Quantity::newton_mean, Quantity::newton_max, average_digits);
}

constexpr std::string_view averages =
    "Whole numbers a step are averaged, but by which rule is not printed. The one used here gives this number in other "
    "tables.";
constexpr std::string_view loose_newton =
    "The printed stopping rule leaves points up to 1e-5 off the manifold. What is rejected here is mostly noise of "
    "Newton's iteration, not truncation error, and changes with round-off.";
constexpr std::string_view unknown_rule =
    "The paper seems to have used another stopping rule of Newton's iteration for this problem; the one that is used "
    "here agrees with most of its numbers.";
constexpr std::string_view inner_iteration = "The number of inexact iterations depends on how well the inner one is "
                                             "solved and how its residual is measured, which "
                                             "is not printed.";
constexpr std::string_view by_gradients =
    "With INIT the first step comes from conjugate gradients to 0.01 of the residual. Where they stop early depends on "
    "the scaling of the two equations, which are printed with sizes of 1e6 and 1e2.";

bool is_newton(Quantity q) {
    return q == Quantity::newton_mean || q == Quantity::newton_max;
}

std::string_view reason_of(const normi::PrintedTable& t, const Column& c, bool has_init, Quantity q) {
    if (t.problem == "3D MHD") return unknown_rule;
    if (t.problem == "plug flow" && has_init && !t.is_inexact) return by_gradients;
    if (!is_newton(q)) return c.is_adaptive ? loose_newton : "";
    return t.is_inexact ? inner_iteration : averages;
}

// ---- readings ----

constexpr std::string_view steps_reading =
    "steps of unit speed in the space of M, x included; the one that crosses the end is not counted; errors as in "
    "Hairer, Norsett, Wanner, (4.11)";
constexpr std::string_view printed_stop = "Newton's iteration ends with |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|";
constexpr std::string_view mhd_stop = "Newton's iteration ends with |s| + |F_k| < 1e-6";

Averaging averaging_of(const Column& c) {
    if (c.method == "euler") return c.is_adaptive ? Averaging{3, true} : Averaging{};
    return c.is_adaptive ? Averaging{8, false} : Averaging{7, true};
}

std::string averaging_text(const Averaging& a) {
    if (a.divisor == 1) return "iterations of all steps by their number";
    return fmt::format(
        "{}(s/{}) averaged over steps, the one that crosses the end included, s the iterations of a step",
        a.rounds_up ? "ceil" : "floor", a.divisor);
}

// Of iterations: where they end, how well linear systems are solved, how they are averaged. What is not printed makes
// it inferred.
Reading newton_reading(const normi::NewtonRule& rule, const Averaging& averaging, Quantity q, bool is_inexact) {
    Reading reading{std::string(rule.is_absolute ? mhd_stop : printed_stop), rule.is_absolute};
    if (is_inexact) {
        reading.text += fmt::format(", eps_0 = {}", rule.eps_0.empty() ? "0.5" : rule.eps_0);
        reading.is_inferred |= !rule.eps_0.empty();
    }
    if (q != Quantity::newton_mean) return reading;
    reading.text += "; " + averaging_text(averaging);
    reading.is_inferred |= averaging.divisor > 1;
    return reading;
}

Reading reading_of(const normi::PrintedTable& t, const Column& c, Quantity q) {
    const normi::NewtonRule rule = normi::newton_rule(t);
    if (is_newton(q)) return newton_reading(rule, averaging_of(c), q, t.is_inexact);
    Reading reading{std::string(steps_reading), false};
    // the number of adaptive steps depends on how well points are projected
    if (c.is_adaptive && rule.is_absolute) {
        reading.text += fmt::format("; {}", mhd_stop);
        reading.is_inferred = true;
    }
    return reading;
}

Table make_table(const normi::PrintedTable& t) {
    Table table;
    table.name = t.number;
    table.columns = column_names();
    table.title =
        fmt::format("{}, {}, {} Newton", normi::problem(t.problem).title,
                    t.is_general ? "general case" : "system with invariants", t.is_inexact ? "inexact" : "exact");
    if (t.problem == "3D MHD")
        table.note =
            "The invariant is printed with the value 0, but has the value 2633/600 at the printed start point.";
    for (const bool has_init : {false, true})
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const Column& c = columns[k];
            add_cells(table, fmt::format("{} {}", has_init ? with_init : no_init, c.name), t.runs[has_init][k],
                      normi::setting_of(t, c, has_init),
                      {averaging_of(c), [&](Quantity q) { return reason_of(t, c, has_init, q); },
                       [&](Quantity q) { return reading_of(t, c, q); }});
        }
    return table;
}

// The start state is inferred too: it has the printed energy.
Reading chain_reading(const normi::NewtonRule& rule, const Averaging& averaging, Quantity q, bool is_inexact) {
    Reading reading =
        is_newton(q) ? newton_reading(rule, averaging, q, is_inexact) : Reading{std::string(steps_reading), true};
    reading.text += "; start state: a zigzag in rigid rotation";
    reading.is_inferred = true;
    return reading;
}

Table make_chain_table(const normi::PrintedChain& t) {
    constexpr std::string_view unknown_start =
        "The start state is not printed. The one used here has the printed energy, and was chosen because its counts "
        "agree.";
    Table table;
    table.name = t.number;
    table.columns = column_names();
    table.title = fmt::format("chain of {} particles, holonomic case (dopri54, adaptive)", t.n);
    table.note = unknown_start;
    for (const bool has_init : {false, true})
        for (std::size_t k = 0; k < t.runs[has_init].size(); ++k) {
            const bool has_energy = k < 2, is_inexact = k % 2 == 1;
            const std::string row = fmt::format("{} energy {} / {}", has_init ? with_init : no_init,
                                                has_energy ? "yes" : "no", is_inexact ? "inexact" : "exact");
            const normi::NewtonRule rule{.eps_0 = is_inexact ? normi::chain_eps_0 : ""};
            const Averaging averaging = averaging_of(normi::columns.back());
            add_cells(table, row, t.runs[has_init][k], normi::chain_setting(t, has_energy, is_inexact, has_init),
                      {averaging,
                       [&](Quantity q) {
                           return !is_newton(q) ? unknown_start : is_inexact ? inner_iteration : averages;
                       },
                       [&](Quantity q) { return chain_reading(rule, averaging, q, is_inexact); }});
        }
    return table;
}

} // namespace

Paper tuomela_normi() {
    Paper paper;
    paper.name = "tuomela-normi";
    paper.title = "Tuomela, Arponen, Normi: On the numerical solution of involutive ordinary differential systems: "
                  "enhanced linear algebra";
    paper.note =
        "Steps are of unit speed in the space of the manifold, x included; the step that crosses the end of "
        "the interval is not counted. The printed start points are projected first. CPU times are compared as ratios.";
    for (const normi::PrintedTable& t : normi::tables()) paper.tables.push_back(make_table(t));
    for (const normi::PrintedChain& t : normi::chains()) paper.tables.push_back(make_chain_table(t));
    paper.tables.push_back(normi::times_table());
    paper.claims = normi::claims();
    paper.drawings = normi::drawings();
    return paper;
}

} // namespace vessiot::reproduce
