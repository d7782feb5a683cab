// From a model file to a checked System.
#pragma once

#include <filesystem>

#include "lang/meaning/elaborate.hpp"
#include "lang/syntax/source.hpp"
#include "system/system.hpp"

namespace vessiot::lang {

// Parses, elaborates, derives the equations of motion, determines the orders and checks the structure. Every mistake
// is an InvalidInput whose text names file, line and column and shows the line; System::warnings are ready to print.
System read_model(const Source& source, const Settings& settings = {});

// The same for a file. Throws InvalidInput also where it cannot be read.
System load_model(const std::filesystem::path& path, const Settings& settings = {});

} // namespace vessiot::lang
