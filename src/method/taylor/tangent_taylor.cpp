#include "method/taylor/tangent_taylor.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "distribution/series/arclength_series.hpp"
#include "linalg/scalar.hpp"
#include "method/make_family.hpp"
#include "method/parts.hpp"
#include "method/taylor/taylor.hpp"

namespace vessiot::method {

template <class S>
TangentVectors<S>::TangentVectors(const System& system, const Prolongation& p, Jets<S>& jets, Manifold<S>& manifold,
                                  const expr::EvaluatorOptions& evaluator, bool has_second)
    : manifold_(manifold), solver_(manifold.pattern()), n_(manifold.n_coordinates()), k_(manifold.n_constraints()),
      u_(n_), f_(k_), df_(manifold.pattern().entries()), b_(k_), lambda_(k_), correction_(n_) {
    if (!has_second) return;
    with_t_ =
        std::make_unique<Manifold<S>>(system, p, jets, ManifoldOptions{evaluator, true, manifold.has_invariants()});
    curvature_ = linalg::Vector<S>(static_cast<std::int64_t>(with_t_->curvature_matrix().n_entries()));
}

template <class S> bool TangentVectors<S>::set(S t, const S* u) {
    t_ = t;
    std::copy_n(u, n_, u_.data());
    manifold_.movable_df(t, u, f_.data(), df_.data());
    if (!linalg::all_finite(df_.data(), df_.size())) return false;
    return solver_.factor(df_.data(), nullptr) || solver_.leaves_out_rows();
}

// B nu = df x,  x - df^t nu
template <class S> void TangentVectors<S>::make_tangent(S* x, S* nu) {
    const linalg::Pattern& p = manifold_.pattern();
    std::fill_n(b_.data(), k_, S(0));
    for (std::int64_t j = 0; j < n_; ++j)
        for (std::int64_t e = p.column_start[linalg::at(j)]; e < p.column_start[linalg::at(j + 1)]; ++e)
            b_[p.row[linalg::at(e)]] += df_[e] * x[j];
    solver_.solve(b_.data(), lambda_.data());
    solver_.correction(df_.data(), nullptr, lambda_.data(), correction_.data());
    for (std::int64_t i = 0; i < n_; ++i) x[i] -= correction_[i];
    if (nu) std::copy_n(lambda_.data(), k_, nu);
}

template <class S> void TangentVectors<S>::curvature_term(const S* v, const S* nu, S* out) {
    const expr::SparseMatrix& d2f = with_t_->curvature_matrix(); // lower triangle
    with_t_->curvature(t_, u_.data(), nu, curvature_.data());
    std::fill_n(out, n_, S(0));
    const auto& number = with_t_->column_numbers();                           // -1 for none; that of t is the last
    const auto along = [&](std::int32_t c) { return c == n_ ? S(1) : v[c]; }; // n_: t where it is no coordinate
    for (std::size_t j = 0; j + 1 < d2f.column_start.size(); ++j)
        for (std::int64_t e = d2f.column_start[j]; e < d2f.column_start[j + 1]; ++e) {
            const std::int32_t r = number[static_cast<std::size_t>(d2f.row[linalg::at(e)])], c = number[j];
            if (r < 0 || c < 0) continue;
            if (r < n_) out[r] -= curvature_[e] * along(c);
            if (c < n_ && r != c) out[c] -= curvature_[e] * along(r);
        }
}

template <class S>
TangentTaylor<S>::TangentTaylor(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                const StepperOptions<S>& options, bool has_normal)
    : OneStep<S>(field, projection, options), order_(info.order),
      is_arclength_(options.parts && options.parts->is_arclength), has_normal_(has_normal) {
    if (!options.parts)
        throw InvalidInput("the method \"" + std::string(info.name) + "\" needs the equations, not their field alone");
    Parts<S>& parts = *options.parts;
    if (order_ > 2 && this->projection() && !this->projection()->finds_nearest())
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" is made for the nearest point, which the "
                           "projection \"" +
                           std::string(this->projection()->name()) +
                           "\" does not find: use newton, chord, inexact or none, or the method taylor with --order 3");
    series_ = is_arclength_ ? make_arclength_series<S>(parts.system, parts.prolongation, parts.jets, parts.distribution,
                                                       field, parts.evaluator, order_)
                            : make_solution_series<S>(parts.system, parts.prolongation, parts.jets, parts.distribution,
                                                      parts.evaluator, order_);
    if (this->projection() && order_ > 1)
        vectors_ = std::make_unique<TangentVectors<S>>(parts.system, parts.prolongation, parts.jets, parts.manifold,
                                                       parts.evaluator, order_ > 2);
    for (linalg::Vector<S>* v : {&v_, &w2_, &w3_, &x_}) *v = linalg::Vector<S>(field.size());
    nu_ = linalg::Vector<S>(parts.manifold.n_constraints());
}

