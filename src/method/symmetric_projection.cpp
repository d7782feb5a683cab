#include "method/symmetric_projection.hpp"

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
    const bool is_direct = info.family == Family::direct_rk || info.family == Family::bdf;
    if (is_direct || info.needs == View::mechanical || info.needs == View::lie || info.needs == View::linear_lie)
        throw InvalidInput("--project symmetric is not for the method \"" + std::string(info.name) +
                           "\", which keeps to the constraints by itself: leave it out");
    options.project = Project::nothing;
    return make_stepper<S>(info, field, nullptr, options);
}

} // namespace

template <class S>
SymmetricProjection<S>::SymmetricProjection(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options)
    : field_(field), manifold_(options.parts->manifold), inner_(make_inner(info, field, options)),
      norm_(field.size(), options), n_(field.size()), n_padded_(linalg::padded(n_)), solver_(manifold_.pattern()),
      start_(n_), end_(n_), moved_(n_), k_0_(n_), k_1_(n_), failed_(n_), entries_(manifold_.pattern().entries()),
      end_entries_(entries_.size()), f_(manifold_.n_constraints()), size_(f_.size()), mu_(f_.size()), b_(f_.size()) {}

template <class S> S SymmetricProjection<S>::time(S tau, const S* x) const {
    return manifold_.has_t() ? x[n_ - 1] : tau;
}

template <class S> void SymmetricProjection<S>::begin(S tau, const S* x) {
    std::copy_n(x, n_, start_.data());
    tau_ = tau;
    has_candidate_ = is_accepted_ = has_factor_ = false;
    at_start_ = at_end_ = {};
}

template <class S>
typename SymmetricProjection<S>::Evaluation SymmetricProjection<S>::evaluate(S tau, const linalg::Vector<S>& x,
                                                                             linalg::Vector<S>& direction) {
    Evaluation e{true, field_.direction(tau, x.data(), direction.data())};
    if (e.status == PointStatus::good && !linalg::all_finite(direction.data(), n_)) e.status = PointStatus::not_finite;
    if (e.status != PointStatus::good) {
        failed_tau_ = tau;
        std::copy_n(x.data(), n_, failed_.data());
    }
    return e;
}

template <class S> const S* SymmetricProjection<S>::direction() {
    Evaluation& e = is_accepted_ ? at_end_ : at_start_;
    linalg::Vector<S>& k = is_accepted_ ? k_1_ : k_0_;
    if (!e.is_done) e = evaluate(tau(), is_accepted_ ? end_ : start_, k);
    return e.status == PointStatus::good ? k.data() : nullptr;
}

template <class S>
bool SymmetricProjection<S>::fail(StepReport<S>& report, StepOutcome outcome, PointStatus why, S tau, const S* x) {
    report.outcome = outcome;
    report.why = why;
    failed_tau_ = tau;
    std::copy_n(x, n_, failed_.data());
    return false;
}

// A(x) and A A^T where the step begins
template <class S> bool SymmetricProjection<S>::factor_start(StepReport<S>& report) {
    if (has_factor_) return true;
    const S t = time(tau_, start_.data());
    manifold_.df(t, start_.data(), f_.data(), entries_.data());
    manifold_.sizes(t, start_.data(), entries_.data(), S(1e-9), size_.data());
    if (!linalg::all_finite(entries_.data(), entries_.size()))
        return fail(report, StepOutcome::no_projection, PointStatus::not_finite, tau_, start_.data());
    if (!solver_.factor(entries_.data(), nullptr) && !solver_.leaves_out_rows())
        return fail(report, StepOutcome::no_projection, PointStatus::singular, tau_, start_.data());
    has_factor_ = true;
    return true;
}

template <class S>
void SymmetricProjection<S>::add_normal(const linalg::Vector<S>& entries, linalg::Vector<S>& x) const {
    const linalg::Pattern& p = manifold_.pattern();
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[linalg::at(j)]; e < p.column_start[linalg::at(j + 1)]; ++e)
            x[j] += entries[e] * mu_[p.row[linalg::at(e)]];
}

