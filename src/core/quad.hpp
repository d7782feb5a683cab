// The scalar of quadruple precision, and reading it from text.
#pragma once

#include <string_view>

namespace vessiot {

// NOTE: __extension__ keeps -Wpedantic quiet about a type that ISO C++ does not have.
__extension__ typedef __float128 Quad;

// The number nearest to a decimal literal `digits[.digits][(e|E)[+|-]digits]`, infinity where it is too large. The text
// must have that form. Independent of the locale.
Quad to_quad(std::string_view literal);

} // namespace vessiot
