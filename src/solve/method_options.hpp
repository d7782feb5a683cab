// Do the options fit the method?
#pragma once

#include "method/registry.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

// Throws InvalidInput for an option that the method cannot follow.
void check_method_options(const SolveOptions& options, const method::MethodInfo& method);

} // namespace vessiot
