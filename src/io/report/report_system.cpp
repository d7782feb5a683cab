#include "io/report/report_system.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "lang/syntax/words.hpp"
#include "solve/inspect/inspection.hpp"
#include "solve/options/option_text.hpp"
#include "system/describe/describe.hpp"

namespace vessiot::io {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t longest_text = 200'000; // of the model
constexpr std::size_t longest_formula = 4'000;

// At most `most` of a list, and how many are left out.
template <class List, class Function> Json listed(const List& list, std::size_t most, const Function& entry) {
    Json entries = Json::array();
    for (std::size_t k = 0; k < std::min(list.size(), most); ++k) entries.push_back(entry(list[k]));
    return {{"entries", std::move(entries)}, {"left_out", list.size() - std::min(list.size(), most)}};
}

// "# Two-phase plug flow" at the top of a model is its title.
std::string title_of(std::string_view text) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    if (!line.starts_with('#')) return "";
    const std::size_t first = line.find_first_not_of("# \t");
    return first == line.npos ? "" : std::string(line.substr(first));
}

// Cut after a whole character.
std::string beginning(const std::string& text, std::size_t length) {
    if (text.size() <= length) return text;
    while (length > 0 && (text[length] & 0xC0) == 0x80) --length;
    return text.substr(0, length);
}

Json statement(const StatementText& s) {
    return {{"kind", s.kind}, {"text", shortened(s.text, longest_formula)}, {"domain", s.domain}, {"count", s.count}};
}

std::vector<StatementText> statements(const System& system) {
    std::vector<StatementText> all;
    for (const Equation& e : system.equations)
        if (e.kind != EquationKind::consequence) all.push_back(describe_equation(system, e));
    return all;
}

// Those that are not at their defaults.
Json changed_options(const SolveOptions& options) {
    Json changed = Json::array();
    for (const GivenOption& o : given_options(options))
        changed.push_back({{"name", o.name}, {"value", shortened(o.text, 500)}, {"help", o.help}});
    return changed;
}

Json start_point(const Solution& sol, const Inspection& inspection, const ReportLimits& limits) {
    std::vector<Inspection::Value> values = inspection.start;
    if (values.empty() && !sol.t.empty())
        for (std::size_t j = 0; j < sol.names.size(); ++j) values.push_back({sol.names[j], sol.numbers[j]});
    return {{"values",
             listed(values, limits.entries, [](const auto& v) { return Json{{"name", v.name}, {"value", v.value}}; })},
            {"moved", listed(sol.start.moves, limits.entries,
                             [](const auto& m) { return Json{{"name", m.name}, {"from", m.from}, {"to", m.to}}; })},
            {"violated", listed(sol.start.violations, limits.entries, [](const auto& v) {
                 return Json{{"equation", shortened(v.equation, longest_formula)},
                             {"derivative", v.derivative},
                             {"hidden", v.is_hidden},
                             {"residual", v.residual}};
             })}};
}

Json stats_of(const Stats& s) {
    Json result;
    for (const StatsCount& count : stats_counts) result[count.name] = s.*count.at;
    result["newton_mean"] = s.newton_mean();
    for (const StatsSeconds& time : stats_seconds) result["seconds"][time.name] = s.seconds.*time.at;
    return result;
}

} // namespace

Json report_model(const ReportContext& context) {
    Json words = Json::array(), functions = Json::array();
    for (const lang::Keyword& k : lang::keywords()) words.push_back(k.word);
    for (const lang::BuiltinFunction& f : lang::builtin_functions()) functions.push_back(f.name);
    const std::string text = beginning(context.model_text, longest_text);
    return {{"name", context.system.name},
            {"title", title_of(context.model_text)},
            {"text", text},
            {"text_left_out", context.model_text.size() - text.size()},
            {"keywords", std::move(words)},
            {"functions", std::move(functions)}};
}

Json report_equations(const Solution& sol, const ReportContext& context, const ReportLimits& limits) {
    const System& system = context.system;
    Json result;
    result["statements"] = listed(statements(system), limits.entries, statement);
    const auto formula = [&](const std::optional<expr::NodeId>& node) {
        return node ? Json(shortened(system.graph->print(*node), longest_formula)) : Json(nullptr);
    };
    result["lagrangian"] = formula(system.lagrangian);
    result["hamiltonian"] = formula(system.hamiltonian);
    result["invariants"] = listed(system.invariants, limits.entries, [&](const Invariant& i) {
        std::string text = system.graph->print(i.value);
        if (i.kept) text += " = " + system.graph->print(*i.kept);
        return Json{{"text", shortened(text, longest_formula)}};
    });
    const Inspection inspection = inspect(system, context.options);
    result["problem"] = inspection.problem;
    result["constraints"] = listed(inspection.constraints, limits.entries, [](const Inspection::Constraint& c) {
        return Json{{"hidden", c.is_hidden},
                    {"text", shortened(c.text, longest_formula)},
                    {"domain", c.domain},
                    {"origin", c.origin},
                    {"count", c.count}};
    });
    result["redundant"] = listed(inspection.redundant, limits.entries,
                                 [](const std::string& text) { return shortened(text, longest_formula); });
    result["condition"] = inspection.condition;
    result["start"] = start_point(sol, inspection, limits);
    return result;
}

Json report_run(const Solution& sol, const ReportContext& context) {
    const SystemSummary& s = sol.system;
    const MethodSummary& m = sol.method;
    return {{"status", name(sol.status)},
            {"message", sol.message},
            {"notes", sol.notes},
            {"command", context.command_line},
            {"system",
             {{"class", s.system_class},
              {"order", s.order},
              {"unknowns", s.unknowns},
              {"equations", s.equations},
              {"hidden_constraints", s.hidden_constraints},
              {"index", s.index},
              {"structural_index", s.structural_index},
              {"degrees_of_freedom", s.degrees_of_freedom},
              {"manifold_dimension", s.manifold_dimension},
              {"invariants", s.invariants}}},
            {"method",
             {{"name", m.name},
              {"choice", m.choice},
              {"order", m.order},
              {"projection", m.projection},
              {"project", m.project},
              {"distribution", m.distribution},
              {"parametrisation", m.parametrisation},
              {"precision", m.precision},
              {"rtol", m.rtol},
              {"atol", m.atol},
              {"step", m.step}}},
            {"options", changed_options(context.options)},
            {"constraint_residual_max", sol.constraint_residual_max},
            {"constraint_residual_absolute", sol.constraint_residual_absolute},
            {"invariant_drift_max", sol.invariant_drift_max},
            {"stats", stats_of(sol.stats)}};
}

} // namespace vessiot::io
