// The classes of systems that are made at random. One file each; adding one is a function and a line in classes.cpp.
#pragma once

#include <span>
#include <string_view>

#include "differential/choice.hpp"
#include "differential/system.hpp"

namespace vessiot::differential {

struct ClassInfo {
    std::string_view name;
    System (*make)(Choice& choice);
    std::string_view what;
    bool is_false = false; // its systems ought to be refused, or to fail
};

std::span<const ClassInfo> classes();
const ClassInfo* find_class(std::string_view name);

// The system of this class and seed, with its interval; valid (system.hpp).
System make_system(const ClassInfo& info, std::uint64_t seed);

System explicit_system(Choice& choice);
System separable_system(Choice& choice);
System stiff_system(Choice& choice);
System implicit_system(Choice& choice);
System roots_system(Choice& choice);
System hessenberg_system(Choice& choice, int index);
System overdetermined_system(Choice& choice);
System mechanical_system(Choice& choice);
System pendulum_system(Choice& choice);
System family_system(Choice& choice);
System chain_system(Choice& choice);
System invariant_system(Choice& choice);
System false_invariant_system(Choice& choice);
System switching_system(Choice& choice);
System kinks_system(Choice& choice);
System clock_system(Choice& choice);
System jump_system(Choice& choice);
System bounce_system(Choice& choice);
System mode_system(Choice& choice);
System sampled_system(Choice& choice);

// Names x1, x2, … as formulas.
std::vector<Formula> formulas(const System& system);
// x_k' + f = …, f of all unknowns, for each unknown of the system.
void add_explicit_equations(Choice& choice, System& system, double size);

} // namespace vessiot::differential
