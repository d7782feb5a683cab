// The quad precision scalar, and reading it from text.
#pragma once

#include <string_view>

namespace vessiot {

// NOTE: __extension__ keeps -Wpedantic quiet about a type that ISO C++ does not have.
__extension__ typedef __float128 float128;

// The number nearest to a decimal literal `digits[.digits][(e|E)[+|-]digits]`, infinity where it is too large. The text
// must have that form. Independent of the locale.
float128 to_float128(std::string_view literal);

} // namespace vessiot
