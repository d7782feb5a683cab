// The operations of the expression graph, one list for the graph, the interpreter and native code.
#pragma once

#include <cstdint>
#include <string_view>

namespace vessiot::expr {

// Every tier computes an operation with the same rounding, so that results agree bit for bit:
// the arithmetic ones are correctly rounded by the hardware, the elementary ones come from one
// library (vmath.hpp), and no multiply-add is contracted.
enum class Op : std::uint8_t {
    // leaves
    constant,    // a number
    read,        // an element of an array
    index_value, // a loop index used as a number
    // arithmetic
    add,
    sub,
    mul,
    div,
    neg,
    sqrt,
    abs,
    sign, // (a > 0) - (a < 0)
    min,  // a < b ? a : b
    max,  // a > b ? a : b
    floor,
    ceil,
    // conditions are numbers: 1 for true, 0 for false; a comparison with NaN is false (not_equal: true)
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not,
    select, // a != 0 ? b : c
    // elementary functions
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    asinh,
    acosh,
    atanh,
    exp,
    log,
    log10,
    cbrt,
    erf,
    atan2,
    hypot,
    pow,
    // functions of the user (external.hpp), which only the interpreter knows
    argument, // a list: the arguments a, and one more, b; no number. A list of one is that argument
    call,     // of the list a, with the function b; its result number c
    // functions of lists of numbers (table/number_list.hpp); b is the handle of a list, a constant
    locate, // the number of the piece that a lies in
    pick,   // the number at place a
};

inline constexpr int n_ops = static_cast<int>(Op::pow) + 1; // that every kernel may have
inline constexpr int n_all_ops = static_cast<int>(Op::pick) + 1;

// Number of operands; leaves have none.
constexpr int arity(Op op) {
    switch (op) {
    case Op::constant:
    case Op::read:
    case Op::index_value: return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::atan2:
    case Op::hypot:
    case Op::pow:
    case Op::locate:
    case Op::pick:
    case Op::argument: return 2;
    case Op::select: return 3;
    default: return 1;
    }
}

constexpr bool is_leaf(Op op) {
    return op <= Op::index_value;
}

// Functions of a list: constant between the places where they jump.
constexpr bool is_of_list(Op op) {
    return op == Op::locate || op == Op::pick;
}

// Elementary functions, and those of lists, are calls into vmath; all other operations are a few machine instructions.
constexpr bool is_elementary(Op op) {
    return (op >= Op::sin && op <= Op::pow) || is_of_list(op);
}

// The name of an operation as the model language writes it.
std::string_view name(Op op);

} // namespace vessiot::expr
