// What kind of system it is, as far as its structure tells: which unknowns are differentiated how often, how the
// highest derivatives enter, which unknowns are multipliers of which constraints. Hidden constraints, the index and the
// degrees of freedom need the completion of the system and are not decided here.
//
// Notation: y unknowns, q_j the highest derivative of y_j in the equations, f the equations, z all jets y, y', ...
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "system/functions.hpp"
#include "system/system.hpp"

namespace vessiot {

enum class SystemClass {
    explicit_ode,  // each equation gives the highest derivative of one unknown, y^(q) = F, each unknown once
    semi_explicit, // M u' = F(t, u), M constant, perhaps singular
    invariants,    // explicit_ode, with invariants
    holonomic,     // E(q, q') q'' + G(q)^T lambda = K(t, q, q'), g(t, q) = 0, G = dg/dq
    hamiltonian,   // q' = H_p, p' = -H_q, perhaps with constraints
    lie,           // Y' = A(t, Y) Y for matrices Y, perhaps with other unknowns
    general,       // f(t, y, y', ...) = 0
};

// The word of the command line and of JSON: explicit, semi_explicit, ...
std::string_view name(SystemClass c);

enum class UnknownRole { differential, algebraic, multiplier };
std::string_view name(UnknownRole role);

enum class Determination { square, overdetermined, underdetermined }; // by the number of equations

struct UnknownClass {
    UnknownRole role = UnknownRole::differential;
    std::int64_t n_algebraic = 0; // elements without derivatives in the equations

    friend bool operator==(const UnknownClass&, const UnknownClass&) = default;
};

struct Classification {
    SystemClass system_class = SystemClass::general;
    int order = 0;
    std::int64_t n_unknowns = 0, n_equations = 0; // elements
    std::int64_t n_templates = 0;                 // equations with a family counted once
    std::int64_t n_algebraic = 0;                 // elements without derivatives, multipliers among them
    std::int64_t n_multipliers = 0;               // elements
    std::vector<UnknownClass> unknowns;           // in the order of System::unknowns
    Determination determination = Determination::square;
    // Of a lagrangian: kinetic energy leaves directions of the velocities out, everywhere (quaternions, along q).
    bool has_singular_masses = false;

    friend bool operator==(const Classification&, const Classification&) = default;
};

// The functions must have been made with df and d2f; they are evaluated once.
Classification classify(const System& system, SystemFunctions<double>& functions);
Classification classify(const System& system);

} // namespace vessiot
