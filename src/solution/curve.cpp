#include "solution/curve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot {

std::vector<double> Solution::operator()(double tau) const {
    if (!curve) throw InvalidInput("the solution between the points was not kept: solve with .dense = true");
    const double low = std::min(curve->from(), curve->to()), high = std::max(curve->from(), curve->to());
    const double slack = 1e-12 * std::max(1.0, std::max(std::abs(low), std::abs(high)));
    if (!(tau >= low - slack && tau <= high + slack)) {
        throw InvalidInput(fmt::format("the solution is known from {} to {}, not at {} = {}", low, high,
                                       s.empty() ? independent : "s", tau));
    }
    return curve->at(std::clamp(tau, low, high));
}

double Solution::operator()(double tau, std::string_view name) const {
    return (*this)(tau)[column_of(name)];
}

} // namespace vessiot
