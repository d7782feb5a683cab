// From the offsets of a system to what can be integrated: which jets are the coordinates u of the manifold M, which
// total derivatives of the equations cut it out, and which square linear system gives the highest derivatives w.
// [Pry01]
//
//   u: y_j^(0 .. d_j-1)      coordinates of M at a fixed t
//   w: y_j^(d_j)             the tops; with them u' is known
//   F_i^(0 .. c_i-1) = 0     constraints: they contain u and t only
//   F_i^(c_i) = 0            a square system for w, linear in w:  r(t, u) + A(t, u) w = 0
//
// (prolong_general makes another one, which need not be square.)
//
// Where F_i with c_i = 0 is not linear in the tops (an implicit equation, an algebraic unknown that enters nonlinearly)
// its c_i and the d_j of its partner are raised by one, and with them every c_k, d_l that the inequalities
// d_l - c_k >= sigma_kl then ask for: F_i becomes a constraint, and its derivative, which is linear, gives the new top.
#pragma once

#include <cstdint>
#include <vector>

#include "completion/structure.hpp"
#include "system/functions.hpp"
#include "system/system.hpp"

namespace vessiot {

// F^(order) of a family of equations, all instances.
struct RowFamily {
    std::size_t equation = 0; // number in System::equations
    int order = 0;            // of the total derivative
    expr::DomainId domain = 0;
    expr::NodeId residual = 0;
    std::int64_t first = 0, count = 0; // row numbers
};

struct RowSet {
    std::vector<RowFamily> families{};
    std::int64_t n_rows = 0;              // of all families
    std::vector<std::int32_t> selected{}; // rows that belong to the set, ascending; all where offsets are uniform
    std::vector<std::int32_t> equation{}; // beside each of them: the equation, counted element by element
};

struct Prolongation {
    Offsets offsets{};
    bool is_raised = false;  // some offsets are higher than the canonical ones
    bool is_general = false; // made by prolong_general

    // z: whole arrays of jets, in a fixed order; those that hold coordinates of M only come first.
    Coordinates z{};
    std::vector<std::int32_t> state{}; // position in z of each coordinate of M
    std::vector<std::int32_t> top{};   // position in z of each top, by unknown element
    std::vector<std::int32_t> next{};  // by coordinate: position in z of its derivative
    bool is_contiguous = true;         // u is the beginning of z, and w what follows

    RowSet constraints{}, tops{};

    std::int64_t n_equations() const { return std::ssize(tops.selected); }
    std::int64_t n_state() const { return std::ssize(state); }
    std::int64_t n_tops() const { return std::ssize(top); }
};

// All of these throw InvalidInput where an equation would have to be differentiated too often, or gets too long.

// The structure must be regular.
Prolongation prolong(const System& system, const Structure& structure);

// The system as it is written, in the jets up to the highest ones that occur: no equation is taken for hidden, each is
// a constraint, and each is differentiated once, which makes a system of at least as many linear equations as tops.
// There may be more equations than unknowns; that they are all there is to know (the system is involutive) is for
// numbers to verify. [Tuomela, Arponen, Normi, section 3.1]
//
//   u: y_j^(0 .. q_j),   w: y_j^(q_j+1),   F_i = 0 constraints,   F_i' = 0 for w
Prolongation prolong_general(const System& system, const Signature& signature);

// The system as it is written, in as few coordinates as its equations have: the tops are the highest derivatives that
// occur, and each equation is differentiated until it contains one.
//
//   u: y_j^(0 .. d_j-1),   w: y_j^(d_j),   d_j = q_j,   c_i = min_j d_j - sigma_ij
//
// Where an equation is not linear in the tops all numbers are one higher. There may be more equations than unknowns,
// or more unknown tops than these equations determine: what follows from them is found with numbers (involution/).
Prolongation prolong_written(const System& system, const Signature& signature);

} // namespace vessiot
