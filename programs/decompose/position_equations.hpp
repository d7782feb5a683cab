// Which equations are constraints on positions, and what they are element by element.
#pragma once

#include <vector>

#include "system/system.hpp"

namespace vessiot::decompose {

// One instance of an equation, with nothing left of loops, sums and arrays of `let`: residual = 0.
struct WrittenOut {
    std::size_t equation = 0; // number in System::equations
    expr::NodeId residual = 0;
};

// The `constraint`s of a lagrangian or hamiltonian without derivatives; where there is neither, the written equations
// without derivatives. Notes name what was left out, though it is a constraint. Throws InvalidInput where there is
// none, and where there are more than any decomposition could treat.
std::vector<WrittenOut> position_equations(const System& system, std::vector<std::string>& notes);

} // namespace vessiot::decompose
