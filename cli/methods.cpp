// vessiot methods: the registry as a table, with the works that the methods come from.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/references.hpp"
#include "control/settings.hpp"
#include "distribution/kind.hpp"
#include "io/format.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "method/user/user_formula.hpp"
#include "method/user/user_tableau.hpp"
#include "projection/kind.hpp"

namespace vessiot::cli {

namespace {

using method::MethodInfo;

std::string order_text(int order) {
    return order == 0 ? "-" : std::to_string(order);
}

// "1-30" where it can be chosen or varies
std::string range_text(const MethodInfo& m, int order) {
    if (m.least_order > 0) return fmt::format("{}-{}", m.least_order, order);
    return order_text(order);
}

std::string orders_text(const MethodInfo& m) {
    return m.max_order > 0 ? fmt::format("1-{}", m.max_order) : range_text(m, m.order);
}

// The width of a column: its longest text, and two blanks.
template <class Text> std::size_t width(std::string_view title, const Text& text) {
    std::size_t longest = title.size();
    for (const MethodInfo& m : method::methods()) longest = std::max(longest, text(m).size());
    return longest + 2;
}

const ProjectionKind& projection_of(const MethodInfo& m) {
    return *projection_table().find(m.projection);
}

// "explicit Runge-Kutta, rays" for one that projects along rays unless told otherwise.
std::string family_text(const MethodInfo& m) {
    return std::string(m.family->name) + (projection_of(m).can.goes_along_rays ? ", rays" : "");
}

std::string_view steps_text(const MethodInfo& m) {
    return m.is_adaptive ? "adaptive" : "doubling";
}

// The names of a table, with what they stand for.
template <class Entry> std::string entries_text(std::string_view title, const Table<Entry>& table) {
    std::size_t longest = 0;
    for (const Entry& entry : table) longest = std::max(longest, entry.name.size());
    std::string text = fmt::format("\n{}\n", title);
    for (const Entry& entry : table) text += fmt::format("  {:<{}}  {}\n", entry.name, longest, entry.help);
    return text;
}

std::string table_text() {
    const std::size_t names = width("method", [](const MethodInfo& m) { return m.name; });
    const std::size_t needs = width("needs", [](const MethodInfo& m) { return name(m.needs); });
    const std::size_t families = width("family", family_text);
    std::string text =
        fmt::format("{:<{}}{:>5}  {:>8}  {:>5}  {:>6}  {:<8}  {:<{}}{:<{}}{}\n", "method", names, "order", "embedded",
                    "dense", "stages", "steps", "needs", needs, "family", families, "source");
    std::vector<std::string_view> keys;
    for (const MethodInfo& m : method::methods()) {
        text += fmt::format("{:<{}}{:>5}  {:>8}  {:>5}  {:>6}  {:<8}  {:<{}}{:<{}}{}\n", m.name, names, orders_text(m),
                            order_text(m.embedded_order), range_text(m, dense_order(m)), m.n_stages, steps_text(m),
                            name(m.needs), needs, family_text(m), families, m.cite);
        if (std::ranges::find(keys, m.cite) == keys.end()) keys.push_back(m.cite);
    }
    text += entries_text("Projections (--projection), which bring points onto the constraints", projection_table());
    text += entries_text("Distributions (--distribution), which find the direction at a point", distribution_table());
    text += entries_text("Controls (--control), which choose the size of steps", control_table());
    for (const std::string_view key : {"WH82", "PR91"}) keys.push_back(key);
    std::ranges::sort(keys);
    text += "\nSources\n";
    for (const std::string_view key : keys) text += fmt::format("  {:<8}  {}\n", key, reference_text(key));
    return text;
}

nlohmann::ordered_json json() {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const MethodInfo& m : method::methods())
        list.push_back({{"name", m.name},
                        {"family", m.family->name},
                        {"order", m.order},
                        {"max_order", m.max_order > 0 ? m.max_order : m.order},
                        {"embedded_order", m.embedded_order},
                        {"dense_order", dense_order(m)},
                        {"stages", m.n_stages},
                        {"evaluations", m.n_effective_stages},
                        {"adaptive", true}, // by doubling, where it has no estimate of its own
                        {"estimate", m.family->reads_steps_from_series ? "defect"
                                     : m.chooses_steps                 ? "own"
                                     : method::is_multistep(m)         ? "past points"
                                     : m.is_adaptive                   ? "embedded"
                                                                       : "doubling"},
                        {"needs", name(m.needs)},
                        {"projection", m.projection},
                        {"sensitivities", m.family->carries_derivatives},
                        {"cite", m.cite},
                        {"source", reference_text(m.cite)}});
    Json projections = Json::array(), distributions = Json::array(), controls = Json::array(), formats = Json::array();
    for (const ProjectionKind& kind : projection_table())
        projections.push_back({{"name", kind.name},
                               {"help", kind.help},
                               {"needs", kind.needs},
                               {"nearest", kind.can.finds_nearest},
                               {"rays", kind.can.goes_along_rays},
                               {"local_coordinates", kind.can.has_charts},
                               {"sensitivities", kind.can.carries_derivatives}});
    for (const DistributionKind& kind : distribution_table())
        distributions.push_back({{"name", kind.name}, {"help", kind.help}, {"needs", kind.needs}});
    for (const ControlKind& kind : control_table()) controls.push_back({{"name", kind.name}, {"help", kind.help}});
    for (const io::Format& format : io::format_table())
        formats.push_back({{"name", format.name}, {"option", format.option}, {"help", format.help}});
    return Json{{"methods", std::move(list)},
                {"projections", std::move(projections)},
                {"distributions", std::move(distributions)},
                {"controls", std::move(controls)},
                {"formats", std::move(formats)}};
}

std::string_view kind_text(const MethodInfo& m) {
    if (m.family->is_explicit) return "explicit";
    for (std::size_t i = 0; i < m.n_stages; ++i)
        for (std::size_t j = i + 1; j < m.n_stages; ++j)
            if (m.tableau.a[i * m.n_stages + j] != 0) return "fully implicit";
    return "diagonally implicit";
}

bool is_stiffly_accurate(const MethodInfo& m) {
    for (std::size_t j = 0; j < m.n_stages; ++j)
        if (m.tableau.a[(m.n_stages - 1) * m.n_stages + j] != m.tableau.b[j]) return false;
    return true;
}

// What was found about the method of a file.
std::string tableau_text(const MethodInfo& m) {
    std::string text = fmt::format("{}: {} Runge-Kutta method, {} {}\n", m.name, kind_text(m), m.n_stages,
                                   m.n_stages == 1 ? "stage" : "stages");
    const auto row = [&](std::string_view label, const std::string& value) {
        text += fmt::format("  {:<11}{}\n", label, value);
    };
    row("order", fmt::format("{}{}", m.order, m.order == method::most_user_order ? ", or higher" : ""));
    row("embedded",
        m.embedded_order > 0 ? fmt::format("order {}", m.embedded_order) : "none: steps are chosen by step doubling");
    row("last stage", m.is_fsal                ? "the first of the next step"
                      : is_stiffly_accurate(m) ? "the result of the step (stiffly accurate)"
                                               : "not the result of the step");
    return text;
}

nlohmann::ordered_json tableau_json(const MethodInfo& m) {
    return {{"name", m.name},
            {"kind", kind_text(m)},
            {"order", m.order},
            {"embedded_order", m.embedded_order},
            {"stages", m.n_stages},
            {"evaluations", m.n_effective_stages},
            {"stiffly_accurate", is_stiffly_accurate(m)}};
}

// What was found about the formula of a file.
struct FormulaFacts {
    explicit FormulaFacts(const MethodInfo& m)
        : rho(method::root_condition(method::alpha_of(m))), sigma(method::root_condition(method::beta_of(m))) {
        const method::MultistepFormula f = method::formula_of(m);
        const int k = f.n_steps();
        double factorial = 1;
        for (int i = 2; i <= m.order + 1; ++i) factorial *= i;
        for (int j = 0; j <= k; ++j) {
            const auto at = static_cast<std::size_t>(j);
            const double power = std::pow(j - k, m.order);
            const auto alpha = static_cast<double>(f.alpha[at]), beta = static_cast<double>(f.beta[at]);
            error_constant += (alpha * power * (j - k) - (m.order + 1) * beta * power) / factorial;
            scale += beta;
        }
        error_constant /= scale;
    }
    method::RootCondition rho, sigma;
    double error_constant = 0, scale = 0; // divided by sigma(1), so that the scale of the formula does not count
};

std::string formula_text(const MethodInfo& m) {
    const FormulaFacts facts(m);
    const method::MultistepFormula f = method::formula_of(m);
    const int k = f.n_steps();
    std::string text = fmt::format("{}: {} linear multistep method, {} {}\n", m.name,
                                   f.is_explicit() ? "explicit" : "implicit", k, k == 1 ? "step" : "steps");
    const auto row = [&](std::string_view label, const std::string& value) {
        text += fmt::format("  {:<11}{}\n", label, value);
    };
    row("order", fmt::format("{}, error constant {:.6g}", m.order, facts.error_constant));
    row("rho", "the root condition holds");
    row("sigma", facts.sigma.holds_strictly ? "zeros inside of the unit circle"
                 : facts.sigma.holds        ? "zeros on the unit circle"
                                            : "a zero outside of the unit circle");
    row("works on", method::is_direct(m) ? fmt::format("the equations as they stand, of index {} at most", m.max_index)
                                         : "the manifold, of every index");
    return text;
}

nlohmann::ordered_json formula_json(const MethodInfo& m) {
    const FormulaFacts facts(m);
    return {{"name", m.name},
            {"kind", method::formula_of(m).is_explicit() ? "explicit" : "implicit"},
            {"order", m.order},
            {"error_constant", facts.error_constant},
            {"steps", method::formula_of(m).n_steps()},
            {"sigma_inside", facts.sigma.holds_strictly},
            {"on", method::is_direct(m) ? "equations" : "manifold"},
            {"max_index", m.max_index}};
}

} // namespace

int run_methods(const Arguments& arguments) {
    if (const std::vector<std::string> files = arguments.values("--multistep"); !files.empty()) {
        for (const std::string& file : files) {
            const MethodInfo& m = method::load_multistep(file);
            write_output(arguments.has("--json") ? formula_json(m).dump(2) + "\n" : formula_text(m));
        }
        return exit_success;
    }
    if (const std::vector<std::string> files = arguments.values("--tableau"); !files.empty()) {
        for (const std::string& file : files) {
            const MethodInfo& m = method::load_tableau(file);
            write_output(arguments.has("--json") ? tableau_json(m).dump(2) + "\n" : tableau_text(m));
        }
        return exit_success;
    }
    write_output(arguments.has("--json") ? json().dump(2) + "\n" : table_text());
    return exit_success;
}

} // namespace vessiot::cli
