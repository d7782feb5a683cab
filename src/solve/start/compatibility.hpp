// Does the flow stay where the model says it stays? Invariants must be conserved, and of more equations than unknowns
// each must go on holding. Looked at with numbers, at the start point and near it.
#pragma once

#include <string>
#include <vector>

#include "linalg/vector.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

// Throws InvalidInput with the name and size of what is broken; returns notes about invariants that are broken, but
// imposed (Settings::invariants).
template <class S>
std::vector<std::string> check_compatibility(Compiled<S>& problem, const Settings& options, S t,
                                             const linalg::Vector<S>& u);

extern template std::vector<std::string> check_compatibility(Compiled<double>&, const Settings&, double,
                                                             const linalg::Vector<double>&);
extern template std::vector<std::string> check_compatibility(Compiled<Quad>&, const Settings&, Quad,
                                                             const linalg::Vector<Quad>&);

} // namespace vessiot
