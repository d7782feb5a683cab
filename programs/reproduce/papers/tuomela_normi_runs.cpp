#include "reproduce/papers/tuomela_normi_runs.hpp"

#include <string>

#include <fmt/format.h>

namespace vessiot::reproduce::normi {

namespace {

void set(Settings& settings, std::string_view name, std::string_view value) {
    settings.emplace_back(name, value);
}

// The options that all runs of the paper have in common.
Settings common_options(std::string_view method, std::string_view tolerance, bool is_inexact, bool has_init,
                        const NewtonRule& rule) {
    Settings options;
    set(options, "method", method);
    set(options, "control", "tuomela");
    set(options, "parametrisation", "arclength");
    set(options, "project", "stages");
    set(options, "projection", is_inexact ? "counted-inexact" : "counted-newton");
    if (is_inexact && !rule.eps_0.empty()) set(options, "forcing", fmt::format("{},0.8", rule.eps_0));
    set(options, "newton_stop", "printed");
    if (rule.is_absolute) set(options, "newton_tol", "1e-6");
    set(options, "init", has_init ? "on" : "off");
    set(options, "rtol", tolerance);
    set(options, "atol", tolerance);
    set(options, "at", "0"); // no values are looked at
    return options;
}

} // namespace

// NOTE: with its relative part the printed rule makes adaptive Euler runs of the magnetohydrodynamics take 20 % more
// steps, many of them rejected (6735(1756) instead of 5545(1)); without it the averages of constant steps come out too.
NewtonRule newton_rule(const PrintedTable& t) {
    NewtonRule rule;
    rule.is_absolute = t.problem == "3D MHD";
    if (t.is_inexact && t.problem != "plug flow") rule.eps_0 = "0.001";
    return rule;
}

RunSetting setting_of(const PrintedTable& t, const Column& c, bool has_init) {
    const Problem& p = problem(t.problem);
    RunSetting run;
    run.model = p.model;
    run.starts_at_nearest = true;
    run.parts_per_attempt = c.method == "euler" && c.is_adaptive ? 3 : 1;
    run.kept = p.kept;
    run.options = common_options(c.method, p.tolerance, t.is_inexact, has_init, newton_rule(t));
    if (t.is_general) set(run.options, "formulation", "general");
    set(run.options, c.is_adaptive ? "h_first" : "step", p.step);
    if (c.is_adaptive) set(run.options, "factor_max", p.factor_max);
    for (const auto& [name, value] : p.start) set(run.options, "start", fmt::format("{}={}", name, value));
    if (t.is_general)
        for (const auto& [name, value] : p.general_start) set(run.options, "start", fmt::format("{}={}", name, value));
    return run;
}

RunSetting chain_setting(const PrintedChain& t, bool has_energy, bool is_inexact, bool has_init) {
    RunSetting run;
    run.model = has_energy ? "mech_table_energy" : "mech_table";
    run.parts_per_attempt = 1;
    set(run.set, "n", t.n);
    set(run.set, "E", t.energy);
    run.options = common_options("dopri54", "1e-6", is_inexact, has_init, {.eps_0 = chain_eps_0});
    set(run.options, "to", t.end);
    set(run.options, "h_first", t.first_step);
    set(run.options, "factor_max", "3");
    return run;
}

} // namespace vessiot::reproduce::normi
