// sin, cos, and both at once, for the widths of vectors that a machine may have: the same bits for all of them, and for
// either way to get them. Beyond |x| = 2^20 they are those of SLEEF.
#pragma once

#if defined(__x86_64__)
#define VESSIOT_X86 1
#else
#define VESSIOT_X86 0
#endif

namespace vessiot::expr::trig {

#if VESSIOT_X86
typedef double V2 __attribute__((vector_size(16)));
typedef double V4 __attribute__((vector_size(32)));
typedef double V8 __attribute__((vector_size(64)));
#endif

// Of any number.
double sine(double x);
double cosine(double x);
// out[0 .. w-1] are the sines of w numbers, the next w their cosines.
void sine_cosine(double x, double* out);

#if VESSIOT_X86
V2 sine2(V2 x);
V2 cosine2(V2 x);
void sine_cosine2(V2 x, double* out);

// For machines with AVX.
namespace avx {
double sine(double x);
double cosine(double x);
void sine_cosine(double x, double* out);
V2 sine2(V2 x);
V2 cosine2(V2 x);
void sine_cosine2(V2 x, double* out);
V4 sine4(V4 x);
V4 cosine4(V4 x);
void sine_cosine4(V4 x, double* out);
} // namespace avx

// For machines with AVX-512.
namespace avx512 {
V8 sine8(V8 x);
V8 cosine8(V8 x);
void sine_cosine8(V8 x, double* out);
} // namespace avx512
#endif

// Of a number that is large, infinite or none.
double sine_of_large(double x);
double cosine_of_large(double x);

} // namespace vessiot::expr::trig