template <class S> bool TangentTaylor<S>::advance(S h, StepReport<S>& report) {
    const std::int64_t n = this->size();
    const S* const x = this->from();
    this->count_stage();
    PointStatus status = series_->begin(this->from_tau(), x, h, h >= S(0));
    if (status != PointStatus::good)
        return this->fail(report, StepOutcome::no_direction_here, status, this->from_tau(), x);
    status = series_->extend(order_);
    if (status != PointStatus::good) return this->fail(report, StepOutcome::no_derivative, status, this->from_tau(), x);
    // with T = h the coefficients are h V, h^2 c''/2, h^3 c'''/6
    const S* const c1 = series_->coefficient(1);
    S* const q = this->to();
    for (std::int64_t i = 0; i < n; ++i) q[i] = x[i] + c1[i];
    if (order_ < 2) return true;
    std::copy_n(series_->coefficient(2), n, w2_.data());
    if (order_ > 2) std::copy_n(series_->coefficient(3), n, w3_.data());
    if (vectors_) {
        if (!vectors_->set(is_arclength_ ? x[n - 1] : this->from_tau(), x))
            return this->fail(report, StepOutcome::no_direction_here, PointStatus::singular, this->from_tau(), x);
        vectors_->make_tangent(w2_.data(), nu_.data()); // nu_ is h^2/2 times nu
        if (order_ > 2) {
            for (std::int64_t i = 0; i < n; ++i) v_[i] = c1[i] / h;
            vectors_->curvature_term(v_.data(), nu_.data(), x_.data());
            const S part = has_normal_ ? h / 3 : h; // X/6 or X/2
            for (std::int64_t i = 0; i < n; ++i) w3_[i] += part * x_[i];
            vectors_->make_tangent(w3_.data());
        }
        if (has_normal_) { // 2/3 of the normal part of c''/2, which is S_V/2
            const S* const c2 = series_->coefficient(2);
            for (std::int64_t i = 0; i < n; ++i) w2_[i] += 2 * (c2[i] - w2_[i]) / 3;
        }
    }
    for (std::int64_t i = 0; i < n; ++i) q[i] += order_ > 2 ? w2_[i] + w3_[i] : w2_[i];
    return true;
}

template class TangentVectors<double>;
template class TangentVectors<Quad>;
template class TangentTaylor<double>;
template class TangentTaylor<Quad>;

const Family tangent_taylor_family{.name = "Taylor",
                                   .make_double = make_as<TangentTaylor, double>,
                                   .make_quad = make_as<TangentTaylor, Quad>,
                                   .has_arclength = true,
                                   .can_amplify = true,
                                   .misfit = series_misfit};

const Family normal_taylor_family{.name = "Taylor",
                                  .make_double = make_as<NormalTaylor, double>,
                                  .make_quad = make_as<NormalTaylor, Quad>,
                                  .has_arclength = true,
                                  .can_amplify = true,
                                  .misfit = series_misfit};

} // namespace vessiot::method
