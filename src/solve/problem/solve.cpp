#include "solve/problem/solve.hpp"
#include "solve/ends/ends.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "method/registry.hpp"
#include "model/builder.hpp"
#include "solve/options/method_options.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/as_written.hpp"
#include "solve/problem/prepare.hpp"
#include "solve/problem/problem.hpp"
#include "solve/problem/solving.hpp"
#include "solve/run/checkpoint.hpp"
#include "solve/run/run.hpp"
#include "system/constants.hpp"
#include "vessiot/callable.hpp"
#include "vessiot/model.hpp"

namespace vessiot {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The points to report, in the direction of travel.
template <class S> ReportTimes<S> report_times(const System& system, const Settings& options, S from, S to) {
    std::vector<S> times;
    const bool is_asked = !options.at.empty() || options.every > 0; // then the model's own wishes count for nothing
    for (const double t : options.at) times.push_back(S(t));
    S every = S(options.every);
    if (!is_asked) {
        for (const Quad t : evaluate_constants(system, system.output_at)) times.push_back(S(t));
        if (system.output_every) every = S(evaluate_constants(system, {*system.output_every})[0]);
        if (system.output_every && !(every > S(0)))
            throw InvalidInput(fmt::format("the output interval of {} must be positive, but it is {}", system.name,
                                           static_cast<double>(every)));
    }
    const S low = std::min(from, to), high = std::max(from, to);
    // a point that misses an end by the rounding of its decimal digits is that end
    const S close = S(1e-13) * std::max(linalg::absolute(low), linalg::absolute(high));
    for (S& t : times) {
        if (linalg::absolute(t - from) <= close) t = from;
        if (linalg::absolute(t - to) <= close) t = to;
        if (!(t >= low && t <= high))
            throw InvalidInput(fmt::format("the point {} = {} to be reported is not between {} and {}",
                                           system.independent_name, static_cast<double>(t), static_cast<double>(from),
                                           static_cast<double>(to)));
    }
    std::optional<ReportTimes<S>> grid;
    if (every > S(0)) {
        const double n = static_cast<double>((high - low) / every);
        const bool has_file = !options.streams.empty(); // else nobody sees more of them than memory holds
        if (!(n < (has_file ? 1e15 : 1e8)))
            throw InvalidInput(
                fmt::format("--every {:.3g} asks for {:.3g} points; at most {} are possible: give a larger one{}",
                            static_cast<double>(every), n, has_file ? "1e15" : "1e8",
                            has_file ? "" : ", or write them to a .csv or .h5 file"));
        const S step = to > from ? every : -every;
        const auto last = static_cast<std::int64_t>(n * (1 + 1e-12));
        const bool is_end = linalg::absolute(from + S(last) * step - to) <= S(1e-9) * every;
        grid.emplace(from, step, is_end ? last : last + 1, to);
    }
    if (grid && times.empty()) return *grid;
    if (grid)
        for (std::size_t k = 0; k < grid->size(); ++k) times.push_back((*grid)[k]);
    std::ranges::sort(times, [&](S a, S b) { return to > from ? a < b : a > b; });
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return ReportTimes<S>(std::move(times));
}

// The event whose crossings are reported; points asked for by the options go before the model's section.
std::optional<std::size_t> section_of(const System& system, const Settings& options) {
    const bool asks_for_points = !options.at.empty() || options.every > 0;
    if (options.section.empty() && (asks_for_points || !system.section)) return std::nullopt;
    const std::string& wanted = options.section.empty() ? system.section->event : options.section;
    const auto event = std::ranges::find(system.events, wanted, &Event::name);
    if (event != system.events.end()) return static_cast<std::size_t>(event - system.events.begin());
    std::vector<std::string_view> names;
    for (const Event& e : system.events) names.push_back(e.name);
    const auto meant = nearest(wanted, names);
    throw InvalidInput(fmt::format(
        "--section shows the crossings of an event, but '{}' is no event of {}{}", wanted, system.name,
        meant           ? fmt::format("; did you mean '{}'?", *meant)
        : names.empty() ? ", which has none: add one to the model, as in: event " + wanted + ": x = 0 rising"
                        : fmt::format(". It has: {}", fmt::join(names, ", "))));
}

// What is off where nothing was projected.
std::string off_text(const Solution& solution, bool has_constraints) {
    const bool has_invariants = solution.system.invariants > 0;
    if (!has_constraints && !has_invariants) return "";
    return fmt::format("; nothing was projected, the {} are off by up to {:.2g}",
                       has_constraints ? "constraints" : "invariants",
                       has_constraints ? solution.constraint_residual_max : solution.invariant_drift_max);
}

// A method for the equations as they stand may not converge on them: the hidden constraints tell.
template <class S>
void check_hidden(const Prepared<S>& completed, const method::MethodInfo& method, Solution& solution) {
    const auto [largest, off] = hidden_residuals(completed, solution);
    solution.constraint_residual_max = std::max(solution.constraint_residual_max, largest);
    constexpr double hopeless = 0.5; // of the largest term
    const double usual = solution.method.step > 0 ? hopeless : std::sqrt(solution.method.rtol);
    if (solution.status == Status::success && largest >= usual && off < hopeless)
        solution.notes.push_back(
            fmt::format("warning: the hidden constraints are off by up to {:.2g} of their largest term, more than the "
                        "root of rtol: {} does not see them. Tighter tolerances help, or a method on the constraints, "
                        "such as radau5",
                        largest, method.name));
    if (solution.status != Status::success || off < hopeless) return;
    solution.status = Status::failed;
    solution.message =
        fmt::format("{}, but the values there have nothing to do with the solution: the hidden constraints are off by "
                    "{:.2g} of their largest term. {} does not converge on these equations as they stand with such "
                    "steps; a method on the constraints, such as radau5, does",
                    solution.message, off, method.name);
}

// How it is solved, as far as that is known before the first step.
template <class S> void describe_method(const Workspace<S>& workspace, Solution& solution) {
    const Settings& options = workspace.options();
    const method::MethodInfo& method = choose_method(options);
    solution.method = {.name = std::string(method.name),
                       .order = method.order,
                       .projection = "",
                       .project = std::string(word(options.project)),
                       .distribution = "",
                       .parametrisation = std::string(word(
                           workspace.analysis().is_arclength ? Parametrisation::arclength : Parametrisation::time)),
                       .precision = std::string(word(options.precision)),
                       .rtol = options.rtol,
                       .atol = options.atol,
                       .step = options.step,
                       .choice = ""};
}

// What is not defined, or not told, with velocities that jump.
template <class S> void check_beside_contacts(const System& system, const Settings& options, const Span<S>& span) {
    if (system.contacts.empty()) return;
    const std::string& name = system.contacts.front().name;
    if (!options.sensitivity.empty())
        throw InvalidInput(fmt::format("the contact '{}' makes velocities jump and comes to rest, across which "
                                       "derivatives of the solution are not carried: leave out --sensitivity, or "
                                       "compare runs with parameters that differ a little (vessiot ensemble)",
                                       name));
    if (options.is_arclength())
        throw InvalidInput(fmt::format("at the contact '{}' velocities jump, where a curve has no arclength, but "
                                       "parametrisation = arclength was asked for: set it to time "
                                       "(--parametrisation time), or leave it out",
                                       name));
    if (span.t1 < span.t0)
        throw InvalidInput(fmt::format("the interval runs from {0} = {1} back to {2}, but what happened before an "
                                       "impact or rest at the contact '{3}' cannot be told from what follows: run "
                                       "forwards, to a {0} after {1}",
                                       system.independent_name, static_cast<double>(span.t0),
                                       static_cast<double>(span.t1), name));
}

} // namespace

