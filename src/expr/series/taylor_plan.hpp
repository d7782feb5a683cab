// Truncated power series through a kernel: which recurrence gives coefficient k of every value.
//
// With x(s) = sum_k x_k s^k for every value of a kernel, coefficient k of an operation follows from the coefficients up
// to k of its operands and those below k of its result [JZ05, 2; GW08, 13]:
//
//   mul        c_k = sum_{j=0..k} a_j b_{k-j}
//   div        c_k = (a_k - sum_{j=1..k} b_j c_{k-j}) / b_0
//   root       c = sqrt(a):    c_k = (a_k - sum_{j=1..k-1} c_j c_{k-j}) / (2 c_0)
//   chain      c' = f q a':    c_k = f/k sum_{j=1..k} j a_j q_{k-j}                                exp, sin, tan, erf,
//   ... quotient   q c' = f a':    c_k = (f a_k - 1/k sum_{j=1..k-1} j c_j q_{k-j}) / q_0              log, asin, atan,
//   ... angle      c = atan2(a, b), q = a^2 + b^2:
//              c_k = (sum_{j=1..k} j (a_j b_{k-j} - b_j a_{k-j}) - sum_{j=1..k-1} j c_j q_{k-j}) / (k q_0)
//   power      c = a^b, b constant:   c_k = sum_{j=1..k} ((b + 1) j - k) a_j c_{k-j} / (k a_0)
//
// What a function needs beside itself (the cosine of a sine, 1 + c^2 of a tangent) is added as further values. abs, min
// and max follow the branch that the curve takes on the side it goes to; a condition follows its value at order 0.
// Values whose coefficients above order 0 vanish (parameters, conditions, floor) are `flat`: they are computed once.
//
// The plan is plain data, for the interpreter (taylor.hpp) and for native code. Families stay families.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

enum class Rule : std::uint8_t {
    flat, // nothing above order 0
    read,
    add,
    sub,
    neg,
    mul,
    square, // mul with a = b
    scale,  // mul with a flat: a_0 b_k
    div,
    ratio, // div with b flat: a_k / b_0
    root,
    chain,
    quotient,
    angle,
    power,
    abs,
    min,
    max,
    select,
};

// One value. Operands are values; of a read a is the address, of a constant its number in TaylorPlan::constants.
struct TaylorStep {
    Rule rule = Rule::flat;
    Op op = Op::constant; // that gives order 0
    bool is_late = false;
    std::uint32_t out = 0;
    std::uint32_t a = 0, b = 0, c = 0; // operands of op
    std::uint32_t x = 0, q = 0; // operands of the rule where they are others: root x; chain and quotient x, q; angle q
    Quad factor = 1;            // f
};

struct TaylorLoop {
    const Loop* loop = nullptr;
    std::uint32_t n_values = 0;
    std::vector<TaylorStep> steps; // by rising order of evaluation
    std::vector<char> is_late;     // of the stores
    bool has_late = false;
};

struct TaylorPlan {
    std::shared_ptr<const Kernel> kernel;
    std::vector<TaylorLoop> loops;
    std::vector<Quad> constants;
    std::vector<char> is_flat, is_late; // buffers

    // There is nothing to store in it above order 0. (Outputs have all their coefficients.)
    bool has_order_0_only(std::uint32_t buffer) const {
        return is_flat[buffer] != 0 && kernel->buffers[buffer].role == BufferRole::scratch;
    }
};

// By input buffer: is it constant along the curve? And is it late: its coefficient k is known only after the rest of
// order k was evaluated once with 0 in its place (what depends on it is marked).
TaylorPlan plan_taylor(std::shared_ptr<const Kernel> kernel, const std::vector<char>& flat_inputs,
                       const std::vector<char>& late_inputs);

} // namespace vessiot::expr
