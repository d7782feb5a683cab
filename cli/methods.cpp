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

std::string table_text() {
    std::size_t widths[] = {12, 7, 20}; // of names, needs and families
    for (const MethodInfo& m : method::methods()) {
        widths[0] = std::max(widths[0], m.name.size() + 1);
        widths[1] = std::max(widths[1], name(m.needs).size());
        widths[2] = std::max(widths[2], name(m.family).size());
    }
    const auto row = [&](std::string_view method, const auto& order, const auto& embedded, const auto& dense,
                         const auto& stages, std::string_view steps, std::string_view needs, std::string_view family,
                         std::string_view source) {
        return fmt::format("{:<{}}{:>5}  {:>8}  {:>5}  {:>6}  {:<8}  {:<{}}  {:<{}}  {}\n", method, widths[0], order,
                           embedded, dense, stages, steps, needs, widths[1], family, widths[2], source);
    };
    std::string text = row("method", "order", "embedded", "dense", "stages", "steps", "needs", "family", "source");
    std::vector<std::string_view> keys;
    for (const MethodInfo& m : method::methods()) {
        text += row(m.name, m.order, order_text(m.embedded_order), order_text(dense_order(m)), m.n_stages,
                    m.is_adaptive ? "adaptive" : "doubling", name(m.needs), name(m.family), m.cite);
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
                        {"adaptive", true},
                        {"estimate", m.is_adaptive ? "embedded" : "doubling"},
                        {"needs", name(m.needs)},
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
