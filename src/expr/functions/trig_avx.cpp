// Compiled for AVX.
#include <immintrin.h>

#include "expr/functions/trig_widths.hpp"

namespace vessiot::expr::trig::avx {

namespace {

using trig::are_small; // of two

inline bool are_small(V4 x) {
    const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    return _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(limit), _CMP_LT_OQ)) == 15;
}

} // namespace

VESSIOT_TRIG_OF_ONE
VESSIOT_TRIG(2, V2, are_small)
VESSIOT_TRIG(4, V4, are_small)

} // namespace vessiot::expr::trig::avx