template <class S> StepReport<S> SymmetricProjection<S>::attempt(S h) {
    if (is_accepted_) {
        std::swap(start_, end_);
        std::swap(k_0_, k_1_);
        tau_ = tau_end_;
        at_start_ = at_end_;
        is_accepted_ = has_factor_ = false;
    }
    has_candidate_ = false;
    at_end_ = {};
    h_ = h;
    tau_end_ = tau_ + h;
    StepReport<S> report;
    if (!factor_start(report)) return report;
    std::fill(mu_.begin(), mu_.end(), S(0));
    ++n_projections_;
    S before = -1;
    for (int k = 0;; ++k) {
        most_iterations_ = std::max<std::int64_t>(most_iterations_, k);
        std::copy_n(start_.data(), n_, moved_.data());
        add_normal(entries_, moved_);
        inner_->begin(tau_, moved_.data());
        report = inner_->attempt(h);
        if (report.outcome != StepOutcome::done) {
            failed_tau_ = inner_->failed_tau();
            if (inner_->failed_point()) std::copy_n(inner_->failed_point(), n_, failed_.data());
            return report;
        }
        // p = p~ + A(p)^T mu, with A at the last p, or at p~
        if (k == 0) std::copy_n(inner_->candidate(), n_, end_.data());
        manifold_.df(time(tau_end_, end_.data()), end_.data(), f_.data(), end_entries_.data());
        std::copy_n(inner_->candidate(), n_, end_.data());
        add_normal(end_entries_, end_);
        manifold_.f(time(tau_end_, end_.data()), end_.data(), f_.data());
        S r = 0;
        for (std::int64_t i = 0; i < f_.size(); ++i) {
            if (f_[i] == S(0)) continue;
            const S relative = absolute(f_[i]) / size_[i];
            if (!(relative <= r)) r = relative; // NaN stays
        }
        const bool is_reached =
            r <= S(16) * linalg::epsilon<S>() || (before >= S(0) && r > before / S(2) && r <= S(1e-10));
        if (is_reached && k > 0) break; // A(p) is that of the last but one at least
        if (!(r == r) || k == max_iterations || (before >= S(0) && r > S(100) * before && r > S(1))) {
            fail(report, StepOutcome::no_projection, r == r ? PointStatus::not_converged : PointStatus::not_finite,
                 tau_end_, end_.data());
            return report;
        }
        before = r;
        solver_.solve(f_.data(), b_.data());
        for (std::int64_t i = 0; i < f_.size(); ++i) mu_[i] -= b_[i] / S(2);
        ++n_iterations_;
    }
    for (const S& f : f_) report.residual = std::max(report.residual, absolute(f));
    for (std::int64_t i = 0; i < n_; ++i) moved_[i] = end_[i] - inner_->candidate()[i];
    report.distance = norm_(moved_.data(), start_.data(), end_.data());
    has_candidate_ = true;
    return report;
}

// d_1 = h k_0,  d_2 = 3 (p - x) - h (2 k_0 + k_1),  d_3 = h (k_0 + k_1) - 2 (p - x)
template <class S> PointStatus SymmetricProjection<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    if (!at_start_.is_done) at_start_ = evaluate(tau_, start_, k_0_);
    if (!at_end_.is_done) at_end_ = evaluate(tau_end_, end_, k_1_);
    for (const Evaluation& e : {at_start_, at_end_})
        if (e.status != PointStatus::good) return e.status;
    std::fill_n(coefficients, 4 * n_padded_, S(0));
    S *d_0 = coefficients, *d_1 = d_0 + n_padded_, *d_2 = d_1 + n_padded_, *d_3 = d_2 + n_padded_;
    for (std::int64_t i = 0; i < n_; ++i) {
        const S move = end_[i] - start_[i], v_0 = h_ * k_0_[i], v_1 = h_ * k_1_[i];
        d_0[i] = start_[i];
        d_1[i] = v_0;
        d_2[i] = 3 * move - (2 * v_0 + v_1);
        d_3[i] = (v_0 + v_1) - 2 * move;
    }
    return PointStatus::good;
}

template <class S> const StepperCounts& SymmetricProjection<S>::counts() const {
    counts_ = inner_->counts();
    counts_.projections += n_projections_;
    counts_.newton_iterations += n_iterations_;
    counts_.newton_max = std::max(counts_.newton_max, most_iterations_);
    return counts_;
}

template class SymmetricProjection<double>;
template class SymmetricProjection<float128>;

} // namespace vessiot::method
