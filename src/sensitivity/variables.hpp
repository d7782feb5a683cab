// What a solution is differentiated by: parameters, elements of parameter arrays, start values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/conditions.hpp"
#include "system/system.hpp"

namespace vessiot {

struct SensitivityVariable {
    static constexpr std::size_t no_parameter = static_cast<std::size_t>(-1);

    std::string name;                     // g, m[2], start:x'
    std::size_t parameter = no_parameter; // number in System::parameters; none: a start value
    std::int64_t element = 0;             // of it, in row-major order
    std::string coordinate{};             // of a start value: x'
    double size = 0;                      // |value| of a parameter

    bool is_start() const { return parameter == no_parameter; }
};

// The variables that these names stand for: a parameter (an array: each of its elements), an element m[2] of one,
// start:x for a start value, `all` for all parameters that are numbers of the equations. Notes say which of them have
// derivatives that are zero for a reason. Throws InvalidInput for names that are none, with the nearest one; for
// parameters that sizes, loops or indices are made of; and where the start of the interval depends on one.
// `conditions`: those of the system, where it has modes.
std::vector<SensitivityVariable> sensitivity_variables(const System& system, const Conditions* conditions,
                                                       const std::vector<std::string>& names,
                                                       std::vector<std::string>& notes);

} // namespace vessiot
