// What the command line says about a model: --set, --max-instances, and of Base Modelica --model and --variables.
#pragma once

#include "cli/command.hpp"
#include "lang/meaning/elaborate.hpp"
#include "lang/syntax/source.hpp"
#include "system/system.hpp"

namespace vessiot::cli {

// Throws InvalidInput.
lang::Settings model_settings(const Arguments& arguments);
// The system of a text, in whichever of both languages it is written. Throws InvalidInput.
System read_system(const lang::Source& source, const Arguments& arguments);

} // namespace vessiot::cli
