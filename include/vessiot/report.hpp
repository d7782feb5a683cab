// A solution as one HTML page for a browser, which needs no network and no other file.
//
//     vessiot::write_report(vessiot::solve(model), model, "pendulum.html");
#pragma once

#include <string>

#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

// `model` and `options` are those of the solution: the page shows the equations, the hidden constraints and what was
// set. Between the points it draws the curve, if the solution has it (SolveOptions::dense). Throws OutputFailed.
void write_report(const Solution& solution, const Model& model, const std::string& path,
                  const SolveOptions& options = {});

} // namespace vessiot
