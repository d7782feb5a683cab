// What the choice among methods counts: operations, never time, so that a run chooses alike on every machine.
#pragma once

#include "method/parts.hpp"

namespace vessiot::method {

// Of a direction, about: those of its formulas; without formulas thirty for each number that is found.
template <class S> double direction_operations(const Parts<S>& parts) {
    const Distribution<S>& d = parts.distribution;
    if (const auto* f = d.velocity_function()) return static_cast<double>(f->kernel().n_evaluated());
    return 30.0 * static_cast<double>(d.n_state() + d.n_tops());
}

} // namespace vessiot::method
