#include "expr/graph/op.hpp"

namespace vessiot::expr {

std::string_view name(Op op) {
    switch (op) {
    case Op::constant: return "number";
    case Op::read: return "read";
    case Op::index_value: return "index";
    case Op::add: return "+";
    case Op::sub: return "-";
    case Op::mul: return "*";
    case Op::div: return "/";
    case Op::neg: return "-";
    case Op::sqrt: return "sqrt";
    case Op::abs: return "abs";
    case Op::sign: return "sign";
    case Op::min: return "min";
    case Op::max: return "max";
    case Op::floor: return "floor";
    case Op::ceil: return "ceil";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::logical_and: return "and";
    case Op::logical_or: return "or";
    case Op::logical_not: return "not";
    case Op::select: return "if";
    case Op::sin: return "sin";
    case Op::cos: return "cos";
    case Op::tan: return "tan";
    case Op::asin: return "asin";
    case Op::acos: return "acos";
    case Op::atan: return "atan";
    case Op::sinh: return "sinh";
    case Op::cosh: return "cosh";
    case Op::tanh: return "tanh";
    case Op::asinh: return "asinh";
    case Op::acosh: return "acosh";
    case Op::atanh: return "atanh";
    case Op::exp: return "exp";
    case Op::log: return "log";
    case Op::log10: return "log10";
    case Op::cbrt: return "cbrt";
    case Op::erf: return "erf";
    case Op::atan2: return "atan2";
    case Op::hypot: return "hypot";
    case Op::pow: return "^";
    case Op::locate: return "locate";
    case Op::pick: return "pick";
    case Op::argument: return "argument";
    case Op::call: return "call";
    }
    return "?";
}

} // namespace vessiot::expr
