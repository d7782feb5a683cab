// What an event with `then` does to a point of the curve: some coordinates get new values, and the rest is made
// consistent with them.
//
// The values set stay as they are. What is algebraic moves first, then the other coordinates, as little as possible and
// stage after stage (positions by position constraints, then velocities by theirs). The levels of invariants that the
// model does not give are taken anew.
#pragma once

#include <string>
#include <vector>

#include "linalg/vector.hpp"
#include "projection/consistent.hpp"
#include "solve/event_functions.hpp"
#include "solve/problem.hpp"

namespace vessiot {

template <class S> class Jump {
public:
    Jump(Problem<S>& problem, EventFunctions<S>& events);

    // The jump of an event from u at t, with what is discrete. Empty where it is done; else why there is no such point,
    // and u is as it was before. Takes memory.
    std::string operator()(std::size_t event, S t, linalg::Vector<S>& u);

private:
    std::string contradiction(std::size_t event, Manifold<S>& manifold, S t, const S* u) const;
    std::string not_finite(std::size_t event, S value, std::size_t k) const;

    Problem<S>& problem_;
    EventFunctions<S>& events_;
    std::vector<Freedom> usual_; // of the coordinates that are not set
};

extern template class Jump<double>;
extern template class Jump<expr::Quad>;

} // namespace vessiot
