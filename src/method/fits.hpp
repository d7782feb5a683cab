// Does a method fit a system?
#pragma once

#include <string>

#include "completion/prolongation.hpp"
#include "method/registry.hpp"
#include "system/system.hpp"

namespace vessiot::method {

// What the system lacks that the method needs, to go on from "the method rattle needs ": empty where it fits.
std::string misfit(const MethodInfo& method, const System& system, const Prolongation& prolongation);

} // namespace vessiot::method
