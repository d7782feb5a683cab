#include "method/implicit/linearly_implicit.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "linalg/iterative/krylov.hpp"
#include "linalg/scalar.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

using linalg::at;

namespace {

constexpr int most_solves = 100;

} // namespace

template <class S>
LinearlyImplicit<S>::LinearlyImplicit(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : OneStep<S>(field, projection, options), parts_(*options.parts),
      linearised_(parts_.system, parts_.prolongation, parts_.jets, parts_.evaluator), solver_(linearised_),
      w_(parts_.prolongation.n_tops()) {}

template <class S> bool LinearlyImplicit<S>::factor(S gamma, StepReport<S>& report) {
    const S t = this->from_tau(), *x = this->from();
    PointStatus status = parts_.distribution.tops(t, x, w_.data());
    if (status == PointStatus::good) status = linearised_.set(t, x, w_.data());
    if (status != PointStatus::good) return this->fail(report, StepOutcome::no_direction_here, status, t, x);
    // a smaller step makes it regular
    return solver_.factor(gamma) || this->fail(report, StepOutcome::no_direction, PointStatus::singular, t, x);
}

template <class S> bool Kahan<S>::advance(S h, StepReport<S>& report) {
    if (!this->factor(h / S(2), report)) return false;
    for (std::int64_t i = 0; i < this->size(); ++i) d_[i] = h * this->first()[i];
    this->solve(d_.data());
    for (std::int64_t i = 0; i < this->size(); ++i) this->to()[i] = this->from()[i] + d_[i];
    return true;
}

template <class S>
ProjectedMidpoint<S>::ProjectedMidpoint(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : LinearlyImplicit<S>(field, projection, options), normal_(this->parts_.manifold.pattern()), v_(field.size()),
      r_(field.size()), d_(field.size()), y_(field.size()), f_(this->parts_.manifold.n_constraints()),
      df_(this->parts_.manifold.pattern().entries()), mu_(f_.size()), b_(f_.size()), work_(field.size()) {}

template <class S> void ProjectedMidpoint<S>::add_transposed(const S* mu, S* y) const {
    const linalg::Pattern& p = this->parts_.manifold.pattern();
    for (std::int64_t j = 0; j < p.columns; ++j)
        for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j) + 1]; ++e)
            y[j] += df_[e] * mu[p.row[at(e)]];
}

template <class S> bool ProjectedMidpoint<S>::advance(S h, StepReport<S>& report) {
    const std::int64_t n = this->size(), k = f_.size();
    const S *x = this->from(), tau = this->from_tau() + h / S(2);
    const linalg::Pattern& p = this->parts_.manifold.pattern();
    if (!this->factor(h / S(2), report)) return false;
    for (std::int64_t i = 0; i < n; ++i) y_[i] = x[i] + h / S(2) * this->first()[i];
    std::fill(mu_.begin(), mu_.end(), S(0));
    S before = -1;
    for (int iteration = 0; iteration < most_solves; ++iteration) {
        if (!this->evaluate(tau, y_.data(), v_.data(), report)) return false;
        if (k > 0) this->parts_.manifold.movable_df(tau, y_.data(), f_.data(), df_.data());
        // r, then a = -(1 - h/2 V')^-1 r
        std::fill(r_.begin(), r_.end(), S(0));
        add_transposed(mu_.data(), r_.data());
        S size = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            r_[i] = x[i] + h / S(2) * v_[i] + r_[i] - y_[i];
            size = std::max(size, linalg::absolute(y_[i]));
        }
        this->solve(r_.data());
        if (k > 0) {
            for (std::int64_t i = 0; i < k; ++i) b_[i] = -f_[i];
            for (std::int64_t j = 0; j < p.columns; ++j)
                for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j) + 1]; ++e)
                    b_[p.row[at(e)]] -= df_[e] * r_[j];
            if (!normal_.factor(df_.data(), nullptr) && !normal_.leaves_out_rows())
                return this->fail(report, StepOutcome::no_projection, PointStatus::singular, tau, y_.data());
            normal_.solve(b_.data(), b_.data());
            for (std::int64_t i = 0; i < k; ++i) mu_[i] += b_[i];
            add_transposed(b_.data(), r_.data());
        }
        S change = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            y_[i] += r_[i];
            change = std::max(change, linalg::absolute(r_[i]));
        }
        if (!linalg::is_finite(change)) break;
        const bool is_still = before >= S(0) && change >= before / S(2) && change <= S(1e-10) * size;
        if (change <= linalg::epsilon<S>() * size || is_still) {
            for (std::int64_t i = 0; i < n; ++i) this->to()[i] = S(2) * y_[i] - x[i];
            return true;
        }
        before = change;
    }
    return this->fail(report, StepOutcome::no_projection, PointStatus::not_converged, tau, x);
}

template class Kahan<double>;
template class Kahan<Quad>;
template class ProjectedMidpoint<double>;
template class ProjectedMidpoint<Quad>;

const Family kahan_family{.name = "linearly implicit",
                          .make_double = make_as<Kahan, double>,
                          .make_quad = make_as<Kahan, Quad>,
                          .solves_equations = true,
                          .steps_in_time = true};

const Family projected_midpoint_family{.name = "implicit",
                                       .make_double = make_as<ProjectedMidpoint, double>,
                                       .make_quad = make_as<ProjectedMidpoint, Quad>,
                                       .solves_equations = true,
                                       .steps_in_time = true};

} // namespace vessiot::method
