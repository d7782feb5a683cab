// The functions of trig.hpp for one width, by the kernel and, where a number is large, one by one.
// NOTE: as trig_kernel.hpp, for files with flags of their own.
#pragma once

#include <cstdint>

#include "expr/functions/trig.hpp"
#include "expr/functions/trig_kernel.hpp"

#if VESSIOT_X86
#include <emmintrin.h>
#endif

namespace vessiot::expr::trig {
namespace {

inline __attribute__((always_inline)) bool is_small(double x) {
    return __builtin_fabs(x) < limit;
}

inline __attribute__((always_inline)) double sine_of(double x) {
    if (!is_small(x)) return sine_of_large(x);
    double s, c;
    sine_and_cosine<double, std::int64_t>(x, s, c);
    return s;
}

inline __attribute__((always_inline)) double cosine_of(double x) {
    if (!is_small(x)) return cosine_of_large(x);
    double s, c;
    sine_and_cosine<double, std::int64_t>(x, s, c);
    return c;
}

#if VESSIOT_X86
inline bool are_small(V2 x) {
    const __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), x);
    return _mm_movemask_pd(_mm_cmplt_pd(size, _mm_set1_pd(limit))) == 3;
}
#endif

// Both, of w numbers; some of them are large.
template <int w> __attribute__((noinline)) void one_by_one(const double* x, double* sines, double* cosines) {
    for (int k = 0; k < w; ++k) {
        sines[k] = sine_of(x[k]);
        cosines[k] = cosine_of(x[k]);
    }
}

template <int w, class V, class I>
inline __attribute__((always_inline)) void both(const V& x, bool are_small, V& sines, V& cosines) {
    if (are_small) return sine_and_cosine<V, I>(x, sines, cosines);
    double numbers[w], s[w], c[w];
    __builtin_memcpy(numbers, &x, sizeof x);
    one_by_one<w>(numbers, s, c);
    __builtin_memcpy(&sines, s, sizeof sines);
    __builtin_memcpy(&cosines, c, sizeof cosines);
}

} // namespace
} // namespace vessiot::expr::trig

// The three functions for vectors V of w numbers; ARE_SMALL(x) says whether all of them are below the limit.
#define VESSIOT_TRIG(w, V, ARE_SMALL)                                                                                  \
    typedef std::int64_t I##w __attribute__((vector_size(8 * (w))));                                                   \
    V sine##w(V x) {                                                                                                   \
        V s, c;                                                                                                        \
        both<w, V, I##w>(x, ARE_SMALL(x), s, c);                                                                       \
        return s;                                                                                                      \
    }                                                                                                                  \
    V cosine##w(V x) {                                                                                                 \
        V s, c;                                                                                                        \
        both<w, V, I##w>(x, ARE_SMALL(x), s, c);                                                                       \
        return c;                                                                                                      \
    }                                                                                                                  \
    void sine_cosine##w(V x, double* out) {                                                                            \
        V s, c;                                                                                                        \
        both<w, V, I##w>(x, ARE_SMALL(x), s, c);                                                                       \
        __builtin_memcpy(out, &s, sizeof s);                                                                           \
        __builtin_memcpy(out + (w), &c, sizeof c);                                                                     \
    }

// The same of one number.
#define VESSIOT_TRIG_OF_ONE                                                                                            \
    double sine(double x) {                                                                                            \
        return sine_of(x);                                                                                             \
    }                                                                                                                  \
    double cosine(double x) {                                                                                          \
        return cosine_of(x);                                                                                           \
    }                                                                                                                  \
    void sine_cosine(double x, double* out) {                                                                          \
        if (is_small(x)) return sine_and_cosine<double, std::int64_t>(x, out[0], out[1]);                              \
        out[0] = sine_of_large(x);                                                                                     \
        out[1] = cosine_of_large(x);                                                                                   \
    }
