// Steps of TaylorStepper by the kernels of fused_taylor.hpp.
#include <algorithm>
#include <type_traits>

#include "linalg/scalar.hpp"
#include "method/parts.hpp"
#include "method/taylor/taylor.hpp"

namespace vessiot::method {

// Where all is as usual: errors are rms, points of steps are projected or none.
template <class S> void TaylorStepper<S>::make_fused([[maybe_unused]] const StepperOptions<S>& options) {
    if constexpr (std::is_same_v<S, double>) {
        const bool is_usual = options.norm == NormKind::rms && options.block == 0 && !options.parts->is_arclength &&
                              (options.project == Project::steps || options.project == Project::nothing);
        if (!is_usual) return;
        fused_.kernels = FusedTaylor::make(*options.parts, projection_, tolerances_.rtol, tolerances_.atol,
                                           static_cast<std::int64_t>(stride_));
        if (fused_.kernels)
            fused_.kernels->prepare(has_fixed_order_ ? max_order_ : tolerances_.rtol_order); // the usual one
    }
}

template <class S> bool TaylorStepper<S>::make_series_fused([[maybe_unused]] S h) {
    fused_.is_used = false;
    if constexpr (std::is_same_v<S, double>) {
        if (!fused_.kernels || fused_.is_refused) return false;
        const S scale = taylor_scale(h);
        fused_.is_used = fused_.kernels->series(order_, tau_, start_, scale, coefficients_.data());
        fused_.is_refused = !fused_.is_used;
        if (!fused_.is_used) return false;
        scale_ = scale;
        status_ = PointStatus::good;
        has_coefficients_ = true;
    }
    return fused_.is_used;
}

template <class S> bool TaylorStepper<S>::attempt_fused([[maybe_unused]] StepReport<S>& report) {
    if constexpr (std::is_same_v<S, double>) {
        FusedTaylor& kernels = *fused_.kernels;
        const bool is_plain = kernels.land(order_, tau_, h_, h_ / scale_,
                                           {start_, coefficients_.data(), end_, velocity_.data(), shift_.data()});
        ++counts_.stages;
        is_at_start_ = false;
        series_scale_ = 0; // series_ has begun elsewhere
        if (!is_plain) {
            fused_.is_used = has_coefficients_ = false;
            fused_.is_refused = true;
            return false;
        }
        if (projection_) {
            counts_.add_projection(kernels.n_sets());
            ++counts_.jacobians;
            counts_.factorisations += kernels.n_sets();
        }
        is_at_end_ = true;
        report.residual = kernels.residual();
        if (estimates_) {
            report.error = kernels.error();
            if (linalg::absolute(h_) > S(0.9) * linalg::absolute(suggested_)) learn(report.error);
        }
        has_candidate_ = true;
        return true;
    }
    return false;
}

// As suggest(), attempt() and accept() in turn; what fails is tried once more by the loop, which says why.
template <class S> void TaylorStepper<S>::run_on(Stretch<S>& s) {
    s.n = 0;
    s.n_attempts = s.n_rejected = 0;
    if constexpr (std::is_same_v<S, double>) {
        // NOTE: the first step may be one that was asked for
        if (!fused_.kernels || !estimates_ || !is_accepted_) return;
        FusedTaylor& kernels = *fused_.kernels;
        kernels.sample(s.samples);
        bool is_new = true; // a point from which no step was tried
        while (s.n < s.n_wanted && s.n_attempts < s.n_allowed) {
            if (is_new) {
                s.h = suggest(s.h);
                if (std::abs(s.h) > s.h_max) s.h = s.h < 0 ? -s.h_max : s.h_max;
                is_new = false;
            }
            const S size = std::abs(s.h), tau = this->tau(), scale = std::max(std::abs(tau), std::abs(tau + s.h));
            if (!(std::abs(s.end - tau) > 1.01 * size) || !(std::abs(s.report - tau) > size)) break;
            if (size < s.h_floor || size <= 8 * linalg::epsilon<S>() * scale || size < s.slow * s.longest) break;
            const StepReport<S> report = attempt(s.h);
            if (report.outcome != StepOutcome::done) break;
            ++s.n_attempts;
            kernels.sample(false);
            s.error = report.error;
            if (!(report.error <= 1)) {
                ++s.n_rejected;
                s.h = s.next(s.loop, s.error, {}, s.h, false);
                continue;
            }
            this->accept();
            s.add({tau_end_, tau_end_ - tau_, report.residual}, n_, this->n_padded_, end_, velocity_.data());
            s.longest = std::max(s.longest, size);
            s.h = s.next(s.loop, s.error, {}, s.h, true);
            if (std::abs(s.h) > s.h_max) s.h = s.h < 0 ? -s.h_max : s.h_max;
            is_new = true;
        }
        kernels.sample(true);
        fused_.suggested = is_new ? S(0) : s.h;
    }
}

template void TaylorStepper<double>::run_on(Stretch<double>&);
template void TaylorStepper<Quad>::run_on(Stretch<Quad>&);
template void TaylorStepper<double>::make_fused(const StepperOptions<double>&);
template void TaylorStepper<Quad>::make_fused(const StepperOptions<Quad>&);
template bool TaylorStepper<double>::make_series_fused(double);
template bool TaylorStepper<Quad>::make_series_fused(Quad);
template bool TaylorStepper<double>::attempt_fused(StepReport<double>&);
template bool TaylorStepper<Quad>::attempt_fused(StepReport<Quad>&);

} // namespace vessiot::method
