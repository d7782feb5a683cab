// Long times with a symplectic method: the energy of Störmer and Verlet's method (kick, drift, kick) with steps of h
// oscillates by O(h^2), and does not drift, since the modified energy [HLW06, IX.3], here of H = |p|^2/2 + U(q),
//
//     H + h^2 (U''(q)(p, p)/12 - |U'(q)|^2/24),
//
// is kept up to O(h^4). The classical method of order 4 loses energy at a constant rate.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reproduce/drawing.hpp"
#include "reproduce/papers/hairer.hpp"

namespace vessiot::reproduce::hairer_notes {

namespace {

// Hénon and Heiles' system, nothing projected.
RunSetting energy_setting(std::string_view method, std::string_view step, std::string_view to) {
    constexpr std::string_view energy = "(y1'^2 + y2'^2 + y1^2 + y2^2)/2 + y1^2*y2 - y2^3/3 - 468/15625",
                               along = "y1'^2*(1 + 2*y2) + 4*y1*y1'*y2' + y2'^2*(1 - 2*y2)",
                               slope = "(y1 + 2*y1*y2)^2 + (y2 + y1^2 - y2^2)^2";
    return {.model = "henon_heiles",
            .options = {{"method", std::string(method)},
                        {"projection", "none"},
                        {"step", std::string(step)},
                        {"to", std::string(to)},
                        {"every", "1"}},
            .lines = fmt::format("output energy = {0}\noutput modified = {0} + ({1})^2*(({2})/12 - ({3})/24)\n", energy,
                                 step, along, slope)};
}

double range(const std::vector<double>& values) {
    const auto [low, high] = std::ranges::minmax(values);
    return high - low;
}

} // namespace

Table energy_orders() {
    Table table;
    table.name = "V.4-energy";
    table.title = "Hénon-Heiles by the method of Störmer and Verlet up to t = 1000: orders of what energies change by";
    table.note = "The larger change of the energy, and of the modified one, with h = 0.1 and 0.05.";
    for (const auto& [column, order] : {std::pair{"energy", 2}, std::pair{"modified", 4}})
        table.add(
            "verlet", column, {std::to_string(order), 2},
            [column = std::string(column)](Runner& runner) -> Computed {
                double change[2];
                for (int k = 0; k < 2; ++k) {
                    const Solution& s = runner.run(energy_setting("verlet", k == 0 ? "0.1" : "0.05", "1000"));
                    if (s.status != Status::success) return {std::numeric_limits<double>::quiet_NaN(), s.message};
                    change[k] = range(s.column(column));
                }
                return {std::log2(change[0] / change[1]), ""};
            },
            "");
    return table;
}

Claim energy_claim() {
    return {"V.4", "the energy of a symplectic method oscillates and does not drift", [](Runner& runner) -> Finding {
                const Solution &verlet = runner.run(energy_setting("verlet", "0.2", "10000")),
                               &rk4 = runner.run(energy_setting("rk4", "0.2", "10000"));
                for (const Solution* s : {&verlet, &rk4})
                    if (s->status != Status::success) return {Standing::not_computed, s->message};
                const std::vector<double> energy = verlet.column("energy"), modified = verlet.column("modified");
                const auto half = energy.begin() + std::ssize(energy) / 2;
                const double first = range({energy.begin(), half}), second = range({half, energy.end()});
                return {holds_if(second < 1.1 * first && range(modified) < first / 20),
                        fmt::format("Along the Hénon-Heiles system with h = 0.2 that of Störmer and Verlet's method "
                                    "changes by {:.1e} up to t = 5000 and by {:.1e} from there to 10000, the modified "
                                    "energy by {:.1e}; that of RK4 is {:.1e} in the end.",
                                    first, second, range(modified), rk4.column("energy").back())};
            }};
}

Drawing energy_drawing() {
    const std::string title = "Hénon-Heiles, h = 0.2: energy and modified energy of Störmer-Verlet, energy of RK4";
    return {"figV.4-energy", title, [=](Runner& runner) {
                const Solution& verlet = runner.run(energy_setting("verlet", "0.2", "10000"));
                return io::Figure{
                    title,
                    {over_time(verlet, {"energy", "modified"}, "H - H0, verlet"),
                     over_time(runner.run(energy_setting("rk4", "0.2", "10000")), {"energy"}, "H - H0, rk4")}};
            }};
}

} // namespace vessiot::reproduce::hairer_notes
