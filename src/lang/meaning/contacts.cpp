// contact, and the names of what is made for contacts and constraints.
#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"

namespace vessiot::lang {

void Elaborator::add_contact(const ContactStatement& statement, Span span) {
    const std::string name(statement.name.name);
    const auto [first, is_new] = said_.event_names.try_emplace(name, statement.name.span);
    if (!is_new)
        fail(statement.name.span,
             fmt::format("the contact '{}' is given twice; the first is in {}", name, line_of(first->second)));
    if (const Symbol* symbol = table_.find(name))
        fail(statement.name.span, fmt::format("'{}' is a {} of this model; choose another name for the contact", name,
                                              kind_text(symbol->kind)));
    if (nest_.is_empty()) return;
    Contact contact{.name = name, .domain = nest_.domain(), .text = written(span), .where = locate(span)};
    const NodeId lhs = number(statement.lhs);
    contact.gap = graph_.sub(lhs, number(statement.rhs));
    contact.restitution = statement.restitution ? number(statement.restitution) : graph_.zero();
    contact.friction = statement.friction ? number(statement.friction) : graph_.zero();
    for (ExprPtr v : statement.sliding) contact.sliding.push_back(number(v));
    system_.contacts.push_back(std::move(contact));
}

// They are unknowns from here on: lambda, floor.force.
void Elaborator::declare_multipliers() {
    for (const Unknown& u : system_.unknowns) {
        if (!u.is_multiplier || u.is_hidden || table_.find(u.name)) continue;
        said_.multipliers.push_back(u.name);
        Symbol& symbol = table_.declare(*module_.source, SymbolKind::unknown, {said_.multipliers.back(), {}});
        symbol.array = u.array;
        symbol.dims = graph_.array(u.array).extent;
        symbol.first = graph_.array(u.array).lo;
    }
}

} // namespace vessiot::lang
