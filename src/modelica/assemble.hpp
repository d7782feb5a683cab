// What is left of a flat model after elimination, as a System over a graph of its own; what was eliminated as outputs.
#pragma once

#include <string>
#include <vector>

#include "modelica/eliminate.hpp"
#include "system/system.hpp"

namespace vessiot::modelica {

// `outputs`: patterns of names (*, ?) of what is to be in the results beside the unknowns; none: a choice.
System assemble(FlatModel& flat, const Elimination& elimination, const Source& source,
                const std::vector<std::string>& outputs);

} // namespace vessiot::modelica
