// Why a system has no finite value at a point, in the words of the model.
//
// Compiled functions say only that something is not finite. Here the rows are evaluated once more, slowly and one
// operation after the other, and with each value that is not finite goes the operation that it comes from: the one
// whose operands were finite. Values that are not used (the branch of an `if` that is not taken, 1/inf) do not count.
// The work is bounded: where nothing was found within about a million operations the answer is empty.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "system/functions.hpp"
#include "system/system.hpp"

namespace vessiot {

// "log(x) at x = -0.0012", "1/r at r = 0", "the divisor x - y is 0 at x = 1, y = 1", "overflow of exp(x) at x = 800",
// "x[3] = nan" for the first constraint or equation for the tops that is not finite at the coordinates u and the
// tops w of the prolongation; empty where all are finite. Jets that are neither, and tops where w is empty, are 0.
// In double: what overflows here may be finite in quad.
std::string explain_not_finite(const System& system, const Prolongation& p, double t, std::span<const double> u,
                               std::span<const double> w);
// The same for given expressions (outputs, start values).
std::string explain_not_finite(const System& system, const Prolongation& p, const std::vector<RowTemplate>& rows,
                               double t, std::span<const double> u, std::span<const double> w);

} // namespace vessiot
