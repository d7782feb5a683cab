// The method `ida`: backward differentiation of variable order, 1 to 5, and variable steps, by IDA of SUNDIALS
// [HBG05], on the stabilised form [GGL85] of the completed system, of index 2 where there are constraints, else an
// ordinary differential equation:
//
//     u' = V(t, u) - D^T mu,   f(t, u) = 0
//
// V and f as for every other method; f has all constraints, hidden ones included; mu vanishes along the solution. D is
// df where the Jacobian was evaluated last: any rows near to those of df serve, and these make the matrix of the
// iteration exact (stabilised_solver.hpp). The errors of mu count for nothing. Without projection there is no f, and no
// mu.
//
// IDA chooses steps and order. Its polynomial, of the order of the step, is the dense output; points are then projected
// as those of other methods are, and IDA goes on from its own. Where it gives up at a point it starts anew from there,
// with the step that the loop proposes.
#pragma once

#include <memory>

#include "method/registry.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

// Was it found when the library was built?
bool has_ida();

// Throws InvalidInput where it was not, and in quadruple precision, which IDA does not have.
template <class S>
std::unique_ptr<Stepper<S>> make_ida(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                     const StepperOptions<S>& options);

extern const Family ida_family; // stepper.cpp

} // namespace vessiot::method
