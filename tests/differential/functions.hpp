// The grammars of known solutions and of what couples unknowns.
#pragma once

#include <vector>

#include "differential/choice.hpp"
#include "differential/expression.hpp"

namespace vessiot::differential {

// A smooth function of t, of size 1 or so and with derivatives of that size: sums and products of polynomials, sines
// and exponentials of bounded argument.
Formula smooth_function(Choice& choice, int depth = 2);
// One that differs from element to element: of t and the index i.
Formula smooth_family(Choice& choice);
// Strictly positive, between about 0.5 and 2.
Formula positive_function(Choice& choice);

// A smooth function of these, with derivatives of at most about `size`: products, sines, quotients.
Formula coupling(Choice& choice, const std::vector<Formula>& variables, double size, int n_terms);

// A number, sometimes as a parameter of the model; `counter` numbers those.
Formula coefficient(Choice& choice, double value, int& counter);

} // namespace vessiot::differential
