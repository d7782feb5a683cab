#include "distribution/kernel_rcg.hpp"

#include <algorithm>

#include "distribution/kind.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;
using linalg::epsilon;
using linalg::square_root;

namespace {

constexpr std::int64_t dense_limit = 300; // tops

template <class S> S dot(const linalg::Vector<S>& a, const linalg::Vector<S>& b) {
    S sum = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Divides by the length, which is returned.
template <class S> S normalise(linalg::Vector<S>& x) {
    const S length = square_root(dot(x, x));
    if (length > S(0))
        for (S& xi : x) xi /= length;
    return length;
}

// The columns of A with their entries: visit(column, entry).
template <class Visit> void for_each_entry(const linalg::Pattern& p, const Visit& visit) {
    for (std::int64_t c = 0; c < p.columns; ++c)
        for (std::int64_t e = p.column_start[at(c)]; e < p.column_start[at(c + 1)]; ++e) visit(c, e);
}

} // namespace

// ---- the matrix ----

template <class S>
ScaledKernelMatrix<S>::ScaledKernelMatrix(const linalg::Pattern& a)
    : pattern_(a), r_(a.rows), entries_(a.entries()), row_factor_(a.rows), of_row_(a.rows),
      column_factor_(a.columns + 1) {}

template <class S> bool ScaledKernelMatrix<S>::scale() {
    if (!all_finite(r_.data(), r_.size()) || !all_finite(entries_.data(), entries_.size())) return false;
    scale_rows();
    scale_columns();
    find_longest_row();
    return all_finite(r_.data(), r_.size()) && all_finite(entries_.data(), entries_.size());
}

// Largest entry 1; a row without entries in A, which is satisfied on the manifold whatever the tops are, is left out.
template <class S> void ScaledKernelMatrix<S>::scale_rows() {
    std::ranges::fill(of_row_, S(0));
    for_each_entry(pattern_, [&](std::int64_t, std::int64_t e) {
        S& largest = of_row_[pattern_.row[at(e)]];
        largest = std::max(largest, absolute(entries_[e]));
    });
    for (std::int64_t i = 0; i < rows(); ++i) {
        const S largest = std::max(of_row_[i], absolute(r_[i]));
        const bool is_left_out = rows() >= columns() && of_row_[i] == S(0);
        row_factor_[i] = is_left_out ? S(0) : largest > S(0) ? S(1) / largest : S(1);
        r_[i] *= row_factor_[i];
    }
    for_each_entry(pattern_, [&](std::int64_t, std::int64_t e) { entries_[e] *= row_factor_[pattern_.row[at(e)]]; });
}

// Length 1, but for columns that are almost 0: at an impasse point they may be round-off.
template <class S> void ScaledKernelMatrix<S>::scale_columns() {
    std::ranges::fill(column_factor_, S(0));
    for (const S ri : r_) column_factor_[0] += ri * ri;
    for_each_entry(pattern_,
                   [&](std::int64_t c, std::int64_t e) { column_factor_[c + 1] += entries_[e] * entries_[e]; });
    const S longest = square_root(*std::ranges::max_element(column_factor_));
    const S least = longest > S(0) ? square_root(epsilon<S>()) * longest : S(1);
    for (S& factor : column_factor_) factor = S(1) / std::max(square_root(factor), least);
    for (S& ri : r_) ri *= column_factor_[0];
    for_each_entry(pattern_, [&](std::int64_t c, std::int64_t e) { entries_[e] *= column_factor_[c + 1]; });
}

template <class S> void ScaledKernelMatrix<S>::find_longest_row() {
    for (std::int64_t i = 0; i < rows(); ++i) of_row_[i] = r_[i] * r_[i];
    for_each_entry(pattern_,
                   [&](std::int64_t, std::int64_t e) { of_row_[pattern_.row[at(e)]] += entries_[e] * entries_[e]; });
    longest_row_ = square_root(*std::ranges::max_element(of_row_));
}

template <class S> void ScaledKernelMatrix<S>::times(const S* x, S* y) const {
    for (std::int64_t i = 0; i < rows(); ++i) y[i] = r_[i] * x[0];
    for_each_entry(pattern_, [&](std::int64_t c, std::int64_t e) { y[pattern_.row[at(e)]] += entries_[e] * x[c + 1]; });
}

template <class S> void ScaledKernelMatrix<S>::transposed_times(const S* y, S* x) const {
    std::fill_n(x, columns(), S(0));
    for (std::int64_t i = 0; i < rows(); ++i) x[0] += r_[i] * y[i];
    for_each_entry(pattern_, [&](std::int64_t c, std::int64_t e) { x[c + 1] += entries_[e] * y[pattern_.row[at(e)]]; });
}

template <class S> void ScaledKernelMatrix<S>::write_dense(S* m) const {
    std::fill_n(m, rows() * columns(), S(0));
    std::copy_n(r_.data(), rows(), m);
    for_each_entry(pattern_,
                   [&](std::int64_t c, std::int64_t e) { m[(c + 1) * rows() + pattern_.row[at(e)]] = entries_[e]; });
}

// ---- the search ----

template <class S>
SphereSearch<S>::SphereSearch(std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns), v_(columns), h_(columns), g_(columns), next_g_(columns), mv_(rows), mh_(rows) {}

template <class S> S SphereSearch<S>::residual() const {
    return square_root(dot(mv_, mv_));
}

// G = H = Y(v), all computed from v. False where Y(v) = 0.
template <class S> bool SphereSearch<S>::begin(const ScaledKernelMatrix<S>& m) {
    m.times(v_.data(), mv_.data());
    m.transposed_times(mv_.data(), g_.data());
    const S square = dot(mv_, mv_);
    for (std::int64_t i = 0; i < columns_; ++i) h_[i] = g_[i] = square * v_[i] - g_[i];
    length_ = normalise(h_);
    return length_ > S(0) && linalg::is_finite(length_);
}

// v = c v + s h with the smallest |M v|; h and G are carried along.
//   |M (c v + s h)|^2 = const + (b cos 2 phi + a sin 2 phi) / 2,   a = 2 <Mv, Mh>,  b = |Mv|^2 - |Mh|^2
template <class S> void SphereSearch<S>::move_along_circle() {
    const S a = S(2) * dot(mv_, mh_), b = dot(mv_, mv_) - dot(mh_, mh_), r = square_root(a * a + b * b);
    S c = 1, s = 0;
    if (r > S(0) && b >= S(0)) {
        s = square_root((S(1) + b / r) / S(2));
        c = -a / (S(2) * r * s);
    } else if (r > S(0)) {
        c = square_root((S(1) - b / r) / S(2));
        s = -a / (S(2) * r * c);
    }
    const S hg = dot(h_, g_), rest = c > S(0) ? s * s / (S(1) + c) : S(1) - c; // 1 - c
    for (std::int64_t i = 0; i < columns_; ++i) {
        const S v = v_[i], h = h_[i];
        g_[i] -= hg * (s * v + rest * h);
        h_[i] = c * h - s * v;
        v_[i] = c * v + s * h;
    }
    const S length = normalise(v_); // 1 but for round-off
    for (std::int64_t i = 0; i < rows_; ++i) mv_[i] = (c * mv_[i] + s * mh_[i]) / length;
}

// False where it cannot go on: Y(v) = 0, or numbers that are not finite.
template <class S> bool SphereSearch<S>::step(const ScaledKernelMatrix<S>& m, bool is_restart) {
    ++n_iterations_;
    m.times(h_.data(), mh_.data());
    const S product = length_ * dot(h_, g_); // <H, G>
    move_along_circle();
    m.transposed_times(mv_.data(), next_g_.data());
    const S square = dot(mv_, mv_);
    for (std::int64_t i = 0; i < columns_; ++i) next_g_[i] = square * v_[i] - next_g_[i];
    S gamma = is_restart ? S(0) : (dot(next_g_, next_g_) - dot(next_g_, g_)) / product;
    // not downhill: as at the beginning
    if (!linalg::is_finite(gamma) || dot(next_g_, next_g_) + gamma * length_ * dot(h_, next_g_) <= S(0)) gamma = 0;
    for (std::int64_t i = 0; i < columns_; ++i) {
        g_[i] = next_g_[i];
        h_[i] = next_g_[i] + gamma * length_ * h_[i];
    }
    length_ = normalise(h_);
    return length_ > S(0) && linalg::is_finite(length_);
}

template <class S> bool SphereSearch<S>::operator()(const ScaledKernelMatrix<S>& m) {
    const S wanted = S(4) * epsilon<S>() * m.longest_row(), sufficient = S(50) * epsilon<S>() * m.longest_row();
    const std::int64_t limit = std::min<std::int64_t>(200 + 10 * columns_, 20000);
    if (!(normalise(v_) > S(0))) return false;
    // |M v| is carried from step to step: where it seems small enough it is computed anew
    std::int64_t count = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        bool goes_on = begin(m);
        if (residual() <= wanted) return true;
        for (std::int64_t i = 1; goes_on && count < limit && residual() > wanted; ++i, ++count)
            goes_on = step(m, i % columns_ == 0);
        m.times(v_.data(), mv_.data());
        if (residual() <= S(4) * wanted) return true;
    }
    return residual() <= sufficient;
}

