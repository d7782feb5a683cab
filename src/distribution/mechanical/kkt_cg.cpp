#include "distribution/mechanical/kkt_cg.hpp"

#include <algorithm>
#include <utility>

#include "distribution/kind.hpp"
#include "distribution/mechanical/mass_cg.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;
using linalg::absolute;
using linalg::at;
using linalg::epsilon;
using linalg::square_root;

// ---- the matrix ----

template <class S>
SymmetricScaling<S>::SymmetricScaling(const linalg::Pattern& p)
    : pattern_(p), diagonal_(at(p.rows), -1), partner_(p.row.size(), -1), column_(p.rows), row_factor_(p.rows),
      column_factor_(p.rows), entries_(p.entries()) {
    const auto find = [&](std::int64_t row, std::int64_t column) -> std::int64_t {
        const auto first = p.row.begin() + p.column_start[at(column)],
                   last = p.row.begin() + p.column_start[at(column + 1)];
        const auto it = std::lower_bound(first, last, row);
        return it != last && *it == row ? it - p.row.begin() : -1;
    };
    for (std::int64_t j = 0; j < p.columns; ++j) {
        diagonal_[at(j)] = find(j, j);
        for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j + 1)]; ++e)
            partner_[at(e)] = find(j, p.row[at(e)]);
    }
    has_diagonal_ = std::ranges::find(diagonal_, -1) == diagonal_.end();
    reached_.reserve(at(p.rows));
}

// L^-1, with 1 or -1 for the first multiplier of each connected part: L_j / L_i = S_ij / S_ji, from neighbour to
// neighbour.
template <class S> void SymmetricScaling<S>::find_columns(const S* entries) {
    std::ranges::fill(column_, S(0));
    for (std::int64_t start = 0; start < pattern_.rows; ++start) {
        if (column_[start] != S(0)) continue;
        column_[start] = entries[diagonal_[at(start)]] < S(0) ? S(-1) : S(1);
        reached_.push_back(static_cast<std::int32_t>(start));
        while (!reached_.empty()) {
            const std::int32_t j = reached_.back();
            reached_.pop_back();
            for (std::int64_t e = pattern_.column_start[at(j)]; e < pattern_.column_start[at(j) + 1]; ++e)
                reach(entries, j, e);
        }
    }
    has_columns_ = true;
}

// The row of an entry of column j. Entries that are almost 0 say nothing about the ratio.
template <class S> void SymmetricScaling<S>::reach(const S* entries, std::int32_t j, std::int64_t e) {
    const std::int32_t i = pattern_.row[at(e)];
    if (column_[i] != S(0) || partner_[at(e)] < 0) return;
    const S ij = entries[e], ji = entries[partner_[at(e)]];
    const S ii = entries[diagonal_[at(i)]], jj = entries[diagonal_[at(j)]];
    if (!(absolute(ij * ji) > S(1e-12) * absolute(ii * jj))) return;
    column_[i] = column_[j] * (ij / ji);
    reached_.push_back(i);
}

// C and L^-1 C. False where the diagonal of S L^-1 is not positive.
template <class S> bool SymmetricScaling<S>::find_factors(const S* entries) {
    for (std::int64_t i = 0; i < pattern_.rows; ++i) {
        const S d = entries[diagonal_[at(i)]] * column_[i];
        if (!(d > S(0)) || !linalg::is_finite(d)) return false;
        row_factor_[i] = S(1) / square_root(d);
        column_factor_[i] = column_[i] * row_factor_[i];
    }
    return true;
}

template <class S> bool SymmetricScaling<S>::scale(const S* entries) {
    if (!has_diagonal_) return false;
    if (has_columns_ && makes_symmetric(entries)) return true;
    find_columns(entries);
    return makes_symmetric(entries);
}

// With the L there is.
template <class S> bool SymmetricScaling<S>::makes_symmetric(const S* entries) {
    if (!find_factors(entries)) return false;
    for (std::int64_t j = 0; j < pattern_.columns; ++j)
        for (std::int64_t e = pattern_.column_start[at(j)]; e < pattern_.column_start[at(j + 1)]; ++e)
            entries_[e] = row_factor_[pattern_.row[at(e)]] * entries[e] * column_factor_[j];
    // entries are at most 1 where A is definite
    S largest = 0;
    for (std::int64_t e = 0; e < entries_.size(); ++e) {
        const S other = partner_[at(e)] < 0 ? S(0) : entries_[partner_[at(e)]];
        largest = std::max(largest, absolute(entries_[e] - other));
    }
    return largest <= S(1000) * epsilon<S>();
}

