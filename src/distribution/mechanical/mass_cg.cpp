#include "distribution/mechanical/mass_cg.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::absolute;
using linalg::at;
using linalg::epsilon;

namespace {

linalg::SubPattern transposed(const linalg::SubPattern& sub) {
    std::vector<std::int64_t> entry;
    linalg::SubPattern result{linalg::transposed(sub.pattern, &entry), {}};
    for (const std::int64_t e : entry) result.source.push_back(sub.source[at(e)]);
    return result;
}

} // namespace

std::optional<MassBlocks> mass_blocks(const Prolongation& p) {
    MassBlocks blocks;
    for (std::size_t k = 0; k < p.offsets.d.size(); ++k)
        (p.offsets.d[k] == 0 ? blocks.multipliers : blocks.coordinates).push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < p.offsets.c.size(); ++k)
        (p.offsets.c[k] == 0 ? blocks.motion : blocks.constraints).push_back(static_cast<std::int32_t>(k));
    const bool fits = !blocks.multipliers.empty() && blocks.multipliers.size() == blocks.constraints.size() &&
                      blocks.motion.size() == blocks.coordinates.size();
    if (!fits) return std::nullopt;
    return blocks;
}

template <class S>
MassCgDistribution<S>::MassCgDistribution(const System& system, const Prolongation& p, MassBlocks blocks, Jets<S>& jets,
                                          const expr::EvaluatorOptions& evaluator)
    : Distribution<S>(p), blocks_(std::move(blocks)), system_(system, p, jets, evaluator),
      E_(linalg::select(system_.pattern(), blocks_.motion, blocks_.coordinates)),
      B_(linalg::select(system_.pattern(), blocks_.motion, blocks_.multipliers)),
      Gt_(transposed(linalg::select(system_.pattern(), blocks_.constraints, blocks_.coordinates))), masses_(E_.pattern),
      all_(system_.pattern()), gradients_(std::ssize(blocks_.multipliers)), known_(std::ssize(blocks_.multipliers)),
      entries_(system_.pattern().entries()), r_(system_.n_equations()), factored_(E_.entries.size()),
      diagonal_(E_.pattern.rows), column_(E_.pattern.rows), ratio_(B_.pattern.columns), a_(E_.pattern.rows),
      b_(Gt_.pattern.columns), y_(Gt_.pattern.columns), l_(B_.pattern.columns), inverse_diagonal_(Gt_.pattern.columns) {
    constraint_.reserve(at(B_.pattern.columns));
}

template <class S> void MassCgDistribution<S>::forget() {
    known_.forget();
    constraint_.clear();
    has_masses_ = false;
}

// ---- blocks ----

template <class S> void MassCgDistribution<S>::Block::take(const S* all) {
    for (std::int64_t e = 0; e < entries.size(); ++e) entries[e] = all[source[at(e)]];
}

template <class S> void MassCgDistribution<S>::Block::times(const S* x, S* y) const {
    std::fill_n(y, pattern.rows, S(0));
    for (std::int64_t j = 0; j < pattern.columns; ++j)
        for (std::int64_t e = pattern.column_start[at(j)]; e < pattern.column_start[at(j) + 1]; ++e)
            y[pattern.row[at(e)]] += entries[e] * x[j];
}

template <class S> void MassCgDistribution<S>::Block::times_transposed(const S* x, S* y) const {
    for (std::int64_t j = 0; j < pattern.columns; ++j) {
        y[j] = S(0);
        for (std::int64_t e = pattern.column_start[at(j)]; e < pattern.column_start[at(j) + 1]; ++e)
            y[j] += entries[e] * x[pattern.row[at(e)]];
    }
}

// ---- masses ----

