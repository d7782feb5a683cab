// Formulas as text of a model, with no more brackets than they need.
#include "differential/expression.hpp"

#include <fmt/format.h>

namespace vessiot::differential {
namespace {

enum Precedence { loose, sum_level, product_level, power_level, atom };

std::string write(const Formula& f, Precedence around);

std::string write_sum(const Node& node) {
    std::string result;
    for (const Formula& term : node.operands) {
        const std::string part = write(term, sum_level);
        if (result.empty())
            result = part;
        else if (part.starts_with('-'))
            result += " - " + part.substr(1);
        else
            result += " + " + part;
    }
    return result;
}

std::string write_product(const Node& node) {
    std::string result;
    for (const Formula& factor : node.operands) {
        if (result.empty() && factor->op == Op::number && factor->value == -1) {
            result = "-";
            continue;
        }
        if (!result.empty() && result != "-") result += "*";
        result += write(factor, product_level);
    }
    return result;
}

std::string inside(const Formula& f, Precedence* own) {
    *own = atom;
    switch (f->op) {
    case Op::number: *own = f->value < 0 ? sum_level : atom; return text(f->value);
    case Op::parameter:
    case Op::index: return f->name;
    case Op::time: return "t";
    case Op::unknown: return name_of(*f);
    case Op::add: *own = loose; return write_sum(*f);
    case Op::multiply: *own = sum_level; return write_product(*f);
    case Op::divide:
        *own = sum_level;
        return write(f->operands[0], product_level) + "/" + write(f->operands[1], power_level);
    case Op::power: *own = product_level; return write(f->operands[0], power_level) + "^" + text(f->value);
    case Op::call: {
        std::string arguments;
        for (const Formula& a : f->operands) arguments += (arguments.empty() ? "" : ", ") + text(a);
        return fmt::format("{}({})", f->name, arguments);
    }
    case Op::choose:
        return fmt::format("if({} {} {}, {}, {})", text(f->operands[0]), f->name, text(f->operands[1]),
                           text(f->operands[2]), text(f->operands[3]));
    case Op::sum:
        return fmt::format("sum({} = {}..{}, {})", f->name, text(f->operands[0]), text(f->operands[1]),
                           text(f->operands[2]));
    }
    return "";
}

// In brackets where it binds less tightly than what stands around it needs.
std::string write(const Formula& f, Precedence around) {
    Precedence own = atom;
    std::string result = inside(f, &own);
    return own < around ? "(" + result + ")" : result;
}

} // namespace

std::string text(double value) {
    return fmt::format("{}", value);
}
std::string text(const Formula& f) {
    return write(f, loose);
}

std::string name_of(const Node& unknown) {
    std::string result = unknown.name;
    if (!unknown.operands.empty()) result += "[" + text(unknown.operands[0]) + "]";
    return result + std::string(static_cast<std::size_t>(unknown.order), '\'');
}

} // namespace vessiot::differential
