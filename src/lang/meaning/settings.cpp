// What is said about parameters from outside: --set name=value, name=file.csv:column, name[2]=value.
#include <fmt/format.h>

#include "core/text.hpp"
#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/words.hpp"

namespace vessiot::lang {

namespace {

// load.csv:2, where the value is a file; without a column `name` is all of it.
struct FileText {
    std::string_view path, column;
};
std::optional<FileText> file_text(std::string_view value) {
    if (value.ends_with(".csv")) return FileText{value, {}};
    const std::size_t end = value.rfind(".csv:");
    if (end == std::string_view::npos || end + 5 == value.size()) return std::nullopt;
    return FileText{value.substr(0, end + 4), value.substr(end + 5)};
}

} // namespace

void Elaborator::apply_settings() {
    for (const auto& [written, value] : settings_.set) apply_setting(written, value);
}

void Elaborator::fail_no_parameter(const std::string& written, const std::string& value, Symbol* symbol) {
    if (symbol && symbol->kind == SymbolKind::discrete) {
        throw InvalidInput(fmt::format("--set {0}={1}: '{0}' is discrete, not a parameter; its value at the "
                                       "start is given with --start {0}={1}",
                                       written, value));
    }
    if (symbol && symbol->kind == SymbolKind::unknown) {
        throw InvalidInput(fmt::format("--set {}={}: '{}' is an unknown, not a parameter", written, value, written));
    }
    std::vector<std::string_view> names;
    for (const Symbol& s : table_.symbols())
        if (s.kind == SymbolKind::parameter) names.push_back(s.ident.name);
    const auto meant = nearest(normalise_name(written), names);
    const std::string list = names.empty() ? "It has none" : "It has: " + first_names(names);
    throw InvalidInput(fmt::format("the model has no parameter '{}'{} {}", written,
                                   meant ? fmt::format("; did you mean '{}'?", *meant) : ".", list));
}

// Another definition for a parameter, or for one element of it.
void Elaborator::apply_setting(const std::string& written, const std::string& value) {
    const auto file = file_text(value);
    const Source& source =
        set_.sources.emplace_back("--set", fmt::format("{}={}", written, file ? std::string("0") : value));
    const bool has_path = written.find_first_of("[.") != std::string::npos;
    Symbol* symbol = has_path ? nullptr : table_.find(normalise_name(written));
    if (!has_path && (!symbol || symbol->kind != SymbolKind::parameter)) fail_no_parameter(written, value, symbol);
    const ParsedAssignment& parsed = set_.values.emplace_back(parse_assignment(source));
    const Indexed* element = as<Indexed>(parsed.assignment.target);
    const Name* whole = as<Name>(parsed.assignment.target);
    if (!element && !whole) fail_no_parameter(written, value, nullptr);
    symbol = table_.find(element ? element->name.name : whole->name);
    if (!symbol || symbol->kind != SymbolKind::parameter) fail_no_parameter(written, value, symbol);
    if (element && file)
        throw InvalidInput(fmt::format("--set {}={}: an element is a number, not a file", written, value));
    if (element) {
        symbol->elements.push_back({&parsed.assignment, &source});
        return;
    }
    symbol->elements.clear();
    symbol->file = nullptr;
    symbol->definition = parsed.assignment.value;
    symbol->definition_source = &source;
    if (!file) return;
    FileReference& reference = set_.files.emplace_back(FileReference{file->path, {}, {}});
    if (!file->column.empty()) reference.columns.push_back({file->column, {}});
    symbol->definition = nullptr;
    symbol->file = &reference;
    symbol->folder.clear();
}

// The address of the element that a setting is for.
std::int64_t Elaborator::element_set(Symbol& symbol, const Symbol::Setting& setting) {
    const Switch back(*this);
    source_ = setting.source;
    const Indexed& indexed = *as<Indexed>(setting.assignment->target);
    const std::string_view name = symbol.ident.name;
    if (symbol.dims.empty()) fail(indexed.name.span, fmt::format("'{}' is a number and has no index", name));
    const Forms forms = index_forms(indexed.indices, name, symbol.first, symbol.dims, setting.assignment->target->span);
    std::int64_t address = 0;
    for (std::size_t k = 0; k < forms.size(); ++k)
        address = address * symbol.dims[k] + index_.constant_value(forms[k]).value_or(1) - 1;
    return address;
}

void Elaborator::set_elements(Symbol& symbol) {
    for (const Symbol::Setting& setting : symbol.elements) {
        const auto at = static_cast<std::size_t>(element_set(symbol, setting));
        const Switch back(*this);
        source_ = setting.source;
        visit_names(setting.assignment->value, [&](std::string_view name, Span span, bool) {
            if (table_.find(name)) fail(span, "an element is set to a number, not to an expression of other names");
        });
        symbol.values[at] = constant(setting.assignment->value, fmt::format("an element of '{}'", symbol.ident.name));
    }
}

} // namespace vessiot::lang
