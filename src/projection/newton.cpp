#include "projection/newton.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "projection/kind.hpp"

namespace vessiot {

template <class S>
NewtonProjection<S>::NewtonProjection(Manifold<S>& manifold, const ProjectionOptions& options, int renewal)
    : Base(manifold, options), renewal_(renewal), matrix_(manifold), normal_(manifold.pattern()),
      curvature_(manifold.curvature_matrix().n_entries()), b_(m_ + k_), frozen_(manifold.pattern().entries()) {
    if (renewal > 1) return;
    if (options.stop == NewtonStop::sound) sphere_ = Sphere<S>::recognise(manifold);
    if (options.stop == NewtonStop::printed) by_iteration_.emplace(k_);
}

template <class S> bool NewtonProjection<S>::factor(S t, const S* x) {
    ++counts_.factorisations;
    is_normal_ = false;
    manifold_.curvature(t, x, mu_.data(), curvature_.data());
    return matrix_.factor(df_.data(), curvature_.data());
}

// dF s = -F
template <class S> void NewtonProjection<S>::solve_matrix() {
    for (std::int64_t j = 0; j < m_; ++j) b_[j] = -gradient_[j];
    for (std::int64_t i = 0; i < k_; ++i) b_[m_ + i] = -f_[i];
    matrix_.solve(b_.data());
    std::copy_n(b_.data(), m_, dp_.data());
    std::copy_n(b_.data() + m_, k_, dmu_.data());
}

// The same with A = 1 and B = df where it was factorised: B B^T dmu = f - B gradient, dp = -gradient - B^T dmu
template <class S> void NewtonProjection<S>::solve_by_normal() {
    this->multiply(frozen_.data(), gradient_.data(), b_.data());
    for (std::int64_t i = 0; i < k_; ++i) b_[i] = f_[i] - b_[i];
    normal_.solve(b_.data(), dmu_.data());
    for (std::int64_t j = 0; j < m_; ++j) dp_[j] = -gradient_[j];
    this->add_transposed(frozen_.data(), S(-1), dmu_.data(), dp_.data());
}

template <class S> bool NewtonProjection<S>::solve_normal(const S* df, const S* b, S* mu) {
    ++counts_.factorisations;
    std::copy_n(df, frozen_.size(), frozen_.data());
    if (!normal_.factor(frozen_.data(), nullptr) && !normal_.leaves_out_rows()) return false;
    is_normal_ = true;
    normal_.solve(b, mu);
    return true;
}

template <class S> bool NewtonProjection<S>::solve_first(const S* df, const S* b, S* mu) {
    if (!by_iteration_) return solve_normal(df, b, mu);
    constexpr double eps_0 = 0.01;
    constexpr int most_products = 1000;
    std::fill_n(mu, k_, S(0));
    const auto product = [&](const S* v, S* d) {
        std::fill_n(b_.data(), m_, S(0));
        this->add_transposed(df, S(1), v, b_.data());
        this->multiply(df, b_.data(), d);
    };
    by_iteration_->solve(product, b, mu, S(eps_0), most_products);
    return linalg::all_finite(mu, k_);
}

template <class S> bool NewtonProjection<S>::find_step(S t, const S* x, int k) {
    if (k % renewal_ == 0 && !factor(t, x)) return false;
    if (is_normal_)
        solve_by_normal();
    else
        solve_matrix();
    return linalg::all_finite(dp_.data(), m_) && linalg::all_finite(dmu_.data(), k_);
}

template <class S> bool NewtonProjection<S>::move_at_once(S* x) {
    return sphere_ && sphere_->project(f_[0], x);
}

template class NewtonProjection<double>;
template class NewtonProjection<Quad>;

namespace {

template <class S> std::unique_ptr<Projection<S>> make_newton(const ProjectionParts<S>& p) {
    return std::make_unique<NewtonProjection<S>>(p.manifold, p.options);
}

} // namespace

const ProjectionKind newton_projection{
    .name = "newton",
    .help = "the nearest point, by Newton's method",
    .needs = "",
    .can = {.finds_nearest = true, .goes_by_increments = true, .carries_derivatives = true},
    .make_double = make_newton<double>,
    .make_quad = make_newton<Quad>};

} // namespace vessiot
