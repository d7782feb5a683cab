// The question to Singular, as a script.
#pragma once

#include <string>

#include "decompose/algebra/polynomial_system.hpp"

namespace vessiot::decompose {

// It prints, a line each (see answer.hpp), as soon as it is known:
//   @empty                        the constraints contradict each other
//   @excluded                     a component on which a denominator vanishes, which is left out
//   @component <dimension>        of the next component; then its equations
//   @generator <polynomial>
//   @components                   that was the last one
//   @minimal <k>                  of component k fewer generators are enough: they follow, and
//   @link <polynomial>            sines of differences and sums of two angles that are constant on it
//   @singular <k> <dimension>     the singular points of component k: dimension -1: none; then the places
//   @meet <i> <k>                 components i and k have points in common; then the places
//   @place <dimension>            one irreducible part of the set that was named last, with its
//   @equation <polynomial>
//   @radical 0|1                  whether the constraints are those of the union of the components, none of them twice
//   @end
std::string make_script(const PolynomialSystem& system);

} // namespace vessiot::decompose
