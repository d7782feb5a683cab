#include "solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion/describe_structure.hpp"
#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "method/fits.hpp"
#include "method/registry.hpp"
#include "method/taylor.hpp"
#include "model/builder.hpp"
#include "solve/as_written.hpp"
#include "solve/checkpoint.hpp"
#include "solve/method_options.hpp"
#include "solve/options.hpp"
#include "solve/prepare.hpp"
#include "solve/run.hpp"
#include "solve/sensitivity.hpp"
#include "solve/trivial.hpp"
#include "system/constants.hpp"
#include "system/describe.hpp"
#include "vessiot/model.hpp"

namespace vessiot {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The points to report, in the direction of travel.
template <class S> ReportTimes<S> report_times(const System& system, const SolveOptions& options, S from, S to) {
    std::vector<S> times;
    const bool is_asked = !options.at.empty() || options.every > 0; // then the model's own wishes count for nothing
    for (const double t : options.at) times.push_back(S(t));
    S every = S(options.every);
    if (!is_asked) {
        for (const expr::Quad t : evaluate_constants(system, system.output_at)) times.push_back(S(t));
        if (system.output_every) every = S(evaluate_constants(system, {*system.output_every})[0]);
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
std::optional<std::size_t> section_of(const System& system, const SolveOptions& options) {
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

const method::MethodInfo& choose_method(const SolveOptions& options) {
    const method::MethodInfo& info = method::find_method(options.method == "auto" ? "dopri54" : options.method);
    if (info.least_order > 0)
        return method::of_order(info, options.order > 0 ? static_cast<int>(options.order)
                                                        : method::taylor_order(options.rtol));
    return info;
}

// Options that are `auto`: as the name of the control says, else as usual.
SolveOptions with_control(SolveOptions options) {
    const ControlSettings control = settings_of(options, choose_method(options));
    const auto settle = [&](std::string_view name, std::string& value, std::string_view usual) {
        if (value != "auto") return;
        const auto setting = std::ranges::find(control.options, name, &OptionSetting::name);
        value = setting == control.options.end() ? usual : setting->text;
    };
    settle("parametrisation", options.parametrisation, "auto");
    settle("projection", options.projection, choose_method(options).projection);
    const bool has_charts = options.projection == "partition" || options.projection == "tangent";
    settle("project", options.project, has_charts ? "stages" : "auto");
    settle("newton_stop", options.newton_stop, "sound");
    if (control.has_one_tolerance && options.atol == SolveOptions{}.atol) options.atol = options.rtol;
    return options;
}

// What the structure does not say of a system with more equations than unknowns: the dimension, by the rank of the
// constraints at the start point.
template <class S> void complete_summary(Compiled<S>& problem, const StartPoint<S>& start, SystemSummary& summary) {
    Manifold<S>& m = problem.manifold();
    const std::int64_t k = m.n_constraints(), n = m.n_coordinates();
    if (problem.analysis().structure.is_regular || problem.analysis().involution || k * n > 4'000'000) return;
    linalg::Vector<S> f(k), entries(m.pattern().entries());
    m.df(start.t, start.u.data(), f.data(), entries.data());
    linalg::PivotedQr<S> qr(static_cast<int>(k), static_cast<int>(n));
    linalg::fill_dense(m.pattern(), entries.data(), qr.matrix());
    qr.factor(S(1e-9));
    summary.manifold_dimension = n + (m.has_t() ? 0 : 1) - qr.rank();
    summary.degrees_of_freedom = degrees_of_freedom(problem.system(), summary.manifold_dimension - 1);
    summary.index = summary.structural_index = 1; // differentiated once, the equations give the highest derivatives
}

// Implicit methods go far in a step. Where V makes sense on the manifold only (an equation was differentiated to get
// it), their stages have to be there.
std::string project_of(const Analysis& analysis, const method::MethodInfo& method) {
    const bool is_delicate = analysis.prolongation.is_raised || analysis.prolongation.is_general;
    return method.family == method::Family::implicit_rk && is_delicate ? "stages" : "steps";
}

void check_method(const Analysis& analysis, const method::MethodInfo& method) {
    const std::string lacking = method::misfit(method, analysis.system, analysis.prolongation);
    if (lacking.empty()) return;
    std::vector<std::string> fitting;
    for (const method::MethodInfo& other : method::methods())
        if (method::misfit(other, analysis.system, analysis.prolongation).empty()) fitting.emplace_back(other.name);
    throw InvalidInput(fmt::format("the method {} needs {}. Methods that fit {}: {}.", method.name, lacking,
                                   analysis.system.name, fmt::join(fitting, ", ")));
}

// Methods on the equations as they stand converge up to some index.
void check_index(const System& system, std::int64_t index, const method::MethodInfo& method) {
    if (method.max_index == 0 || index <= method.max_index) return;
    std::vector<std::string> fitting;
    for (const method::MethodInfo& other : method::direct_methods())
        if (other.max_index >= index) fitting.emplace_back(other.name);
    throw InvalidInput(fmt::format(
        "the method {} works on the equations as they stand and converges where their index is {} at most, but {} has "
        "index {}. Take a method on the constraints, for which the index is no matter, such as radau5{}",
        method.name, method.max_index, system.name, index,
        fitting.empty() ? "" : fmt::format(", or one of {}", fmt::join(fitting, ", "))));
}

// A jump needs a point on the hidden constraints, which methods on the equations as they stand do not know.
void check_no_jumps(const System& system, const method::MethodInfo& method) {
    const auto jump = std::ranges::find_if(system.events, [](const Event& e) { return !e.then.empty(); });
    if (jump == system.events.end()) return;
    throw InvalidInput(
        fmt::format("the event '{}' sets values, after which a point on all constraints is needed, hidden "
                    "ones included; the method {} works on the equations as they stand and does not know "
                    "them. Take a method on the constraints, such as radau5",
                    jump->name, method.name));
}

// What completion with numbers found.
void note_completion(const Analysis& analysis, std::vector<std::string>& notes) {
    const Involution& found = *analysis.involution;
    const auto text = [&](std::size_t e) {
        return shortened(describe_equation(analysis.system, analysis.system.equations[e]).text, 100);
    };
    std::size_t n = 0;
    for (const auto& c : found.consequences)
        if (!is_trivial(analysis.system, analysis.system.equations[c.equation].residual) && ++n <= 3)
            notes.push_back(fmt::format("hidden: {} follows from the equations", text(c.equation)));
    if (n > 3) notes.push_back(fmt::format("hidden: {} more like these; 'vessiot inspect' shows all", n - 3));
    if (found.redundant.size() == 1)
        notes.push_back(fmt::format("redundant: {} follows from the others", text(found.redundant[0])));
    if (found.redundant.size() > 1)
        notes.push_back(
            fmt::format("redundant: each of {} equations follows from the others; 'vessiot inspect' names them",
                        found.redundant.size()));
    if (!found.open.empty())
        notes.push_back(
            fmt::format("{} not unique, since constraints are redundant; the motion is. The smallest values "
                        "are taken",
                        found.open));
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

// One run; true where it ended near an impasse point, in time.
template <class S>
bool run_once(const System& system, SolveOptions options, const Span<S>& span, expr::Quad from, Solution& solution) {
    const method::MethodInfo& method = choose_method(options);
    check_method_options(options, method);
    const auto before_compile = Clock::now();
    // until the first step nothing else asks
    std::optional<Cancellation> cancellation;
    if (options.progress) cancellation.emplace([&] { return options.progress({.t = static_cast<double>(from)}); });
    const Prepared<S> completed = prepare<S>(system, options, from);
    const bool is_direct = method::is_direct(method);
    if (is_direct) check_no_jumps(system, method);
    if (is_direct) check_index(system, completed.analysis->summary().index, method);
    if (!is_direct) check_method(*completed.analysis, method);
    check_sensitivity(options, method);
    auto [analysis, problem, start] = is_direct                      ? as_written(system, options, completed)
                                      : !options.sensitivity.empty() ? with_sensitivities(completed, options)
                                                                     : completed;
    if (options.project == "auto")
        options.project = options.projection == "none" ? "steps" : project_of(*analysis, method);
    if (options.backend == "jit") solution.stats.seconds.compile = seconds_since(before_compile);
    solution.system = completed.analysis->summary();
    solution.notes.insert(solution.notes.end(), start.notes.begin(), start.notes.end());
    solution.start = start.report;
    if (completed.analysis->involution) note_completion(*completed.analysis, solution.notes);
    complete_summary(*completed.problem, completed.start, solution.system);
    solution.method = {.name = std::string(method.name),
                       .order = method.order,
                       .projection = "",
                       .project = options.project,
                       .distribution = "",
                       .parametrisation = analysis->is_arclength ? "arclength" : "time",
                       .precision = options.precision,
                       .rtol = options.rtol,
                       .atol = options.atol,
                       .step = options.step,
                       .choice = ""};
    Run<S> run(problem, options, method, span, std::move(start), solution, is_direct ? &completed : nullptr);
    cancellation.reset();
    run();
    if (is_direct) std::ranges::copy(problem->jets().held(), completed.problem->jets().held().begin());
    if (is_direct) check_hidden(completed, method, solution);
    if (options.projection == "none" && solution.status == Status::success)
        solution.message += off_text(solution, !analysis->prolongation.constraints.selected.empty());
    return run.is_at_impasse();
}

// The points of a run into streams that had those of another one.
void replay(const System& system, const SolveOptions& options, const Solution& solution) {
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
                         part(solution.outputs, n_outputs), part(solution.sensitivities, m * n),
                         part(solution.output_sensitivities, m * n_outputs)});
        }
        for (const EventPoint& e : solution.events) {
            const auto name = std::ranges::find(head.event_names, e.name);
            stream->add_event({static_cast<std::size_t>(name - head.event_names.begin()), e.t, e.values});
        }
    }
}

// What was computed stays; a success that could not be written is none.
void end_streams(const SolveOptions& options, Solution& solution) {
    for (const auto& stream : options.streams) try {
            stream->end(solution);
        } catch (const OutputFailed& e) {
            if (solution.status == Status::success) solution.status = Status::failed;
            solution.message += fmt::format("; {}", e.what());
        }
}

template <class S> void solve_with(const System& system, const SolveOptions& options, Solution& solution) {
    const auto [from, to] = interval(system, options);
    Span<S> span{static_cast<S>(from), static_cast<S>(to), {}, {}};
    if (span.t0 == span.t1)
        throw InvalidInput(fmt::format("the interval from {0} = {1} is shorter than the round-off of {0} there: use "
                                       "--precision quad, or move it nearer to 0",
                                       system.independent_name, static_cast<double>(from)));
    if (options.to_s) span.s1 = S(*options.to_s);
    span.section = section_of(system, options);
    if (span.section)
        solution.section = system.events[*span.section].name;
    else
        span.times = report_times(system, options, span.t0, span.t1);
    const Solution before = solution;
    const bool has_ended = !run_once(system, options, span, from, solution) || options.parametrisation != "auto";
    if (has_ended || !options.sensitivity.empty()) return;
    // the curve goes on where t cannot: the same run in arclength
    SolveOptions by_arclength = options;
    by_arclength.parametrisation = "arclength";
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
        run_once(system, by_arclength, span, from, second);
    } catch (const InvalidInput&) {
        return;
    }
    if (second.status == Status::failed) return;
    solution = std::move(second);
    replay(system, options, solution);
}

} // namespace

Solution solve_system(const System& system, const SolveOptions& given) {
    const auto started = Clock::now();
    check(given);
    const SolveOptions options = with_control(given);
    check_effects(given, {options, choose_method(options)}, model_options(system),
                  [](const SolveOptions& o) { return Settled{with_control(o), choose_method(o)}; });
    Solution solution;
    solution.model = system.name;
    solution.independent = system.independent_name;
    for (const std::string& warning : system.warnings) solution.notes.push_back(first_line(warning));
    try {
        if (options.precision == "quad")
            solve_with<expr::Quad>(system, options, solution);
        else
            solve_with<double>(system, options, solution);
    } catch (const Cancelled&) {
        solution.status = Status::interrupted;
        solution.message = "interrupted before the first step";
    }
    solution.stats.seconds.total = seconds_since(started);
    end_streams(options, solution);
    if (solution.status == Status::failed && options.throw_on_failure) throw SolveFailed(std::move(solution));
    return solution;
}

Solution solve(const Model& model, const SolveOptions& options) {
    const System system = ModelAccess::system(model);
    return solve_system(system, with_model_options(system, options));
}

} // namespace vessiot
