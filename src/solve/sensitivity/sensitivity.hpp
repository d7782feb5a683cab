// Derivatives of the solution by parameters and start values (Settings::sensitivity).
#pragma once

#include "method/registry.hpp"
#include "solve/problem/prepare.hpp"

namespace vessiot {

// Does a method carry derivatives of the solution along?
bool carries_sensitivities(const method::MethodInfo& method);

// Throws InvalidInput where a method or an option does not go together with derivatives.
void check_sensitivity(const Settings& options, const method::MethodInfo& method);

// The problem and its start point with the derivatives asked for. Throws InvalidInput where they do not exist.
template <class S> Prepared<S> with_sensitivities(const Prepared<S>& completed, const Settings& options);

extern template Prepared<double> with_sensitivities(const Prepared<double>&, const Settings&);
extern template Prepared<Quad> with_sensitivities(const Prepared<Quad>&, const Settings&);

// The derivatives of a consistent start point, block after block behind u in x, and the kept values of the invariants.
//
// A value that is given moves as its formula does, with the start value asked for by 1, and the rest by nothing; that
// is then made consistent with the constraints differentiated, A s + f_p = 0, as the point itself was: by the shortest
// change, in the same order of trust (start.hpp). The start value asked for counts as one from outside. `is_moved`: the
// values given did not satisfy the constraints (sensitivity_moved.cpp).
template <class S>
void differentiate_start(Compiled<S>& problem, const Settings& options, S t, bool is_moved, linalg::Vector<S>& x,
                         std::vector<std::string>& notes);

extern template void differentiate_start(Compiled<double>&, const Settings&, double, bool, linalg::Vector<double>&,
                                         std::vector<std::string>&);
extern template void differentiate_start(Compiled<Quad>&, const Settings&, Quad, bool, linalg::Vector<Quad>&,
                                         std::vector<std::string>&);

// Of the coordinates of the system itself, which are u, by one variable.
template <class S>
std::vector<S> differentiate_moved_start(const Compiled<S>& base, const Settings& options, S t, const S* u,
                                         const SensitivityVariable& variable);

} // namespace vessiot