// ---- the distribution ----

template <class S>
KernelRcgDistribution<S>::KernelRcgDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                                const expr::EvaluatorOptions& evaluator)
    : Distribution<S>(p), system_(system, p, jets, evaluator), matrix_(system_.pattern()),
      search_(matrix_.rows(), matrix_.columns()), other_(matrix_.columns()), kernel_(matrix_.columns()) {
    const auto k = static_cast<int>(matrix_.rows()), n = static_cast<int>(p.n_tops());
    if (n <= dense_limit)
        dense_.emplace(Dense{linalg::PivotedQr<S>(k, n + 1), linalg::DenseLu<S>(n + 1),
                             linalg::Vector<S>(matrix_.rows() * matrix_.columns())});
}

template <class S> void KernelRcgDistribution<S>::begin_at_random() {
    for (S& v : search_.vector()) {
        random_ = random_ * 6364136223846793005u + 1442695040888963407u;
        v = S(static_cast<double>(random_ >> 11) * 0x1p-52 - 1); // in [-1, 1)
    }
}

template <class S> void KernelRcgDistribution<S>::begin_at_last() {
    for (std::int64_t c = 0; c < kernel_.size(); ++c) search_.vector()[c] = kernel_[c] / matrix_.column_factors()[c];
}

// From M to (r, A).
template <class S> void KernelRcgDistribution<S>::keep_kernel() {
    for (std::int64_t c = 0; c < kernel_.size(); ++c) kernel_[c] = search_.vector()[c] * matrix_.column_factors()[c];
    normalise(kernel_);
    has_last_ = true;
}

