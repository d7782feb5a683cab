// Why a run ended early, in words: what was found, what was needed, where, what to try.
#include <algorithm>

#include <fmt/format.h>

#include "linalg/pivoted_qr.hpp"
#include "manifold/domain_error.hpp"
#include "solve/run.hpp"

namespace vessiot {

namespace {

// Constraints that depend on others at a point; empty where all are independent or the system is large.
template <class S> std::string dependent_constraints(Manifold<S>& m, S t, const S* u) {
    const std::int64_t k = m.n_constraints(), n = m.n_coordinates();
    if (k == 0 || k > 200 || n > 1000) return "";
    linalg::Vector<S> f(k), entries(m.pattern().entries());
    m.df(t, u, f.data(), entries.data());
    if (!linalg::all_finite(entries.data(), entries.size())) return "";
    std::vector<S> dense(static_cast<std::size_t>(k * n), S(0));
    for (std::int64_t c = 0; c < n; ++c)
        for (std::int64_t e = m.pattern().column_start[static_cast<std::size_t>(c)];
             e < m.pattern().column_start[static_cast<std::size_t>(c) + 1]; ++e)
            dense[static_cast<std::size_t>(c * k + m.pattern().row[static_cast<std::size_t>(e)])] = entries[e];
    const std::vector<int> rows =
        linalg::dependent_rows(dense.data(), static_cast<int>(k), static_cast<int>(n), S(1e-5));
    if (rows.empty()) return "";
    std::string text = fmt::format("the constraints become dependent there (rank {} of {}): ", k - std::ssize(rows), k);
    for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 3); ++i) text += (i ? "; " : "") + m.text(rows[i]);
    if (rows.size() > 3) text += fmt::format("; and {} more", rows.size() - 3);
    return text + (rows.size() == 1 ? " follows from the others" : " follow from the others");
}

} // namespace

template <class S> void Run<S>::fail(const std::string& message) {
    solution_.status = Status::failed;
    solution_.message = message;
    is_over_ = true;
}

template <class S> std::string Run<S>::cause(const StepReport<S>& report) {
    const S* x = stepper_->point();
    const S t = time_of(stepper_->tau(), x);
    if (report.outcome == StepOutcome::done) {
        const std::string dependent = dependent_constraints(problem_->manifold(), t, x);
        if (!dependent.empty()) return dependent;
        if (!(report.error == report.error)) return "the error estimate is not a number";
        return fmt::format("the error estimate stays {:.2g} times above the tolerance. The solution may have a "
                           "singularity there{}",
                           static_cast<double>(report.error),
                           is_arclength_ ? ""
                                         : "; if t turns back (an impasse point), try --parametrisation arclength");
    }
    if (report.outcome == StepOutcome::no_projection) {
        const std::string dependent = dependent_constraints(problem_->manifold(), t, x);
        if (!dependent.empty()) return dependent;
        return report.why == PointStatus::not_finite ? "the constraints have no finite value at the new point"
                                                     : "the projection onto the constraints did not converge";
    }
    if (report.why == PointStatus::singular) {
        const std::string dependent = dependent_constraints(problem_->manifold(), t, x);
        return dependent.empty() ? "the equations for the highest derivatives become singular there" : dependent;
    }
    // a function outside of its domain
    const S* failed = stepper_->failed_point() ? stepper_->failed_point() : x;
    const std::int64_t m = problem_->n_state();
    const S failed_t = is_arclength_ ? failed[m] : stepper_->failed_tau();
    std::vector<double> u(static_cast<std::size_t>(m)), w(static_cast<std::size_t>(problem_->n_tops()), 0);
    for (std::int64_t k = 0; k < m; ++k) u[static_cast<std::size_t>(k)] = static_cast<double>(failed[k]);
    const std::string where =
        explain_not_finite(problem_->system(), problem_->prolongation(), static_cast<double>(failed_t), u, w);
    return where.empty() ? "the direction of the solution has no finite value there"
                         : fmt::format("{} has no finite value", where);
}

template <class S> void Run<S>::fail_small_step(S h, const StepReport<S>& report) {
    const S t = time_of(stepper_->tau(), stepper_->point());
    const std::string place = fmt::format("at {} = {} (step {}, h = {:.3g}", solution_.independent, show(t),
                                          solution_.stats.steps + 1, static_cast<double>(h));
    if (is_adaptive_ && report.outcome != StepOutcome::no_direction_here)
        fail(fmt::format("the run ended {}, the step floor): {}", place, cause(report)));
    else if (is_adaptive_)
        fail(fmt::format("the run ended {}): {}", place, cause(report)));
    else
        fail(fmt::format("the run ended {}, a constant step): {}. Try a smaller --step, or leave it out", place,
                         report.outcome == StepOutcome::done ? "the new point is not finite" : cause(report)));
}

template void Run<double>::fail(const std::string&);
template void Run<expr::Quad>::fail(const std::string&);
template void Run<double>::fail_small_step(double, const StepReport<double>&);
template void Run<expr::Quad>::fail_small_step(expr::Quad, const StepReport<expr::Quad>&);

} // namespace vessiot
