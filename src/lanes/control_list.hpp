// The size of the next step (control/controller.hpp) and the powers that it takes (core/near_power.hpp), as operations
// of a list: the same bits as those functions have.
#pragma once

#include <optional>

#include "control/controller.hpp"
#include "expr/kernel/bit_ops.hpp"
#include "expr/kernel/straight.hpp"

namespace vessiot::lanes {

class ControlList {
public:
    using Builder = expr::StraightBuilder;
    using Value = Builder::Value;

    explicit ControlList(Builder& builder) : b_(builder) {}

    Value near_log2(Value x); // of x > 0, and of 0 and infinity
    Value near_exp2(Value y);
    Value word(Value x) { return b_.exactly(expr::word_op, x); }
    Value rough_power(Value y);

    struct Memory {
        Value log_old, was_rejected;
    };
    struct Factors {
        Value accepted, rejected; // of h
        Value log_old;            // where it is accepted
    };
    // After an attempt with an error whose square is above / below (1 where it is left out); >= 0. Not for predictive
    // control.
    Factors factors(const ControllerOptions& options, Value above, std::optional<Value> below, const Memory& memory);

    // Does a step of h lead to the end, which is `rest` away? (Run::limited_by_end)
    Value reaches(Value rest, Value h);
    // Is a step of h from t shorter than the least, or than what rounding leaves of it?
    Value is_short(Value t, Value h, Value floor);

    // The operations as they stand.
    Value add(Value a, Value b) { return b_.exactly(expr::Op::add, a, b); }
    Value sub(Value a, Value b) { return b_.exactly(expr::Op::sub, a, b); }
    Value mul(Value a, Value b) { return b_.exactly(expr::Op::mul, a, b); }
    Value less(Value a, Value b) { return b_.exactly(expr::Op::less, a, b); }
    Value select(Value c, Value a, Value b) { return b_.exactly(expr::Op::select, c, a, b); }
    Value number(double x) { return b_.constant(x); }

private:
    Value max(Value a, Value b) { return select(less(a, b), b, a); } // std::max
    Value clamp(Value x, Value low, Value high) { return max(select(less(high, x), high, x), low); }

    Builder& b_;
};

} // namespace vessiot::lanes
