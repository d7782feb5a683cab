/* The C interface for code of graphics processors, beside that for kernels (jit_abi.h): a list that makes new numbers
   of old ones, again and again for each of many members, one thread a member. Plain data only. */
#ifndef VESSIOT_EXPR_JIT_GPU_ABI_H
#define VESSIOT_EXPR_JIT_GPU_ABI_H

#include <stdint.h>

#include "expr/kernel/jit_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VESSIOT_JIT_GPU_ABI_VERSION 1

/* A read of the list: number `place` of the state, or of what stays. */
typedef struct {
    uint32_t place;
    uint32_t is_fixed;
} vessiot_jit_gpu_read;

typedef struct {
    const vessiot_jit_kernel* kernel;  /* one straight-line loop */
    const vessiot_jit_gpu_read* reads; /* by address of the loop; unused where it is one of a store */
    const uint32_t* stores;            /* by store: number of the state */
    uint32_t n_state, n_fixed;         /* numbers of a member */
    uint32_t outcome;                  /* number of the state: the member goes on while it is 0 */
    const char* name;                  /* of the function */
} vessiot_jit_gpu_program;

/* The function of the text, for threads of one dimension:

     name(double* state, const double* fixed, const uint32_t* list, uint64_t stride, uint64_t n, uint64_t most)

   Thread i < n runs member list[i] until its outcome is not 0, at most `most` times. Number k of member m is at
   [k * stride + m]. */
typedef struct {
    uint32_t abi_version;
    /* 0 on success, and a text for release; else a message in `error`. Safe to call from several threads. */
    int (*make_ptx)(const vessiot_jit_gpu_program* program, char** text, char* error, uint64_t error_size);
    void (*release)(char* text);
} vessiot_jit_gpu_api;

/* Exported as const vessiot_jit_gpu_api* vessiot_jit_gpu(void). */
typedef const vessiot_jit_gpu_api* (*vessiot_jit_gpu_symbol)(void); /* NOLINT(modernize-redundant-void-arg): it is C */

#ifdef __cplusplus
}
#endif
#endif
