#include "solve/solve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "linalg/pivoted_qr.hpp"
#include "linalg/scalar.hpp"
#include "method/fits.hpp"
#include "method/registry.hpp"
#include "model/builder.hpp"
#include "solve/options.hpp"
#include "solve/run.hpp"
#include "system/constants.hpp"
#include "vessiot/model.hpp"

namespace vessiot {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The interval, from the options or from the model.
std::pair<expr::Quad, expr::Quad> interval(const System& system, const SolveOptions& options) {
    const auto end = [&](const std::optional<double>& option, const std::optional<expr::NodeId>& node,
                         std::string_view word) {
        if (option) return expr::Quad(*option);
        if (node) return evaluate_constants(system, {*node})[0];
        throw InvalidInput(fmt::format("{0} says nothing about the interval: add a line `solve {1} = 0 .. 10` to the "
                                       "model, or give --{2}",
                                       system.name, system.independent_name, word));
    };
    expr::Quad from = 0;
    if (options.from || system.from) from = end(options.from, system.from, "from");
    const bool ends_by_s = options.to_s && !options.to && !system.to;
    const expr::Quad to = ends_by_s ? expr::Quad(1e300) : end(options.to, system.to, "to");
    for (const expr::Quad t : {from, to})
        if (!linalg::is_finite(t)) throw InvalidInput("an end of the interval is not finite");
    if (!linalg::is_finite(static_cast<double>(to) - static_cast<double>(from)))
        throw InvalidInput(fmt::format("the interval from {} to {} is longer than the largest number",
                                       static_cast<double>(from), static_cast<double>(to)));
    if (from == to)
        throw InvalidInput(fmt::format("the interval has length zero: it starts and ends at {} = {}",
                                       system.independent_name, static_cast<double>(from)));
    return {from, to};
}

// The points to report, in the direction of travel.
template <class S> std::vector<S> report_times(const System& system, const SolveOptions& options, S from, S to) {
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
    if (every > S(0)) {
        const double n = static_cast<double>((high - low) / every);
        if (!(n < 1e8))
            throw InvalidInput(
                fmt::format("--every {:.3g} asks for {:.3g} points; at most 1e8 are kept: give a larger one",
                            static_cast<double>(every), n));
        const S step = to > from ? every : -every;
        for (std::int64_t k = 0; k <= static_cast<std::int64_t>(n * (1 + 1e-12)); ++k)
            times.push_back(from + S(k) * step);
        if (linalg::absolute(times.back() - to) <= S(1e-9) * every)
            times.back() = to;
        else
            times.push_back(to);
    }
    std::ranges::sort(times, [&](S a, S b) { return to > from ? a < b : a > b; });
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

const method::MethodInfo& choose_method(const SolveOptions& options) {
    const method::MethodInfo& info = method::find_method(options.method == "auto" ? "dopri54" : options.method);
    if (options.continuation == "low" && info.embedded_order == 0)
        throw InvalidInput(fmt::format("--continue low needs a method with an embedded one; {} has none", info.name));
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
    settle("project", options.project, has_charts ? "stages" : "steps");
    settle("newton_stop", options.newton_stop, "sound");
    if (control.has_one_tolerance && options.atol == SolveOptions{}.atol) options.atol = options.rtol;
    return options;
}

// What the structure does not say of a system with more equations than unknowns: the dimension, by the rank of the
// constraints at the start point.
template <class S> void complete_summary(Problem<S>& problem, const StartPoint<S>& start, SystemSummary& summary) {
    Manifold<S>& m = problem.manifold();
    const std::int64_t k = m.n_constraints(), n = m.n_coordinates();
    if (problem.analysis().structure.is_regular || problem.analysis().involution || k * n > 4'000'000) return;
    linalg::Vector<S> f(k), entries(m.pattern().entries());
    m.df(start.t, start.u.data(), f.data(), entries.data());
    linalg::PivotedQr<S> qr(static_cast<int>(k), static_cast<int>(n));
    linalg::fill_dense(m.pattern(), entries.data(), qr.matrix());
    qr.factor(S(1e-9));
    summary.manifold_dimension = n + (m.has_t() ? 0 : 1) - qr.rank();
    summary.degrees_of_freedom = summary.manifold_dimension - 1;
    summary.index = summary.structural_index = 1; // differentiated once, the equations give the highest derivatives
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

// The problem and its start point. Where there is no direction, the structure may have misled: then what follows from
// the equations is found with numbers, and all is made anew.
template <class S>
StartPoint<S> started(std::shared_ptr<Analysis>& analysis, const SolveOptions& options, expr::Quad t,
                      std::shared_ptr<Problem<S>>& problem) {
    try {
        problem = std::make_shared<Problem<S>>(analysis, options);
        return make_start(*problem, options, static_cast<S>(t));
    } catch (const NoDirection&) {
        if (analysis->involution || options.formulation != "auto") throw;
        auto completed = std::make_shared<Analysis>(*analysis);
        completed->complete(options, t);
        if (completed->involution->consequences.empty()) throw;
        analysis = std::move(completed);
    }
    problem = std::make_shared<Problem<S>>(analysis, options);
    return make_start(*problem, options, static_cast<S>(t));
}

template <class S>
void solve_with(std::shared_ptr<Analysis> analysis, const SolveOptions& options, Solution& solution) {
    const method::MethodInfo& method = choose_method(options);
    check_method(*analysis, method);
    const auto [from, to] = interval(analysis->system, options);
    Span<S> span{static_cast<S>(from), static_cast<S>(to), {}, {}};
    if (span.t0 == span.t1)
        throw InvalidInput(fmt::format("the interval from {0} = {1} is shorter than the round-off of {0} there: use "
                                       "--precision quad, or move it nearer to 0",
                                       analysis->system.independent_name, static_cast<double>(from)));
    if (options.to_s) span.s1 = S(*options.to_s);
    span.times = report_times(analysis->system, options, span.t0, span.t1);
    const auto before_compile = Clock::now();
    std::shared_ptr<Problem<S>> problem;
    StartPoint<S> start = started<S>(analysis, options, from, problem);
    if (options.backend == "jit") solution.stats.seconds.compile = seconds_since(before_compile);
    solution.system = analysis->summary();
    solution.notes.insert(solution.notes.end(), start.notes.begin(), start.notes.end());
    complete_summary(*problem, start, solution.system);
    solution.method = {.name = std::string(method.name),
                       .order = method.order,
                       .projection = "",
                       .project = options.project,
                       .distribution = "",
                       .parametrisation = analysis->is_arclength ? "arclength" : "time",
                       .precision = options.precision,
                       .rtol = options.rtol,
                       .atol = options.atol,
                       .step = options.step};
    Run<S>(problem, options, method, span, std::move(start), solution)();
}

} // namespace

Solution solve_system(const System& system, const SolveOptions& given) {
    const auto started = Clock::now();
    check(given);
    const SolveOptions options = with_control(given);
    Solution solution;
    solution.model = system.name;
    solution.independent = system.independent_name;
    solution.notes = system.warnings;
    const auto analysis = std::make_shared<Analysis>(system, options, interval(system, options).first);
    if (options.precision == "quad")
        solve_with<expr::Quad>(analysis, options, solution);
    else
        solve_with<double>(analysis, options, solution);
    if (options.projection == "none" && solution.status == Status::success)
        solution.message += fmt::format("; nothing was projected, the constraints are off by up to {:.2g}",
                                        solution.constraint_residual_max);
    solution.stats.seconds.total = seconds_since(started);
    if (solution.status == Status::failed && options.throw_on_failure) throw SolveFailed(std::move(solution));
    return solution;
}

Solution solve(const Model& model, const SolveOptions& options) {
    const System& system = ModelAccess::system(model);
    return solve_system(system, with_model_options(system, options));
}

} // namespace vessiot
