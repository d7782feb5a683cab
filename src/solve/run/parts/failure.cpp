#include "solve/run/parts/failure.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "manifold/domain_error.hpp"
#include "solve/start/dependent.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

namespace {

// "x' = sqrt(x)", or its derivative, for a row of the equations for the tops.
std::string top_equation_text(const System& system, const Prolongation& p, std::int64_t row) {
    const auto it = std::ranges::find(p.tops.equation, static_cast<std::int32_t>(row));
    if (it == p.tops.equation.end()) return "an equation";
    const std::int32_t selected = p.tops.selected[static_cast<std::size_t>(it - p.tops.equation.begin())];
    for (const RowFamily& f : p.tops.families) {
        if (selected < f.first || selected >= f.first + f.count) continue;
        const StatementText equation = describe_equation(system, system.equations[f.equation]);
        std::string text = equation.text;
        if (equation.count > 1) text += fmt::format(" (number {} of {})", selected - f.first + 1, equation.count);
        return f.order == 0 ? text : "the derivative of " + text;
    }
    return "an equation";
}

} // namespace

template <class S> void FailureTexts<S>::max_steps(S t) {
    const auto n = static_cast<double>(run_.meter.n_attempts);
    const std::string used = fmt::format(
        "{} used at {} = {} of {} (h = {:.3g}", plural(static_cast<std::size_t>(run_.meter.n_attempts), "step"),
        run_.solution.independent, run_.show(t), run_.show(run_.span.t1), static_cast<double>(run_.sizes.h));
    const bool can_be_stiff = run_.options.method && run_.method().family->is_explicit;
    const bool can_be_rough = 4 * run_.solution.stats.rejected_iteration > run_.meter.n_attempts;
    if (run_.sizes.is_adaptive)
        run_.fail(fmt::format(
            "{}, {:.0f} % rejected{}). {}ooser tolerances, another method, or a larger --max-steps may help", used,
            100 * static_cast<double>(run_.solution.stats.rejected) / n,
            can_be_rough ? ", most because the iteration for the step did not converge" : "",
            can_be_stiff   ? "The problem may be stiff: try --method radau5 or auto. L"
            : can_be_rough ? "The equations may jump there, or have no smooth solution. L"
                           : "L"));
    else
        run_.fail(fmt::format("{}, a constant step). Give a larger --step or a larger --max-steps{}", used,
                              run_.is_arclength
                                  ? ""
                                  : fmt::format("; {:.2g} are needed",
                                                static_cast<double>((run_.span.t1 - run_.span.t0) / run_.sizes.h))));
}

template <class S> void FailureTexts<S>::large(S t) {
    run_.fail(
        fmt::format("the run ended at {} = {} (step {}): values grow beyond 1.8e308, the largest number that can be "
                    "reported{}",
                    run_.solution.independent, run_.show(t), run_.solution.stats.steps + 1, end_advice()));
}

template <class S> void FailureTexts<S>::memory() {
    run_.recorder().drop_incomplete(run_.solution);
    const S t = run_.time_of(run_.stepper().tau(), run_.stepper().point());
    run_.fail(fmt::format("the memory is used up at {} = {} ({} points of {} numbers kept). Ask for fewer points with "
                          "--every or --at",
                          run_.solution.independent, run_.show(t), run_.solution.t.size(),
                          run_.solution.names.size() + run_.solution.output_names.size()));
}

template <class S> std::string FailureTexts<S>::cause(const StepReport<S>& report) {
    if (report.outcome == StepOutcome::no_derivative) return derivative_cause(report);
    if (!report.failed.text.empty()) return std::string(report.failed.text);
    if (report.why == PointStatus::not_finite && report.outcome != StepOutcome::no_projection)
        return not_finite_cause(report);
    const S* x = run_.stepper().point();
    const S t = run_.time_of(run_.stepper().tau(), x);
    if (report.outcome == StepOutcome::no_chart) return std::string(run_.method().family->no_chart);
    if (report.outcome == StepOutcome::no_projection && run_.projection() && !run_.projection()->failure().empty())
        return run_.projection()->failure();
    const std::string dependent = dependent_constraints(run_.problem().manifold(), t, x);
    if (!dependent.empty())
        return fmt::format("the constraints become dependent there {}. Branches of the motion may cross; if the "
                           "constraints are polynomials, 'vessiot decompose' separates them",
                           dependent);
    if (report.outcome == StepOutcome::done && run_.leap() && run_.leap()->is_near())
        return "the constraints become dependent near there. Branches of the motion may cross; if the constraints are "
               "polynomials, 'vessiot decompose' separates them; looser tolerances may lead past the place";
    switch (report.outcome) {
    case StepOutcome::done: return error_cause(report);
    case StepOutcome::no_projection:
        return report.why == PointStatus::not_finite ? "the constraints have no finite value at the new point"
                                                     : "the projection onto the constraints did not converge";
    case StepOutcome::no_convergence: return convergence_cause(report);
    case StepOutcome::no_derivative: return derivative_cause(report);
    case StepOutcome::no_chart:
    case StepOutcome::no_way_on:
    case StepOutcome::no_direction_here:
    case StepOutcome::no_direction: break;
    }
    return singular_cause();
}

