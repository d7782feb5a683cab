// What implicit methods share before their first step.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/quad.hpp"
#include "method/implicit/implicit_coefficients.hpp"
#include "method/parts.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

// Coefficients as numbers of the run.
template <class S> std::vector<S> cast(const std::vector<Quad>& numbers) {
    std::vector<S> result;
    for (const Quad x : numbers) result.push_back(static_cast<S>(x));
    return result;
}

// Where the polynomial of a collocation method agrees with the curve: at the start and at the stages.
inline std::vector<double> places_of_collocation(const ImplicitCoefficients& exact) {
    std::vector<double> places{0.0};
    for (const Quad c : exact.c) places.push_back(static_cast<double>(c));
    return places;
}

// The system, which implicit methods need. Throws InvalidInput where an option does not fit them.
template <class S>
Parts<S>& parts_of(const MethodInfo& info, const StepperOptions<S>& options, bool works_in_arclength = false) {
    const std::string name(info.name);
    if (!options.parts) throw InvalidInput("the method \"" + name + "\" needs the equations of the system");
    if (options.parts->is_arclength && !works_in_arclength)
        throw InvalidInput("the method \"" + name +
                           "\" works in time, not in arclength: leave out --parametrisation "
                           "arclength, or take one such as \"dopri54\" or \"radau5\"");
    if (options.continue_embedded)
        throw InvalidInput("the method \"" + name + "\" has no embedded point that could go on");
    return *options.parts;
}

} // namespace vessiot::method