template <class S>
RunToMake<S> begin_solve(ProblemCore& core, const System& system, const Settings& options, const Span<S>& span,
                         Quad from, Solution& solution) {
    check_method_options(options, core.method());
    check_beside_contacts(system, options, span);
    auto [loan, start, seconds] = core.begin_run<S>(system, options, from, span.t1);
    if (options.backend == Backend::jit) solution.stats.seconds.compile = seconds;
    solution.system = loan->summary();
    solution.notes.insert(solution.notes.end(), start.notes.begin(), start.notes.end());
    solution.start = start.report;
    solution.notes.insert(solution.notes.end(), loan->notes().begin(), loan->notes().end());
    describe_method(*loan, solution);
    auto run = std::make_unique<Run<S>>(loan->engine(), options, span, std::move(start), solution,
                                        method::is_direct(core.method()) ? &loan->completed() : nullptr);
    return {std::move(loan), std::move(run)};
}

template struct RunToMake<double>;
template struct RunToMake<Quad>;
template RunToMake<double> begin_solve(ProblemCore&, const System&, const Settings&, const Span<double>&, Quad,
                                       Solution&);
template RunToMake<Quad> begin_solve(ProblemCore&, const System&, const Settings&, const Span<Quad>&, Quad, Solution&);

namespace {

// One run; true where it ended near an impasse point, in time.
template <class S>
bool run_once(ProblemCore& core, const System& system, const Settings& options, const Span<S>& span, Quad from,
              Solution& solution) {
    // until the first step nothing else asks
    std::optional<Cancellation> cancellation;
    if (options.progress || options.stop.stop_possible())
        cancellation.emplace([&] {
            return !options.stop.stop_requested() &&
                   (!options.progress || options.progress({.t = static_cast<double>(from)}));
        });
    std::unique_ptr<Workspace<S>> dropped; // where a run ended in the middle of anything: it serves no more
    RunToMake<S> made = begin_solve(core, system, options, span, from, solution);
    cancellation.reset();
    if (options.stop.stop_possible()) cancellation.emplace([&] { return !options.stop.stop_requested(); });
    const expr::CodeCache::Scope scope(made.loan.pool()->code()); // for what is compiled on the way
    Run<S>& run = *made.run;
    Workspace<S>& workspace = *made.loan;
    run();
    if (method::is_direct(core.method()) && !solution.error) {
        const Prepared<S>& completed = workspace.completed();
        std::ranges::copy(workspace.problem().jets().held(), completed.problem->jets().held().begin());
        check_hidden(completed, core.method(), solution);
    }
    if (!options.is_projected() && solution.status == Status::success)
        solution.message += off_text(solution, !workspace.analysis().prolongation.constraints.selected.empty());
    if (auto data = run.take_curve()) solution.curve = std::make_shared<DenseCurve<S>>(std::move(*data), made.loan);
    const bool was_cancelled = solution.status == Status::interrupted && options.stop.stop_possible();
    if (was_cancelled || solution.error) dropped = made.loan.keep();
    return run.is_at_impasse();
}

// The points of a run into streams that had those of another one.
void replay(const System& system, const Settings& options, const Solution& solution) {
    StreamHead head{.model = system.name,
                    .independent = system.independent_name,
                    .has_s = !solution.s.empty(),
                    .names = solution.names,
                    .output_names = solution.output_names,
                    .event_names = {},
                    .sensitivity_names = solution.sensitivity_names,
                    .attributes = stream_attributes(system, options)};
    for (const Event& e : system.events) head.event_names.push_back(e.name);
    const std::size_t n = solution.names.size(), n_outputs = solution.output_names.size();
    const std::size_t m = solution.sensitivity_names.size();
    for (const auto& stream : options.streams) {
        stream->begin(head);
        for (std::size_t k = 0; k < solution.t.size(); ++k) {
            const auto part = [k](const std::vector<double>& rows, std::size_t width) {
                return std::span(rows).subspan(k * width, width);
            };
            stream->add({solution.t[k], head.has_s ? solution.s[k] : 0, solution.row(k),
                         part(solution.output_numbers, n_outputs), part(solution.sensitivities, m * n),
                         part(solution.output_sensitivities, m * n_outputs)});
        }
        for (const EventPoint& e : solution.events) {
            const auto name = std::ranges::find(head.event_names, e.name);
            stream->add_event({static_cast<std::size_t>(name - head.event_names.begin()), e.t, e.values});
        }
    }
}

// What was computed stays; a success that could not be written is none.
void end_streams(const Settings& options, Solution& solution) {
    for (const auto& stream : options.streams) try {
            stream->end(solution);
        } catch (const OutputFailed& e) {
            if (solution.status == Status::success) solution.status = Status::failed;
            solution.message += fmt::format("; {}", e.what());
        }
}

} // namespace

