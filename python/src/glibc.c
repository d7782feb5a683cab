// The functions of libm that got a new version after glibc 2.34, in their old one: the same numbers, as the wheel says.
// NOTE: found when the module is loaded. gold takes a reference to hypot@GLIBC_2.2.5 for one to hypot, which --wrap
// makes a call of __wrap_hypot by itself, for ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static double (*old_hypot)(double, double);

__attribute__((constructor)) static void find_functions(void) {
    void* libm = dlopen("libm.so.6", RTLD_LAZY);
    void* found = libm ? dlvsym(libm, "hypot", "GLIBC_2.2.5") : 0;
    if (!found) abort(); // no x86-64 glibc is without it
    old_hypot = (double (*)(double, double))found;
}

double __wrap_hypot(double a, double b);
double __wrap_hypot(double a, double b) {
    return old_hypot(a, b);
}
