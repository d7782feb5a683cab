/* The C interface for rounds on the processor, beside that for kernels (jit_abi.h): a list that makes new numbers of
   old ones, again and again in one call, until one of the numbers says that somebody has to look. Plain data only. */
#ifndef VESSIOT_EXPR_JIT_ROUNDS_ABI_H
#define VESSIOT_EXPR_JIT_ROUNDS_ABI_H

#include <stdint.h>

#include "expr/kernel/repeated/jit_gpu_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VESSIOT_JIT_ROUNDS_ABI_VERSION 1

/* What is written down after a round that counts: these numbers of the state, at the end of what is there. */
typedef struct {
    const uint32_t* numbers;
    uint32_t n;
    uint64_t stride; /* numbers from one such round to the next */
} vessiot_jit_stream;

typedef struct {
    const vessiot_jit_kernel* kernel;  /* one straight-line loop */
    const vessiot_jit_gpu_read* reads; /* by address of the loop; unused where it is one of a store */
    const uint32_t* stores;            /* by store: number of the state */
    uint32_t n_state;
    uint32_t outcome; /* number of the state: the rounds go on while it is 0 */
    uint32_t counts;  /* number of the state, 0 or 1: whether the round is written down. It nearly always is: there is
                         code for that case, where all is left out that only the other one needs */
    const vessiot_jit_stream* streams;
    uint32_t n_streams;
} vessiot_jit_rounds_program;

/* At least one round. `state` before the first and behind the last; `fixed`: numbers that stay; `streams`: where each
   begins. Re-entrant. */
typedef void (*vessiot_jit_rounds_entry)(double* state, const double* fixed, double* const* streams);

typedef struct {
    uint32_t abi_version;
    /* 0 on success, with a handle for release; else a message in `error`. Safe to call from several threads. */
    int (*compile)(const vessiot_jit_rounds_program* program, vessiot_jit_rounds_entry* entry, void** handle,
                   char* error, uint64_t error_size);
    void (*release)(void* handle);
} vessiot_jit_rounds_api;

/* Exported as const vessiot_jit_rounds_api* vessiot_jit_rounds(void). */
typedef const vessiot_jit_rounds_api* (*vessiot_jit_rounds_symbol)(
    void); /* NOLINT(modernize-redundant-void-arg): it is C */

#ifdef __cplusplus
}
#endif
#endif