template <class S> std::string FailureTexts<S>::singular_cause() const {
    return fmt::format("the equations no longer determine {}{}", run_.problem().analysis().top_names(),
                       impasse_advice());
}

// Methods that linearise the equations need derivatives that the direction does without.
template <class S> std::string FailureTexts<S>::derivative_cause(const StepReport<S>& report) const {
    const auto [equation, column] = report.failed.derivative;
    if (equation < 0)
        return fmt::format(
            "the equations have no derivatives of the order that {} needs there (a root or a power of 0, "
            "or numbers too large). An explicit Runge-Kutta method, such as dopri54, does without them",
            run_.method().name);
    const Analysis& analysis = run_.problem().analysis();
    const Prolongation& p = analysis.prolongation;
    const std::int64_t m = run_.problem().n_state();
    const std::string by = column < 0   ? run_.solution.independent
                           : column < m ? analysis.name_of(p.state[static_cast<std::size_t>(column)])
                           : column < m + run_.problem().n_tops()
                               ? analysis.name_of(p.top[static_cast<std::size_t>(column - m)])
                               : run_.solution.independent;
    return fmt::format("the derivative of {} by {} has no finite value there, which {} needs. An explicit method, such "
                       "as dopri54, does without it",
                       top_equation_text(analysis.system, p, equation), by, run_.method().name);
}

template <class S> std::string FailureTexts<S>::convergence_cause(const StepReport<S>& report) const {
    // where longer steps had a matrix that was regular, but no solution, that is the reason
    const bool is_singular = report.why == PointStatus::singular && !run_.attempt.has_failed_to_converge;
    if (is_singular && method::is_direct(run_.method()))
        return fmt::format(
            "the equations of a step of {0} have no unique solution, whatever its size: their pencil is "
            "singular there. {0} works on the equations as they stand; a method on the constraints, such "
            "as radau5, may do",
            run_.method().name);
    if (is_singular)
        return fmt::format("the matrix 1 - h J of {} is singular for every step that was tried", run_.method().name);
    if (method::is_direct(run_.method()))
        return fmt::format("the iteration for a step of {0} does not converge{1}. {0} works on the equations as they "
                           "stand; a method on the constraints, such as radau5, may do",
                           run_.method().name, run_.sizes.is_adaptive ? ", however small the step" : "");
    return fmt::format("the iteration for the stages of {} does not converge{}", run_.method().name,
                       run_.sizes.is_adaptive
                           ? ", however small the step. The equations may have no smooth solution there, or a "
                             "derivative that jumps; an explicit method may get on"
                           : "");
}

template <class S> std::string FailureTexts<S>::impasse_advice() const {
    if (run_.is_arclength) return "";
    return fmt::format(". If {} turns back there (an impasse point), try --parametrisation arclength",
                       run_.solution.independent);
}

template <class S> std::string FailureTexts<S>::end_advice() const {
    if (!run_.sizes.is_adaptive) return ""; // there it is the step that is blamed
    return ". The solution seems to end there; end the run before, with --to or an event that stops it";
}

// A function outside of its domain, an overflow, or a division by what vanishes.
template <class S> std::string FailureTexts<S>::not_finite_cause(const StepReport<S>& report) {
    const bool is_known = report.failed.point != nullptr;
    const S* x = is_known ? report.failed.point : run_.stepper().point();
    const std::int64_t m = run_.problem().n_state();
    const Analysis& analysis = run_.problem().analysis();
    for (std::int64_t k = 0; k < m; ++k)
        if (!linalg::is_finite(x[k]))
            return fmt::format("{} grows beyond the largest number{}",
                               analysis.name_of(analysis.prolongation.state[static_cast<std::size_t>(k)]),
                               end_advice());
    const S t = run_.is_arclength ? x[m] : is_known ? report.failed.tau : run_.stepper().tau();
    std::vector<double> u(static_cast<std::size_t>(m)), w(static_cast<std::size_t>(run_.problem().n_tops()), 0);
    for (std::int64_t k = 0; k < m; ++k) u[static_cast<std::size_t>(k)] = static_cast<double>(x[k]);
    const std::string where =
        explain_not_finite(run_.problem().system(), run_.problem().prolongation(), static_cast<double>(t), u, w);
    if (where.empty()) return singular_cause();
    const bool says_all = where.starts_with("overflow") || where.starts_with("the divisor");
    return fmt::format("{}{}{}", where, says_all ? "" : " has no finite value", end_advice());
}

// Steps that are too small although every point has a direction.
template <class S> std::string FailureTexts<S>::error_cause(const StepReport<S>& report) {
    if (!(report.error == report.error)) return "the error estimate is not a number";
    if (S(run_.options.rtol) < S(10) * linalg::epsilon<S>())
        return fmt::format("rtol = {:.3g} asks for more digits than {} precision has. Loosen it{}", run_.options.rtol,
                           word(run_.options.precision),
                           run_.options.precision == Precision::double_ ? ", or use --precision quad" : "");
    const std::string found = report.error > S(1)
                                  ? fmt::format("the error estimate stays {:.2g} times above the tolerance",
                                                static_cast<double>(report.error))
                                  : "the tolerances ask for smaller steps";
    return found + fastest();
}

