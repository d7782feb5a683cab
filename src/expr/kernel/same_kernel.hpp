#pragma once

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// Do they compute the same, bit for bit, on the same buffers?
bool are_same(const Kernel& a, const Kernel& b);

} // namespace vessiot::expr
