#include "expr/functions/trig.hpp"

#include "expr/functions/trig_widths.hpp"

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
VESSIOT_TRIG(2, V2, are_small)
#endif

} // namespace vessiot::expr::trig
