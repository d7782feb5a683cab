#include "projection/inexact.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "projection/kind.hpp"

namespace vessiot {

namespace {

constexpr double tolerance_of_a = 1e-12;
constexpr int patience = 3; // a rough step may fail to halve the residual
constexpr int most_products_a = 200, most_products_s = 1000;

} // namespace

template <class S>
InexactProjection<S>::InexactProjection(Manifold<S>& manifold, const ProjectionOptions& options)
    : Base(manifold, options, patience), on_a_(m_), on_s_(k_), on_normal_(k_),
      curvature_(manifold.curvature_matrix().n_entries()), scale_(k_), scaled_(manifold.pattern().entries()), u1_(m_),
      w_(m_), y_(m_), v1_(k_), v2_(k_) {
    const std::vector<std::int32_t>& number = manifold.column_numbers();
    const expr::SparseMatrix& d2f = manifold.curvature_matrix();
    for (std::int64_t c = 0; c < d2f.columns; ++c)
        for (std::int64_t e = d2f.column_start[linalg::at(c)]; e < d2f.column_start[linalg::at(c) + 1]; ++e) {
            const std::int32_t i = number[linalg::at(d2f.row[linalg::at(e)])], j = number[linalg::at(c)];
            if (i >= 0 && j >= 0) places_.push_back({i, j, e});
        }
}

template <class S> S InexactProjection<S>::tolerance(int k) const {
    const Forcing& forcing = options_.forcing;
    S eps = forcing.first > 0 ? S(forcing.first) : options_.stop == NewtonStop::printed ? S(0.5) : S(0.1);
    for (int i = 0; i < k; ++i) eps *= forcing.decay > 0 ? S(forcing.decay) : S(0.8);
    return eps;
}

template <class S> void InexactProjection<S>::scale_rows(const S* df) {
    const std::vector<std::int32_t>& row = manifold_.pattern().row;
    std::fill(scale_.begin(), scale_.end(), options_.stop == NewtonStop::printed ? S(1) : S(0));
    if (options_.stop == NewtonStop::printed) {
        std::copy_n(df, scaled_.size(), scaled_.data());
        return;
    }
    for (std::int64_t e = 0; e < scaled_.size(); ++e) scale_[row[linalg::at(e)]] += df[e] * df[e];
    for (S& s : scale_) s = s > S(0) ? S(1) / linalg::square_root(s) : S(1);
    for (std::int64_t e = 0; e < scaled_.size(); ++e) scaled_[e] = df[e] * scale_[row[linalg::at(e)]];
}

template <class S> void InexactProjection<S>::multiply_a(const S* x, S* y) const {
    std::copy_n(x, m_, y);
    for (const Place& p : places_) {
        const S value = curvature_[p.entry];
        y[p.row] += value * x[p.column];
        if (p.row != p.column) y[p.column] += value * x[p.row];
    }
}

template <class S> bool InexactProjection<S>::solve_a(const S* b, S* x) {
    if (is_a_one_) {
        std::copy_n(b, m_, x);
        return true;
    }
    const auto product = [this](const S* v, S* y) { multiply_a(v, y); };
    return on_a_.solve(product, b, x, S(tolerance_of_a), most_products_a).has_converged;
}

template <class S> void InexactProjection<S>::multiply_s(const S* v, S* d) {
    std::fill(w_.begin(), w_.end(), S(0));
    this->add_transposed(scaled_.data(), S(1), v, w_.data());
    solve_a(w_.data(), y_.data());
    this->multiply(scaled_.data(), y_.data(), d);
}

template <class S> bool InexactProjection<S>::solve_normal(const S* df, const S* b, S* mu) {
    scale_rows(df);
    is_a_one_ = true;
    for (std::int64_t i = 0; i < k_; ++i) v1_[i] = scale_[i] * b[i];
    std::fill(v2_.begin(), v2_.end(), S(0));
    const auto product = [this](const S* v, S* d) { multiply_s(v, d); };
    has_converged_ = on_normal_.solve(product, v1_.data(), v2_.data(), tolerance(0), most_products_s).has_converged;
    for (std::int64_t i = 0; i < k_; ++i) mu[i] = scale_[i] * v2_[i];
    return linalg::all_finite(mu, k_);
}

template <class S> bool InexactProjection<S>::find_step(S t, const S* x, int k) {
    scale_rows(df_.data());
    manifold_.curvature(t, x, mu_.data(), curvature_.data());
    is_a_one_ = std::ranges::all_of(curvature_, [](const S& c) { return c == S(0); });
    for (std::int64_t j = 0; j < m_; ++j) dp_[j] = -gradient_[j];
    if (!solve_a(dp_.data(), u1_.data())) return false;
    // v2 is -v2 of the paper, as its S is -S here:  B A^-1 B^T v2 = B u1 - b2
    this->multiply(scaled_.data(), u1_.data(), v1_.data());
    S size = linalg::dot(m_, gradient_.data(), gradient_.data());
    for (std::int64_t i = 0; i < k_; ++i) {
        const S b2 = -scale_[i] * f_[i];
        size += b2 * b2;
        v1_[i] -= b2;
    }
    const S rest = linalg::norm(k_, v1_.data());
    const S wanted = rest > S(0) ? tolerance(k) * linalg::square_root(size) / rest : S(1);
    const auto product = [this](const S* v, S* d) { multiply_s(v, d); };
    has_converged_ = on_s_.solve(product, v1_.data(), v2_.data(), wanted, most_products_s).has_converged;
    // s = (u1 - A^-1 B^T v2, v2)
    std::fill(w_.begin(), w_.end(), S(0));
    this->add_transposed(scaled_.data(), S(1), v2_.data(), w_.data());
    if (!solve_a(w_.data(), y_.data())) return false;
    for (std::int64_t j = 0; j < m_; ++j) dp_[j] = u1_[j] - y_[j];
    for (std::int64_t i = 0; i < k_; ++i) dmu_[i] = scale_[i] * v2_[i];
    return linalg::all_finite(dp_.data(), m_) && linalg::all_finite(dmu_.data(), k_);
}

template class InexactProjection<double>;
template class InexactProjection<Quad>;

namespace {

template <class S> std::unique_ptr<Projection<S>> make_inexact(const ProjectionParts<S>& p) {
    return std::make_unique<InexactProjection<S>>(p.manifold, p.options);
}

} // namespace

const ProjectionKind inexact_projection{
    .name = "inexact",
    .help = "the nearest point, with linear systems solved by iteration",
    .needs = "",
    .can = {.finds_nearest = true, .goes_by_increments = true, .has_forcing = true, .carries_derivatives = true},
    .make_double = make_inexact<double>,
    .make_quad = make_inexact<Quad>};

} // namespace vessiot
