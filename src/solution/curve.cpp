#include "solution/curve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot {

namespace {

double inside(const Solution& solution, double tau) {
    const Solution::Curve* curve = solution.curve.get();
    if (!curve)
        throw InvalidInput(solution.trace.size() > 1
                               ? "the solution between the points was not kept: solve with .dense = true"
                               : "the run made no step, so that there is no solution between points");
    const double low = std::min(curve->from(), curve->to()), high = std::max(curve->from(), curve->to());
    const double slack = 1e-12 * std::max(1.0, std::max(std::abs(low), std::abs(high)));
    if (!(tau >= low - slack && tau <= high + slack)) {
        throw InvalidInput(fmt::format("the solution is known from {} to {}, not at {} = {}", low, high,
                                       solution.s.empty() ? solution.independent : "s", tau));
    }
    return std::clamp(tau, low, high);
}

} // namespace

std::vector<double> Solution::operator()(double tau) const {
    const double at = inside(*this, tau);
    return curve->at(at);
}

double Solution::t_at(double tau) const {
    const double at = inside(*this, tau);
    return curve->t_at(at);
}

double Solution::sensitivity(double tau, std::string_view name, std::string_view variable) const {
    const std::size_t place = sensitivity_of(variable) * names.size() + column_of(name);
    const double at = inside(*this, tau);
    return curve->sensitivities(at)[place];
}

double Solution::operator()(double tau, std::string_view name) const {
    return (*this)(tau)[column_of(name)];
}

} // namespace vessiot
