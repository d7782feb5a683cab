#include "lang/meaning/names.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/overloaded.hpp"
#include "lang/syntax/diagnostic.hpp"

namespace vessiot::lang {

std::string_view kind_text(SymbolKind kind) {
    switch (kind) {
    case SymbolKind::parameter: return "parameter";
    case SymbolKind::discrete: return "discrete quantity";
    case SymbolKind::unknown: return "unknown";
    case SymbolKind::independent: return "independent variable";
    case SymbolKind::let: return "'let' name";
    case SymbolKind::function: return "function";
    case SymbolKind::table: return "table";
    }
    return {};
}

Symbol& SymbolTable::declare(const Source& source, SymbolKind kind, const Ident& ident) {
    const std::string_view name = ident.name;
    if (const Symbol* other = find(name)) {
        const bool is_time = other->kind == SymbolKind::independent && other->ident.span == Span{};
        if (is_time) {
            fail(source, ident.span,
                 fmt::format("'{0}' is the independent variable; choose another name, or call the independent variable "
                             "something else with 'independent s'",
                             name));
        }
        fail(source, ident.span,
             fmt::format("'{}' is declared twice; the first time in {}", name,
                         source.line_text(other->ident.span.begin)));
    }
    Symbol& added = symbols_.emplace_back();
    added.kind = kind;
    added.ident = ident;
    by_name_.emplace(added.ident.name, &added);
    return added;
}

Symbol* SymbolTable::find(std::string_view name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

namespace {

// The depth of the recursion is that of the expression, which the parser limits.
class NameWalk {
public:
    explicit NameWalk(const NameVisitor& visit) : visit_(visit) {}

    void walk(ExprPtr expr) {
        std::visit(Overloaded{[](const Number&) {}, [&](const Name& n) { found(n.name, expr->span, false); },
                              [&](const Indexed& n) {
                                  found(n.name.name, n.name.span, false);
                                  walk_all(n.indices);
                              },
                              [&](const ElementOf& n) {
                                  walk(n.of);
                                  walk_all(n.indices);
                              },
                              [&](const Prime& n) { walk(n.operand); }, [&](const Negate& n) { walk(n.operand); },
                              [&](const Sum& n) { walk_operands(n.operands); },
                              [&](const Product& n) { walk_operands(n.operands); },
                              [&](const Power& n) {
                                  walk(n.base);
                                  walk(n.exponent);
                              },
                              [&](const Comparison& n) {
                                  walk(n.lhs);
                                  walk(n.rhs);
                              },
                              [&](const Logical& n) { walk_all(n.operands); }, [&](const Not& n) { walk(n.operand); },
                              [&](const Call& n) {
                                  found(n.function.name, n.function.span, true);
                                  walk_all(n.arguments);
                              },
                              [&](const Vector& n) { walk_all(n.elements); },
                              [&](const Reduction& n) {
                                  walk(n.lo);
                                  walk(n.hi);
                                  bound_.push_back(n.index.name);
                                  if (n.condition) walk(n.condition);
                                  walk(n.body);
                                  bound_.pop_back();
                              }},
                   expr->node);
    }

private:
    void found(std::string_view name, Span span, bool is_call) {
        if (is_call || std::ranges::find(bound_, name) == bound_.end()) visit_(name, span, is_call);
    }
    void walk_all(const std::vector<ExprPtr>& exprs) {
        for (ExprPtr e : exprs) walk(e);
    }
    void walk_operands(const std::vector<Operand>& operands) {
        for (const Operand& o : operands) walk(o.expr);
    }

    const NameVisitor& visit_;
    std::vector<std::string_view> bound_;
};

} // namespace

void visit_names(ExprPtr expr, const NameVisitor& visit) {
    NameWalk(visit).walk(expr);
}

// ---- order of definitions ----

namespace {

bool has_definition(const Symbol& symbol) {
    return symbol.kind == SymbolKind::parameter || symbol.kind == SymbolKind::let ||
           symbol.kind == SymbolKind::function || symbol.kind == SymbolKind::table;
}

// The definitions that one uses, each once.
std::vector<Symbol*> uses(SymbolTable& table, const Symbol& symbol) {
    std::unordered_set<std::string_view> own;
    std::vector<Symbol*> result;
    const NameVisitor visit = [&](std::string_view name, Span, bool) {
        if (!own.insert(name).second) return;
        Symbol* used = table.find(name);
        if (used && has_definition(*used)) result.push_back(used);
    };
    switch (symbol.kind) {
    case SymbolKind::parameter:
        for (ExprPtr dim : symbol.parameter->dims) visit_names(dim, visit);
        for (const IndexRange& range : symbol.parameter->family) visit_names(range.hi, visit);
        for (const IndexRange& range : symbol.parameter->family) own.insert(range.index.name);
        if (symbol.definition) visit_names(symbol.definition, visit);
        break;
    case SymbolKind::let:
        for (const IndexRange& range : symbol.let->indices) {
            visit_names(range.lo, visit);
            visit_names(range.hi, visit);
        }
        for (const IndexRange& range : symbol.let->indices) own.insert(range.index.name);
        visit_names(symbol.let->value, visit);
        break;
    case SymbolKind::function:
        for (const Ident& formal : symbol.function->formals) own.insert(formal.name);
        visit_names(symbol.function->body, visit);
        break;
    case SymbolKind::table:
        for (const TableStatement::Point& point : symbol.table->points) {
            visit_names(point.at, visit);
            visit_names(point.value, visit);
        }
        break;
    default: break;
    }
    return result;
}

[[noreturn]] void fail_circle(const Source& source, const std::vector<Symbol*>& circle) {
    const Symbol& first = *circle.front();
    const auto all_are = [&](SymbolKind kind) {
        return std::ranges::all_of(circle, [&](const Symbol* s) { return s->kind == kind; });
    };
    std::string list;
    for (std::size_t k = 0; k < circle.size() && k < 5; ++k) {
        const bool is_last = k + 1 == circle.size();
        list += fmt::format("{}'{}'", k == 0 ? "" : is_last ? " and " : ", ", circle[k]->ident.name);
    }
    if (circle.size() > 5) list += ", …";
    std::string message;
    if (all_are(SymbolKind::function)) {
        message = circle.size() == 1
                      ? fmt::format("the function {} calls itself; functions of a model are formulas and "
                                    "cannot be recursive",
                                    list)
                      : fmt::format("the functions {} call each other; functions of a model are formulas "
                                    "and cannot be recursive",
                                    list);
    } else {
        const std::string_view what =
            all_are(SymbolKind::parameter) ? (circle.size() == 1 ? "the parameter " : "the parameters ") : "";
        message = circle.size() == 1 ? fmt::format("{}{} is defined by itself", what, list)
                                     : fmt::format("{}{} are defined by each other", what, list);
    }
    fail(source, first.ident.span, message);
}

} // namespace

std::vector<Symbol*> definition_order(const Source& source, SymbolTable& table) {
    // Depth first, with a stack of our own: a model may have a chain of a million definitions.
    enum class State { open, done };
    struct Entry {
        Symbol* symbol;
        std::vector<Symbol*> uses;
        std::size_t next = 0;
    };
    std::unordered_map<Symbol*, State> state;
    std::vector<Symbol*> order;
    std::vector<Entry> path;
    const auto enter = [&](Symbol* s) {
        state[s] = State::open;
        path.push_back({s, uses(table, *s)});
    };
    for (Symbol& root : table.symbols()) {
        if (!has_definition(root) || state.contains(&root)) continue;
        enter(&root);
        while (!path.empty()) {
            Entry& top = path.back();
            if (top.next == top.uses.size()) {
                state[top.symbol] = State::done;
                order.push_back(top.symbol);
                path.pop_back();
                continue;
            }
            Symbol* used = top.uses[top.next++];
            const auto known = state.find(used);
            if (known == state.end()) {
                enter(used);
            } else if (known->second == State::open) {
                std::vector<Symbol*> circle;
                for (const Entry& entry : path)
                    if (!circle.empty() || entry.symbol == used) circle.push_back(entry.symbol);
                fail_circle(source, circle);
            }
        }
    }
    return order;
}

} // namespace vessiot::lang
