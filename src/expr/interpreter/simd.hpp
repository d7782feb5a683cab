// Functions compiled several times, for the vector units that a machine may have, and chosen at run time.
//
//   template <class S> VESSIOT_INLINE void work(S* x) { … }          // the text, once
//   VESSIOT_FOR_AVX2 void work_avx2(double* x) { work(x); }          // inlined, so compiled for that machine
//
// NOTE: multiply and add are never fused (-ffp-contract=off), whatever the machine could do.
#pragma once

#define VESSIOT_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__clang__)
#define VESSIOT_FOR_AVX2 __attribute__((target("avx2")))
#define VESSIOT_FOR_AVX512 __attribute__((target("avx2,avx512f,avx512vl,avx512dq"), min_vector_width(512)))
#elif defined(__x86_64__)
#define VESSIOT_FOR_AVX2 __attribute__((target("avx2")))
#define VESSIOT_FOR_AVX512 __attribute__((target("avx2,avx512f,avx512vl,avx512dq,prefer-vector-width=512")))
#else
#define VESSIOT_FOR_AVX2
#define VESSIOT_FOR_AVX512
#endif

namespace vessiot::expr {

enum class Simd { baseline, avx2, avx512 };

// The widest vectors of this machine.
inline Simd simd() {
#if defined(__x86_64__)
    static const Simd widest = [] {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq"))
            return Simd::avx512;
        return __builtin_cpu_supports("avx2") ? Simd::avx2 : Simd::baseline;
    }();
    return widest;
#else
    return Simd::baseline;
#endif
}

} // namespace vessiot::expr
