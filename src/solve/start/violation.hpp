// Constraints that a point does not satisfy, in the words of the model.
#pragma once

#include <string>
#include <vector>

#include "manifold/manifold.hpp"

namespace vessiot {

struct Violation {
    ConstraintRow row{};
    std::int64_t number = 0; // of the row
    std::string equation{};  // as written, of the worst hundred
    double residual = 0;     // |lhs - rhs|
    double scaled = 0;       // over the size of the row
};

// Is there any?
template <class S> bool has_violations(Manifold<S>& manifold, S t, const S* u);
// Worst first, as far as they are told; of an equation with its derivatives, the equation itself first.
template <class S> std::vector<Violation> find_violations(Manifold<S>& manifold, S t, const S* u);

// "equation 3 (x^2 + y^2 = l^2) is off by 0.25; hidden: its derivative by 1", for the worst equations.
std::string to_text(const std::vector<Violation>& violations);

extern template bool has_violations(Manifold<double>&, double, const double*);
extern template bool has_violations(Manifold<Quad>&, Quad, const Quad*);
extern template std::vector<Violation> find_violations(Manifold<double>&, double, const double*);
extern template std::vector<Violation> find_violations(Manifold<Quad>&, Quad, const Quad*);

} // namespace vessiot