// The factors of E. False where it is not symmetric with a diagonal of one sign, or singular.
template <class S> bool MassCgDistribution<S>::factor_masses() {
    if (has_masses_ && std::ranges::equal(E_.entries, factored_)) return true;
    has_masses_ = false;
    const linalg::Pattern& p = E_.pattern;
    const auto entry = [&](std::int64_t row, std::int64_t column) {
        const auto first = p.row.begin() + p.column_start[at(column)],
                   last = p.row.begin() + p.column_start[at(column) + 1];
        const auto it = std::lower_bound(first, last, row);
        return it != last && *it == row ? E_.entries[it - p.row.begin()] : S(0);
    };
    for (std::int64_t j = 0; j < p.columns; ++j) diagonal_[j] = entry(j, j);
    sign_ = diagonal_[0] < S(0) ? S(-1) : S(1);
    for (std::int64_t j = 0; j < p.columns; ++j) {
        if (!(sign_ * diagonal_[j] > S(0))) return false;
        for (std::int64_t e = p.column_start[at(j)]; e < p.column_start[at(j) + 1]; ++e) {
            const std::int64_t i = p.row[at(e)];
            const S size = linalg::square_root(diagonal_[i] * diagonal_[j]); // above |E_ij| where E is definite
            if (!(absolute(E_.entries[e] - entry(j, i)) <= S(1000) * epsilon<S>() * size)) return false;
        }
    }
    ++this->counts_.factorisations;
    if (!masses_.factor(E_.entries.data())) return false;
    std::ranges::copy(E_.entries, factored_.begin());
    has_masses_ = true;
    return true;
}

template <class S> void MassCgDistribution<S>::find_preconditioner() {
    const linalg::Pattern& g = Gt_.pattern;
    for (std::int64_t c = 0; c < g.columns; ++c) {
        S sum = 0;
        for (std::int64_t e = g.column_start[at(c)]; e < g.column_start[at(c) + 1]; ++e)
            sum += Gt_.entries[e] * Gt_.entries[e] / (sign_ * diagonal_[g.row[at(e)]]);
        inverse_diagonal_[c] = sum > S(0) ? S(1) / sum : S(1);
    }
}

// ---- which constraint a multiplier belongs to ----

// B_k = ratio G_c
template <class S> bool MassCgDistribution<S>::is_parallel(std::int64_t k, std::int64_t c, S& ratio) {
    const linalg::Pattern &b = B_.pattern, &g = Gt_.pattern;
    const auto visit = [](const linalg::Pattern& p, std::int64_t column, const auto& use) {
        for (std::int64_t e = p.column_start[at(column)]; e < p.column_start[at(column) + 1]; ++e) use(p.row[at(e)], e);
    };
    S both = 0, square = 0, largest = 0, off = 0;
    visit(g, c, [&](std::int32_t i, std::int64_t) { column_[i] = S(0); });
    visit(b, k, [&](std::int32_t i, std::int64_t e) {
        column_[i] = B_.entries[e];
        largest = std::max(largest, absolute(B_.entries[e]));
    });
    visit(g, c, [&](std::int32_t i, std::int64_t e) {
        both += column_[i] * Gt_.entries[e];
        square += Gt_.entries[e] * Gt_.entries[e];
    });
    ratio = both / square;
    if (!(square > S(0)) || ratio == S(0)) return false;
    visit(g, c, [&](std::int32_t i, std::int64_t e) { column_[i] -= ratio * Gt_.entries[e]; });
    const auto measure = [&](std::int32_t i, std::int64_t) { off = std::max(off, absolute(column_[i])); };
    visit(g, c, measure);
    visit(b, k, measure);
    return off <= S(1000) * epsilon<S>() * largest;
}

template <class S> bool MassCgDistribution<S>::find_constraints() {
    const std::int64_t m = B_.pattern.columns;
    std::vector<char> is_taken(at(m), 0);
    constraint_.clear();
    for (std::int64_t k = 0; k < m; ++k) {
        std::int64_t c = k, n_tried = 0; // usually they are in the same order
        for (; n_tried < m && (is_taken[at(c)] || !is_parallel(k, c, ratio_[k])); ++n_tried) c = (c + 1) % m;
        if (n_tried == m) {
            constraint_.clear();
            return false;
        }
        is_taken[at(c)] = 1;
        constraint_.push_back(static_cast<std::int32_t>(c));
    }
    return true;
}

template <class S> bool MassCgDistribution<S>::finds_ratios() {
    bool is_known = !constraint_.empty();
    for (std::int64_t k = 0; k < B_.pattern.columns && is_known; ++k)
        is_known = is_parallel(k, constraint_[at(k)], ratio_[k]);
    return is_known || find_constraints();
}

