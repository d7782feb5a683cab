// Values of the operations: one set of elementary functions for every tier, so that the interpreter, native code,
// constant folding, scalars and vectors of any width agree bit for bit.
//
// double: sin and cos of our own (trig.hpp), else the deterministic functions of SLEEF (`Sleef_cinz_*`, error at most
// 1 ulp, hypot 0.5). They use no fused multiply-add and perform the same operations for every vector width; vmath_test
// verifies it. Quad: libquadmath.
#pragma once

#include <cstddef>
#include <span>

#include "expr/graph/op.hpp"
#include "expr/kernel/jit_abi.h"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// The value of an operation, arithmetic or elementary; not for leaves. Operands beyond its arity are ignored.
// S is double or Quad.
template <class S> S apply(Op op, S a, S b = S(0), S c = S(0));

// out[i] = op(a[i], b[i]) for an elementary function; b may be null where the function has one operand.
// out may be a or b itself, but must not overlap them otherwise.
void apply_block(Op op, const double* a, const double* b, double* out, std::size_t n);
void apply_block(Op op, const Quad* a, const Quad* b, Quad* out, std::size_t n);

// Addresses for native code, indexed by Op: n_all_ops entries, all null for what is not elementary, null for widths
// that this machine lacks. Arguments and results are passed in vector registers as the platform's C ABI says.
std::span<const vessiot_jit_function> vmath_functions();
// sin and cos of one argument at once, with their bits: void f(x, double* out), the sines first.
const vessiot_jit_function& sine_cosine_functions();

// One vector of 1, 2, 4 or 8 values by the function above of that width, which must exist.
void apply_vector(Op op, std::size_t width, const double* a, const double* b, double* out);

} // namespace vessiot::expr
