// The sizes of the steps of a run: the one to try next, its limits and its control; of constant steps the grid on which
// they are counted.
#pragma once

#include "control/controller.hpp"
#include "control/settings.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/step_grid.hpp"

namespace vessiot {

template <class S> struct StepSizes {
    StepSizes(const ControlSettings& settings, bool varies, const StepGrid<S>& times)
        : is_adaptive(varies), control(settings), controller(settings.controller), grid(times) {}

    bool is_adaptive;
    ControlSettings control;
    Controller<S> controller;
    S h = 0;                   // to try next
    S floor = 0, most = 0;     // limits of |h|
    StepGrid<S> grid;          // of constant steps
    StepGrid<S> grid_before{}; // the last one
    S part = 0;                // of a constant step, which is to be made next; 0: all of it

    // Goes on with the control of another method, which knows nothing of the past.
    void follow(const ControlSettings& settings) {
        control = settings;
        controller = Controller<S>(settings.controller);
    }
    void limit(S direction) {
        if (linalg::absolute(h) > most) h = direction * most;
    }
    template <class Archive> void exchange(Archive& archive) {
        archive("h", h);
        archive("floor", floor);
        archive("most", most);
        archive("part", part);
        archive.part("grid", 1, [&] { grid.exchange(archive); });
    }
    // A constant step ends at tau; at the end of the interval the last one of the grid does.
    void advance_grid(S tau, bool is_last) {
        if (is_last || grid.is_next(tau))
            grid.advance();
        else
            grid.advance_to(tau);
    }
};

// The step that is tried: where it is to end, and what was found.
template <class S> struct Attempt {
    S error = 0; // of the last plain step, where that was rejected: the first thing that is known about the next one
    bool is_last = false;                // ends at the end of the interval
    bool is_tick = false;                // ends at the time of events
    S tick = 0;                          // that time
    bool ends_at_switch = false;         // ends where a condition of t alone switches
    S switch_at = 0;                     // that time
    bool is_too_large = false;           // its result cannot be reported
    bool has_failed_to_converge = false; // or its error was too large, at one of its sizes
    bool tries_again = false;            // it was made, and is not to be believed
};

} // namespace vessiot
