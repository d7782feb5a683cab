// The names of a model: what each one is, which definition uses which, and in what order they can be worked out.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/graph/graph.hpp"
#include "expr/table/table.hpp"
#include "lang/meaning/value.hpp"
#include "lang/syntax/ast.hpp"

namespace vessiot::lang {

enum class SymbolKind { parameter, discrete, unknown, independent, let, function, table };

// "parameter", "discrete quantity", "unknown", "independent variable", "'let' name", "function", "table"
std::string_view kind_text(SymbolKind kind);

struct Symbol {
    SymbolKind kind = SymbolKind::unknown;
    Ident ident; // where it is declared; an empty span: nowhere (`t`, the multipliers)

    // What was written, by kind.
    const ParameterItem* parameter = nullptr; // or of a discrete quantity
    const UnknownItem* unknown = nullptr;
    const LetStatement* let = nullptr;
    const FunctionStatement* function = nullptr;
    const TableStatement* table = nullptr;

    // What it is, once that is known.
    Dims dims;                        // of a parameter, what is discrete, an unknown, a family of lets; empty: a number
    Dims first;                       // first indices of a family of lets; else all 1
    expr::ArrayId array = expr::none; // of a parameter, an unknown, the independent variable, a family of lets
    std::vector<Quad> values;         // of a parameter; of what is discrete, at the start
    Value value;                      // of a let that is no family
    bool has_constant = false;        // of such a let that was needed where a constant is: `constant` is known
    Value constant;
    bool is_used = false;
    bool is_structural = false; // in a size, a bound or an index

    // A parameter that was set from outside has its value in another text.
    ExprPtr definition = nullptr;
    const Source* definition_source = nullptr;
    // Or in a file, instead of a definition; found from this folder.
    const FileReference* file = nullptr;
    std::filesystem::path folder;
    // Elements that were set from outside: m[2].
    struct Setting {
        const Assignment* assignment;
        const Source* source;
    };
    std::vector<Setting> elements;
    std::shared_ptr<const expr::Table> points; // of a table, once it is made
};

class SymbolTable {
public:
    // Fails where the name is taken.
    Symbol& declare(const Source& source, SymbolKind kind, const Ident& ident);
    Symbol* find(std::string_view name);
    // In the order of their declaration.
    std::deque<Symbol>& symbols() { return symbols_; }

private:
    std::deque<Symbol> symbols_; // addresses stay
    std::unordered_map<std::string_view, Symbol*> by_name_;
};

// Calls visit(name, span, is_call) for every name in an expression that is not the index of a sum or product in it.
using NameVisitor = std::function<void(std::string_view name, Span span, bool is_call)>;
void visit_names(ExprPtr expr, const NameVisitor& visit);

// Parameters, lets and functions, each one after those that its definition uses. Fails where there is a circle.
std::vector<Symbol*> definition_order(const Source& source, SymbolTable& table);

} // namespace vessiot::lang
