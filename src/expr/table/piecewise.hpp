// Polynomials between the points of a line.
#pragma once

#include <cstddef>
#include <vector>

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// Coefficients of one piece: c[0] + c[1] (x - o) + …
using Coefficients = std::vector<Quad>;

// Of every interval between two points, seen from its left end.
std::vector<Coefficients> step_pieces(const std::vector<Quad>& y);
std::vector<Coefficients> linear_pieces(const std::vector<Quad>& x, const std::vector<Quad>& y);
// Twice continuously differentiable; the third derivative is continuous at the second and the last but one point.
std::vector<Coefficients> spline_pieces(const std::vector<Quad>& x, const std::vector<Quad>& y);
// Rises, falls and stays where the points do. [FC80]
std::vector<Coefficients> monotone_pieces(const std::vector<Quad>& x, const std::vector<Quad>& y);

} // namespace vessiot::expr
