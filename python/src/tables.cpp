// Methods and decompositions: what the command line lists.
#include <nlohmann/json.hpp>

#include "bind.hpp"
#include "decompose/decompose.hpp"
#include "decompose/describe.hpp"
#include "method/registry.hpp"
#include "method/stepper.hpp"
#include "solve/options/options.hpp"

namespace vessiot::python {

namespace {

nb::list method_list() {
    nb::list list;
    for (const method::MethodInfo& m : method::methods()) {
        nb::dict entry;
        entry["name"] = std::string(m.name);
        entry["family"] = std::string(m.family->name);
        entry["order"] = m.order;
        entry["embedded_order"] = m.embedded_order;
        entry["dense_order"] = dense_order(m);
        entry["stages"] = m.n_stages;
        entry["adaptive"] = true;
        entry["needs"] = std::string(name(m.needs));
        entry["cite"] = std::string(m.cite);
        list.append(entry);
    }
    return list;
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
    m.def("options", &option_list);
    m.def("decompose", &decompose_text, nb::arg("text"), nb::arg("name"), nb::arg("component") = "auto");
}

} // namespace vessiot::python
