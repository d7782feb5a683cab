#include "reproduce/runner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "projection/consistent.hpp"
#include "reproduce/counted.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/prepare.hpp"
#include "solve/problem/solve.hpp"
#include "solve/start/given.hpp"
#include "system/own_graph.hpp"

namespace vessiot::reproduce {

namespace {

std::string listed(const Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) text += fmt::format(" {}={}", name, value);
    return text;
}

System load(const std::filesystem::path& path, const RunSetting& setting) {
    const lang::Source source = lang::Source::load(path);
    lang::Settings settings;
    settings.set = setting.set;
    System system =
        lang::read_model(lang::Source(source.name(), fmt::format("{}\n{}\n", source.text(), setting.lines)), settings);
    if (setting.starts_at_nearest) system.holds.clear();
    if (setting.invariants) {
        const std::vector<Invariant> all = std::exchange(system.invariants, {});
        for (const std::size_t k : *setting.invariants) system.invariants.push_back(all.at(k));
    }
    if (setting.kept.size() > system.invariants.size())
        throw InvalidInput(
            fmt::format("{} has {} invariants, not {}", setting.model, system.invariants.size(), setting.kept.size()));
    for (std::size_t k = 0; k < setting.kept.size(); ++k)
        system.invariants[k].kept = system.graph->constant(setting.kept[k]);
    return system;
}

// The start values of the nearest point on the manifold: of the equations, and of these with the invariants. No
// value that was given is trusted more than another: those of the highest derivatives count like all.
void start_at_nearest(const System& system, SolveOptions& options) {
    vessiot::Settings interpreted = settled(options);
    interpreted.backend = Backend::interpreter; // for a few evaluations
    const Quad t = interval(system, interpreted).first;
    const Prepared<double> prepared = prepare<double>(with_own_graph(system), interpreted, t);
    const Prolongation& p = prepared.analysis->prolongation;
    const Given<double> given = read_start<double>(prepared.analysis->system, p, interpreted);
    linalg::Vector<double> u(p.n_state() + 1);
    std::vector<Freedom> freedom;
    for (std::size_t k = 0; k < p.state.size(); ++k) {
        const auto at = static_cast<std::size_t>(p.state[k]);
        u[static_cast<std::int64_t>(k)] = given.value[at];
        freedom.push_back(given.is_given[at] ? Freedom::given : Freedom::free);
    }
    const auto move_onto = [&](Manifold<double>& manifold) {
        if (!make_consistent<double>(manifold, static_cast<double>(t), u, freedom, {}))
            throw InvalidInput("there is no point on the constraints near the start values");
    };
    move_onto(prepared.problem->written_manifold());
    take_kept_values(*prepared.problem, static_cast<double>(t), u.data());
    move_onto(prepared.problem->manifold());
    options.start.clear();
    for (std::size_t k = 0; k < p.state.size(); ++k)
        options.start.emplace_back(prepared.analysis->name_of(p.state[k]), u[static_cast<std::int64_t>(k)]);
}

} // namespace

std::string RunSetting::text() const {
    std::string result = model + listed(set) + listed(options);
    if (!lines.empty()) result += fmt::format(" lines={}", lines);
    for (const double value : kept) result += fmt::format(" kept={}", value);
    if (invariants) result += " invariants";
    if (invariants)
        for (const std::size_t k : *invariants) result += fmt::format(" {}", k);
    if (parts_per_attempt > 0) result += fmt::format(" iterations {}", parts_per_attempt);
    return starts_at_nearest ? result + " nearest" : result;
}

Runner::Run& Runner::made(const RunSetting& setting) {
    const std::string key = setting.text();
    const auto known = runs_.find(key);
    if (known != runs_.end()) return *known->second;
    return *runs_.emplace(key, std::make_unique<Run>(compute(setting))).first->second;
}

const Seconds& Runner::seconds(const RunSetting& setting) {
    constexpr int n_repeated = 4;
    constexpr double long_run = 2; // seconds
    Run& run = made(setting);
    if (run.least) return *run.least;
    Seconds& least = run.least.emplace(run.solution.stats.seconds);
    for (int k = 0; k < n_repeated && run.solution.status == Status::success && least.integrate < long_run; ++k) {
        const Seconds again = compute(setting).solution.stats.seconds;
        for (double Seconds::* part : {&Seconds::integrate, &Seconds::distribution, &Seconds::projection})
            least.*part = std::min(least.*part, again.*part);
    }
    return least;
}

Runner::Run Runner::compute(const RunSetting& setting) const {
    add_counted_projections();
    const System system = load(find_model_(setting.model), setting);
    SolveOptions options = model_options(system);
    for (const auto& [name, value] : setting.options) apply_option(options, name, value);
    if (setting.starts_at_nearest) start_at_nearest(system, options);
    options.throw_on_failure = false;
    options.dense = false;
    if (watch_) options.progress = [&](const Progress& progress) { return watch_(setting, progress); };
    Run run;
    const Counting counting;
    run.solution = solve_system(system, options);
    if (setting.parts_per_attempt > 0) run.iterations = counting.steps().accepted(setting.parts_per_attempt);
    if (run.solution.status == Status::interrupted) throw Interrupted();
    return run;
}

} // namespace vessiot::reproduce
