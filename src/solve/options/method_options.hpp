// Do the options fit the method, and each other?
#pragma once

#include <functional>
#include <string_view>

#include "method/registry.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

// Throws InvalidInput for an option that the method cannot follow.
void check_method_options(const SolveOptions& options, const method::MethodInfo& method);

// Options with nothing left to `auto` that the name of the control settles, and the method they choose.
struct Settled {
    SolveOptions options;
    const method::MethodInfo& method;
};

// Throws InvalidInput for an option that was given and would do nothing in the run. A line of the model that acts there
// is left alone where the caller's options take its ground away: another --projection is no reason to change the model.
void check_effects(const SolveOptions& given, const Settled& run, const SolveOptions& lines,
                   const std::function<Settled(const SolveOptions&)>& settle);

// Is it the embedded point that goes on? `high` and `low` are the orders of a pair, whichever of its points is the
// method's own.
bool continues_with_embedded(std::string_view continuation, const method::MethodInfo& method);

} // namespace vessiot
