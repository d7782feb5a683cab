// What a model may have at most.
#pragma once

#include <cstddef>

namespace vessiot::lang {

// Bounds of the parser, so that no text can exhaust the stack of this or of a later pass. Each has its own
// message. (The size of a text is limited by Source::max_bytes.)
namespace limits {
inline constexpr int expression_depth = 500; // nested brackets, signs, powers, `not`
inline constexpr int loop_depth = 50;        // nested `for`
inline constexpr int derivative_order = 64;  // primes on one operand
inline constexpr std::size_t name_length = 200;
inline constexpr std::size_t number_length = 1000;
} // namespace limits

} // namespace vessiot::lang
