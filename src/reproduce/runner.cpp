#include "reproduce/runner.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lang/model.hpp"
#include "solve/options.hpp"
#include "solve/solve.hpp"

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
    if (setting.holds_nothing) system.holds.clear();
    if (setting.invariants) {
        const std::vector<Invariant> all = std::exchange(system.invariants, {});
        for (const std::size_t k : *setting.invariants) system.invariants.push_back(all.at(k));
    }
    if (setting.levels.size() > system.invariants.size())
        throw InvalidInput(fmt::format("{} has {} invariants, not {}", setting.model, system.invariants.size(),
                                       setting.levels.size()));
    for (std::size_t k = 0; k < setting.levels.size(); ++k)
        system.invariants[k].level = system.graph->constant(setting.levels[k]);
    return system;
}

} // namespace

std::string RunSetting::text() const {
    std::string result = model + listed(set) + listed(options);
    if (!lines.empty()) result += fmt::format(" lines={}", lines);
    for (const double level : levels) result += fmt::format(" level={}", level);
    if (invariants) result += " invariants";
    if (invariants)
        for (const std::size_t k : *invariants) result += fmt::format(" {}", k);
    return holds_nothing ? result + " holds nothing" : result;
}

const Solution& Runner::run(const RunSetting& setting) {
    const std::string key = setting.text();
    const auto known = solutions_.find(key);
    if (known != solutions_.end()) return *known->second;
    return *solutions_.emplace(key, std::make_unique<Solution>(compute(setting))).first->second;
}

Solution Runner::compute(const RunSetting& setting) const {
    const System system = load(find_model_(setting.model), setting);
    SolveOptions options = model_options(system);
    for (const auto& [name, value] : setting.options) apply_option(options, name, value);
    options.throw_on_failure = false;
    options.dense = false;
    if (watch_) options.progress = [&](const Progress& progress) { return watch_(setting, progress); };
    Solution solution = solve_system(system, options);
    if (solution.status == Status::interrupted) throw Interrupted();
    return solution;
}

} // namespace vessiot::reproduce
