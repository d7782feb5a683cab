// What has to be true at every point of a run (System::requirements): looked at where it begins, after each step,
// and where one of its conditions switches.
#pragma once

#include <vector>

#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class Requirements {
public:
    explicit Requirements(RunState<S>& run) : run_(run), is_noted_(run.problem().system().requirements.size()) {}

    bool is_empty() const { return run_.engine.requirements.is_empty(); }
    // False: the run is over.
    bool are_met(S t, const S* x);

private:
    RunState<S>& run_;
    std::vector<char> is_noted_;
};

extern template class Requirements<double>;
extern template class Requirements<Quad>;

} // namespace vessiot
