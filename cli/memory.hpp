#pragma once

namespace vessiot::cli {

// Sees to it that a model which needs more memory than there is ends with a message (std::bad_alloc), not with a
// process that the system kills, or a machine that swaps.
void limit_memory();

} // namespace vessiot::cli
