#include "lang/meaning/elaborate.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"
#include "system/mechanics/mechanics.hpp"

namespace vessiot::lang {

namespace {

System empty_system(const Source& source) {
    System system;
    system.name = std::filesystem::path(source.name()).stem().string();
    system.graph = std::make_shared<expr::Graph>();
    return system;
}

} // namespace

Elaborator::Elaborator(const Module& module, const Settings& settings)
    : module_(module), settings_(settings), system_(empty_system(*module.source)), graph_(*system_.graph),
      index_(graph_.index()), nest_(index_, settings.max_instances), total_(expr::total_derivative(graph_)),
      source_(module.source), stack_begin_(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))) {}

Location Elaborator::locate(Span span) {
    if (span == Span{}) return {};
    const Position position = module_.source->place(span.begin);
    const Location where{static_cast<int>(position.line), static_cast<int>(position.column)};
    places_.try_emplace({where.line, where.column}, span);
    return where;
}

void Elaborator::add_run() {
    declare_multipliers();
    elaborate_all(module_.statements, Phase::run);
    std::ranges::stable_partition(system_.start,
                                  [&](const StartValue& s) { return s.domain != index_.scalar_domain(); });
    std::ranges::stable_partition(system_.guesses,
                                  [&](const StartValue& s) { return s.domain != index_.scalar_domain(); });
}

void Elaborator::warn_unused() {
    for (const Symbol& symbol : table_.symbols()) {
        const bool is_included = module_.source->is_included(symbol.ident.span.begin);
        if (symbol.kind == SymbolKind::parameter && !symbol.is_used && !is_included) {
            warn(system_.warnings, *module_.source, symbol.ident.span,
                 fmt::format("the parameter '{}' is used nowhere", symbol.ident.name));
        }
    }
}

Elaborated Elaborator::finish() {
    for (Parameter& parameter : system_.parameters) {
        const Symbol* symbol = table_.find(parameter.name);
        parameter.is_used = symbol->is_used;
        parameter.is_structural = symbol->is_structural;
    }
    warn_unused();
    return {std::move(system_), std::move(places_)};
}

Elaborated elaborate(const Module& module, const Settings& settings) {
    Elaborator elaborator(module, settings);
    elaborator.declare();
    elaborator.add_equations();
    derive_motion(elaborator.system());
    elaborator.add_run();
    return elaborator.finish();
}

} // namespace vessiot::lang
