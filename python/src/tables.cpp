// Methods and decompositions: what the command line lists.
#include <nlohmann/json.hpp>

#include "bind.hpp"
#include "decompose/decompose.hpp"
#include "decompose/describe.hpp"
#include "solve/options/options.hpp"
#include "vessiot/methods.hpp"

namespace vessiot::python {

namespace {

nb::dict entry_of(const MethodDescription& m) {
    nb::dict entry;
    entry["name"] = m.name;
    entry["family"] = m.family;
    entry["help"] = m.help;
    entry["needs"] = m.needs;
    entry["projection"] = m.projection;
    entry["cite"] = m.cite;
    entry["order"] = m.order;
    entry["embedded_order"] = m.embedded_order;
    entry["dense_order"] = m.dense_order;
    entry["stages"] = m.stages;
    entry["least_order"] = m.least_order;
    entry["max_order"] = m.max_order;
    entry["max_index"] = m.max_index;
    entry["is_adaptive"] = m.is_adaptive;
    entry["is_implicit"] = m.is_implicit;
    entry["is_direct"] = m.is_direct;
    entry["has_arclength"] = m.has_arclength;
    entry["has_sensitivities"] = m.has_sensitivities;
    entry["has_quad"] = m.has_quad;
    return entry;
}

nb::list method_list() {
    nb::list list;
    for (const MethodDescription& m : methods()) list.append(entry_of(m));
    return list;
}

nb::list projection_list() {
    nb::list list;
    for (const ProjectionDescription& p : projections()) {
        nb::dict entry;
        entry["name"] = p.name;
        entry["help"] = p.help;
        entry["needs"] = p.needs;
        entry["projects"] = p.projects;
        entry["finds_nearest"] = p.finds_nearest;
        entry["has_charts"] = p.has_charts;
        entry["has_sensitivities"] = p.has_sensitivities;
        entry["has_partition"] = p.has_partition;
        entry["stops_by_increments"] = p.stops_by_increments;
        entry["has_forcing"] = p.has_forcing;
        list.append(entry);
    }
    return list;
}

nb::list distribution_list() {
    nb::list list;
    for (const DistributionDescription& d : distributions()) {
        nb::dict entry;
        entry["name"] = d.name;
        entry["help"] = d.help;
        entry["needs"] = d.needs;
        list.append(entry);
    }
    return list;
}

using Texts = std::vector<std::string>;

std::vector<Coefficient> coefficients(const Texts& texts) {
    return {texts.begin(), texts.end()};
}

nb::dict tableau(const std::string& name, const std::vector<Texts>& a, const Texts& b, const Texts& b_hat,
                 const Texts& c, int order, int embedded_order) {
    ButcherTableau made{.name = name, .a = {}, .b = coefficients(b)};
    for (const Texts& row : a) made.a.push_back(coefficients(row));
    made.b_hat = coefficients(b_hat);
    made.c = coefficients(c);
    made.order = order;
    made.embedded_order = embedded_order;
    return entry_of(add_tableau(made));
}

nb::dict multistep(const std::string& name, const Texts& alpha, const Texts& beta, bool is_direct, int order) {
    return entry_of(add_multistep({.name = name,
                                   .alpha = coefficients(alpha),
                                   .beta = coefficients(beta),
                                   .is_direct = is_direct,
                                   .order = order}));
}

// Name, what it takes, help, words: in the order of `vessiot help solve`.
nb::list option_list() {
    nb::list list;
    visit_option_members([&](const OptionField& field, auto, auto) {
        if (!field.is_text) return;
        const std::vector<std::string> words(field.words().begin(), field.words().end());
        list.append(nb::make_tuple(std::string(field.name), std::string(field.value), std::string(field.help), words));
    });
    return list;
}

std::pair<std::string, std::optional<std::string>> decompose_text(const std::string& text, const std::string& name,
                                                                  const std::string& component) {
    const nb::gil_scoped_release released;
    decompose::Options options;
    options.component = component;
    const decompose::Decomposition d = decompose::decompose(lang::Source(name, text), {}, options);
    return {decompose::to_json(d, "").dump(), d.model ? std::optional(d.model->text) : std::nullopt};
}

} // namespace

void bind_tables(nb::module_& m) {
    m.def("methods", &method_list);
    m.def("projections", &projection_list);
    m.def("distributions", &distribution_list);
    m.def("add_tableau", &tableau);
    m.def("load_tableau", [](const std::string& path) { return entry_of(load_tableau(path)); });
    m.def("add_multistep", &multistep);
    m.def("load_multistep", [](const std::string& path) { return entry_of(load_multistep(path)); });
    m.def("options", &option_list);
    m.def("decompose", &decompose_text, nb::arg("text"), nb::arg("name"), nb::arg("component") = "auto");
}

} // namespace vessiot::python
