/* The C interface for native code of power series (taylor_plan.hpp), beside that for kernels (jit_abi.h). Plain data
 * only. */
#ifndef VESSIOT_EXPR_JIT_TAYLOR_ABI_H
#define VESSIOT_EXPR_JIT_TAYLOR_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VESSIOT_JIT_TAYLOR_ABI_VERSION 2

/* The same meaning as TaylorStep; rule is the value of the enum. Steps without work above order 0 are left out, and so
   are reads of family loops. */
typedef struct {
    uint32_t rule, number; /* number: of the step, for vessiot_jit_taylor_rule */
    uint32_t out, a, b, c, x, q;
    uint32_t is_late;
    double factor;
} vessiot_jit_taylor_step;

/* Loops of one instance: what is read from and written to buffers, whose coefficient k begins at k * size. */
typedef struct {
    uint32_t value, buffer, is_late, adds;
    int64_t size, element;
} vessiot_jit_taylor_access;

typedef struct {
    const vessiot_jit_taylor_step* steps;
    const vessiot_jit_taylor_access *reads, *stores;
    uint32_t n_steps, n_reads, n_stores;
    uint32_t is_single;           /* one instance; else they come in blocks of 8 */
    uint64_t lane, length, block; /* coefficient k of value v in instance i is at v * length + k * lane, lane = 1, or at
                                     (i / 8) * block + v * length + k * lane + i % 8, lane = 8 */
} vessiot_jit_taylor_loop;

/* Does one step for a block of instances, where native code leaves that to the library. */
typedef void (*vessiot_jit_taylor_rule)(void* context, uint64_t loop, uint64_t step, int64_t k, int64_t first);

typedef struct {
    const vessiot_jit_taylor_loop* loops;
    uint32_t n_loops;
    vessiot_jit_taylor_rule rule;
} vessiot_jit_taylor_program;

/* Order k >= 1 of one loop of n instances. */
typedef void (*vessiot_jit_taylor_entry)(double* values, double* const* buffers, int64_t k, int64_t n, void* context);

typedef struct {
    uint32_t abi_version;
    /* Writes 2 * n_loops entries: all steps of loop l, and its late ones. 0 on success, and a handle for release; else
       a message in `error`. Safe to call from several threads. */
    int (*compile)(const vessiot_jit_taylor_program* program, vessiot_jit_taylor_entry* entries, void** handle,
                   uint64_t* code_size, char* error, uint64_t error_size);
    void (*release)(void* handle);
} vessiot_jit_taylor_api;

/* Exported as const vessiot_jit_taylor_api* vessiot_jit_taylor(void). */
typedef const vessiot_jit_taylor_api* (*vessiot_jit_taylor_symbol)(void); /* NOLINT(modernize-redundant-void-arg) */

#ifdef __cplusplus
}
#endif
#endif
