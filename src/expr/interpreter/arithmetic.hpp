// The operations that are a few machine instructions, one functor each, for any scalar type. Every tier computes
// exactly these formulas; they are written so that compilers turn them into vector code without branches. Inlined
// always: an ordinary inline function might stay behind as a call to code for the oldest machine.
#pragma once

#include <cmath>

#include <quadmath.h>

#include "expr/graph/op.hpp"
#include "expr/interpreter/simd.hpp"
#include "expr/kernel/bit_ops.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr::arithmetic {

VESSIOT_INLINE double square_root(double a) {
    return std::sqrt(a);
}
VESSIOT_INLINE Quad square_root(Quad a) {
    return sqrtq(a);
}
VESSIOT_INLINE double absolute(double a) {
    return std::fabs(a);
}
VESSIOT_INLINE Quad absolute(Quad a) {
    return fabsq(a);
}
VESSIOT_INLINE double round_down(double a) {
    return std::floor(a);
}
VESSIOT_INLINE Quad round_down(Quad a) {
    return floorq(a);
}
VESSIOT_INLINE double round_up(double a) {
    return std::ceil(a);
}
VESSIOT_INLINE Quad round_up(Quad a) {
    return ceilq(a);
}

template <Op op> struct Function;

// One functor: the operands are a, b, c, as many as the operation has.
#define VESSIOT_UNARY(OP, EXPRESSION)                                                                                  \
    template <> struct Function<Op::OP> {                                                                              \
        template <class S> VESSIOT_INLINE S operator()(S a) const {                                                    \
            return EXPRESSION;                                                                                         \
        }                                                                                                              \
    };
#define VESSIOT_BINARY(OP, EXPRESSION)                                                                                 \
    template <> struct Function<Op::OP> {                                                                              \
        template <class S> VESSIOT_INLINE S operator()(S a, S b) const {                                               \
            return EXPRESSION;                                                                                         \
        }                                                                                                              \
    };

VESSIOT_BINARY(add, a + b)
VESSIOT_BINARY(sub, a - b)
VESSIOT_BINARY(mul, a* b)
VESSIOT_BINARY(div, a / b)
VESSIOT_UNARY(neg, -a)
VESSIOT_UNARY(sqrt, square_root(a))
VESSIOT_UNARY(abs, absolute(a))
VESSIOT_UNARY(sign, (a > 0 ? S(1) : S(0)) - (a < 0 ? S(1) : S(0)))
VESSIOT_BINARY(min, a < b ? a : b)
VESSIOT_BINARY(max, a > b ? a : b)
VESSIOT_UNARY(floor, round_down(a))
VESSIOT_UNARY(ceil, round_up(a))
VESSIOT_BINARY(less, a < b ? S(1) : S(0))
VESSIOT_BINARY(less_equal, a <= b ? S(1) : S(0))
VESSIOT_BINARY(equal, a == b ? S(1) : S(0))
VESSIOT_BINARY(not_equal, a != b ? S(1) : S(0))
// NOTE: & and | on purpose: both sides are at hand and a branch would cost more.
VESSIOT_BINARY(logical_and, ((a != 0) & (b != 0)) ? S(1) : S(0))
VESSIOT_BINARY(logical_or, ((a != 0) | (b != 0)) ? S(1) : S(0))
VESSIOT_UNARY(logical_not, a != 0 ? S(0) : S(1))

template <> struct Function<Op::select> {
    template <class S> VESSIOT_INLINE S operator()(S a, S b, S c) const { return a != 0 ? b : c; }
};

template <> struct Function<exponent_op> {
    template <class S> VESSIOT_INLINE S operator()(S a) const { return S(bits::exponent(static_cast<double>(a))); }
};
template <> struct Function<mantissa_op> {
    template <class S> VESSIOT_INLINE S operator()(S a) const { return S(bits::mantissa(static_cast<double>(a))); }
};
template <> struct Function<power_of_two_op> {
    template <class S> VESSIOT_INLINE S operator()(S a) const { return S(bits::power_of_two(static_cast<double>(a))); }
};
template <> struct Function<word_op> {
    template <class S> VESSIOT_INLINE S operator()(S a) const { return S(bits::word(static_cast<double>(a))); }
};
template <> struct Function<of_word_op> {
    template <class S> VESSIOT_INLINE S operator()(S a) const { return S(bits::of_word(static_cast<double>(a))); }
};

#undef VESSIOT_UNARY
#undef VESSIOT_BINARY

// Calls visit(Function<op>{}) for an arithmetic operation, and otherwise() for anything else.
template <class Visit, class Otherwise> VESSIOT_INLINE void dispatch(Op op, Visit&& visit, Otherwise&& otherwise) {
    switch (op) {
    case Op::add: return visit(Function<Op::add>{});
    case Op::sub: return visit(Function<Op::sub>{});
    case Op::mul: return visit(Function<Op::mul>{});
    case Op::div: return visit(Function<Op::div>{});
    case Op::neg: return visit(Function<Op::neg>{});
    case Op::sqrt: return visit(Function<Op::sqrt>{});
    case Op::abs: return visit(Function<Op::abs>{});
    case Op::sign: return visit(Function<Op::sign>{});
    case Op::min: return visit(Function<Op::min>{});
    case Op::max: return visit(Function<Op::max>{});
    case Op::floor: return visit(Function<Op::floor>{});
    case Op::ceil: return visit(Function<Op::ceil>{});
    case Op::less: return visit(Function<Op::less>{});
    case Op::less_equal: return visit(Function<Op::less_equal>{});
    case Op::equal: return visit(Function<Op::equal>{});
    case Op::not_equal: return visit(Function<Op::not_equal>{});
    case Op::logical_and: return visit(Function<Op::logical_and>{});
    case Op::logical_or: return visit(Function<Op::logical_or>{});
    case Op::logical_not: return visit(Function<Op::logical_not>{});
    case Op::select: return visit(Function<Op::select>{});
    default: break;
    }
    if (op == exponent_op) return visit(Function<exponent_op>{});
    if (op == mantissa_op) return visit(Function<mantissa_op>{});
    if (op == power_of_two_op) return visit(Function<power_of_two_op>{});
    if (op == word_op) return visit(Function<word_op>{});
    if (op == of_word_op) return visit(Function<of_word_op>{});
    otherwise();
}

// The same, where anything else does nothing.
template <class Visit> VESSIOT_INLINE void dispatch(Op op, Visit&& visit) {
    dispatch(op, visit, [] {});
}

} // namespace vessiot::expr::arithmetic
