// Problems with conditions at both ends (System::has_ends): the start values and parameters that satisfy them are found
// by multiple shooting (shooting.hpp), and the curve is then computed interval by interval.
//
//   intervals   4 at first, then 16 and 64; more where small changes grow by more than 1000 over one of them
//   guesses     the points of the curve from the start point, as far as the model and its `guess` give it; where that
//               runs away, or Newton's method fails from there, a straight line to the values at the end
//   homotopy    the solution for other values of parameters, from which it is followed to those of the model, in steps
//               that become longer and shorter
//   error       what was found with tolerances rtol / 10 is found once more with a hundredth of them, and so on until
//               the two agree to rtol
#pragma once

#include "solve/problem/problem.hpp"

namespace vessiot {

// A solve of a system without such conditions: the last argument of solve_ends.
using PlainSolve = Solution (*)(ProblemCore& core, const System& system, const Settings& options);

// The solution is complete but for its time and its streams. Throws InvalidInput where the conditions do not fit the
// freedom of the start point.
Solution solve_ends(ProblemCore& core, const System& system, const Settings& options, PlainSolve solve);

} // namespace vessiot
