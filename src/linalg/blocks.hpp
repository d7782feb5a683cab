// Eight numbers at a time, in as many registers as the machine needs for them.
#pragma once

#include <cstdint>
#include <cstring>

#define VESSIOT_INLINE inline __attribute__((always_inline))

namespace vessiot::linalg {

typedef double Block __attribute__((vector_size(64)));
typedef std::int64_t BlockMask __attribute__((vector_size(64)));

VESSIOT_INLINE void load(const double* p, Block& b) {
    std::memcpy(&b, p, sizeof b);
}

VESSIOT_INLINE void store(double* p, const Block& b) {
    std::memcpy(p, &b, sizeof b);
}

// The sum of eight numbers, in one order for every machine.
template <class S> S total(const S* p) {
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

} // namespace vessiot::linalg