template <class S> PointStatus KernelRcgDistribution<S>::factor() {
    if (!dense_) return PointStatus::not_converged;
    ++n_fallbacks_;
    ++this->counts_.factorisations;
    matrix_.write_dense(dense_->qr.matrix());
    dense_->qr.factor(S(100) * epsilon<S>());
    if (dense_->qr.rank() < this->n_tops()) return PointStatus::singular;
    dense_->qr.kernel_vector(search_.vector().data());
    return PointStatus::good;
}

// Two searches must find the same line: an error of epsilon |M| / sigma_n shows in the difference.
template <class S> PointStatus KernelRcgDistribution<S>::search_first() {
    begin_at_random();
    if (!search_(matrix_)) return factor();
    std::ranges::copy(search_.vector(), other_.begin());
    begin_at_random();
    if (!search_(matrix_)) return factor();
    const S sign = dot(other_, search_.vector()) < S(0) ? S(-1) : S(1);
    for (std::int64_t c = 0; c < other_.size(); ++c) other_[c] -= sign * search_.vector()[c];
    if (square_root(dot(other_, other_)) <= square_root(epsilon<S>())) return PointStatus::good;
    is_searched_ = !dense_;
    return dense_ ? factor() : PointStatus::singular;
}

template <class S> PointStatus KernelRcgDistribution<S>::search_again() {
    begin_at_last();
    if (search_(matrix_)) return PointStatus::good;
    begin_at_random();
    return search_(matrix_) ? PointStatus::good : factor();
}

