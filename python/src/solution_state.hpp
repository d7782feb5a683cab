// A solution as bytes, for pickles: every member but the curve. Both directions go through the one list of members.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::python {

std::string write_state(const Solution& solution);
// Throws InvalidInput where the bytes are not those of write_state.
Solution read_state(std::string_view bytes);

} // namespace vessiot::python
