// The dense output of a run: what Solution::operator() asks.
#pragma once

#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot {

class Solution::Curve {
public:
    Curve() = default;
    Curve(const Curve&) = delete;
    Curve& operator=(const Curve&) = delete;
    virtual ~Curve() = default;

    // Where it is defined, by t or by arclength.
    virtual double from() const = 0;
    virtual double to() const = 0;
    // The values there, in the order of Solution::names. All functions: from any number of threads.
    virtual std::vector<double> at(double tau) const = 0;
    // Derivatives there, as a row of Solution::sensitivities; empty where none were asked for.
    virtual std::vector<double> sensitivities(double tau) const = 0;
    // The independent variable there: tau itself, or that at an arclength.
    virtual double t_at(double tau) const = 0;
};

} // namespace vessiot
