// Where the start point lies among the components.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decompose/answer.hpp"

namespace vessiot::decompose {

struct StartPlace {
    std::vector<Quad> values;           // of all variables
    std::vector<double> residuals;      // by component: of the generator that is farthest off
    std::vector<std::size_t> on;        // components through the point
    std::optional<std::size_t> along{}; // of these, the one along which it moves: if there is one only
    std::string note{};                 // where the point comes from, if not from the model as it is
};

// Values from outside, by name, that go before those of the model.
using GivenStart = std::vector<std::pair<std::string, double>>;

// The values of the model's start lines; where these lie on no component, the point that a run would start from.
StartPlace place_start(const System& system, const PolynomialSystem& polynomials, const Answer& answer,
                       const GivenStart& start = {});

} // namespace vessiot::decompose
