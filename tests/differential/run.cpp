#include "differential/run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "solve/options/options.hpp"

namespace vessiot::differential {
namespace {

bool fits(const method::MethodInfo& info, const System& system) {
    using method::View;
    const Fit& fit = system.fit;
    switch (info.needs) {
    case View::any: return true;
    case View::constraints: return fit.has_constraints;
    case View::separable: return fit.is_separable;
    // what happens to them at a higher index is a question of their theory
    case View::square: return fit.is_square && system.index <= 1 && system.events.empty();
    case View::mechanical: return fit.is_mechanical;
    default: return false;
    }
}

// As small as a method of this order reaches in some hundred steps.
double smallest_tolerance(int order) {
    return std::pow(10.0, -std::min(10.0, order <= 2 ? 1.5 + order : 2.0 * order - 1));
}

class Chooser {
public:
    Chooser(Choice& choice, const System& system) : choice_(choice), system_(system) {}

    RunOptions run() {
        const method::MethodInfo* info = choose_method();
        choose_tolerances(info ? info->order : 5);
        choose_steps(info);
        const bool is_direct = info && method::is_direct(*info);
        if (!is_direct && system_.fit.has_constraints) choose_projection(info);
        if (!is_direct && system_.index <= 1) maybe(0.1, "formulation", "general");
        if (!is_direct) choose_direction(info);
        // more equations than unknowns follow from each other up to round-off of their numbers, in double precision
        const bool is_quad = choice_.chance(0.03) && system_.fit.is_square;
        if (is_quad) set("precision", "quad");
        set("backend", !is_quad && choice_.chance(0.06) ? "jit" : "interpreter");
        maybe(0.2, "every", number(std::fabs(system_.to - system_.from) / choice_.integer(2, 30)));
        return std::move(run_);
    }

private:
    void set(const std::string& name, const std::string& value) { run_.options.emplace_back(name, value); }
    void maybe(double p, const std::string& name, const std::string& value) {
        if (choice_.chance(p)) set(name, value);
    }
    static std::string number(double x) { return fmt::format("{:.4g}", x); }

    const method::MethodInfo* choose_method() {
        if (choice_.chance(0.2)) return nullptr;
        for (int attempt = 0; attempt < 30; ++attempt) {
            const method::MethodInfo& info = choice_.of(method::methods());
            // explicit methods make no progress where it is stiff: half of them are left out there
            const bool is_explicit = info.family->is_explicit;
            if (!fits(info, system_) || (system_.class_name == "stiff" && is_explicit && choice_.chance(0.8))) continue;
            set("method", std::string(info.name));
            return &info;
        }
        return nullptr;
    }

    void choose_tolerances(int order) {
        const double rtol = std::pow(10.0, choice_.between(std::log10(smallest_tolerance(order)), -2.5));
        set("rtol", fmt::format("{:.1g}", rtol));
        set("atol", fmt::format("{:.1g}", rtol * std::pow(10.0, choice_.between(-2, 0))));
    }

    void choose_steps(const method::MethodInfo* info) {
        const bool needs_step = info && !info->is_adaptive && info->needs != method::View::any;
        if (needs_step || (info && !info->chooses_steps && choice_.chance(0.06)))
            set("step", number(std::fabs(system_.to - system_.from) / choice_.integer(20, 60)));
        else if (!info || !info->chooses_steps) {
            maybe(0.05, "control", "doubling");
            maybe(0.1, "error_norm", "max");
        }
    }

    // Most of what cannot go together is not drawn: it would only be refused.
    void choose_direction(const method::MethodInfo* info) {
        const std::vector<std::string> mechanical{"submatrix", "solve", "kkt"}, others{"submatrix", "solve"};
        maybe(0.12, "distribution", choice_.of(system_.fit.is_mechanical ? mechanical : others));
        const bool is_in_time =
            info && (info->chooses_steps || info->needs != method::View::any || info->family->reads_steps_from_series ||
                     info->projection == "ray" || info->projection == "gradient-ray");
        if (!is_in_time || choice_.chance(0.05)) maybe(0.15, "parametrisation", "arclength");
    }

    void choose_projection(const method::MethodInfo* info) {
        static const std::vector<std::string> projections{"newton",  "chord", "inexact",   "simplified",
                                                          "tangent", "none",  "partition", "post"};
        maybe(0.3, "projection", choice_.of(projections));
        const std::string* projection = run_.find("projection");
        const bool has_stages = !info || !info->chooses_steps;
        if (has_stages && (!projection || *projection != "none")) maybe(0.2, "project", "stages");
    }

    Choice& choice_;
    const System& system_;
    RunOptions run_{};
};

} // namespace

const std::string* RunOptions::find(const std::string& name) const {
    const auto found = std::ranges::find(options, name, &std::pair<std::string, std::string>::first);
    return found == options.end() ? nullptr : &found->second;
}

std::vector<RunOptions> choose_runs(Choice& choice, const System& system, int n) {
    std::vector<RunOptions> runs{{.options = {{"backend", "interpreter"}}}};
    for (int k = 0; k < n; ++k) runs.push_back(Chooser(choice, system).run());
    return runs;
}

SolveOptions options_of(const RunOptions& run) {
    SolveOptions options{.max_steps = 20'000, .throw_on_failure = false};
    for (const auto& [name, value] : run.options) apply_option(options, name, value);
    return options;
}

std::string command(const RunOptions& run, const std::string& file) {
    std::string result = "vessiot solve " + file + " --max-steps 20000";
    for (const auto& [name, value] : run.options) {
        std::string option = name;
        std::ranges::replace(option, '_', '-');
        result += fmt::format(" --{} {}", option, value);
    }
    return result;
}

} // namespace vessiot::differential
