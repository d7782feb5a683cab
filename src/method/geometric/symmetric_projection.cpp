#include "method/geometric/symmetric_projection.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

using linalg::absolute;

namespace {

constexpr int max_iterations = 60;

template <class S>
std::unique_ptr<Stepper<S>> make_inner(const MethodInfo& info, Field<S>& field, StepperOptions<S> options) {
    if (is_direct(info) || info.needs == View::mechanical || info.needs == View::lie || info.needs == View::linear_lie)
        throw InvalidInput("--project symmetric is not for the method \"" + std::string(info.name) +
                           "\", which keeps to the constraints by itself: leave it out");
    options.project = Project::nothing;
    return make_stepper<S>(info, field, nullptr, options);
}

} // namespace

template <class S>
SymmetricProjection<S>::SymmetricProjection(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options)
    : OneStep<S>(field, nullptr, options), manifold_(options.parts->manifold), inner_(make_inner(info, field, options)),
      solver_(manifold_.pattern()), moved_(field.size()), entries_(manifold_.pattern().entries()),
      end_entries_(entries_.size()), f_(manifold_.n_constraints()), size_(f_.size()), mu_(f_.size()), b_(f_.size()) {}

template <class S> S SymmetricProjection<S>::time(S tau, const S* x) const {
    return manifold_.has_t() ? x[this->size() - 1] : tau;
}

template <class S> void SymmetricProjection<S>::begin(S tau, const S* x) {
    OneStep<S>::begin(tau, x);
    has_factor_ = false;
}

template <class S> void SymmetricProjection<S>::accept() {
    OneStep<S>::accept();
    has_factor_ = false;
}

// A(x) and A A^T where the step begins
template <class S> bool SymmetricProjection<S>::factor_start(StepReport<S>& report) {
    if (has_factor_) return true;
    const S t = time(this->from_tau(), this->from());
    manifold_.movable_df(t, this->from(), f_.data(), entries_.data());
    if (!linalg::all_finite(entries_.data(), entries_.size()))
        return this->fail(report, StepOutcome::no_projection, PointStatus::not_finite, this->from_tau(), this->from());
    if (!solver_.factor(entries_.data(), nullptr) && !solver_.leaves_out_rows())
        return this->fail(report, StepOutcome::no_projection, PointStatus::singular, this->from_tau(), this->from());
    has_factor_ = true;
    return true;
}

template <class S>
void SymmetricProjection<S>::add_normal(const linalg::Vector<S>& entries, const linalg::Vector<S>& mu, S factor,
                                        S* x) const {
    const linalg::Pattern& p = manifold_.pattern();
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[linalg::at(j)]; e < p.column_start[linalg::at(j + 1)]; ++e)
            x[j] += factor * entries[e] * mu[p.row[linalg::at(e)]];
}

template <class S> bool SymmetricProjection<S>::advance(S h, StepReport<S>& report) {
    if (!factor_start(report)) return false;
    int iterations = 0;
    const bool is_solved = solve(h, iterations, report);
    this->count_projection(iterations);
    if (!is_solved) return false;
    for (const S& f : f_) report.residual = std::max(report.residual, absolute(f));
    for (std::int64_t i = 0; i < this->size(); ++i) moved_[i] = this->to()[i] - inner_->candidate()[i];
    report.distance = this->norm(moved_.data());
    return true;
}

template <class S> bool SymmetricProjection<S>::solve(S h, int& k, StepReport<S>& report) {
    const std::int64_t n = this->size();
    const S tau = this->from_tau(), tau_end = this->to_tau(), *start = this->from();
    S* end = this->to();
    std::fill(mu_.begin(), mu_.end(), S(0));
    S before = -1;
    for (k = 0;; ++k) {
        std::copy_n(start, n, moved_.data());
        add_normal(entries_, mu_, S(1), moved_.data());
        inner_->begin(tau, moved_.data());
        report = inner_->attempt(h);
        if (report.outcome != StepOutcome::done) return false;
        // p = p~ + A(p)^T mu, with A at the last p, or at p~
        if (k == 0) std::copy_n(inner_->candidate(), n, end);
        manifold_.movable_df(time(tau_end, end), end, f_.data(), end_entries_.data());
        // NOTE: of the terms where the step ends; those where it begins may be a thousand times larger
        if (k == 0) manifold_.sizes(time(tau_end, end), end, end_entries_.data(), S(1e-9), size_.data());
        std::copy_n(inner_->candidate(), n, end);
        add_normal(end_entries_, mu_, S(1), end);
        manifold_.f(time(tau_end, end), end, f_.data());
        const S r = relative_residual();
        const S noise = S(16) * linalg::epsilon<S>();
        const bool is_reached = r <= noise || (before >= S(0) && r > before / S(2) && r <= S(1e-10));
        if (is_reached && k > 0) { // A(p) is that of the last but one at least
            polish(r, noise);
            return true;
        }
        if (!(r == r) || k == max_iterations || (before >= S(0) && r > S(100) * before && r > S(1)))
            return this->fail(report, StepOutcome::no_projection,
                              r == r ? PointStatus::not_converged : PointStatus::not_finite, tau_end, end);
        before = r;
        solver_.solve(f_.data(), b_.data());
        for (std::int64_t i = 0; i < f_.size(); ++i) mu_[i] -= b_[i] / S(2);
    }
}

// The largest |f| over its size; NaN where one is.
template <class S> S SymmetricProjection<S>::relative_residual() const {
    S r = 0;
    for (std::int64_t i = 0; i < f_.size(); ++i) {
        if (f_[i] == S(0)) continue;
        const S relative = absolute(f_[i]) / size_[i];
        if (!(relative <= r)) r = relative;
    }
    return r;
}

// Phi itself may be known to the tolerance of an iteration only, and f(p) then does not get smaller than that by other
// mu: the rest is taken away from p alone, A(p) A(p)^T d = -f(p), p += A(p)^T d.
template <class S> void SymmetricProjection<S>::polish(S r, S noise) {
    constexpr int most = 10;
    const std::int64_t n = this->size();
    S* end = this->to();
    if (r <= noise) return;
    has_factor_ = false;
    if (!solver_.factor(end_entries_.data(), nullptr) && !solver_.leaves_out_rows()) return;
    for (int k = 0; k < most && r > noise; ++k) {
        solver_.solve(f_.data(), b_.data());
        std::copy_n(end, n, moved_.data());
        add_normal(end_entries_, b_, S(-1), end);
        manifold_.f(time(this->to_tau(), end), end, f_.data());
        const S now = relative_residual();
        if (!(now < r)) { // no better any more
            std::copy_n(moved_.data(), n, end);
            manifold_.f(time(this->to_tau(), end), end, f_.data());
            return;
        }
        r = now;
    }
}

template <class S> const StepperCounts& SymmetricProjection<S>::counts() const {
    const StepperCounts& own = OneStep<S>::counts();
    counts_ = inner_->counts();
    counts_.projections += own.projections;
    counts_.newton_iterations += own.newton_iterations;
    counts_.newton_max = std::max(counts_.newton_max, own.newton_max);
    return counts_;
}

template class SymmetricProjection<double>;
template class SymmetricProjection<Quad>;

} // namespace vessiot::method
