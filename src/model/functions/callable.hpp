// What is common to the uses of a CallableSystem.
#pragma once

#include <string>
#include <vector>

#include "vessiot/callable.hpp"

namespace vessiot {

// Throws InvalidInput where names, orders, sizes or scales make no sense.
void check_callable(const CallableSystem& system);
// x, x', x'', y, ...
std::vector<std::string> coordinate_names(const CallableSystem& system);
std::int64_t n_equations(const CallableSystem& system); // of f

} // namespace vessiot
