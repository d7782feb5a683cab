// The functions of libm that got a new version after glibc 2.34, in their old one: the same numbers, as the wheel says.
double old_hypot(double, double);
__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");

double __wrap_hypot(double a, double b);
double __wrap_hypot(double a, double b) {
    return old_hypot(a, b);
}