// ---- at a point ----

// S y, positive where E is definite
template <class S> void MassCgDistribution<S>::multiply(const S* y, S* product) {
    Gt_.times(y, a_.data());
    masses_.solve(a_.data());
    Gt_.times_transposed(a_.data(), product);
    for (std::int64_t c = 0; c < Gt_.pattern.columns; ++c) product[c] *= sign_;
}

template <class S> bool MassCgDistribution<S>::iterate(S t, S* w) {
    if (!factor_masses() || !finds_ratios()) return false;
    find_preconditioner();
    const std::int64_t n = E_.pattern.rows, m = Gt_.pattern.columns;
    for (std::int64_t i = 0; i < n; ++i) a_[i] = r_[blocks_.motion[at(i)]];
    masses_.solve(a_.data());
    Gt_.times_transposed(a_.data(), b_.data()); // G E^-1 r1
    for (std::int64_t c = 0; c < m; ++c) b_[c] = sign_ * (r_[blocks_.constraints[at(c)]] - b_[c]);
    known_.guess(t, l_);
    for (std::int64_t k = 0; k < m; ++k) y_[constraint_[at(k)]] = ratio_[k] * l_[k];
    const auto limit = static_cast<int>(std::min<std::int64_t>(2 * m + 100, 20000));
    const auto report = gradients_.solve([&](const S* y, S* product) { multiply(y, product); }, b_.data(), y_.data(),
                                         S(45) * epsilon<S>(), limit, inverse_diagonal_.data());
    n_iterations_ += report.iterations;
    if (!report.has_converged) return false;
    for (std::int64_t k = 0; k < m; ++k) l_[k] = y_[constraint_[at(k)]] / ratio_[k];
    B_.times(l_.data(), a_.data());
    for (std::int64_t i = 0; i < n; ++i) a_[i] = -(r_[blocks_.motion[at(i)]] + a_[i]);
    masses_.solve(a_.data());
    if (!is_solution(a_.data())) return false;
    for (std::int64_t i = 0; i < n; ++i) w[blocks_.coordinates[at(i)]] = a_[i];
    for (std::int64_t k = 0; k < m; ++k) w[blocks_.multipliers[at(k)]] = l_[k];
    known_.keep(t, l_);
    return true;
}

// |r2 + G a| is round-off beside its terms. (The residual of the recurrence loses its truth near singular points.)
template <class S> bool MassCgDistribution<S>::is_solution(const S* a) {
    const linalg::Pattern& g = Gt_.pattern;
    S off = 0, largest = 0;
    for (std::int64_t c = 0; c < g.columns; ++c) {
        S sum = r_[blocks_.constraints[at(c)]], size = absolute(sum);
        for (std::int64_t e = g.column_start[at(c)]; e < g.column_start[at(c) + 1]; ++e) {
            const S term = Gt_.entries[e] * a[g.row[at(e)]];
            sum += term;
            size += absolute(term);
        }
        off = std::max(off, absolute(sum));
        largest = std::max(largest, size);
    }
    return off <= S(1000) * epsilon<S>() * largest;
}

template <class S> bool MassCgDistribution<S>::factor_all(S* w) {
    ++n_fallbacks_;
    ++this->counts_.factorisations;
    if (!all_.factor(entries_.data())) return false;
    for (std::int64_t k = 0; k < this->n_tops(); ++k) w[k] = -r_[k];
    all_.solve(w);
    return true;
}

template <class S> PointStatus MassCgDistribution<S>::tops(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    system_(t, u, r_.data(), entries_.data());
    if (!all_finite(r_.data(), r_.size()) || !all_finite(entries_.data(), entries_.size()))
        return PointStatus::not_finite;
    E_.take(entries_.data());
    B_.take(entries_.data());
    Gt_.take(entries_.data());
    if (!iterate(t, w) && !factor_all(w)) return PointStatus::singular;
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::singular;
}

template class MassCgDistribution<double>;
template class MassCgDistribution<Quad>;

} // namespace vessiot
