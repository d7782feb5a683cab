// Expressions of a component, in the words of the model that has the part.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace vessiot::lang {

// A part: its name, with '#' for each index, and the indices.
struct PartPath {
    std::string name;
    std::vector<ExprPtr> indices{};
};

// What a name of a component is.
enum class MemberKind { parameter, moving, function, table, part };

// The names that a component sees as its own, and what they are called in the model.
struct PartScope {
    PartPath own;
    std::map<std::string_view, MemberKind> members{};
    std::map<std::string_view, PartPath> aliases{};    // arguments that are parts
    std::map<std::string_view, ExprPtr> substitutes{}; // the index of a family, in the arguments of its parts
};

class Renamer {
public:
    Renamer(ExprStore& store, const PartScope& scope) : store_(store), scope_(scope) {}

    ExprPtr operator()(ExprPtr expr); // null stays null
    std::vector<ExprPtr> operator()(const std::vector<ExprPtr>& exprs);
    // The name of a member where it is declared.
    Ident declared(const Ident& name);
    // While a loop or a function has this name for its index or argument.
    void bind(std::string_view name) { bound_.push_back(name); }
    void release(std::size_t n) { bound_.resize(bound_.size() - n); }
    // Name and indices of a path in the model; the indices given are renamed already.
    PartPath path(std::string_view name, std::vector<ExprPtr> indices) const;

private:
    ExprPtr at(Span span, Span name_span, std::string_view name, std::vector<ExprPtr> indices);
    ExprPtr call(const Call& call, Span span);
    std::vector<Operand> operands(const std::vector<Operand>& all);

    ExprStore& store_;
    const PartScope& scope_;
    std::vector<std::string_view> bound_;
};

// "a.x", "b[#].r": the first name in it.
std::string_view root_of(std::string_view name);

} // namespace vessiot::lang
