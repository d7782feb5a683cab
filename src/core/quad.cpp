#include "core/quad.hpp"

#include <cstddef>
#include <string>

// NOTE: declared here because <quadmath.h> lies in a folder that only g++ searches; the function is in libquadmath.
extern "C" vessiot::Quad strtoflt128(const char*, char**);

namespace vessiot {

Quad to_quad(std::string_view literal) {
    // NOTE: strtoflt128 expects the decimal point of the locale. 12.5e3 is passed on as 125e2: no point at all. An
    // exponent beyond 9 digits is outside the range of any literal of sane length and stays infinite or 0.
    std::string digits;
    long fraction_digits = 0;
    std::size_t i = 0;
    bool is_fraction = false;
    for (; i < literal.size() && literal[i] != 'e' && literal[i] != 'E'; ++i) {
        if (literal[i] == '.') {
            is_fraction = true;
            continue;
        }
        digits += literal[i];
        fraction_digits += is_fraction ? 1 : 0;
    }
    long exponent = 0;
    if (i < literal.size()) {
        ++i;
        const bool is_negative = i < literal.size() && literal[i] == '-';
        if (i < literal.size() && (literal[i] == '-' || literal[i] == '+')) ++i;
        for (; i < literal.size(); ++i) {
            if (exponent < 1'000'000'000) exponent = 10 * exponent + (literal[i] - '0');
        }
        if (is_negative) exponent = -exponent;
    }
    digits += 'e';
    digits += std::to_string(exponent - fraction_digits);
    return strtoflt128(digits.c_str(), nullptr);
}

} // namespace vessiot
