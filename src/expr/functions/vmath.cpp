#include "expr/functions/vmath.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "expr/functions/trig.hpp"
#include "expr/interpreter/arithmetic.hpp"
#include "expr/table/number_list.hpp"

// NOTE: declared here because sleef.h hides the vectors that the compile flags do not allow, and its prototypes return
// `const double`.
#if VESSIOT_X86
using vessiot::expr::trig::V2;
using vessiot::expr::trig::V4;
using vessiot::expr::trig::V8;
#define VESSIOT_DECLARE1(F, U)                                                                                         \
    double Sleef_cinz_##F##d1_##U##purec(double);                                                                      \
    V2 Sleef_cinz_##F##d2_##U##sse2(V2);                                                                               \
    V2 Sleef_cinz_##F##d2_##U##sse4(V2);                                                                               \
    V4 Sleef_cinz_##F##d4_##U##avx(V4);                                                                                \
    V8 Sleef_cinz_##F##d8_##U##avx512fnofma(V8);
#define VESSIOT_DECLARE2(F, U)                                                                                         \
    double Sleef_cinz_##F##d1_##U##purec(double, double);                                                              \
    V2 Sleef_cinz_##F##d2_##U##sse2(V2, V2);                                                                           \
    V2 Sleef_cinz_##F##d2_##U##sse4(V2, V2);                                                                           \
    V4 Sleef_cinz_##F##d4_##U##avx(V4, V4);                                                                            \
    V8 Sleef_cinz_##F##d8_##U##avx512fnofma(V8, V8);
#else
#define VESSIOT_DECLARE1(F, U) double Sleef_cinz_##F##d1_##U##purec(double);
#define VESSIOT_DECLARE2(F, U) double Sleef_cinz_##F##d1_##U##purec(double, double);
#endif

// The list of elementary functions of SLEEF: operation, accuracy, and which scalar version is the faster one. The
// portable version branches and the two-wide one does not; on most functions the vector wins even for one number.
#define VESSIOT_UNARY_FUNCTIONS(X)                                                                                     \
    X(tan, u10, vector)                                                                                                \
    X(asin, u10, scalar)                                                                                               \
    X(acos, u10, scalar)                                                                                               \
    X(atan, u10, vector)                                                                                               \
    X(sinh, u10, vector)                                                                                               \
    X(cosh, u10, vector)                                                                                               \
    X(tanh, u10, vector)                                                                                               \
    X(asinh, u10, vector)                                                                                              \
    X(acosh, u10, vector)                                                                                              \
    X(atanh, u10, vector)                                                                                              \
    X(exp, u10, vector)                                                                                                \
    X(log, u10, vector)                                                                                                \
    X(log10, u10, vector)                                                                                              \
    X(cbrt, u10, vector)                                                                                               \
    X(erf, u10, scalar)
#define VESSIOT_BINARY_FUNCTIONS(X)                                                                                    \
    X(atan2, u10, vector)                                                                                              \
    X(hypot, u05, vector)                                                                                              \
    X(pow, u10, vector)

extern "C" {
#define X(F, U, S) VESSIOT_DECLARE1(F, U)
VESSIOT_UNARY_FUNCTIONS(X)
#undef X
#define X(F, U, S) VESSIOT_DECLARE2(F, U)
VESSIOT_BINARY_FUNCTIONS(X)
#undef X
}

namespace vessiot::expr {

namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

struct Table {
    std::array<vessiot_jit_function, n_all_ops> functions{};
    vessiot_jit_function sine_cosine{};
    std::size_t widest = 1;
};

#if VESSIOT_X86

// Scalar functions made of two-wide ones.
namespace width1 {
#define X(F, U, S)                                                                                                     \
    [[maybe_unused]] double F##_scalar2(double x) {                                                                    \
        return Sleef_cinz_##F##d1_##U##purec(x);                                                                       \
    }                                                                                                                  \
    [[maybe_unused]] constexpr auto F##_scalar4 = F##_scalar2;                                                         \
    [[maybe_unused]] double F##_vector2(double x) {                                                                    \
        return Sleef_cinz_##F##d2_##U##sse2(V2{x, x})[0];                                                              \
    }                                                                                                                  \
    [[maybe_unused]] double F##_vector4(double x) {                                                                    \
        return Sleef_cinz_##F##d2_##U##sse4(V2{x, x})[0];                                                              \
    }
