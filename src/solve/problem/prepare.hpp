// From a system to where a run can begin: its analysis, the problem made ready, a consistent start point.
#pragma once

#include <memory>
#include <utility>

#include "solve/problem/compiled.hpp"
#include "solve/start/start_modes.hpp"

namespace vessiot {

// From and to, by the options or the model. Throws InvalidInput where neither says it, or where it has length zero and
// that is not allowed.
std::pair<Quad, Quad> interval(const System& system, const Settings& options, bool is_point_allowed = false);

template <class S> struct Prepared {
    std::shared_ptr<Analysis> analysis; // whose parameters a workspace may change
    std::shared_ptr<Compiled<S>> problem;
    StartPoint<S> start;
    std::shared_ptr<StartModes<S>> modes{}; // to find those of another run; null where a workspace serves once
};

// Where there is no direction at the start point, the structure may have misled: then what follows from the equations
// is found with numbers, and all is made anew. Throws InvalidInput.
template <class S> Prepared<S> prepare(const System& system, const Settings& options, Quad t);

extern template Prepared<double> prepare(const System&, const Settings&, Quad);
extern template Prepared<Quad> prepare(const System&, const Settings&, Quad);

} // namespace vessiot
