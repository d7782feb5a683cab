// Coefficients of methods, written once and good for double and quad precision.
//
//     19372_q / 6561        a fraction: quad precision, correctly rounded
//     0.117...829_q         a decimal: all digits that are written count, up to 38 of them
//
// The value is a Quad at compile time; its cast to double is the double nearest to the coefficient (but for a
// double rounding, of probability 2^-60).
#pragma once

#include <stdexcept>

#include "core/quad.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::method {

// NOTE: __extension__ keeps -Wpedantic quiet about a type that ISO C++ does not have.
__extension__ typedef unsigned __int128 uint128;

// The literal `digits[.digits][(e|E)[+|-]digits]`. Where it is not of that form, or too long for its digits to be kept,
// the throw makes it a compile error.
constexpr Quad parse_number(const char* text) {
    uint128 mantissa = 0;
    int n_digits = 0;
    int exponent = 0;
    bool has_point = false;
    for (; *text != '\0' && *text != 'e' && *text != 'E'; ++text) {
        if (*text == '\'') continue;
        if (*text == '.') {
            has_point = true;
            continue;
        }
        if (*text < '0' || *text > '9') throw std::invalid_argument("a coefficient is a decimal number");
        if (n_digits > 0 || *text != '0') ++n_digits;
        if (n_digits > 38) throw std::invalid_argument("a coefficient has at most 38 digits");
        mantissa = 10 * mantissa + static_cast<uint128>(*text - '0');
        if (has_point) --exponent;
    }
    if (*text != '\0') {
        ++text;
        const bool is_negative = *text == '-';
        if (*text == '-' || *text == '+') ++text;
        int written = 0;
        for (; *text != '\0'; ++text) {
            if (*text < '0' || *text > '9') throw std::invalid_argument("a coefficient is a decimal number");
            written = 10 * written + (*text - '0');
        }
        exponent += is_negative ? -written : written;
    }
    // NOTE: 10^48 is the largest power of ten that a Quad holds exactly, so that there are two roundings at most.
    if (exponent < -48 || exponent > 48) throw std::invalid_argument("a coefficient is out of range");
    Quad power = 1;
    for (int k = 0; k < (exponent < 0 ? -exponent : exponent); ++k) power *= 10;
    const auto digits = static_cast<Quad>(mantissa);
    return exponent < 0 ? digits / power : digits * power;
}

consteval Quad operator""_q(const char* text) {
    return parse_number(text);
}

using linalg::absolute;

} // namespace vessiot::method
