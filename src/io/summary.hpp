// What happened in a run, in a few lines for people.
#pragma once

#include <string>

#include "vessiot/solution.hpp"

namespace vessiot::io {

// Without the message where that is shown elsewhere.
std::string summary_text(const Solution& solution, bool has_message);

} // namespace vessiot::io
