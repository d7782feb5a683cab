// What has to be true at every point of a run (System::requirements): looked at where it begins, after each step,
// and where one of its conditions switches.
#pragma once

#include <optional>
#include <vector>

#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class Requirements {
public:
    explicit Requirements(RunState<S>& run);

    bool is_empty() const { return !function_; }
    // False: the run is over.
    bool are_met(S t, const S* x);

private:
    RunState<S>& run_;
    std::optional<expr::Function<S>> function_;
    bool needs_tops_ = false;
    linalg::Vector<S> w_;
    std::vector<S> values_;
    std::vector<char> is_noted_;
};

extern template class Requirements<double>;
extern template class Requirements<Quad>;

} // namespace vessiot