VESSIOT_UNARY_FUNCTIONS(X)
#undef X
#define X(F, U, S)                                                                                                     \
    double F##_vector2(double x, double y) {                                                                           \
        return Sleef_cinz_##F##d2_##U##sse2(V2{x, x}, V2{y, y})[0];                                                    \
    }                                                                                                                  \
    double F##_vector4(double x, double y) {                                                                           \
        return Sleef_cinz_##F##d2_##U##sse4(V2{x, x}, V2{y, y})[0];                                                    \
    }
VESSIOT_BINARY_FUNCTIONS(X)
#undef X
} // namespace width1

Table make_table() {
    Table table;
    const bool has_sse4 = __builtin_cpu_supports("sse4.1");
    const bool has_avx = __builtin_cpu_supports("avx");
    const bool has_avx512 = __builtin_cpu_supports("avx512f");
    table.widest = has_avx512 ? 8 : has_avx ? 4 : 2;
#define X(F, U, S)                                                                                                     \
    table.functions[static_cast<int>(Op::F)] = {                                                                       \
        reinterpret_cast<void*>(has_sse4 ? width1::F##_##S##4 : width1::F##_##S##2),                                   \
        reinterpret_cast<void*>(has_sse4 ? Sleef_cinz_##F##d2_##U##sse4 : Sleef_cinz_##F##d2_##U##sse2),               \
        has_avx ? reinterpret_cast<void*>(Sleef_cinz_##F##d4_##U##avx) : nullptr,                                      \
        has_avx512 ? reinterpret_cast<void*>(Sleef_cinz_##F##d8_##U##avx512fnofma) : nullptr};
    VESSIOT_UNARY_FUNCTIONS(X)
    VESSIOT_BINARY_FUNCTIONS(X)
#undef X
    const auto address = [](auto* f) { return reinterpret_cast<void*>(f); };
#define X(F)                                                                                                           \
    {has_avx ? address(trig::avx::F) : address(trig::F), has_avx ? address(trig::avx::F##2) : address(trig::F##2),     \
     has_avx ? address(trig::avx::F##4) : nullptr, has_avx512 ? address(trig::avx512::F##8) : nullptr}
    table.functions[static_cast<int>(Op::sin)] = X(sine);
    table.functions[static_cast<int>(Op::cos)] = X(cosine);
    table.sine_cosine = X(sine_cosine);
#undef X
    return table;
}

#else

Table make_table() {
    Table table;
#define X(F, U, S)                                                                                                     \
    table.functions[static_cast<int>(Op::F)] = {reinterpret_cast<void*>(Sleef_cinz_##F##d1_##U##purec), nullptr,       \
                                                nullptr, nullptr};
    VESSIOT_UNARY_FUNCTIONS(X)
    VESSIOT_BINARY_FUNCTIONS(X)
#undef X
    table.functions[static_cast<int>(Op::sin)].width1 = reinterpret_cast<void*>(trig::sine);
    table.functions[static_cast<int>(Op::cos)].width1 = reinterpret_cast<void*>(trig::cosine);
    table.sine_cosine.width1 = reinterpret_cast<void*>(trig::sine_cosine);
    return table;
}

#endif

// One number at a time, on every machine.
Table with_lists(Table table) {
    table.functions[static_cast<int>(Op::locate)].width1 = reinterpret_cast<void*>(locate<double>);
    table.functions[static_cast<int>(Op::pick)].width1 = reinterpret_cast<void*>(pick<double>);
    return table;
}

const Table& table() {
    static const Table instance = with_lists(make_table());
    return instance;
}

const vessiot_jit_function& functions_of(Op op) {
    return table().functions[static_cast<int>(op)];
}

// --- vectors from memory to memory ---

#if VESSIOT_X86

void unary2(void* f, const double* a, double* out) {
    V2 x;
    std::memcpy(&x, a, sizeof x);
    x = reinterpret_cast<V2 (*)(V2)>(f)(x);
    std::memcpy(out, &x, sizeof x);
}

void binary2(void* f, const double* a, const double* b, double* out) {
    V2 x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    x = reinterpret_cast<V2 (*)(V2, V2)>(f)(x, y);
    std::memcpy(out, &x, sizeof x);
}

// NOTE: in assembler, because clang passes wide vectors on the stack unless the whole file is compiled for a machine
// that has them, whatever the attributes of a function say. Arguments: rdi = f, rsi = a, rdx = out or b, rcx = out.
#define VESSIOT_CALL_UNARY(REGISTER)                                                                                   \
    asm("pushq %rbx\n\t"                                                                                               \
        "movq %rdx, %rbx\n\t"                                                                                          \
        "vmovupd (%rsi), %" REGISTER "0\n\t"                                                                           \
        "callq *%rdi\n\t"                                                                                              \
        "vmovupd %" REGISTER "0, (%rbx)\n\t"                                                                           \
        "vzeroupper\n\t"                                                                                               \
        "popq %rbx\n\t"                                                                                                \
        "retq")
#define VESSIOT_CALL_BINARY(REGISTER)                                                                                  \
    asm("pushq %rbx\n\t"                                                                                               \
        "movq %rcx, %rbx\n\t"                                                                                          \
        "vmovupd (%rsi), %" REGISTER "0\n\t"                                                                           \
        "vmovupd (%rdx), %" REGISTER "1\n\t"                                                                           \
        "callq *%rdi\n\t"                                                                                              \
        "vmovupd %" REGISTER "0, (%rbx)\n\t"                                                                           \
        "vzeroupper\n\t"                                                                                               \
        "popq %rbx\n\t"                                                                                                \
        "retq")
__attribute__((naked)) void unary4(void*, const double*, double*) {
    VESSIOT_CALL_UNARY("ymm");
}
__attribute__((naked)) void unary8(void*, const double*, double*) {
    VESSIOT_CALL_UNARY("zmm");
}
__attribute__((naked)) void binary4(void*, const double*, const double*, double*) {
    VESSIOT_CALL_BINARY("ymm");
}
__attribute__((naked)) void binary8(void*, const double*, const double*, double*) {
    VESSIOT_CALL_BINARY("zmm");
}

#endif

void unary1(void* f, const double* a, double* out) {
    *out = reinterpret_cast<Unary>(f)(*a);
}
void binary1(void* f, const double* a, const double* b, double* out) {
    *out = reinterpret_cast<Binary>(f)(*a, *b);
}

// A function for vectors of one width.
struct Call {
    void* f = nullptr;
    std::size_t width = 1;
    void (*unary)(void*, const double*, double*) = unary1;
    void (*binary)(void*, const double*, const double*, double*) = binary1;
};

Call call_of(Op op, std::size_t width) {
    const vessiot_jit_function& f = functions_of(op);
#if VESSIOT_X86
    if (is_of_list(op)) width = 1;
    if (width == 8) return {f.width8, 8, unary8, binary8};
    if (width == 4) return {f.width4, 4, unary4, binary4};
    if (width == 2) return {f.width2, 2, unary2, binary2};
#endif
    return {f.width1, 1, unary1, binary1};
}

// The narrowest vectors that hold all n values, or the widest there are.
std::size_t width_for(std::size_t n) {
    const std::size_t fitting = n > 4 ? 8 : n > 2 ? 4 : n > 1 ? 2 : 1;
    return std::min(fitting, table().widest);
}

// The rest of a block (fewer values than a vector) goes through a small array whose free places repeat a value: a
// stranger such as 0 might be slow, or set the flags of a domain error.
struct Rest {
    Rest(const double* values, std::size_t n) {
        for (std::size_t k = 0; k < std::size(padded); ++k) padded[k] = values[k < n ? k : 0];
    }
    double padded[8];
};

void unary_block(const Call& call, const double* a, double* out, std::size_t n) {
    std::size_t i = 0;
    for (; i + call.width <= n; i += call.width) call.unary(call.f, a + i, out + i);
    if (i == n) return;
    Rest rest(a + i, n - i);
    call.unary(call.f, rest.padded, rest.padded);
    std::copy_n(rest.padded, n - i, out + i);
}

void binary_block(const Call& call, const double* a, const double* b, double* out, std::size_t n) {
    std::size_t i = 0;
    for (; i + call.width <= n; i += call.width) call.binary(call.f, a + i, b + i, out + i);
    if (i == n) return;
    Rest rest_a(a + i, n - i);
    const Rest rest_b(b + i, n - i);
    call.binary(call.f, rest_a.padded, rest_b.padded, rest_a.padded);
    std::copy_n(rest_a.padded, n - i, out + i);
}

double elementary(Op op, double a, double b) {
    void* f = functions_of(op).width1;
    return arity(op) == 1 ? reinterpret_cast<Unary>(f)(a) : reinterpret_cast<Binary>(f)(a, b);
}

Quad elementary(Op op, Quad a, Quad b) {
    switch (op) {
    case Op::sin: return sinq(a);
    case Op::cos: return cosq(a);
    case Op::tan: return tanq(a);
    case Op::asin: return asinq(a);
    case Op::acos: return acosq(a);
    case Op::atan: return atanq(a);
    case Op::sinh: return sinhq(a);
    case Op::cosh: return coshq(a);
    case Op::tanh: return tanhq(a);
    case Op::asinh: return asinhq(a);
    case Op::acosh: return acoshq(a);
    case Op::atanh: return atanhq(a);
    case Op::exp: return expq(a);
    case Op::log: return logq(a);
    case Op::log10: return log10q(a);
    case Op::cbrt: return cbrtq(a);
    case Op::erf: return erfq(a);
    case Op::atan2: return atan2q(a, b);
    case Op::hypot: return hypotq(a, b);
    case Op::locate: return locate(a, b);
    case Op::pick: return pick(a, b);
    default: return powq(a, b);
    }
}

} // namespace

template <class S> S apply(Op op, S a, S b, S c) {
    if (is_elementary(op)) return elementary(op, a, b);
    S result = 0;
    arithmetic::dispatch(op, [&](auto f) {
        if constexpr (requires { f(a); })
            result = f(a);
        else if constexpr (requires { f(a, b); })
            result = f(a, b);
        else
            result = f(a, b, c);
    });
    return result;
}

template double apply(Op, double, double, double);
template Quad apply(Op, Quad, Quad, Quad);

void apply_block(Op op, const double* a, const double* b, double* out, std::size_t n) {
    if (arity(op) == 1)
        unary_block(call_of(op, width_for(n)), a, out, n);
    else
        binary_block(call_of(op, width_for(n)), a, b, out, n);
}

void apply_block(Op op, const Quad* a, const Quad* b, Quad* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = elementary(op, a[i], b ? b[i] : Quad(0));
}

const vessiot_jit_function& sine_cosine_functions() {
    return table().sine_cosine;
}

std::span<const vessiot_jit_function> vmath_functions() {
    return table().functions;
}

void apply_vector(Op op, std::size_t width, const double* a, const double* b, double* out) {
    const Call call = call_of(op, width);
    if (call.width < width)
        for (std::size_t k = 0; k < width; ++k) call.binary(call.f, a + k, b + k, out + k);
    else if (arity(op) == 1)
        call.unary(call.f, a, out);
    else
        call.binary(call.f, a, b, out);
}

} // namespace vessiot::expr