template <class S>
std::pair<Span<S>, Quad> span_of(const System& system, const Settings& options, bool is_point_allowed,
                                 Solution& solution) {
    const auto [from, to] = interval(system, options, is_point_allowed);
    Span<S> span{static_cast<S>(from), static_cast<S>(to), {}, {}};
    if (span.t0 == span.t1 && from != to)
        throw InvalidInput(fmt::format("the interval from {0} = {1} is shorter than the round-off of {0} there: use "
                                       "--precision quad, or move it nearer to 0",
                                       system.independent_name, static_cast<double>(from)));
    if (options.to_s) span.s1 = S(*options.to_s);
    span.section = section_of(system, options);
    if (span.section)
        solution.section = system.events[*span.section].name;
    else
        span.times = report_times(system, options, span.t0, span.t1);
    return {std::move(span), from};
}

template std::pair<Span<double>, Quad> span_of(const System&, const Settings&, bool, Solution&);
template std::pair<Span<Quad>, Quad> span_of(const System&, const Settings&, bool, Solution&);

namespace {

template <class S>
void solve_with(ProblemCore& core, const System& system, const Settings& options, bool is_point_allowed,
                Solution& solution) {
    const auto [span, from] = span_of<S>(system, options, is_point_allowed, solution);
    const Solution before = solution;
    const bool has_ended =
        !run_once(core, system, options, span, from, solution) || options.parametrisation != Parametrisation::automatic;
    if (has_ended || !options.sensitivity.empty()) return;
    // the curve goes on where t cannot: the same run in arclength
    Settings by_arclength = options;
    by_arclength.parametrisation = Parametrisation::arclength;
    by_arclength.streams.clear(); // they get the points of the run that counts
    by_arclength.checkpoint.clear();
    by_arclength.resume.clear();
    if (!options.streams.empty()) by_arclength.keep = 0;
    by_arclength.max_steps =
        std::min(options.max_steps, 10'000 + 50 * (solution.stats.steps + solution.stats.rejected));
    Solution second = before;
    second.notes.push_back(fmt::format("{} turns or stands still on the way (an impasse point): the run is made in "
                                       "arclength. --parametrisation time ends it there",
                                       system.independent_name));
    try {
        run_once(core, system, by_arclength, span, from, second);
    } catch (const InvalidInput&) {
        return;
    }
    if (second.status == Status::failed && !second.error) return;
    solution = std::move(second);
    replay(system, options, solution);
}

} // namespace

Solution new_solution(const System& system) {
    Solution solution;
    solution.model = system.name;
    solution.independent = system.independent_name;
    for (const std::string& warning : system.warnings) solution.notes.push_back(first_line(warning));
    return solution;
}

namespace {

// One curve from its start point, as the options say; streams are left to the caller.
Solution solve_plain(ProblemCore& core, const System& system, const Settings& options) {
    Solution solution = new_solution(system);
    solve_with<double>(core, system, options, false, solution);
    return solution;
}

void check_homotopy(const System& system, const Settings& options) {
    if (options.homotopy.empty() || system.has_ends()) return;
    throw InvalidInput(
        fmt::format("--homotopy {} follows a solution of conditions at both ends, but {} has no values at "
                    "its end: add a line such as end x = 1, or leave it out",
                    options.homotopy[0].first, system.name));
}

Solution solve_core(ProblemCore& core, const System& system, const Settings& options, bool is_point_allowed,
                    Clock::time_point started) {
    check_homotopy(system, options);
    Solution solution = new_solution(system);
    try {
        if (system.has_ends()) {
            solution = solve_ends(core, system, options, solve_plain);
            if (!options.streams.empty()) replay(system, options, solution);
        } else if (options.precision == Precision::quad)
            solve_with<Quad>(core, system, options, is_point_allowed, solution);
        else
            solve_with<double>(core, system, options, is_point_allowed, solution);
    } catch (const Cancelled&) {
        solution.status = Status::interrupted;
        solution.message = "interrupted before the first step";
    }
    solution.stats.seconds.total = seconds_since(started);
    end_streams(options, solution);
    if (solution.error && options.throw_on_failure) std::rethrow_exception(solution.error);
    if (solution.status == Status::failed && options.throw_on_failure) throw SolveFailed(std::move(solution));
    return solution;
}

} // namespace

Solution ProblemCore::solve() {
    return solve_core(*this, *system_, options_, false, Clock::now());
}

Solution ProblemCore::solve(const RunOptions& run) {
    const auto started = Clock::now();
    const Settings options = with(run);
    if (run.parameters.empty()) return solve_core(*this, *system_, options, true, started);
    return solve_core(*this, with_parameters(run), options, true, started);
}

Solution solve_system(const System& system, const SolveOptions& given) {
    const auto started = Clock::now();
    const auto core = std::make_shared<ProblemCore>(system, given);
    return solve_core(*core, system, core->options(), false, started);
}

Solution solve(const CallableSystem& system, const SolveOptions& options) {
    return solve(make_model(system), options);
}

Solution solve(const Model& model, const SolveOptions& options) {
    const System system = ModelAccess::system(model);
    return solve_system(system, with_model_options(system, options));
}

} // namespace vessiot
