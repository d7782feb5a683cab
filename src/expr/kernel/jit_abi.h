/* The C interface between the library and the plug-in that makes native code. Plain data only, so that
   nothing of LLVM reaches the library and nothing of the library reaches LLVM. */
#ifndef VESSIOT_EXPR_JIT_ABI_H
#define VESSIOT_EXPR_JIT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VESSIOT_JIT_ABI_VERSION 2

/* The same meaning as Instruction, Address, Store and Loop of kernel.hpp; op and mode are the values of the enums. */
typedef struct {
    uint32_t op, a, b, c;
} vessiot_jit_instruction;

typedef struct {
    uint32_t buffer;
    int32_t table; /* -1: affine */
    int64_t stride;
} vessiot_jit_address;

typedef struct {
    uint32_t value, address, mode;
} vessiot_jit_store;

typedef struct {
    const vessiot_jit_instruction* body;
    const vessiot_jit_address* addresses;
    const vessiot_jit_store* stores;
    uint32_t n_body, n_addresses, n_stores;
    uint32_t is_straight_line;      /* one instance: the addresses below are part of the code */
    const int64_t* straight_starts; /* n_addresses entries when is_straight_line, else null */
} vessiot_jit_loop;

/* Elementary functions by operation: address of f(double), f(<2 x double>), f(<4 x double>), f(<8 x double>);
   null where the machine has no such vectors. Two-operand functions take two arguments. */
typedef struct {
    void* width1;
    void* width2;
    void* width4;
    void* width8;
} vessiot_jit_function;

typedef struct {
    const vessiot_jit_loop* loops;
    uint32_t n_loops;
    const double* constants;
    uint32_t n_constants;
    const vessiot_jit_function* functions; /* indexed by op */
    uint32_t n_functions;
    const vessiot_jit_function* sine_cosine; /* both of one argument: void f(x, double* out), the sines first */
    uint32_t lanes; /* 1: one system, loops vectorised over instances; 8: eight systems at once, element e of lane l
                       at buffer[8*e + l] */
    uint32_t contraction; /* nonzero: multiply-adds may be fused (results then differ from the interpreter) */
    uint32_t optimise;    /* 0: quick code, 1: better register allocation at more compile time */
} vessiot_jit_kernel;

/* What native code reads at run time for each loop that is not straight-line. */
typedef struct {
    int64_t n_segments;
    const int64_t* lengths;
    const int64_t* starts;        /* [segment * n_addresses + k] */
    const int32_t* const* tables; /* [table][instance] */
} vessiot_jit_tables;

/* A compiled kernel: buffers by number, one vessiot_jit_tables for every loop of the kernel, and scratch of
   at least `scratch` doubles, 64-byte aligned. Re-entrant. */
typedef void (*vessiot_jit_entry)(double* const* buffers, const vessiot_jit_tables* loops, double* scratch);

typedef struct {
    vessiot_jit_entry entry;
    void* handle;       /* for release */
    uint64_t scratch;   /* doubles needed (values that live across pieces) */
    uint64_t code_size; /* bytes of machine code */
    double seconds;     /* compile time */
} vessiot_jit_code;

typedef struct {
    uint32_t abi_version;
    const char* llvm_version;
    /* 0 on success; else a message in `error` (truncated to its size). Safe to call from several threads. */
    int (*compile)(const vessiot_jit_kernel* kernel, vessiot_jit_code* code, char* error, uint64_t error_size);
    void (*release)(void* handle);
} vessiot_jit_api;

/* The one exported symbol: const vessiot_jit_api* vessiot_jit(void). */
typedef const vessiot_jit_api* (*vessiot_jit_symbol)(void); /* NOLINT(modernize-redundant-void-arg): it is C */

#ifdef __cplusplus
}
#endif
#endif
