// Solves a model: its curve from the start point, which never leaves the constraints.
//
//     auto model = vessiot::Model::load("pendulum.ves");
//     auto sol = vessiot::solve(model, {.method = "dop853", .rtol = 1e-10, .to = 20.0});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vessiot/observer.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/stream.hpp"

namespace vessiot {

class Model;

// Where a run is, at most ten times a second.
struct Progress {
    double fraction = 0; // of the interval
    double t = 0, h = 0;
    std::int64_t steps = 0;
};

// A model's own `option` lines change these defaults; what is set here goes before them only if it differs from the
// default. The words are those of the command line (rtol is --rtol) and of `option`.
struct SolveOptions {
    std::string method = "auto";  // a name of `vessiot methods`; auto: dopri54, radau5 where it is stiff
    double rtol = 1e-6;           // relative tolerance of a step, > 0
    double atol = 1e-9;           // absolute tolerance of a step, > 0; in the units of the unknowns
    double step = 0;              // > 0: constant steps of this size, of arclength in that parametrisation
    std::optional<double> from{}; // start of the interval, instead of the model's
    std::optional<double> to{};   // its end; before `from` runs backwards
    std::optional<double> to_s{}; // arclength at which to end, in that parametrisation
    std::vector<double> at{};     // points to report, in any order
    double every = 0;             // > 0: report at multiples of this from the start, and the end
    std::string section{};        // report the crossings of the event of this name, and nothing else
    std::vector<std::pair<std::string, double>> start{}; // start values: {"x[3]'", 0.5}
    std::vector<std::pair<std::string, double>> guess{}; // where values are looked for that equations determine
    // Derivatives of the solution by these: parameters "g", elements "m[2]", start values "start:x'"; "all" parameters
    std::vector<std::string> sensitivity{};
    std::string sensitivity_control = "on"; // on, off: do their errors count for the size of steps?
    std::string projection = "auto";   // auto: of the method; simplified, newton, chord, group, partition, ray, …, none
    std::string project = "auto";      // auto: steps, in local coordinates stages; symmetric: what is projected
    std::string distribution = "auto"; // auto, explicit, submatrix, solve, kkt, kkt-cg, kernel-qr, -svd, -rcg
    std::string parametrisation = "auto"; // auto, time, arclength
    std::string formulation = "auto";     // auto, general, invariants, holonomic
    std::string invariants = "check";     // check, impose: what to do with one that the flow breaks
    std::string conditions = "locate";    // locate, ignore: what to do where a condition of the equations switches
    std::string precision = "double";     // double, quad
    std::string backend = "auto";         // auto, jit, interpreter
    std::string continuation = "auto";    // auto: the method's own point; high, low: by order, of an embedded pair
    std::string init = "on";              // newton, chord, inexact: on, off: first step in closed form
    std::string newton_start = "a";       // a, curvature: where they begin
    std::string newton_stop = "auto";     // auto: sound; sound, printed: where they end; ray: residual, increment
    double newton_tol = 0;                // tolerance of residual and increment; 0: round-off
    std::string partition = "auto";       // ray: sets of unknowns, "[[x, y], [z]]"; auto: chosen
    std::string fallback = "orthogonal";  // orthogonal, none: what is done where a ray misses the constraints
    std::string control = "auto";         // auto, pi, elementary, doubling, tuomela: how steps get their size
    double safety = 0;                    // aims at this part of the longest step, below 1; 0: of the control (0.9)
    double factor_min = 0;                // a step shrinks at most to this part, below 1; 0: of the control
    double factor_max = 0;                // and grows at most by this factor, above 1; 0: of the control
    std::string error_norm = "rms";       // rms, max: how the errors of the coordinates make one
    double h_first = 0;                   // first step; 0: found
    double h_min = 0;                     // the run ends where steps get smaller; 0: round-off of t
    double h_max = 0;                     // 0: the interval
    std::int64_t order = 0;               // of the method taylor, 1 to 30; 0: by the tolerances
    std::int64_t max_order = 0;           // highest order of methods whose order varies; 0: of the method
    std::int64_t max_steps = 10'000'000;  // accepted and rejected, >= 1
    std::int64_t max_events = 1'000'000;  // crossings of all events, >= 1
    bool dense = true;                    // keep the curve, so that sol(t) works
    std::int64_t dense_limit = 0;         // > 0: only of a run with at most so many steps, whatever `keep` is
    bool throw_on_failure = true;         // SolveFailed for a run that ended early
    std::vector<std::shared_ptr<PointStream>> streams{}; // points go there as they are computed
    std::int64_t keep = 0;                // > 0: at most so many points stay in memory, evenly, and no curve; 0: all
    std::string checkpoint{};             // a file from which the run can go on after the end of this process
    std::string resume{};                 // such a file: the run goes on from there, bit for bit as without a break
    double checkpoint_every = 10;         // seconds between two writings of it; 0: at every chance
    std::int64_t checkpoint_steps = 1000; // accepted steps after which methods begin anew, and it may be written
    // Called from time to time; the run stops cleanly where it returns false.
    std::function<bool(const Progress&)> progress{};
    // Called after every accepted step, and where an event is met: observer.hpp. Steps are as with dense = true. A run
    // that is made once more in arclength, since t turns in it, is seen once more from its start.
    Observer<StepView> on_step{};
    Observer<EventView> on_event{};
    std::stop_token stop{}; // ends the run within a step where it asks for it
};

Solution solve(const Model& model, const SolveOptions& options = {});

} // namespace vessiot
