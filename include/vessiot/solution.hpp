// What a run gives: the points asked for, every value with its name, the curve between them, what happened on the way.
//
//     auto sol = vessiot::solve(model, {.rtol = 1e-8});
//     std::cout << sol.summary();
//     double x = sol(3.7, "x");                   // dense output, projected onto the constraints
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vessiot/error.hpp"
#include "vessiot/views.hpp"

namespace vessiot {

enum class Status : std::uint8_t {
    success,     // the end of the interval, or an event that stops the run
    failed,      // it ended early: `message` says why and where; all points up to there are kept
    interrupted, // SolveOptions::progress, or a stop token, asked for it
    stopped,     // an observer asked for it
};
std::string_view name(Status status);

// What the values given for the start point violate, and how it was made consistent.
struct StartReport {
    struct Violation {
        std::string equation;   // as written
        int derivative = 0;     // of it; 0: the equation itself
        bool is_hidden = false; // not written by the author
        double residual = 0;    // |lhs - rhs|
    };
    struct Move {
        std::string name;
        double from = 0, to = 0;
    };
    std::vector<Violation> violations; // worst equation first
    std::vector<Move> moves;           // largest first
};

// What kind of system was solved.
struct SystemSummary {
    std::string system_class; // explicit, semi_explicit, invariants, holonomic, general, hamiltonian
    int order = 0;
    std::int64_t unknowns = 0, equations = 0, invariants = 0;
    std::int64_t hidden_constraints = 0;
    int index = 0, structural_index = 0;
    std::int64_t degrees_of_freedom = 0;
    std::int64_t manifold_dimension = 0; // t included
};

// How it was solved; the words are those of SolveOptions.
struct MethodSummary {
    std::string name;
    int order = 0;
    std::string projection, project, distribution, parametrisation, precision;
    double rtol = 0, atol = 0, step = 0; // step: 0 where it was adaptive
    std::string choice{};                // method = auto: which one was taken, from where on, and why
};

// How a problem with conditions at both ends was solved; intervals is 0 where there were none.
struct EndsSummary {
    struct Value {
        std::string name;
        double value = 0;
    };
    struct Residual {
        std::string condition; // "v1 = 0 at the end"
        double residual = 0;   // left side minus right side
    };
    // Of a periodic solution: how a small change of the start point grows in one period.
    struct Multiplier {
        double re = 0, im = 0;
        std::string trivial{}; // why it is 1 for every solution of this kind; empty: it says something
    };
    std::int64_t intervals = 0;                // of multiple shooting
    std::int64_t unknowns = 0, conditions = 0; // counted on the manifold: what is to be found, what is asked for
    std::int64_t dependent = 0;                // conditions that follow from the others, conserved quantities being so
    std::int64_t iterations = 0, runs = 0;     // of Newton's method, and of the equations over an interval
    std::int64_t homotopy_steps = 0;
    double error = 0;                    // of what was found, in tolerances, by a solve with tighter ones
    std::vector<Value> start;            // start values that were found
    std::vector<Value> parameters;       // those that are free
    std::vector<Residual> residuals;     // of each condition
    std::vector<Multiplier> multipliers; // largest first
};

// Wall time.
struct Seconds {
    double total = 0;        // of solve(), reading the model apart
    double compile = 0;      // waited for compiled code
    double integrate = 0;    // the step loop
    double distribution = 0; // of it: directions
    double projection = 0;   // of it: projections
};

struct Stats {
    std::int64_t steps = 0;    // accepted
    std::int64_t rejected = 0; // all of the causes below
    std::int64_t rejected_error = 0, rejected_projection = 0, rejected_direction = 0;
    std::int64_t rejected_iteration = 0; // implicit methods: the iteration for the stages did not converge
    std::int64_t stages = 0;             // stage points computed
    std::int64_t direction_evaluations = 0, jacobian_evaluations = 0, factorisations = 0;
    std::int64_t projections = 0, newton_iterations = 0; // iterations of all projections
    std::int64_t newton_max = 0;                         // of one projection
    std::int64_t fallbacks = 0;        // of them orthogonal, because a ray missed the constraints (projection ray)
    std::int64_t stage_iterations = 0; // for the stages of implicit methods
    Seconds seconds{};

