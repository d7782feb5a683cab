// Does a system fall into two halves, q' = a(t, p) and p' = b(t, q)? So do separable Hamiltonians H = T(p) + U(q), and
// equations y'' = f(t, y).
//
// By structure: coordinates of which one occurs in the derivative of the other must be in different halves, which is a
// colouring of a graph. In each of its connected parts the coordinate that the model declares first is a position,
// with a `hamiltonian` the positions that it names are.
#pragma once

#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "system/system.hpp"

namespace vessiot::method {

struct Separation {
    std::vector<char> is_momentum{}; // by coordinate
    std::string misfit{};            // why there is none, "x' depends on x"; empty: there is
};

Separation separate(const System& system, const Prolongation& prolongation);

} // namespace vessiot::method
