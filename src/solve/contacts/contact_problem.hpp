// Impulses, or forces, of contacts that are closed: a linear complementarity problem.
//
// Each contact has a row n of relative velocities along its gap and up to two rows t along which friction acts. With
// A = J M^-1 J^T over all rows (J their derivatives by the velocities) and what holds without the contacts, b,
//
//     y = b + A p,     0 <= y_n  _|_  p_n >= 0,     |p_t| <= mu p_n,   p_t = -mu p_n y_t/|y_t| where y_t /= 0.
//
// Of an impact b is the velocity before, with e u_n- added in the row n (Moreau's law: y_n = u_n+ + e u_n-); at rest
// the acceleration. A contact that slides has the direction of its friction given: p_t = -mu p_n d.
//
// Friction in the row t is the problem of Stewart and Trinkle: p_t = D beta over directions +-d, beta >= 0, and a speed
// sigma >= 0,   0 <= sigma + D^T y_t _|_ beta,   0 <= mu p_n - sum beta _|_ sigma.   Of two rows the four directions
// are turned until p_t lies on one of them, where the pyramid is the cone. [ST96]
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/quad.hpp"

namespace vessiot {

template <class S> struct ContactRow {
    std::size_t normal = 0;             // rows of A
    std::array<std::size_t, 2> along{}; // the first n_along of them
    std::size_t n_along = 0;
    S mu = 0;
    bool slides = false;
    std::array<S, 2> direction{}; // of sliding: a unit vector
};

template <class S> struct ContactProblem {
    std::size_t n_rows = 0;
    std::vector<S> A; // by rows
    std::vector<S> b;
    std::vector<ContactRow<S>> contacts;

    // p by row; nothing where there is none.
    std::optional<std::vector<S>> solve() const;
    // y = b + A p
    std::vector<S> result(const std::vector<S>& p) const;
};

extern template struct ContactProblem<double>;
extern template struct ContactProblem<Quad>;

} // namespace vessiot
