// vessiot methods: the registry as a table, with the works that the methods come from.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/references.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"

namespace vessiot::cli {

namespace {

using method::MethodInfo;

std::string order_text(int order) {
    return order == 0 ? "-" : std::to_string(order);
}

// 1-30 where the order can be chosen
std::string range_text(const MethodInfo& m, int order) {
    return m.least_order > 0 ? fmt::format("{}-{}", m.least_order, order) : order_text(order);
}

// The width of a column: its longest text, and two blanks.
template <class Text> std::size_t width(std::string_view title, const Text& text) {
    std::size_t longest = title.size();
    for (const MethodInfo& m : method::methods()) longest = std::max(longest, text(m).size());
    return longest + 2;
}

// "explicit Runge-Kutta, rays" for one that projects along rays unless told otherwise.
std::string family_text(const MethodInfo& m) {
    return std::string(name(m.family)) + (m.projection.ends_with("ray") ? ", rays" : "");
}

std::string_view steps_text(const MethodInfo& m) {
    return m.family == method::Family::bdf ? "constant" : m.is_adaptive ? "adaptive" : "doubling";
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
        text += fmt::format("{:<{}}{:>5}  {:>8}  {:>5}  {:>6}  {:<8}  {:<{}}{:<{}}{}\n", m.name, names,
                            range_text(m, m.order), order_text(m.embedded_order), range_text(m, dense_order(m)),
                            m.n_stages, steps_text(m), name(m.needs), needs, family_text(m), families, m.cite);
        if (std::ranges::find(keys, m.cite) == keys.end()) keys.push_back(m.cite);
    }
    text += "\nIn local coordinates, every explicit Runge-Kutta method\n"
            "  partition  generalised coordinate partitioning: --projection partition   WH82\n"
            "  tangent    tangent space parametrisation: --projection tangent           PR91\n";
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
                        {"family", name(m.family)},
                        {"order", m.order},
                        {"embedded_order", m.embedded_order},
                        {"dense_order", dense_order(m)},
                        {"stages", m.n_stages},
                        {"evaluations", m.n_effective_stages},
                        {"adaptive", m.family != method::Family::bdf},
                        {"estimate", m.is_adaptive                     ? "embedded"
                                     : m.family == method::Family::bdf ? "none"
                                                                       : "doubling"},
                        {"needs", name(m.needs)},
                        {"projection", m.projection},
                        {"cite", m.cite},
                        {"source", reference_text(m.cite)}});
    return Json{{"methods", std::move(list)}};
}

} // namespace

int run_methods(const Arguments& arguments) {
    write_output(arguments.has("--json") ? json().dump(2) + "\n" : table_text());
    return exit_success;
}

} // namespace vessiot::cli
