// Equations that hold at the start only (System::initially), and values of computed quantities that are held there: the
// start point is then where all constraints, the equations for the tops and these hold together.
//
//   z = (u, w, ...)                all jets are coordinates, derivatives above the tops where these equations have some
//   F_i^(0 .. c_i + e) = 0         e: how far they lie above
//   I_k(t, z) = 0
#pragma once

#include "manifold/jets.hpp"
#include "manifold/manifold.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

template <class S> class Compiled;

// Does the start point of this system need more than its constraints?
bool has_initial_equations(const System& system, const Prolongation& p);

template <class S> class InitialEquations {
public:
    // Throws InvalidInput where they contain derivatives that lie too far above what the equations determine.
    explicit InitialEquations(Compiled<S>& problem);

    const System& system() const { return system_; } // with these equations behind the others
    // Its coordinates are all of z, which begins as that of the problem does; there are no tops.
    const Prolongation& prolongation() const { return prolongation_; }
    Manifold<S>& manifold() { return *manifold_; }
    StartFunctions<S>& start_functions() { return start_functions_; }
    // The parameters, and what is held, are those of the problem now.
    void take_constants(Compiled<S>& problem);

private:
    System system_;
    Prolongation prolongation_;
    Jets<S> jets_;
    std::unique_ptr<Manifold<S>> manifold_;
    StartFunctions<S> start_functions_;
};

extern template class InitialEquations<double>;
extern template class InitialEquations<Quad>;

} // namespace vessiot
