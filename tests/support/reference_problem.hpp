// Models that compute their own errors: in quad precision the difference from the exact solution is taken before it is
// rounded to double.
#pragma once

#include <string>
#include <vector>

#include "system/system.hpp"

namespace vessiot::test {

// A model with its end time, where the exact solution is known.
struct ReferenceProblem {
    std::string name;
    System system;
    double t = 0;
    double floor = 0; // errors of the reference, with room
};

// The model of this text with an output for each of the values named: its error at t, by the reference of the gallery.
ReferenceProblem reference_problem(const std::string& name, const std::string& text, const std::string& gallery_name,
                                   const std::string& t, const std::vector<std::string>& values);

// Those that orders are measured on.
const ReferenceProblem& lotka_volterra();
const ReferenceProblem& euler_top();
const ReferenceProblem& pendulum(); // index 3
const ReferenceProblem& kepler();   // with two invariants

} // namespace vessiot::test
