#include "lang/parts/rename.hpp"

#include <algorithm>

#include "core/overloaded.hpp"

namespace vessiot::lang {

std::string_view root_of(std::string_view name) {
    return name.substr(0, name.find_first_of(".["));
}

Ident Renamer::declared(const Ident& name) {
    if (scope_.own.name.empty()) return name;
    return {store_.intern(scope_.own.name + "." + std::string(name.name)), name.span};
}

PartPath Renamer::path(std::string_view name, std::vector<ExprPtr> indices) const {
    const std::string_view root = root_of(name);
    const bool is_plain = root.size() == name.size();
    PartPath result{std::string(name), std::move(indices)};
    if (is_plain && std::ranges::find(bound_, name) != bound_.end()) return result;
    const auto before = [&](const std::vector<ExprPtr>& first) {
        result.indices.insert(result.indices.begin(), first.begin(), first.end());
    };
    if (const auto alias = scope_.aliases.find(root); alias != scope_.aliases.end()) {
        result.name = alias->second.name + std::string(name.substr(root.size()));
        before(alias->second.indices);
    } else if (const auto member = scope_.members.find(root); member != scope_.members.end()) {
        result.name = scope_.own.name + "." + std::string(name);
        if (member->second != MemberKind::table) before(scope_.own.indices);
    }
    return result;
}

ExprPtr Renamer::at(Span span, Span name_span, std::string_view name, std::vector<ExprPtr> indices) {
    PartPath found = path(name, std::move(indices));
    const std::string_view text = store_.intern(found.name);
    if (found.indices.empty()) return store_.make(span, Name{text});
    return store_.make(span, Indexed{{text, name_span}, std::move(found.indices)});
}

ExprPtr Renamer::call(const Call& call, Span span) {
    PartPath found = path(call.function.name, (*this)(call.arguments));
    return store_.make(span, Call{{store_.intern(found.name), call.function.span}, std::move(found.indices)});
}

std::vector<ExprPtr> Renamer::operator()(const std::vector<ExprPtr>& exprs) {
    std::vector<ExprPtr> result;
    for (ExprPtr e : exprs) result.push_back((*this)(e));
    return result;
}

std::vector<Operand> Renamer::operands(const std::vector<Operand>& all) {
    std::vector<Operand> result = all;
    for (Operand& o : result) o.expr = (*this)(o.expr);
    return result;
}

ExprPtr Renamer::operator()(ExprPtr expr) {
    if (!expr) return nullptr;
    const Span span = expr->span;
    const auto make = [&](auto node) { return store_.make(span, std::move(node)); };
    return std::visit(
        Overloaded{
            [&](const Number&) { return expr; },
            [&](const Name& n) -> ExprPtr {
                const bool is_bound = std::ranges::find(bound_, n.name) != bound_.end();
                const auto found = scope_.substitutes.find(n.name);
                if (!is_bound && found != scope_.substitutes.end()) return found->second;
                return at(span, span, n.name, {});
            },
            [&](const Indexed& n) { return at(span, n.name.span, n.name.name, (*this)(n.indices)); },
            [&](const ElementOf& n) { return make(ElementOf{(*this)(n.of), (*this)(n.indices)}); },
            [&](const Prime& n) { return make(Prime{(*this)(n.operand), n.order, n.primes}); },
            [&](const Negate& n) { return make(Negate{(*this)(n.operand)}); },
            [&](const Sum& n) { return make(Sum{operands(n.operands)}); },
            [&](const Product& n) { return make(Product{operands(n.operands)}); },
            [&](const Power& n) { return make(Power{(*this)(n.base), (*this)(n.exponent), n.op_span}); },
            [&](const Comparison& n) { return make(Comparison{n.op, (*this)(n.lhs), (*this)(n.rhs), n.op_span}); },
            [&](const Logical& n) { return make(Logical{n.op, (*this)(n.operands)}); },
            [&](const Not& n) { return make(Not{(*this)(n.operand)}); }, [&](const Call& n) { return call(n, span); },
            [&](const Vector& n) { return make(Vector{(*this)(n.elements)}); },
            [&](const Reduction& n) {
                const ExprPtr lo = (*this)(n.lo), hi = (*this)(n.hi);
                bind(n.index.name);
                const ExprPtr condition = (*this)(n.condition), body = (*this)(n.body);
                release(1);
                return make(Reduction{n.kind, n.index, lo, hi, condition, body});
            }},
        expr->node);
}

} // namespace vessiot::lang
