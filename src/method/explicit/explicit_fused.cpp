// Steps of ExplicitRk by the kernels of an attempt (method/attempt), one at a time and many in turn.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "linalg/scalar.hpp"
#include "method/explicit/explicit_rk.hpp"

namespace vessiot::method {

// Where all is as usual: points of steps are projected, and errors are rms of the embedded estimate.
template <class S>
void ExplicitRk<S>::make_fused([[maybe_unused]] const MethodInfo& info,
                               [[maybe_unused]] const StepperOptions<S>& options) {
    if constexpr (std::is_same_v<S, double>) {
        const bool is_usual = (estimate_ == Estimate::none || estimate_ == Estimate::by_weights) &&
                              options.norm == NormKind::rms && options.block == 0;
        if (!is_usual || !options.parts) return;
        const TableauView& t = info.tableau;
        AttemptPlan plan{plan_.n_inner,
                         plan_.n_total,
                         t.a,
                         t.b,
                         t.c,
                         {},
                         {},
                         plan_.is_fsal,
                         k_[1] - k_[0],
                         project_ == Project::stages};
        if (plan_.has_own_dense) plan.curve = {t.dense, t.degree, plan_.n_stages, plan_.n_total, plan_.end_stage};
        if (plan_.error > 0) plan.error = error_weights(t, t.b_hat);
        if (plan_.error_low > 0) plan.error_low = error_weights(t, t.b_low);
        fused_.kernels =
            FusedAttempt::make(*options.parts, plan, projects() ? projection_ : nullptr, options.rtol, options.atol);
    }
}

template <class S> FusedAttempt::Places ExplicitRk<S>::places() {
    if constexpr (std::is_same_v<S, double>) return {start_, k(0), k_[1], end_, work_, k(plan_.end_stage)};
    return {};
}

template <class S> bool ExplicitRk<S>::attempt_fused([[maybe_unused]] StepReport<S>& report) {
    if constexpr (std::is_same_v<S, double>) {
        FusedAttempt& kernels = *fused_.kernels;
        ++fused_.n;
        const auto result = kernels(tau_, h_, places(), true); // others may judge the point
        fused_.lacks_stages = true;
        count_fused();
        if (result == FusedAttempt::Result::unclear) {
            ++fused_.n_unclear;
            return false;
        }
        report.square = kernels.square();
        report.error = report.square.root();
        if (kernels.point() != end_) std::swap(end_, work_);
        report.residual = kernels.residual();
        at_end_ = {.is_done = true, .status = PointStatus::good};
        if (report.error <= 1) look_twice(report);
        has_candidate_ = true;
        return true;
    }
    return false;
}

template <class S> void ExplicitRk<S>::count_fused() {
    const FusedAttempt& kernels = *fused_.kernels;
    count_projected_stages(1);
    counts_.stages += static_cast<std::int64_t>(plan_.n_inner) - (kernels.has_landed() ? 0 : 1);
    if (!kernels.has_landed() || !kernels.projects()) return;
    counts_.add_projection(kernels.n_sets() * kernels.n_corrections());
    ++counts_.jacobians;
    counts_.factorisations += kernels.n_sets();
}

// Of so many attempts by kernels.
template <class S> void ExplicitRk<S>::count_projected_stages(std::int64_t n_attempts) {
    if (!fused_.kernels->blocks().projects_stages() || n_attempts == 0) return;
    const std::int64_t n = n_attempts * (static_cast<std::int64_t>(plan_.n_inner) - 1);
    const std::int64_t sets = fused_.kernels->n_sets();
    counts_.add_projection(sets); // one correction of each
    counts_.projections += n - 1;
    counts_.newton_iterations += (n - 1) * sets;
    counts_.jacobians += n_attempts;
    counts_.factorisations += n_attempts * sets;
}

template <class S> void ExplicitRk<S>::complete_stages() {
    if constexpr (std::is_same_v<S, double>) {
        if (fused_.lacks_stages) {
            fused_.kernels->complete(places());
            if (project_ == Project::stages) begin_parts(); // stages of the dense output
        }
    }
    fused_.lacks_stages = false;
}

// As attempt() and accept() in turn.
template <class S> void ExplicitRk<S>::run_on([[maybe_unused]] Stretch<S>& s) {
    s.n = 0;
    s.n_attempts = s.n_rejected = 0;
    if constexpr (std::is_same_v<S, double>) {
        if (!can_run_on()) return;
        FusedAttempt& kernels = *fused_.kernels;
        kernels.sample(s.samples);
        while (s.n < s.n_wanted && s.n_attempts < s.n_allowed) {
            const S size = std::abs(s.h), tau = this->tau(), scale = std::max(std::abs(tau), std::abs(tau + s.h));
            if (!(std::abs(s.end - tau) > 1.01 * size) || !(std::abs(s.report - tau) > size)) break;
            if (size < s.h_floor || size <= 8 * linalg::epsilon<S>() * scale || size < s.slow * s.longest) break;
            if (is_accepted_) go_on();
            const auto result = kernels(tau_, s.h, places());
            if (result == FusedAttempt::Result::unclear) break; // the loop tries it again
            ++s.n_attempts;
            ++fused_.n;
            count_fused();
            kernels.sample(false);
            const ErrorSquare square = kernels.square();
            s.error = square.root();
            if (result == FusedAttempt::Result::rejected) {
                ++s.n_rejected;
                s.h = s.next(s.loop, s.error, square, s.h, false);
                continue;
            }
            if (kernels.point() != end_) std::swap(end_, work_);
            tau_end_ = tau_ + s.h;
            h_ = s.h;
            is_accepted_ = true;
            at_end_ = {.is_done = true, .status = PointStatus::good};
            s.add({tau_end_, tau_end_ - tau_, kernels.residual()}, n_, n_padded_, end_, k(plan_.end_stage));
            s.longest = std::max(s.longest, size);
            s.h = s.next(s.loop, s.error, square, s.h, true);
            if (std::abs(s.h) > s.h_max) s.h = s.h < 0 ? -s.h_max : s.h_max;
        }
        kernels.sample(true);
        has_candidate_ = is_accepted_; // of the last step, unless another was tried since
        has_extra_ = has_curve_ = false;
        fused_.lacks_stages = true;
    }
}

template <class S> FusedAttempt* ExplicitRk<S>::lend(Stretch<S>& stretch) {
    stretch.has_plain_first = !quadrature_.is_second_look();
    return can_run_on() ? fused_.kernels.get() : nullptr;
}

template <class S> void ExplicitRk<S>::take_back(const Stretch<S>& s, const S* x, const S* v) {
    const FusedAttempt& kernels = *fused_.kernels;
    const std::int64_t landed = s.n + (kernels.blocks().has_late_error() ? s.n_rejected : 0);
    fused_.n += static_cast<int>(s.n_attempts);
    kernels.count(s.n_attempts, landed);
    count_projected_stages(s.n_attempts);
    counts_.stages += s.n_attempts * static_cast<std::int64_t>(plan_.n_inner) - (s.n_attempts - landed);
    if (landed > 0 && kernels.projects()) {
        counts_.add_projection(kernels.n_sets()); // one correction of each
        counts_.projections += landed - 1;
        counts_.newton_iterations += (landed - 1) * kernels.n_sets();
        counts_.jacobians += landed;
        counts_.factorisations += landed * kernels.n_sets();
    }
    if (s.n == 0) return;
    std::copy_n(x, n_, end_);
    std::copy_n(v, n_, k(plan_.end_stage));
    tau_end_ = s.tau;
    h_ = s.taken;
    has_candidate_ = has_extra_ = has_curve_ = false; // the last step is not here
    fused_.lacks_stages = true;
}

template FusedAttempt* ExplicitRk<double>::lend(Stretch<double>&);
template FusedAttempt* ExplicitRk<Quad>::lend(Stretch<Quad>&);
template void ExplicitRk<double>::take_back(const Stretch<double>&, const double*, const double*);
template void ExplicitRk<Quad>::take_back(const Stretch<Quad>&, const Quad*, const Quad*);
template void ExplicitRk<double>::make_fused(const MethodInfo&, const StepperOptions<double>&);
template void ExplicitRk<Quad>::make_fused(const MethodInfo&, const StepperOptions<Quad>&);
template bool ExplicitRk<double>::attempt_fused(StepReport<double>&);
template bool ExplicitRk<Quad>::attempt_fused(StepReport<Quad>&);
template void ExplicitRk<double>::complete_stages();
template void ExplicitRk<Quad>::complete_stages();
template void ExplicitRk<double>::run_on(Stretch<double>&);
template void ExplicitRk<Quad>::run_on(Stretch<Quad>&);

} // namespace vessiot::method
