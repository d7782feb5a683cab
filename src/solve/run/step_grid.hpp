// The times of constant steps. They are counted: added up one by one, n of them would be off by about n round-offs, and
// the last step, to the end of the interval, with them. A step that has to end between two points of the grid (where an
// event happens at a given time, say) is followed by one to the next point: the grid stays.
#pragma once

#include <cstdint>

#include "linalg/scalar.hpp"

namespace vessiot {

template <class S> struct StepGrid {
    S origin = 0, step = 0;
    std::int64_t n = 0; // of steps made
    S part = 0;         // of the next one that has been made already

    S now() const { return origin + S(n) * step + part; }
    // To the next point of the grid.
    S rest() const { return step - part; }
    bool is_next(S tau) const {
        const S off = tau - (origin + S(n + 1) * step), round_off = S(8) * linalg::epsilon<S>() * linalg::absolute(tau);
        return linalg::absolute(off) <= S(1e-9) * linalg::absolute(step) + round_off;
    }
    void advance() {
        ++n;
        part = 0;
    }
    void advance_to(S tau) { part = tau - (origin + S(n) * step); }
    template <class Archive> void exchange(Archive& archive) {
        archive("origin", origin);
        archive("step", step);
        archive("n", n);
        archive("part", part);
    }
};

} // namespace vessiot
