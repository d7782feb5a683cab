// What a projection can be told.
#pragma once

#include <cstdint>

#include "manifold/manifold.hpp"
#include "vessiot/choices.hpp"

namespace vessiot {

// When an iteration ends.
enum class NewtonStop : std::uint8_t {
    sound,     // at round-off, or where residuals stop falling (convergence.hpp)
    printed,   // nearest point: |z_k - z_(k-1)| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|. [Tuomela, Arponen, Normi, 6.1]
    increment, // max |z_k - z_(k-1)| < 1e-7, at most 30 iterations. [Tuomela, Arponen 2001, 5.3]
};

// How well inexact Newton methods solve their linear systems: eps_0 = first, eps_(k+1) = decay eps_k. 0: as inexact.hpp
// says.
struct Forcing {
    double first = 0, decay = 0;
};

// When an iteration along rays ends (ray.hpp).
enum class RayStop : std::uint8_t { sound, residual, increment };

struct RayRules {
    RayStop stop = RayStop::sound;
    double tolerance = 0; // of residual and increment; 0: about round-off
    bool has_fallback = true;
    bool has_one_map = false; // steps are adaptive: those with points of two maps fail
};

struct ProjectionOptions {
    double tolerance =
        0; // sound: of |f_i| over the size of row i (Manifold::sizes), 0: about round-off; else of the rule
    double floor =
        1e-9; // sizes of coordinates below this do not count: the absolute tolerance of the run, 1e-9 at most
    int max_iterations = 40; // of one projection
    // Of the nearest point:
    bool has_closed_first_step = true; // the first step from (a, 0) in closed form
    NewtonStart start = NewtonStart::a;
    NewtonStop stop = NewtonStop::sound; // of all that iterate; printed of the nearest point only
    Forcing forcing{};                   // inexact
};

// The point (t, u) in a vector x of a curve: t is the last coordinate in arclength, else tau.
template <class S> S time_at(const Manifold<S>& m, S tau, const S* x) {
    return m.has_t() ? x[m.n_coordinates() - 1] : tau;
}

} // namespace vessiot
