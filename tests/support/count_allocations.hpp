// Counts the allocations of a test program: link count_allocations.cpp, which replaces operator new.
#pragma once

#include <cstddef>

namespace vessiot::test {

// By this thread, since it began.
std::size_t n_allocations();

} // namespace vessiot::test
