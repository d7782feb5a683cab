// Do the options fit the method, and each other?
#pragma once

#include <functional>

#include "method/registry.hpp"
#include "solve/options/settings.hpp"

namespace vessiot {

// Throws InvalidInput for an option that the method cannot follow.
void check_method_options(const Settings& options, const method::MethodInfo& method);

// Settled options, and the method they choose.
struct Settled {
    Settings settings;
    const method::MethodInfo& method;
};

// Throws InvalidInput for an option that was given and would do nothing in the run. A line of the model that acts there
// is left alone where the caller's options take its ground away: another --projection is no reason to change the model.
void check_effects(const SolveOptions& given, const Settled& run, const SolveOptions& lines,
                   const std::function<Settled(const SolveOptions&)>& settle);

// Is it the embedded point that goes on? `high` and `low` are the orders of a pair, whichever of its points is the
// method's own.
bool continues_with_embedded(Continuation continuation, const method::MethodInfo& method);

} // namespace vessiot
