// What the command line says about a model: --set and --max-instances.
#pragma once

#include "cli/command.hpp"
#include "lang/meaning/elaborate.hpp"

namespace vessiot::cli {

// Throws InvalidInput.
lang::Settings model_settings(const Arguments& arguments);

} // namespace vessiot::cli
