// A solution as JSON, piece by piece.
#pragma once

#include "io/text_writer.hpp"
#include "vessiot/solution.hpp"

namespace vessiot::io {

// All of it, and flushes. Throws what the sink throws.
void write_json(const Solution& solution, TextWriter& out);

} // namespace vessiot::io
