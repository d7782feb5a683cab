// The conditions of a system, held still.
//
// Where equations contain `if`, abs, sign, min, max, floor, ceil, mod or atan2 the solution is not smooth. Each such
// place is a surface g = 0 (of floor: g = n for the whole numbers n), and which side a point is on is a quantity of its
// own, the *mode* s = sign(g) (or n = floor(g)), held between two switchings (System::held). With
//     a < b       0 < s,  g = b - a          abs(g)      if(s < 0, -g, g)  min(a, b)   if(0 < s, a, b),  g = b - a
//     sign(g)     s                          floor(g)    n                 ceil(g)     -floor(-g)
//     the piece of a table that g lies in: n, the number of places of its list that g has passed
//     atan2(y, x) left of the origin (sign of x) +-pi + atan2(-y, -x), with the sign of y
// in place of what the author wrote all expressions are smooth for given modes, and go on smoothly beyond a surface. A
// run finds where the surfaces are met, ends a step there and changes modes. s = 0 where g is zero and stays zero.
// Modes have no name among what is held: they are nothing that a user sets or sees.
//
// What events that are looked at always set, and what is required all along, is made of modes in the same way.
//
// Conditions of parameters, of loop indices and of what is held already are left as they are.
#pragma once

#include <string>
#include <vector>

#include "system/system.hpp"

namespace vessiot {

// floor: g = n for the whole numbers; places: g = one of the numbers of the list of the condition (Op::locate).
enum class SurfaceKind { sign, floor, places };

// A family of surfaces: one for every instance of the domain.
struct Surface {
    SurfaceKind kind = SurfaceKind::sign;
    std::size_t held = 0; // the modes: number in System::held
    expr::DomainId domain = 0;
    expr::ListId target = 0;    // the element of the modes that belongs to an instance
    expr::NodeId value = 0;     // g
    expr::NodeId condition = 0; // as the author wrote it
    bool is_of_time = false;    // g depends on t, parameters and what is held, and on nothing else
};

struct Conditions {
    System system; // with modes
    std::vector<Surface> surfaces;
};

// NOTE: a derivative that occurs in conditions only would be lost with them: such conditions stay as they are.
Conditions hold_conditions(const System& given);

// The condition of one instance, in the author's words: "x[3] < 1".
std::string condition_text(expr::Graph& g, const Surface& surface, const expr::Env& env);

} // namespace vessiot