    double newton_mean() const {
        return projections > 0 ? static_cast<double>(newton_iterations) / static_cast<double>(projections) : 0;
    }
};

// The counts and times of a run by their names: the one list from which JSON, HDF5, checkpoints and Python have them.
struct StatsCount {
    const char* name;
    std::int64_t Stats::* at;
};
inline constexpr StatsCount stats_counts[] = {
    {"steps", &Stats::steps},
    {"rejected", &Stats::rejected},
    {"stages", &Stats::stages},
    {"newton_iterations", &Stats::newton_iterations},
    {"newton_max", &Stats::newton_max},
    {"direction_evaluations", &Stats::direction_evaluations},
    {"jacobian_evaluations", &Stats::jacobian_evaluations},
    {"factorisations", &Stats::factorisations},
    {"rejected_error", &Stats::rejected_error},
    {"rejected_projection", &Stats::rejected_projection},
    {"rejected_direction", &Stats::rejected_direction},
    {"rejected_iteration", &Stats::rejected_iteration},
    {"stage_iterations", &Stats::stage_iterations},
    {"projections", &Stats::projections},
    {"fallbacks", &Stats::fallbacks},
};
struct StatsSeconds {
    const char* name;
    double Seconds::* at;
};
inline constexpr StatsSeconds stats_seconds[] = {
    {"total", &Seconds::total},           {"compile", &Seconds::compile},
    {"integrate", &Seconds::integrate},   {"distribution", &Seconds::distribution},
    {"projection", &Seconds::projection},
};

// Calls visit(name, count) for each of the counts.
template <class Visit> void visit_counts(const Stats& stats, const Visit& visit) {
    for (const StatsCount& count : stats_counts) visit(count.name, stats.*count.at);
}

// A crossing that was met.
struct EventPoint {
    std::string name;
    double t = 0;
    std::vector<double> values; // as in a row of Solution::values()
    // dt/dp of each variable of Solution::sensitivity_names: how the crossing moves. Empty where it is not known, since
    // the rate of the event contains derivatives that the equations do not give.
    std::vector<double> t_sensitivities{};
    std::vector<double> values_after{}; // where the event has `then`: what the solution goes on with
};

// One accepted step, for plots of how a run went.
struct StepTrace {
    double t = 0;        // its end
    double h = 0;        // of arclength in that parametrisation
    double residual = 0; // of the constraints at its end, absolute
};

// A run that was asked for with throw_on_failure, and failed.
class Solution;
class SolveFailed;

class Solution {
public:
    Status status = Status::success;
    std::string message; // one line: "reached t = 10", or why it ended
    std::string model;
    std::string independent = "t";
    SystemSummary system;
    MethodSummary method;
    StartReport start;
    EndsSummary ends;
    std::vector<std::string> notes; // what was found and done at the start point, warnings; one line each

    // The points asked for, else every accepted step and the start. With SolveOptions::keep some of them, evenly, and
    // always the first and the last. Of a section: the crossings of the event of that name, which are then not among
    // `events`.
    std::string section;
    std::int64_t n_points = 0; // all that were reported
    std::vector<double> t;
    std::vector<double> s;                 // arclength of each; empty in time parametrisation
    std::vector<std::string> names;        // x, x', y[3], lambda: unknowns with derivatives below the highest
    std::vector<double> numbers;           // t.size() rows of names.size() values, row after row: values()
    std::vector<std::string> output_names; // of the model's `output name = …`
    std::vector<double> output_numbers;    // t.size() rows: outputs()
    std::vector<EventPoint> events;
    std::vector<StepTrace> trace;

    // Derivatives at a fixed t, where they were asked for (SolveOptions::sensitivity): by g, m[2], start:x, …
    std::vector<std::string> sensitivity_names;
    std::vector<double> sensitivities;        // t.size() rows: for each of these variables a row as of `numbers`
    std::vector<double> output_sensitivities; // the same of `output_numbers`

    // Over every reported point: of the constraints, hidden ones included; of the invariants, |I - I0|.
    double constraint_residual_max = 0; // |lhs - rhs| / max(1, largest term of the equation there)
    double constraint_residual_absolute = 0;
    double invariant_drift_max = 0;
    Stats stats;
    // What a function of the user (an observer, a callable) threw; the run ended there. Where runs that end early throw
    // (throw_on_failure), it is what a solve throws.
    std::exception_ptr error{};

    std::span<const double> row(std::size_t point) const {
        return std::span(numbers).subspan(point * names.size(), names.size());
    }
    // The values of one name, or of one output, at all points; throws InvalidInput, with the nearest name, if there is
    // none. column_of is the place of a name in a row.
    std::vector<double> column(std::string_view name) const;
    std::size_t column_of(std::string_view name) const;

    // Values, and outputs, as matrices: a row for each point, a column for each name. They show the numbers of this
    // solution, which must stay.
    MatrixView values() const { return {numbers.data(), t.size(), names.size(), names.size(), 1}; }
    MatrixView outputs() const {
        return {output_numbers.data(), t.size(), output_names.size(), output_names.size(), 1};
    }
    // One name, or one output, at all points, without a copy.
    StridedView view(std::string_view name) const;

    // The curve at any t between the start and where the run ended, on the constraints; in the order of `names`. In
    // arclength the argument is s. Throws InvalidInput outside, and where the run was made with dense = false. Any
    // number of threads may ask one solution.
    std::vector<double> operator()(double t) const;
    double operator()(double t, std::string_view name) const;
    double t_at(double s) const; // in arclength: the independent variable there

    // d name / d variable at all points, of an unknown or an output: sensitivity("x'", "g"). Throws InvalidInput, with
    // the nearest name.
    std::vector<double> sensitivity(std::string_view name, std::string_view variable) const;
    // The same at any t; of unknowns only.
    double sensitivity(double t, std::string_view name, std::string_view variable) const;
    // The place of a variable in sensitivity_names.
    std::size_t sensitivity_of(std::string_view variable) const;

    std::string summary() const; // a few lines for people
    // To a file beside it first, which then takes its name: an old file stays until the new one is complete. Throw
    // OutputFailed.
    void write_csv(const std::string& path) const;
    void write_json(const std::string& path) const;
    std::string json() const;

    class Curve; // the dense output
    std::shared_ptr<const Curve> curve;
};

// A file cannot be written: the text names it and says why. The solution is as it was.
class OutputFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Copies share the solution, so that none can fail.
class SolveFailed : public std::runtime_error {
public:
    explicit SolveFailed(Solution partial)
        : std::runtime_error(partial.message), held_(std::make_shared<const Solution>(std::move(partial))),
          solution(*held_) {}

private:
    std::shared_ptr<const Solution> held_;

public:
    const Solution& solution; // all points up to where it ended
};
static_assert(std::is_nothrow_copy_constructible_v<SolveFailed>);

} // namespace vessiot
