// Contacts of a lagrangian or hamiltonian, as equations with modes that are held between events.
//
// A contact g(t, q) >= 0 pushes with a force F >= 0 along dg/dq; friction acts by T along velocities v(t, q, q'), with
// |T| <= mu F. Which of the equations hold is a mode s of the contact, held between events:
//
//     s                g             F                    T                               v
//     0 free           g >= 0        F = 0                T = 0
//     1 closed, slides g = 0         F >= 0               T = -mu F v/|v|                 v /= 0
//     2 closed, sticks g = 0         F >= 0               |T| <= mu F                     v = 0
//
// All modes have one structure: with unknowns z and w that nothing else knows,
//
//     if(s != 0, g, z) = 0,    if(s != 0, z'', F) = 0,
//     if(s == 2, v, w) = 0,    if(s == 2, w', if(s == 1, T + mu F d, T)) = 0,
//
// so that z and w stay 0, the rows of constraints have full rank in every mode, and one completion serves all. d is the
// direction of sliding: a held sign for one velocity; for two (v + h)/|v + h| with a held h, far below all speeds, that
// says where sliding from rest leads. A held margin, at round-off, keeps what begins at zero from being met there. What
// becomes of modes at events is the business of solve/contacts/.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "system/check.hpp"
#include "system/system.hpp"

namespace vessiot {

inline constexpr int contact_free = 0, contact_slides = 1, contact_sticks = 2; // modes
inline constexpr double heading_share = 10; // of two velocities: |v| = this times |h| counts as rest

// Adds the unknowns, what is held, the equations and the events of all contacts.
void derive_contacts(System& system);
// The first contact that makes no sense: its gap is not of positions, a velocity of friction is not affine.
std::optional<Mistake> check_contacts(const System& system);

// The element of the friction of an instance that belongs to its velocity number k.
expr::ListId sliding_target(expr::Graph& g, const Contact& contact, std::size_t k);

// Calls visit(contact, env) for all instances in their order.
void for_each_contact(const System& system, const std::function<void(const Contact&, const expr::Env&)>& visit);
// "b[2].floor"
std::string contact_name(const System& system, const Contact& contact, const expr::Env& env);

} // namespace vessiot
