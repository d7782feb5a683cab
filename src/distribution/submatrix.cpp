#include "distribution/submatrix.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "distribution/kind.hpp"

namespace vessiot {

template <class S>
SubmatrixDistribution<S>::SubmatrixDistribution(const System& system, const Prolongation& p, Jets<S>& jets,
                                                const expr::EvaluatorOptions& evaluator)
    : Distribution<S>(p), system_(system, p, jets, evaluator), k_(p.n_equations()),
      qr_(static_cast<int>(p.n_tops()), static_cast<int>(k_)), lu_(static_cast<int>(p.n_tops())), r_(k_),
      entries_(system_.pattern().entries()), row_(static_cast<std::size_t>(p.n_tops())),
      number_(static_cast<std::size_t>(k_), -1) {}

// The rows of A, scaled to largest entry 1, as columns of a matrix whose pivots are the choice.
template <class S> void SubmatrixDistribution<S>::choose_rows() {
    const std::int64_t n = this->n_tops();
    std::fill_n(qr_.matrix(), n * k_, S(0));
    const linalg::Pattern& p = system_.pattern();
    for (std::int64_t c = 0; c < n; ++c)
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(c)];
             e < p.column_start[static_cast<std::size_t>(c) + 1]; ++e)
            qr_.matrix()[p.row[static_cast<std::size_t>(e)] * n + c] = entries_[e];
    for (std::int64_t i = 0; i < k_; ++i) {
        S largest = 0;
        for (std::int64_t c = 0; c < n; ++c) largest = std::max(largest, linalg::absolute(qr_.matrix()[i * n + c]));
        if (largest > S(0))
            for (std::int64_t c = 0; c < n; ++c) qr_.matrix()[i * n + c] /= largest;
    }
    qr_.factor(S(0));
    std::copy_n(qr_.column_order().begin(), n, row_.begin());
    std::ranges::sort(row_);
    std::ranges::fill(number_, -1);
    for (std::size_t i = 0; i < row_.size(); ++i)
        number_[static_cast<std::size_t>(row_[i])] = static_cast<std::int32_t>(i);
}

template <class S> bool SubmatrixDistribution<S>::factor_rows() {
    const std::int64_t n = this->n_tops();
    std::fill_n(lu_.matrix(), n * n, S(0));
    const linalg::Pattern& p = system_.pattern();
    for (std::int64_t c = 0; c < n; ++c)
        for (std::int64_t e = p.column_start[static_cast<std::size_t>(c)];
             e < p.column_start[static_cast<std::size_t>(c) + 1]; ++e)
            if (const std::int32_t i = number_[static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)])]; i >= 0)
                lu_.matrix()[c * n + i] = entries_[e];
    ++this->counts_.factorisations;
    return lu_.factor();
}

template <class S> PointStatus SubmatrixDistribution<S>::tops(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    system_(t, u, r_.data(), entries_.data());
    if (!all_finite(r_.data(), k_) || !all_finite(entries_.data(), entries_.size())) return PointStatus::not_finite;
    // chosen anew where the choice has become a bad one: the direction is the same on the manifold whatever is chosen
    if (ratio_ == S(0) || !factor_rows() || lu_.pivot_ratio() < S(1e-3) * ratio_) {
        choose_rows();
        if (!factor_rows()) return PointStatus::singular;
        ratio_ = lu_.pivot_ratio();
    }
    for (std::size_t i = 0; i < row_.size(); ++i) w[i] = -r_[row_[i]];
    lu_.solve(w);
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::singular;
}

template <class S> bool SubmatrixDistribution<S>::solve_again(const S* r, S* w) {
    for (std::size_t i = 0; i < row_.size(); ++i) w[i] = -r[row_[i]];
    lu_.solve(w);
    return true;
}

template class SubmatrixDistribution<double>;
template class SubmatrixDistribution<Quad>;

namespace {

template <class S>
std::unique_ptr<Distribution<S>> make_submatrix(const DistributionParts<S>& parts, std::string& misfit) {
    const DistributionShape& shape = parts.shape;
    if (shape.n_tops() > most_dense_tops) {
        misfit = fmt::format("{} has more equations than unknowns; such systems are solved with dense matrices, up to "
                             "{} unknowns, but it has {}",
                             shape.system.name, most_dense_tops, shape.n_tops());
        return nullptr;
    }
    return std::make_unique<SubmatrixDistribution<S>>(shape.system, shape.prolongation, parts.jets, parts.evaluator);
}

} // namespace

const DistributionKind submatrix_distribution{
    .name = "submatrix",
    .help = "as many independent equations as there are unknowns, chosen",
    .needs = "",
    .suits = [](const DistributionShape& shape) { return shape.is_square() ? 0 : 10; },
    .make_double = make_submatrix<double>,
    .make_quad = make_submatrix<Quad>};

} // namespace vessiot
