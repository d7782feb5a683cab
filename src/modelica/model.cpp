#include "modelica/model.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/syntax/diagnostic.hpp"
#include "modelica/assemble.hpp"
#include "modelica/eliminate.hpp"
#include "modelica/meaning/reader.hpp"
#include "system/check.hpp"

namespace vessiot::modelica {

namespace {

void collect_models(const std::vector<Class>& classes, std::vector<const Class*>& models) {
    for (const Class& c : classes) {
        if (c.kind == ClassKind::model) models.push_back(&c);
        if (c.kind == ClassKind::package) collect_models(c.classes, models);
    }
}

const Class& chosen_model(const Module& module, const std::string& wanted) {
    std::vector<const Class*> models;
    collect_models(module.classes, models);
    if (models.empty()) throw InvalidInput(fmt::format("{}: the text has no model", module.source->name()));
    if (wanted.empty()) return *models.back();
    std::vector<std::string_view> names;
    for (const Class* c : models) {
        names.push_back(module.names[c->name]);
        if (names.back() == wanted) return *c;
    }
    const auto meant = nearest(wanted, names);
    throw InvalidInput(fmt::format("{}: there is no model '{}' in it{}", module.source->name(), wanted,
                                   meant ? fmt::format("; did you mean '{}'?", *meant)
                                         : fmt::format(". It has: {}", first_names(names))));
}

} // namespace

std::vector<std::string> name_patterns(std::string_view list) {
    std::vector<std::string> names(1);
    int depth = 0;
    for (const char c : list) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == ',' && depth <= 0)
            names.emplace_back();
        else if (c != ' ' || !names.back().empty())
            names.back() += c;
    }
    for (std::string& name : names) {
        while (name.ends_with(' ')) name.pop_back();
        if (name.empty()) throw InvalidInput("--variables needs names between its commas, as in --variables a.v,b*");
    }
    return names;
}

bool is_modelica(const lang::Source& source) {
    const std::string& name = source.name();
    return name.ends_with(".bmo") || name.ends_with(".mo") || source.text().starts_with("//! base");
}

System read_model(const lang::Source& source, const ReadSettings& settings) {
    Module module = parse(source);
    const Class& model = chosen_model(module, settings.model);
    FlatModel flat = Reader(module, model, settings.parameters).run();
    const Elimination elimination = eliminate(flat, source);
    System system = assemble(flat, elimination, source, settings.outputs);
    determine_orders(system);
    if (const auto problem = check_structure(system))
        throw InvalidInput(fmt::format("{}:{}: {}", source.name(), problem->where.line, problem->message));
    return system;
}

} // namespace vessiot::modelica
