// Small models that between them have what projections, distributions and methods may need.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "lang/model.hpp"

namespace vessiot::test {

struct SmallModel {
    std::string_view name, text;
    std::string_view by;             // a parameter that the solution depends on
    double (*x)(double t) = nullptr; // the first unknown, where it is known
    bool is_constrained = false;
    bool is_last_resort = false; // constraints that depend on each other: for what fits no other model
};

inline constexpr std::array small_models = {
    SmallModel{"decay", "parameter k = 1\nunknown x\nx' = -k*x\nstart x = 1\nsolve t = 0 .. 0.5\n", "k",
               [](double t) { return std::exp(-t); }},
    SmallModel{"pendulum",
               "parameter g = 9.81\nunknown x, y, lambda\nx'' = -lambda*x\ny'' = -lambda*y - g\nx^2 + y^2 = 1\n"
               "start x = 0.6, y = -0.8, x' = 0.4, y' = 0.3\nsolve t = 0 .. 0.5\n",
               "g", nullptr, true},
    SmallModel{"circle",
               "parameter w = 1\nunknown x, y\nx' = -w*y\ny' = w*x\ninvariant x^2 + y^2\nstart x = 1, y = 0\n"
               "solve t = 0 .. 0.5\n",
               "w", [](double t) { return std::cos(t); }, true},
    SmallModel{"oscillator",
               "parameter c = 1\nunknown x, v\nx' = v\nv' = -c*x\nstart x = 1, v = 0\nsolve t = 0 .. 0.5\n", "c",
               [](double t) { return std::cos(t); }},
    SmallModel{"rotation",
               "parameter w = 1\nmatrix Y[3,3] in SO(3)\nY' = skew(0, 0, w)*Y\nstart Y = identity(3)\n"
               "solve t = 0 .. 0.5\n",
               "w", [](double t) { return std::cos(t); }, true, true},
};

inline System system_of(const SmallModel& m) {
    return lang::read_model(lang::Source(std::string(m.name) + ".ves", std::string(m.text)));
}

} // namespace vessiot::test
