// Counts the allocations of a test program: link count_allocations.cpp, which replaces operator new.
#pragma once

#include <cstddef>

namespace vessiot::test {

// Since the program began, in all threads.
std::size_t n_allocations();

} // namespace vessiot::test