// By columns, which are the rows.
template <class S> void SymmetricScaling<S>::times(const S* x, S* y) const {
    const std::int64_t* start = pattern_.column_start.data();
    const std::int32_t* row = pattern_.row.data();
    for (std::int64_t j = 0; j < pattern_.columns; ++j) {
        S sum = 0;
        for (std::int64_t e = start[j]; e < start[j + 1]; ++e) sum += entries_[e] * x[row[e]];
        y[j] = sum;
    }
}

// ---- the distribution ----

template <class S>
KktCgDistribution<S>::KktCgDistribution(const System& system, const Prolongation& p, const KktTops& tops, Jets<S>& jets,
                                        const EvaluatorOptions& evaluator)
    : MultiplierDistribution<S>(system, p, tops, jets, evaluator), scaling_(this->pattern()), solver_(this->pattern()),
      b_(this->n_multipliers()), x_(this->n_multipliers()), product_(this->n_multipliers()),
      gradients_(this->n_multipliers()), known_(this->n_multipliers()) {}

// A x = -C r by conjugate gradients, from l_ and into it. False where they do not converge.
template <class S> bool KktCgDistribution<S>::iterate() {
    if (!scaling_.scale(entries_.data())) return false;
    const std::int64_t n = l_.size();
    const linalg::Vector<S>&row = scaling_.row_factors(), &column = scaling_.column_factors();
    for (std::int64_t i = 0; i < n; ++i) {
        b_[i] = -row[i] * r_[i];
        x_[i] = l_[i] / column[i];
    }
    const auto limit = static_cast<int>(std::min<std::int64_t>(2 * n + 100, 20000));
    const auto report = gradients_.solve([&](const S* x, S* y) { scaling_.times(x, y); }, b_.data(), x_.data(),
                                         S(45) * epsilon<S>(), limit);
    n_iterations_ += report.iterations;
    if (!report.has_converged || !is_solution()) return false;
    for (std::int64_t i = 0; i < n; ++i) l_[i] = column[i] * x_[i];
    return true;
}

// Near singular points the recurrence of the residual loses its truth: |A x - b| is then more than round-off.
template <class S> bool KktCgDistribution<S>::is_solution() {
    scaling_.times(x_.data(), product_.data());
    S off = 0, size = 0;
    for (std::int64_t i = 0; i < x_.size(); ++i) {
        off += (product_[i] - b_[i]) * (product_[i] - b_[i]);
        size += b_[i] * b_[i] + x_[i] * x_[i];
    }
    const S tolerance = S(100) * epsilon<S>();
    return off <= tolerance * tolerance * size;
}

template <class S> bool KktCgDistribution<S>::factor() {
    ++n_fallbacks_;
    ++this->counts_.factorisations;
    if (!solver_.factor(entries_.data())) return false;
    for (std::int64_t i = 0; i < l_.size(); ++i) l_[i] = -r_[i];
    solver_.solve(l_.data());
    return true;
}

template <class S> PointStatus KktCgDistribution<S>::solve_multipliers(S t) {
    if (!all_finite(r_.data(), r_.size()) || !all_finite(entries_.data(), entries_.size()))
        return PointStatus::not_finite;
    known_.guess(t, l_);
    if (!iterate() && !factor()) return PointStatus::singular;
    if (!all_finite(l_.data(), l_.size())) return PointStatus::singular;
    known_.keep(t, l_);
    return PointStatus::good;
}

template class SymmetricScaling<double>;
template class SymmetricScaling<Quad>;
template class KktCgDistribution<double>;
template class KktCgDistribution<Quad>;

namespace {

template <class S>
std::unique_ptr<Distribution<S>> make_kkt_cg(const DistributionParts<S>& parts, std::string& misfit) {
    const DistributionShape& shape = parts.shape;
    misfit = misfit_of_square(kkt_cg_distribution.name, shape);
    if (!misfit.empty()) return nullptr;
    if (shape.is_mechanical) { // conjugate gradients need a definite matrix
        if (const auto tops = kkt_tops(shape.system, shape.prolongation))
            return std::make_unique<KktCgDistribution<S>>(shape.system, shape.prolongation, *tops, parts.jets,
                                                          parts.evaluator);
        if (auto blocks = mass_blocks(shape.prolongation))
            return std::make_unique<MassCgDistribution<S>>(shape.system, shape.prolongation, std::move(*blocks),
                                                           parts.jets, parts.evaluator);
    }
    misfit = misfit_text(kkt_cg_distribution.name, shape, "it is no mechanical system with multipliers");
    return nullptr;
}

} // namespace

const DistributionKind kkt_cg_distribution{.name = "kkt-cg",
                                           .help = "the multipliers first, by conjugate gradients",
                                           .needs = "a mechanical system with multipliers",
                                           .suits = never_suits,
                                           .make_double = make_kkt_cg<double>,
                                           .make_quad = make_kkt_cg<Quad>};

} // namespace vessiot
