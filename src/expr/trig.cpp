#include "expr/trig.hpp"

#include "expr/trig_widths.hpp"

#if VESSIOT_X86
#include <emmintrin.h>
#endif

extern "C" {
double Sleef_cinz_sind1_u10purec(double);
double Sleef_cinz_cosd1_u10purec(double);
}

namespace vessiot::expr::trig {

double sine_of_large(double x) {
    return Sleef_cinz_sind1_u10purec(x);
}

double cosine_of_large(double x) {
    return Sleef_cinz_cosd1_u10purec(x);
}

VESSIOT_TRIG_OF_ONE

#if VESSIOT_X86
namespace {

inline bool are_small(V2 x) {
    const __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), x);
    return _mm_movemask_pd(_mm_cmplt_pd(size, _mm_set1_pd(limit))) == 3;
}

} // namespace

VESSIOT_TRIG(2, V2, are_small)
#endif

} // namespace vessiot::expr::trig
