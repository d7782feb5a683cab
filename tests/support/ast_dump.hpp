// Syntax trees as short text, for comparisons in tests:
//
//     x'' = -lambda*x        (eq (prime 2 x) (* (neg lambda) x))
#pragma once

#include <string>

#include <fmt/format.h>

#include "core/overloaded.hpp"
#include "lang/syntax/ast.hpp"

namespace vessiot::lang {

inline std::string dump(ExprPtr expr);

template <class Items, class Text> std::string dump_all(const Items& items, Text text) {
    std::string all;
    for (const auto& item : items) all += " " + text(item);
    return all;
}

inline std::string dump_exprs(const std::vector<ExprPtr>& exprs) {
    return dump_all(exprs, [](ExprPtr e) { return dump(e); });
}

inline std::string dump(const IndexRange& r) {
    return fmt::format("({} {} {})", r.index.name, dump(r.lo), dump(r.hi));
}

// A chain shows the operator of an operand where it differs from the first one's: (+ a b (- c)).
inline std::string dump_chain(char op, const std::vector<Operand>& operands) {
    const auto text = [&](const Operand& o) {
        return o.op == op ? dump(o.expr) : fmt::format("({} {})", o.op, dump(o.expr));
    };
    return fmt::format("({}{})", op, dump_all(operands, text));
}

inline std::string dump(ExprPtr expr) {
    constexpr const char* comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    return std::visit(
        Overloaded{
            [](const Number& n) { return std::string(n.text); },
            [](const Name& n) { return std::string(n.name); },
            [](const Indexed& n) { return fmt::format("(at {}{})", n.name.name, dump_exprs(n.indices)); },
            [](const ElementOf& n) { return fmt::format("(element {}{})", dump(n.of), dump_exprs(n.indices)); },
            [](const Prime& n) { return fmt::format("(prime {} {})", n.order, dump(n.operand)); },
            [](const Negate& n) { return fmt::format("(neg {})", dump(n.operand)); },
            [](const Sum& n) { return dump_chain('+', n.operands); },
            [](const Product& n) { return dump_chain('*', n.operands); },
            [](const Power& n) { return fmt::format("(^ {} {})", dump(n.base), dump(n.exponent)); },
            [&](const Comparison& n) {
                return fmt::format("({} {} {})", comparisons[static_cast<int>(n.op)], dump(n.lhs), dump(n.rhs));
            },
            [](const Logical& n) {
                return fmt::format("({}{})", n.op == LogicalOp::conjunction ? "and" : "or", dump_exprs(n.operands));
            },
            [](const Not& n) { return fmt::format("(not {})", dump(n.operand)); },
            [](const Call& n) { return fmt::format("(call {}{})", n.function.name, dump_exprs(n.arguments)); },
            [](const Vector& n) { return fmt::format("(vec{})", dump_exprs(n.elements)); },
            [](const Reduction& n) {
                return fmt::format("({} ({} {} {}){} {})", n.kind == ReductionKind::sum ? "sum" : "product",
                                   n.index.name, dump(n.lo), dump(n.hi),
                                   n.condition ? " (where " + dump(n.condition) + ")" : "", dump(n.body));
            },
        },
        expr->node);
}

inline std::string dump(const Assignment& a) {
    return fmt::format("({} {})", dump(a.target), dump(a.value));
}

inline std::string dump(const OptionValue& v) {
    if (v.kind == OptionValue::Kind::word) return fmt::format("'{}'{}", v.text, v.expr ? "" : "!");
    if (v.kind == OptionValue::Kind::expression) return dump(v.expr);
    return fmt::format("[{}]", dump_all(v.items, [](const OptionValue& i) { return dump(i); }));
}

inline std::string dump_dims(std::string_view name, const std::vector<ExprPtr>& dims) {
    return dims.empty() ? std::string(name) : fmt::format("(at {}{})", name, dump_exprs(dims));
}

inline std::string dump(const Statement& statement) {
    const auto assignment = [](const Assignment& a) { return dump(a); };
    return std::visit(
        Overloaded{
            [](const ParameterStatement& s) {
                return fmt::format("(parameter{})", dump_all(s.items, [](const ParameterItem& i) {
                                       const std::string name = dump_dims(i.name.name, i.dims);
                                       return i.value ? fmt::format("({} {})", name, dump(i.value)) : name;
                                   }));
            },
            [](const DiscreteStatement& s) {
                return fmt::format("(discrete{})", dump_all(s.items, [](const ParameterItem& i) {
                                       const std::string name = dump_dims(i.name.name, i.dims);
                                       return i.value ? fmt::format("({} {})", name, dump(i.value)) : name;
                                   }));
            },
            [](const UnknownStatement& s) {
                const auto item = [](const UnknownItem& i) { return dump_dims(i.name.name, i.dims); };
                return fmt::format("(unknown{})", dump_all(s.items, item));
            },
            [](const MatrixStatement& s) {
                return fmt::format("(matrix{})", dump_all(s.items, [](const MatrixItem& i) {
                                       const std::string group = i.group ? fmt::format(" ({}{})", i.group->name,
                                                                                       dump_exprs(i.group_arguments))
                                                                         : "";
                                       std::string dims;
                                       for (const ExprPtr dim : i.dims) dims += " " + dump(dim);
                                       return fmt::format("({}{}{})", i.name.name, dims, group);
                                   }));
            },
            [](const IndependentStatement& s) { return fmt::format("(independent {})", s.name.name); },
            [](const LetStatement& s) {
                const auto range = [](const IndexRange& r) { return dump(r); };
                return fmt::format("(let {}{} {})", s.name.name, dump_all(s.indices, range), dump(s.value));
            },
            [](const FunctionStatement& s) {
                const auto formal = [](const Ident& i) { return std::string(i.name); };
                return fmt::format("(function {} ({}) {})", s.name.name, dump_all(s.formals, formal).substr(1),
                                   dump(s.body));
            },
            [](const EquationStatement& s) { return fmt::format("(eq {} {})", dump(s.lhs), dump(s.rhs)); },
            [](const InvariantStatement& s) {
                return fmt::format("(invariant {}{})", dump(s.expr), s.value ? " " + dump(s.value) : "");
            },
            [](const ConstraintStatement& s) { return fmt::format("(constraint {} {})", dump(s.lhs), dump(s.rhs)); },
            [](const LagrangianStatement& s) { return fmt::format("(lagrangian {})", dump(s.expr)); },
            [](const HamiltonianStatement& s) {
                const auto pair = [](const ConjugatePair& p) {
                    return fmt::format("({} {})", dump(p.position), dump(p.momentum));
                };
                return fmt::format("(hamiltonian {}{})", dump(s.expr), dump_all(s.pairs, pair));
            },
            [](const PoissonStatement& s) {
                const auto target = [](const ExprPtr& e) { return dump(e); };
                return fmt::format("(poisson {}{})", dump(s.matrix), dump_all(s.targets, target));
            },
            [](const ForceStatement& s) { return fmt::format("(force {} {})", dump(s.target), dump(s.value)); },
            [](const ForStatement& s) {
                const auto inner = [](const Statement& i) { return dump(i); };
                return fmt::format("(for {}{})", dump(s.range), dump_all(s.body, inner));
            },
            [&](const StartStatement& s) { return fmt::format("(start{})", dump_all(s.items, assignment)); },
            [&](const GuessStatement& s) { return fmt::format("(guess{})", dump_all(s.items, assignment)); },
            [](const HoldStatement& s) { return fmt::format("(hold{})", dump_exprs(s.targets)); },
            [](const InitiallyStatement& s) { return fmt::format("(initially {} {})", dump(s.lhs), dump(s.rhs)); },
            [&](const EndStatement& s) { return fmt::format("(end{})", dump_all(s.items, assignment)); },
            [](const PeriodicStatement& s) { return fmt::format("(periodic{})", dump_exprs(s.targets)); },
            [](const FreeStatement& s) { return fmt::format("(free{})", dump_exprs(s.targets)); },
            [](const SolveStatement& s) {
                return fmt::format("(solve {} {} {})", s.variable.name, dump(s.from), dump(s.to));
            },
            [](const OptionStatement& s) {
                const auto item = [](const OptionItem& i) {
                    return fmt::format("({} {})", i.name.name, dump(i.value));
                };
                return fmt::format("(option{})", dump_all(s.items, item));
            },
            [](const OutputEveryStatement& s) { return fmt::format("(every {})", dump(s.interval)); },
            [](const OutputAtStatement& s) { return fmt::format("(at{})", dump_exprs(s.times)); },
            [](const OutputSectionStatement& s) { return fmt::format("(section {})", s.event.name); },
            [](const OutputColumnStatement& s) { return fmt::format("(output {} {})", s.name.name, dump(s.value)); },
            [&](const EventStatement& s) {
                constexpr const char* directions[] = {"both", "rising", "falling"};
                const std::string when = s.every       ? fmt::format("(every {})", dump(s.every))
                                         : s.is_always ? "always"
                                                       : fmt::format("{} {} {}", dump(s.lhs), dump(s.rhs),
                                                                     directions[static_cast<int>(s.direction)]);
                return fmt::format("(event {} {}{}{}{})", s.name.name, when, s.is_stop ? " stop" : "",
                                   s.then.empty() ? "" : fmt::format(" (then{})", dump_all(s.then, assignment)),
                                   s.guesses.empty() ? "" : fmt::format(" (guess{})", dump_all(s.guesses, assignment)));
            },
            [](const TableStatement& s) {
                const auto point = [](const TableStatement::Point& p) {
                    return fmt::format("({} {})", dump(p.at), dump(p.value));
                };
                return fmt::format("(table {}{})", s.name.name, dump_all(s.points, point));
            },
            [](const IncludeStatement& s) { return fmt::format("(include {})", s.path); },
            [](const ComponentStatement& s) {
                return fmt::format("(component {}{})", s.name.name,
                                   dump_all(s.body, [](const Statement& inner) { return dump(inner); }));
            },
            [](const PartStatement& s) {
                return fmt::format("(part {} {}{})", s.name.name, s.component.name,
                                   dump_all(s.arguments, [](const PartArgument& a) { return dump(a.value); }));
            },
            [](const ContactStatement& s) {
                return fmt::format("(contact {} {} {}{}{}{})", s.name.name, dump(s.lhs), dump(s.rhs),
                                   s.restitution ? " restitution " + dump(s.restitution) : "",
                                   s.friction ? " friction " + dump(s.friction) : "",
                                   dump_all(s.sliding, [](const ExprPtr& e) { return dump(e); }));
            },
        },
        statement.node);
}

inline std::string dump(const Module& module) {
    std::string all;
    for (const Statement& statement : module.statements) all += dump(statement) + "\n";
    return all;
}

} // namespace vessiot::lang
