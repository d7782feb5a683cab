// The body of a random loop; see random_kernel.hpp.
#pragma once

#include "support/random_kernel.hpp"

namespace vessiot::test {

// Fills loop.body: it reads the addresses from `first_read` on and some constants, then has n_operations operations.
void make_body(Random& random, bool has_elementary, bool is_benign, int n_operations, std::uint32_t first_read,
               const expr::Kernel& kernel, expr::Loop& loop);

} // namespace vessiot::test
