// --component: a model with one component of its constraints in their place; what `decompose` and `solve` share.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "decompose/decompose.hpp"
#include "lang/syntax/source.hpp"

namespace vessiot::cli {

// --component and --time-limit. Throws InvalidInput.
decompose::Options component_options(const Arguments& arguments);

struct ComponentModel {
    lang::Source source;
    Arguments arguments{};            // without the parameters that are numbers in the new text
    std::vector<std::string> notes{}; // for the summary
};

// The model itself where --component is not given. Throws InvalidInput, also where the start point is not on the
// component that is asked for, or does not tell which one is meant; decompose::SingularFailed, decompose::Interrupted.
ComponentModel on_component(lang::Source source, const Arguments& arguments);

// Runs a command; what Singular and Ctrl-C do to it becomes a message and an exit status.
int run_with_singular(const Arguments& arguments, int (*run)(const Arguments&));

} // namespace vessiot::cli
