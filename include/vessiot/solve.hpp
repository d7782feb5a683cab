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

#include "vessiot/choices.hpp"
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

// What is given here goes before the model's own `option` lines, also where it is the default; what is not given is as
// these say, else as the comments do. The words are those of the command line (rtol is --rtol) and of `option`. Choices
// are enumerators or their words (choices.hpp); methods, projections, distributions and controls have names.
struct SolveOptions {
    using Number = std::optional<double>;
    using Count = std::optional<std::int64_t>;
    using Name = std::optional<std::string>;

    Name method{};            // a name of `vessiot methods`; auto: explicit, implicit where it is stiff (docs/solve.md)
    Number rtol{};            // relative tolerance of a step, > 0; 1e-6
    Number atol{};            // absolute tolerance of a step, > 0; in the units of the unknowns; 1e-9
    Number step{};            // > 0: constant steps of this size, of arclength in that parametrisation; 0: adaptive
    Number from{};            // start of the interval, instead of the model's
    Number to{};              // its end; before `from` runs backwards
    Number to_s{};            // arclength at which to end, in that parametrisation
    std::vector<double> at{}; // points to report, in any order
    Number every{};           // > 0: report at multiples of this from the start, and the end
    Name section{};           // report the crossings of the event of this name, and nothing else
    std::vector<std::pair<std::string, double>> start{}; // start values: {"x[3]'", 0.5}
    std::vector<std::pair<std::string, double>> guess{}; // where values are looked for that equations determine
    // Values at both ends are found first with these values of parameters, which then go to those of the model
    std::vector<std::pair<std::string, double>> homotopy{};
    // Derivatives of the solution by these: parameters "g", elements "m[2]", start values "start:x'"; "all" parameters
    std::vector<std::string> sensitivity{};
    Chosen<OnOff> sensitivity_control{};       // on, off: do their errors count for the size of steps?
    Name projection{};                         // auto: of the method; simplified, newton, chord, group, …, none
    Chosen<Projected> project{};               // auto: steps, in local coordinates stages; symmetric: what is projected
    Name distribution{};                       // auto, explicit, submatrix, solve, kkt, kkt-cg, kernel-qr, -svd, -rcg
    Chosen<Parametrisation> parametrisation{}; // auto, time, arclength
    Chosen<Formulation> formulation{};         // auto, general, invariants, holonomic
    Chosen<BrokenInvariants> invariants{};     // check, impose: what to do with one that the flow breaks
    Chosen<Switchings> conditions{};           // locate, ignore: what to do where a condition of the equations switches
    Chosen<Precision> precision{};             // double, quad
    Chosen<Backend> backend{};                 // auto, jit, interpreter
    Chosen<Continuation> continuation{};       // auto: the method's own point; high, low: by order, of an embedded pair
    Chosen<OnOff> init{};                      // newton, chord, inexact: on, off: first step in closed form
    Chosen<NewtonStart> newton_start{};        // a, curvature: where they begin
    Chosen<StopRule> newton_stop{}; // auto: sound; printed, increment: where they end; ray: residual, increment
    Number newton_tol{};            // its tolerance; 0: that of the rule
    std::vector<double> forcing{};  // inexact: eps_0 in (0, 1) and its decay in (0, 1], of linear systems
    Name partition{};               // ray: sets of unknowns, "[[x, y], [z]]"; auto: chosen
    Chosen<Fallback> fallback{};    // orthogonal, none: what is done where a ray misses the constraints
    Name control{};                 // auto, pi, elementary, doubling, tuomela: how steps get their size
    Number safety{};                // aims at this part of the longest step, below 1; 0: of the control (0.9)
    Number factor_min{};            // a step shrinks at most to this part, below 1; 0: of the control
    Number factor_max{};            // and grows at most by this factor, above 1; 0: of the control
    Chosen<NormKind> error_norm{};  // rms, max: how the errors of the coordinates make one
    Number h_first{};               // first step; 0: found
    Number h_min{};                 // the run ends where steps get smaller; 0: round-off of t
    Number h_max{};                 // 0: the interval
    Count order{};                  // of the method taylor, 1 to 30; 0: by the tolerances
    Count max_order{};              // highest order of methods whose order varies; 0: of the method
    Count max_steps{};              // accepted and rejected, >= 1; 1e7
    Count max_events{};             // crossings of all events, >= 1; 1e6
    bool dense = true;              // keep the curve, so that sol(t) works
    std::int64_t dense_limit = 0;   // > 0: only of a run with at most so many steps, whatever `keep` is
    bool throw_on_failure = true;   // SolveFailed for a run that ended early
    std::vector<std::shared_ptr<PointStream>> streams{}; // points go there as they are computed
    std::int64_t keep = 0;     // > 0: at most so many points stay in memory, evenly, and no curve; 0: all
    std::string checkpoint{};  // a file from which the run can go on after the end of this process
    std::string resume{};      // such a file: the run goes on from there, bit for bit as without a break
    Number checkpoint_every{}; // seconds between two writings of it; 0: at every chance; 10
    Count checkpoint_steps{};  // accepted steps after which methods begin anew, and it may be written; 1000
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
