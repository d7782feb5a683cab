#include "reproduce/papers/tuomela_normi_claims.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reproduce/papers/tuomela_normi_figures.hpp"
#include "reproduce/papers/tuomela_normi_runs.hpp"

namespace vessiot::reproduce::normi {

namespace {

Claim impasse_claim() {
    return {"6.3.2", "the run of the plug flow passes through the impasse point", [](Runner& runner) -> Finding {
                const Solution& solution = runner.run(setting_of(tables()[4], columns[3], true));
                if (solution.status != Status::success) return {Standing::not_computed, solution.message};
                if (solution.events.empty())
                    return {Standing::does_not_hold, fmt::format("It ends at x = {} without it.", solution.t.back())};
                return {Standing::holds,
                        fmt::format("It meets it at x = {:.10f} and goes on to its end, in {} steps in "
                                    "all.",
                                    solution.events.front().t, solution.stats.steps)};
            }};
}

// The constant steps of dopri54 along the curve that the printed invariant, with its value 0, leads to.
Claim invariant_claim() {
    return {"(6.12)", "the invariant of the magnetohydrodynamics has the value 0", [](Runner& runner) -> Finding {
                constexpr double printed_steps = 27094; // Table 12
                RunSetting run = setting_of(tables()[11], columns[2], false);
                const double kept = run.kept.at(0);
                const Solution& right = runner.run(run);
                run.kept = {0};
                const Solution& zero = runner.run(run);
                for (const Solution* s : {&right, &zero})
                    if (s->status != Status::success) return {Standing::not_computed, s->message};
                const auto off = [&](const Solution& s) {
                    return std::abs(static_cast<double>(s.stats.steps) - printed_steps);
                };
                return {holds_if(off(zero) <= off(right)),
                        fmt::format("At the printed start point it is {:.6f}. From a near point with the printed 0 "
                                    "dopri54 takes {} steps of 0.05, with the value of the start point {}; Table 12 "
                                    "prints {}.",
                                    kept, zero.stats.steps, right.stats.steps, printed_steps)};
            }};
}

// ---- times ----

// What is saved of the time of some runs by others, all together.
struct Savings {
    double slow = 0, fast = 0; // seconds
    int n = 0;
    std::string problem{};

    void add(Runner& runner, const RunSetting& without, const RunSetting& with) {
        const Solution &a = runner.run(without), &b = runner.run(with);
        for (const Solution* s : {&a, &b})
            if (s->status != Status::success) problem = s->message;
        slow += runner.seconds(without).integrate;
        fast += runner.seconds(with).integrate;
        ++n;
    }
    // Is it as much as the least that is printed?
    Finding judged(double printed_least) const {
        if (!problem.empty()) return {Standing::not_computed, problem};
        const double saved = 100 * (1 - fast / slow);
        return {holds_if(saved >= printed_least),
                fmt::format("{} runs took {:.2g} s here instead of {:.2g} s, {:.0f} % {}.", n, fast, slow,
                            std::abs(saved), saved < 0 ? "more" : "less")};
    }
};

Claim init_claim() {
    return {"6.3.1", "initialization speeds up the runs of the rigid body by 30 to 50 % (Tables 1 to 4)",
            [](Runner& runner) {
                Savings savings;
                for (std::size_t table = 0; table < 4; ++table)
                    for (const std::size_t column : {1U, 3U}) // those with iterations in most of their steps
                        savings.add(runner, setting_of(tables()[table], columns[column], false),
                                    setting_of(tables()[table], columns[column], true));
                return savings.judged(30);
            }};
}

// By adaptive steps: the constant ones of the magnetohydrodynamics are 390587.
Claim invariants_claim(std::string where, std::string_view text, std::size_t general, std::size_t reduced,
                       double printed_least) {
    return {std::move(where), std::string(text), [=](Runner& runner) {
                Savings savings;
                for (const Column& c : columns)
                    if (c.is_adaptive)
                        savings.add(runner, setting_of(tables()[general], c, true),
                                    setting_of(tables()[reduced], c, true));
                return savings.judged(printed_least);
            }};
}

Claim inexact_claim() {
    return {"6.3.5", "with 50 particles inexact Newton is 16 to 51 % faster than exact Newton (Table 15)",
            [](Runner& runner) {
                Savings savings;
                for (const bool has_energy : {true, false})
                    for (const bool has_init : {false, true})
                        savings.add(runner, chain_setting(chains()[2], has_energy, false, has_init),
                                    chain_setting(chains()[2], has_energy, true, has_init));
                return savings.judged(16);
            }};
}

// ---- figure 6 ----

Claim energy_claim() {
    return {"6.3.5, figure 6", "the energy of 6 particles, which is not imposed, grows apparently linearly",
            [](Runner& runner) -> Finding {
                const Solution& s = runner.run(free_chain());
                if (s.status != Status::success) return {Standing::not_computed, s.message};
                const std::vector<double> e = s.column("energy");
                // the least squares line through the start, and how much of the change it explains
                double tt = 0, te = 0, ee = 0;
                std::size_t n_falling = 0;
                for (std::size_t k = 1; k < e.size(); ++k) {
                    const double change = e[k] - e[0];
                    tt += s.t[k] * s.t[k];
                    te += s.t[k] * change;
                    ee += change * change;
                    n_falling += e[k] < e[k - 1];
                }
                const double slope = te / tt, explained = ee > 0 ? te * te / (tt * ee) : 0;
                return {holds_if(slope > 0 && explained > 0.95),
                        fmt::format("It changes by {:.1e} up to x = {:g}; a line of slope {:.1e} explains {:.0f} % of "
                                    "that, and it falls in {} of {} steps.",
                                    e.back() - e.front(), s.t.back(), slope, 100 * explained, n_falling, e.size() - 1)};
            }};
}

} // namespace

std::vector<Claim> claims() {
    return {
        impasse_claim(),
        invariant_claim(),
        init_claim(),
        invariants_claim("6.3.1", "the rigid body as a system with invariants is 65 to 80 % faster (Tables 1 and 3)", 0,
                         2, 65),
        invariants_claim("6.3.3", "the particle as a system with invariants is 30 to 80 % faster (Tables 7 and 9)", 6,
                         8, 30),
        invariants_claim("6.3.4", "3D MHD as a system with invariants is 85 to 98 % faster (Tables 11 and 12)", 10, 11,
                         85),
        inexact_claim(),
        energy_claim(),
    };
}

} // namespace vessiot::reproduce::normi