// The coordinate that changes fastest by its size, which tells a pole from an impasse point.
template <class S> std::string FailureTexts<S>::fastest() {
    const S* x = run_.stepper().point();
    const S* v = run_.is_arclength ? nullptr : run_.stepper().direction();
    std::int64_t k = 0;
    const auto rate = [&](std::int64_t i) { return linalg::absolute(v[i]) / (S(1) + linalg::absolute(x[i])); };
    for (std::int64_t i = 1; v && i < run_.problem().n_state(); ++i)
        if (rate(i) > rate(k)) k = i;
    const S length = linalg::absolute(run_.span.t1 - run_.span.t0);
    if (!v || !(rate(k) * length > S(1000))) return ". The solution may not be smooth there" + impasse_advice();
    const Analysis& analysis = run_.problem().analysis();
    const std::string name = analysis.name_of(analysis.prolongation.state[static_cast<std::size_t>(k)]);
    const auto value = static_cast<double>(x[k]);
    if (linalg::absolute(x[k]) > S(1e6) * (S(1) + linalg::absolute(run_.start.u[k])))
        return fmt::format(", and {0} grows without bound ({0} = {1:.2g}){2}", name, value, end_advice());
    return fmt::format(", and {0} changes without bound ({0}' = {1:.2g} at {0} = {2:.2g}){3}", name,
                       static_cast<double>(v[k]), value, impasse_advice());
}

template <class S> void FailureTexts<S>::small_step(S h, const StepReport<S>& report) {
    const S t = run_.time_of(run_.stepper().tau(), run_.stepper().point());
    if (run_.attempt.is_too_large) return large(t);
    run_.is_at_impasse =
        !run_.is_arclength && run_.sizes.is_adaptive && !(run_.leap() && run_.leap()->is_near()) &&
        is_near_impasse<S>(run_.problem(), {t, run_.stepper().point()}, {run_.span.t0, run_.start.u.data()});
    const std::string place = fmt::format("the run ended at {} = {} (step {}, h = {:.3g}", run_.solution.independent,
                                          run_.show(t), run_.solution.stats.steps + 1, static_cast<double>(h));
    if (!run_.sizes.is_adaptive && run_.meter.n_attempts == 0)
        run_.fail(fmt::format("{}, a constant step): it is lost in the round-off of {}. Give a larger --step", place,
                              run_.solution.independent));
    else if (!run_.sizes.is_adaptive)
        run_.fail(fmt::format("{}, a constant step): {}. Try a smaller --step, or leave it out", place,
                              report.outcome == StepOutcome::done ? "the new point is not finite" : cause(report)));
    else if (report.outcome == StepOutcome::no_direction_here || report.outcome == StepOutcome::no_derivative ||
             report.outcome == StepOutcome::no_way_on)
        run_.fail(fmt::format("{}): {}", place, cause(report)));
    else if (linalg::absolute(h) < run_.sizes.floor)
        run_.fail(
            fmt::format("{}, below h_min = {:.3g}): {}. A smaller --h-min or looser tolerances may help", place,
                        static_cast<double>(run_.sizes.floor),
                        report.outcome == StepOutcome::done ? "the tolerances ask for smaller steps" : cause(report)));
    else if (run_.solution.stats.steps == 0 && run_.meter.n_attempts == 0)
        run_.fail(fmt::format(
            "{}): the tolerances ask for steps that are lost in the round-off of {}, whose neighbours "
            "are {:.2g} apart here. Move the start of the interval nearer to 0{}",
            place, run_.solution.independent, static_cast<double>(linalg::absolute(t) * linalg::epsilon<S>()),
            run_.options.precision == Precision::double_ ? ", or use --precision quad" : ""));
    else
        run_.fail(fmt::format("{}, the step floor): {}", place, cause(report)));
}

template <class S> void FailureTexts<S>::output(const std::string& why) {
    if (run_.solution.stats.steps > 0) {
        run_.fail(fmt::format("{}; the run ended at {} = {}", why, run_.solution.independent,
                              run_.show(run_.time_of(run_.clock(), run_.stepper().point()))));
        return;
    }
    run_.solution.status = Status::failed;
    run_.solution.message = why + "; nothing was computed";
    run_.is_over = true;
}

template <class S> void FailureTexts<S>::exception() {
    run_.solution.error = std::current_exception();
    std::string text = "what was thrown is no std::exception";
    try {
        throw;
    } catch (const std::exception& e) {
        text = e.what();
    } catch (...) {
    }
    run_.recorder().drop_incomplete(run_.solution);
    run_.fail(fmt::format("the run ended at {} = {}, where a function of the caller threw: {}",
                          run_.solution.independent, run_.show(run_.t()), text));
}

template class FailureTexts<double>;
template class FailureTexts<Quad>;

} // namespace vessiot
