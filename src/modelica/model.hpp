// From a Base Modelica text to a checked System.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lang/meaning/elaborate.hpp"
#include "lang/syntax/source.hpp"
#include "system/system.hpp"

namespace vessiot::modelica {

// Does the name of the file or its first line say that it is one?
bool is_modelica(const lang::Source& source);

// "a, b*, r[1,2]": at the commas outside of brackets.
std::vector<std::string> name_patterns(std::string_view list);

struct ReadSettings {
    lang::Settings parameters{};        // --set
    std::string model{};                // which one of the text; empty: the last one
    std::vector<std::string> outputs{}; // patterns of names of what is to be in the results beside the unknowns
};

// Of several models of a text the last one, or that of ReadSettings::model. Every mistake is an InvalidInput whose text
// names file, line and column and shows the line; System::warnings are ready to print.
System read_model(const lang::Source& source, const ReadSettings& settings = {});

} // namespace vessiot::modelica