// A unit vector (dt, omega) of the kernel, of either sign.
template <class S> PointStatus KernelRcgDistribution<S>::find_kernel(S t, const S* u) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    system_(t, u, matrix_.r(), matrix_.entries());
    if (!matrix_.scale()) return PointStatus::not_finite;
    const PointStatus status = !is_searched_ ? factor() : has_last_ ? search_again() : search_first();
    if (status == PointStatus::good) keep_kernel();
    return status;
}

// n independent rows, by QR of the transpose with column pivoting.
template <class S> void KernelRcgDistribution<S>::choose_rows() {
    const std::int64_t k = matrix_.rows(), n = this->n_tops();
    linalg::PivotedQr<S> transposed(static_cast<int>(n) + 1, static_cast<int>(k));
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t c = 0; c <= n; ++c) transposed.matrix()[i * (n + 1) + c] = dense_->matrix[c * k + i];
    transposed.factor(S(0));
    const auto order = transposed.column_order();
    dense_->chosen.assign(order.begin(), order.begin() + n);
    std::ranges::sort(dense_->chosen);
}

// The sign of det (M; v^T), of the chosen rows; 0 where the rank is below n.
template <class S> int KernelRcgDistribution<S>::sign_by_determinant() {
    const std::int64_t k = matrix_.rows(), n = this->n_tops();
    matrix_.write_dense(dense_->matrix.data());
    if (dense_->chosen.empty()) choose_rows();
    S* bordered = dense_->lu.matrix();
    for (std::int64_t c = 0; c <= n; ++c) {
        for (std::int64_t i = 0; i < n; ++i) bordered[c * (n + 1) + i] = dense_->matrix[c * k + dense_->chosen[at(i)]];
        bordered[c * (n + 1) + n] = search_.vector()[c];
    }
    return dense_->lu.factor() ? dense_->lu.determinant_sign() : 0;
}

// The factor, 1 or -1, that turns the kernel forwards; 0 where there is none.
template <class S> int KernelRcgDistribution<S>::orientation() {
    const S dt = search_.vector()[0]; // the scaled vector has length 1
    if (!dense_) return absolute(dt) < S(1e-3) ? 0 : dt > S(0) ? 1 : -1;
    const int found = sign_by_determinant();
    if (dense_->sign == 0) dense_->sign = dt >= S(0) ? found : -found;
    return found * dense_->sign;
}

template <class S> PointStatus KernelRcgDistribution<S>::tangent(S t, const S* u, S* du, S* dt) {
    if (const PointStatus status = find_kernel(t, u); status != PointStatus::good) return status;
    const int sign = orientation();
    if (sign == 0) return PointStatus::singular;
    for (S& v : kernel_) v *= S(sign);
    *dt = kernel_[0];
    this->spread(u, kernel_.data() + 1, kernel_[0], du);
    return PointStatus::good;
}

template <class S> PointStatus KernelRcgDistribution<S>::tops(S t, const S* u, S* w) {
    if (const PointStatus status = find_kernel(t, u); status != PointStatus::good) return status;
    for (std::int64_t k = 0; k < this->n_tops(); ++k) w[k] = kernel_[k + 1] / kernel_[0];
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::singular;
}

template <class S> void KernelRcgDistribution<S>::forget() {
    has_last_ = false;
    is_searched_ = true;
    random_ = 1;
    if (!dense_) return;
    dense_->chosen.clear();
    dense_->sign = 0;
}

template class ScaledKernelMatrix<double>;
template class ScaledKernelMatrix<Quad>;
template class SphereSearch<double>;
template class SphereSearch<Quad>;
template class KernelRcgDistribution<double>;
template class KernelRcgDistribution<Quad>;

namespace {

template <class S>
std::unique_ptr<Distribution<S>> make_kernel_rcg(const DistributionParts<S>& parts, std::string& /*misfit*/) {
    return std::make_unique<KernelRcgDistribution<S>>(parts.shape.system, parts.shape.prolongation, parts.jets,
                                                      parts.evaluator);
}

} // namespace

const DistributionKind kernel_rcg_distribution{.name = "kernel-rcg",
                                               .help = "the tangent as kernel of a matrix, by conjugate gradients",
                                               .needs = "",
                                               .suits = never_suits,
                                               .make_double = make_kernel_rcg<double>,
                                               .make_quad = make_kernel_rcg<Quad>};

} // namespace vessiot
