// What a projection can be told, and what it counts.
#pragma once

#include <cstdint>

#include "manifold/manifold.hpp"

namespace vessiot {

// Where the iteration for the nearest point begins, at z = (p, mu).
enum class NewtonStart : std::uint8_t {
    a,         // (a, 0), a the point to be projected. [Tuomela, Arponen 2001, (5.2)]
    curvature, // moved by the curvature of the manifold at the start of the step. [the same, (5.3)]
};

// When it ends.
enum class NewtonStop : std::uint8_t {
    sound,   // at round-off, or where residuals stop falling (convergence.hpp)
    printed, // |z_k - z_(k-1)| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|. [Tuomela, Arponen, Normi, 6.1]
};

struct ProjectionOptions {
    double tolerance = 0; // of |f_i| over the size of row i (Manifold::sizes); 0: about round-off
    double floor =
        1e-9; // sizes of coordinates below this do not count: the absolute tolerance of the run, 1e-9 at most
    int max_iterations = 40; // of one projection
    // Of the nearest point:
    bool has_closed_first_step = true; // the first step from (a, 0) in closed form
    NewtonStart start = NewtonStart::a;
    NewtonStop stop = NewtonStop::sound;
};

struct ProjectionCounts {
    std::int64_t jacobians = 0, factorisations = 0;
};

// The point (t, u) in a vector x of a curve: t is the last coordinate in arclength, else tau.
template <class S> S time_at(const Manifold<S>& m, S tau, const S* x) {
    return m.has_t() ? x[m.n_coordinates() - 1] : tau;
}

} // namespace vessiot
