// LLVM asks for random numbers (names of temporary files) by arc4random, which came to glibc with 2.36. With this the
// plug-in needs no more than 2.34, as the wheel says.
#include <stdint.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
    }
    return value;
}
