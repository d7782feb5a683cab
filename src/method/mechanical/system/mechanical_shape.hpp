// What makes a system mechanical, found in its structure: positions q, what moves them, and constraints on them.
//
//   second order    E(t, q) q'' + B(t, q) lambda = K(t, q, q'),   g(t, q) = 0        y = q' in what follows
//   hamiltonian     q' = H_p,   p' = -H_q - B lambda + force,     g(t, q) = 0        y = p
//
// with any number of constraints, none included. Models say it as a lagrangian, a hamiltonian, or equations of second
// order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "system/system.hpp"

namespace vessiot::method {

// Rows of families: the families, and by row of all of them the number it gets, -1 for none.
struct ShapeRows {
    std::vector<RowTemplate> families{};
    std::vector<std::int32_t> number{};
    std::int64_t n = 0;
};

struct MechanicalShape {
    std::string misfit{}; // what is missing, to go on from "needs "; empty: the rest is filled in
    bool is_hamiltonian = false;
    // By position: the coordinates of u that are q and y; and q', where a hamiltonian has it as one, else -1.
    std::vector<std::int32_t> q{}, y{}, rate{};
    std::vector<std::int32_t> lead{};       // by position: place in z of y'
    std::vector<std::int32_t> multiplier{}; // places in z
    ShapeRows forces{};                     // the equations with y'
    ShapeRows velocities{};                 // of a hamiltonian: the equations with q'
    ShapeRows constraints{};                // g

    std::int64_t n() const { return std::ssize(q); }
    std::int64_t m() const { return std::ssize(multiplier); }
};

MechanicalShape mechanical_shape(const System& system, const Prolongation& p);

} // namespace vessiot::method
