// What the iteration of an implicit step knows from the steps before.
#pragma once

namespace vessiot::method {

template <class S> struct NewtonState {
    S h_old = 0;               // size of the step before
    S theta = 0;               // ratio of increments in turn, of the last iteration
    S rate = 1;                // theta / (1 - theta)
    S keep = S(1e-3);          // J serves the next step too where theta is not above it
    int trouble = 0;           // iterations that failed of late
    bool has_old = false;      // the step before can be continued
    bool has_jacobian = false; // that still serves
    bool is_fresh = false;     // it is of the current point
    bool is_rejected = true;   // the last attempt was not accepted, or there was none

    void begin() { *this = {.keep = keep}; }
    // The last step, of h, was accepted.
    void go_on(S h) {
        h_old = h;
        has_old = true;
        is_fresh = is_rejected = false;
    }
};

} // namespace vessiot::method
