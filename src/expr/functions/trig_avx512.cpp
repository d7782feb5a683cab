// Compiled for AVX-512.
#include <immintrin.h>

#include "expr/functions/trig_widths.hpp"

namespace vessiot::expr::trig::avx512 {

namespace {

inline bool are_small(V8 x) {
    return _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(limit), _CMP_LT_OQ) == 255;
}

} // namespace

VESSIOT_TRIG(8, V8, are_small)

} // namespace vessiot::expr::trig::avx512
