// CPU times of Tables 1 to 15, in seconds of the authors' machine.
//
// What can be compared is their ratios: each is shown as a part of the total of exact Newton without INIT in the same
// column (of chains, with the same equations), where the parts of distribution and projection, what INIT saves and
// what inexact Newton costs are seen at once.
#include "reproduce/papers/tuomela_normi_times.hpp"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "reproduce/papers/tuomela_normi_runs.hpp"

namespace vessiot::reproduce::normi {

namespace {

struct Times {
    double distribution, projection, total;
};

struct PrintedTimes {
    std::string_view number;                  // of the table
    std::array<std::array<Times, 4>, 2> runs; // without and with INIT, by column
};

constexpr PrintedTimes printed_times[] = {
    {"1",
     {{{{{1.03, 1.32, 2.52}, {0.6, 7.02, 7.78}, {7.03, 3.12, 12.34}, {0.05, 0.42, 0.48}}},
       {{{0.95, 0.95, 2}, {0.51, 4.05, 4.73}, {6.77, 1.95, 10.83}, {0.04, 0.27, 0.32}}}}}},
    {"2",
     {{{{{1.04, 1.64, 2.86}, {0.63, 8.39, 9.29}, {6.7, 2.99, 11.8}, {0.02, 0.62, 0.64}}},
       {{{1.06, 1.34, 2.53}, {0.61, 5.89, 6.67}, {6.75, 2.25, 10.99}, {0.02, 0.45, 0.5}}}}}},
    {"3",
     {{{{{0.16, 0.33, 0.56}, {0.11, 1.29, 1.56}, {0.95, 1.61, 4.08}, {0.02, 0.06, 0.12}}},
       {{{0.15, 0.15, 0.44}, {0.17, 0.74, 1.09}, {1.03, 0.86, 3.37}, {0.03, 0.05, 0.09}}}}}},
    {"4",
     {{{{{0.13, 0.33, 0.58}, {0.2, 1.69, 2.06}, {1.07, 1.27, 3.87}, {0.01, 0.13, 0.16}}},
       {{{0.19, 0.21, 0.47}, {0.16, 1.07, 1.32}, {1.16, 0.66, 3.34}, {0.01, 0.08, 0.11}}}}}},
    {"5",
     {{{{{0.03, 0.05, 0.08}, {11.15, 37.88, 51.01}, {0.09, 0.25, 0.34}, {0.01, 0.05, 0.06}}},
       {{{0.01, 0.08, 0.09}, {10.42, 17.9, 30.4}, {0.12, 0.17, 0.29}, {0.01, 0.03, 0.06}}}}}},
    {"6",
     {{{{{0.01, 0.51, 0.52}, {12.1, 45.56, 59.82}, {0.13, 0.5, 0.66}, {0.01, 0.18, 0.19}}},
       {{{0.01, 0.51, 0.52}, {10.72, 16.54, 29.41}, {0.1, 0.41, 0.54}, {0.02, 0.15, 0.18}}}}}},
    {"7",
     {{{{{0.3, 6.42, 6.76}, {0.29, 11.15, 11.56}, {1.96, 0.78, 3.26}, {0.02, 1.08, 1.13}}},
       {{{0.24, 3.9, 4.2}, {0.3, 6.75, 7.1}, {2.05, 0.34, 2.86}, {0.03, 0.74, 0.79}}}}}},
    {"8",
     {{{{{0.32, 7.44, 7.77}, {0.22, 12.87, 13.25}, {1.91, 0.5, 3.01}, {0.04, 1.72, 1.77}}},
       {{{0.28, 5.48, 5.84}, {0.3, 9.57, 9.97}, {1.9, 0.37, 2.87}, {0.02, 1.46, 1.5}}}}}},
    {"9",
     {{{{{0.03, 1.11, 1.15}, {0.05, 2.04, 2.13}, {0.25, 0.33, 0.88}, {0.01, 0.22, 0.25}}},
       {{{0.01, 0.7, 0.73}, {0.04, 1.29, 1.35}, {0.1, 0.22, 0.71}, {0.01, 0.16, 0.18}}}}}},
    {"10",
     {{{{{0.01, 1.44, 1.5}, {0.03, 2.72, 2.8}, {0.27, 0.27, 0.78}, {0.02, 0.39, 0.43}}},
       {{{0.03, 1.11, 1.15}, {0.03, 2.02, 2.13}, {0.24, 0.21, 0.7}, {0, 0.36, 0.38}}}}}},
    {"11",
     {{{{{22.34, 206.99, 232.87}, {1.22, 35.08, 36.69}, {167.3, 68.91, 295.97}, {0.02, 0.49, 0.53}}},
       {{{22.67, 43.08, 69.4}, {1.25, 18.89, 20.51}, {166.8, 28.71, 256.31}, {0.03, 0.38, 0.43}}}}}},
    {"12",
     {{{{{0.16, 4.9, 5.21}, {0.13, 4.31, 4.63}, {1.77, 7.27, 12.22}, {0.01, 0.07, 0.09}}},
       {{{0.26, 1.38, 1.78}, {0.1, 2.26, 2.46}, {1.74, 2.45, 7.1}, {0.01, 0.04, 0.05}}}}}},
    {"13",
     {{{{{0.01, 1.91, 2.01}, {0.04, 1.55, 1.69}, {0.05, 1.52, 1.65}, {0.06, 0.99, 1.1}}},
       {{{0.03, 1.2, 1.3}, {0.04, 1.42, 1.53}, {0.05, 0.89, 0.99}, {0.05, 0.88, 0.97}}}}}},
    {"14",
     {{{{{1.98, 353.08, 364.7}, {1.8, 292.66, 303.78}, {1.96, 308.35, 315.23}, {1.99, 234.99, 240.98}}},
       {{{1.92, 234.36, 242.96}, {1.9, 274.33, 285.22}, {1.98, 191.06, 196.19}, {1.91, 217.25, 222.62}}}}}},
    {"15",
     {{{{{2.31, 1003.4, 1071.5}, {2.37, 483.38, 586.61}, {2.36, 821.63, 889.01}, {2.4, 352.23, 432.84}}},
       {{{2.31, 621.41, 665.83}, {2.34, 455.66, 557.81}, {2.39, 485.03, 529.45}, {2.36, 324.82, 399.21}}}}}},
};

// What is compared with what.
struct Compared {
    std::string row;
    Times printed, printed_exact;
    RunSetting run, exact;
};

Times times_of(const Seconds& s) {
    return {s.distribution, s.projection, s.integrate};
}

void add_row(Table& table, const Compared& c) {
    const auto add = [&](const char* column, double Times::* part) {
        if (part == &Times::total && c.run == c.exact) return; // it is 1
        const double ratio = c.printed.*part / c.printed_exact.total;
        table.add(
            c.row, column, {fmt::format("{:.2g}", ratio), 0},
            [run = c.run, exact = c.exact, part](Runner& runner) -> Computed {
                const Solution &s = runner.run(run), &whole = runner.run(exact);
                for (const Solution* each : {&s, &whole})
                    if (each->status != Status::success)
                        return {std::numeric_limits<double>::quiet_NaN(), each->message};
                return {times_of(runner.seconds(run)).*part / times_of(runner.seconds(exact)).total, ""};
            },
            "");
    };
    add("distribution", &Times::distribution);
    add("projection", &Times::projection);
    add("total", &Times::total);
}

std::string row_name(std::string_view number, bool has_init, std::string_view column) {
    return fmt::format("Table {}, {} {}", number, has_init ? "w/INIT" : "no INIT", column);
}

// Each table of inexact Newton follows that of exact Newton.
void add_table(Table& result, std::size_t k) {
    const PrintedTable& t = tables()[k];
    const std::size_t exact = t.is_inexact ? k - 1 : k;
    for (std::size_t init = 0; init < 2; ++init)
        for (std::size_t c = 0; c < columns.size(); ++c)
            add_row(result, {row_name(t.number, init == 1, columns[c].name), printed_times[k].runs[init][c],
                             printed_times[exact].runs[0][c], setting_of(t, columns[c], init == 1),
                             setting_of(tables()[exact], columns[c], false)});
}

void add_chain(Table& result, std::size_t k) {
    const PrintedChain& t = chains()[k];
    const PrintedTimes& times = printed_times[tables().size() + k];
    for (std::size_t init = 0; init < 2; ++init)
        for (std::size_t c = 0; c < 4; ++c) {
            const bool has_energy = c < 2, is_inexact = c % 2 == 1;
            const std::string column =
                fmt::format("energy {} / {}", has_energy ? "yes" : "no", is_inexact ? "inexact" : "exact");
            add_row(result,
                    {row_name(t.number, init == 1, column), times.runs[init][c],
                     times.runs[0][c - static_cast<std::size_t>(is_inexact)],
                     chain_setting(t, has_energy, is_inexact, init == 1), chain_setting(t, has_energy, false, false)});
        }
}

} // namespace

Table times_table() {
    Table table;
    table.name = "cpu";
    table.title = "CPU times of Tables 1 to 15, as parts of the total of exact Newton without INIT in the same column";
    table.note = "Another machine, other programs and sizes at which a function call costs as much as a factorisation: "
                 "what is compared is where the time goes, and what INIT and inexact Newton change. The least of five "
                 "runs each, parts by sampled clocks.";
    table.columns = {"distribution", "projection", "total"};
    table.source = Source::times;
    for (std::size_t k = 0; k < tables().size(); ++k) add_table(table, k);
    for (std::size_t k = 0; k < chains().size(); ++k) add_chain(table, k);
    return table;
}

} // namespace vessiot::reproduce::normi
