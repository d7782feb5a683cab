// Numbers and names of methods that a user brings.
#pragma once

#include <optional>
#include <string>

#include "core/quad.hpp"

namespace vessiot::method {

struct ReadCoefficient {
    Quad value = 0;
    double uncertainty = 0; // relative: of a decimal of 15 and more digits, which counts as rounded
};

// "-1/3", "0.25": a fraction of decimals, or one decimal.
std::optional<ReadCoefficient> read_coefficient(std::string text);

// Throws InvalidInput where it is no name, or that of a method of the program.
void check_user_name(const std::string& name, const std::string& source);

} // namespace vessiot::method
