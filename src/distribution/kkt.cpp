#include "distribution/kkt.hpp"

#include <algorithm>

namespace vessiot {

// Rows and columns of A by their part, and the entries of the parts.
template <class S> struct KktDistribution<S>::Partition {
    std::vector<std::int32_t> row1, row2, column1, column2, diagonal;
    Part g, bt;
};

namespace {

struct Entry {
    std::int32_t row, column, number;
};

std::vector<Entry> entries_of(const linalg::Pattern& a) {
    std::vector<Entry> result;
    for (std::int32_t c = 0; c < a.columns; ++c)
        for (std::int64_t k = a.column_start[static_cast<std::size_t>(c)];
             k < a.column_start[static_cast<std::size_t>(c) + 1]; ++k)
            result.push_back({a.row[static_cast<std::size_t>(k)], c, static_cast<std::int32_t>(k)});
    return result;
}

} // namespace

template <class S> void KktDistribution<S>::Part::fetch(const S* entries) {
    for (std::size_t k = 0; k < source.size(); ++k) values[static_cast<std::int64_t>(k)] = entries[source[k]];
}

template <class S>
std::unique_ptr<KktDistribution<S>> KktDistribution<S>::make(const System& system, const Prolongation& p, Jets<S>& jets,
                                                             const expr::EvaluatorOptions& evaluator,
                                                             bool is_mechanical) {
    const auto c = [&](std::int32_t i) { return p.offsets.c[static_cast<std::size_t>(i)]; };
    const auto d = [&](std::int32_t j) { return p.offsets.d[static_cast<std::size_t>(j)]; };
    const auto n = static_cast<std::int32_t>(p.n_tops());
    Partition parts;
    std::vector<std::int32_t> number(static_cast<std::size_t>(n), -1); // of a column, in column1 or column2
    for (std::int32_t j = 0; j < n; ++j)
        if (d(j) == 0) {
            number[static_cast<std::size_t>(j)] = static_cast<std::int32_t>(parts.column2.size());
            parts.column2.push_back(j);
        }
    std::vector<std::int32_t> row_number(static_cast<std::size_t>(n), -1);
    for (std::int32_t i = 0; i < n; ++i)
        if (c(i) > 0) {
            row_number[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(parts.row2.size());
            parts.row2.push_back(i);
        }
    if (parts.row2.empty() || parts.row2.size() != parts.column2.size()) return nullptr;

    auto tops = std::unique_ptr<TopSystem<S>>(new TopSystem<S>(system, p, jets, evaluator));
    const std::vector<Entry> all = entries_of(tops->pattern());
    for (const Entry& e : all) { // E: one entry in each row and column
        if (c(e.row) > 0 || d(e.column) == 0) continue;
        if (row_number[static_cast<std::size_t>(e.row)] >= 0 || number[static_cast<std::size_t>(e.column)] >= 0)
            return nullptr;
        row_number[static_cast<std::size_t>(e.row)] = number[static_cast<std::size_t>(e.column)] =
            static_cast<std::int32_t>(parts.row1.size());
        parts.row1.push_back(e.row);
        parts.column1.push_back(e.column);
        parts.diagonal.push_back(e.number);
    }
    if (std::ssize(parts.row1) + std::ssize(parts.row2) != n) return nullptr;

    std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> g(parts.row1.size()), bt(parts.row1.size());
    for (const Entry& e : all) {
        const auto row = row_number[static_cast<std::size_t>(e.row)],
                   column = number[static_cast<std::size_t>(e.column)];
        if (c(e.row) > 0 && d(e.column) == 0) return nullptr; // C
        if (c(e.row) > 0) g[static_cast<std::size_t>(column)].emplace_back(row, e.number);
        if (d(e.column) == 0) bt[static_cast<std::size_t>(row)].emplace_back(column, e.number);
    }
    const auto compress = [&](auto& columns, Part& part) {
        part.pattern = {std::ssize(parts.row2), std::ssize(columns), {0}, {}};
        for (auto& column : columns) {
            std::sort(column.begin(), column.end());
            for (const auto& [row, entry] : column) {
                part.pattern.row.push_back(row);
                part.source.push_back(entry);
            }
            part.pattern.column_start.push_back(std::ssize(part.pattern.row));
        }
        part.values = linalg::Vector<S>(std::ssize(part.source));
    };
    compress(g, parts.g);
    compress(bt, parts.bt);
    return std::unique_ptr<KktDistribution>(new KktDistribution(p, std::move(tops), std::move(parts), is_mechanical));
}

template <class S>
KktDistribution<S>::KktDistribution(const Prolongation& p, std::unique_ptr<TopSystem<S>> system, Partition&& parts,
                                    bool is_mechanical)
    : Distribution<S>(p), system_(std::move(system)), row1_(std::move(parts.row1)), row2_(std::move(parts.row2)),
      column1_(std::move(parts.column1)), column2_(std::move(parts.column2)), diagonal_(std::move(parts.diagonal)),
      g_(std::move(parts.g)), bt_(std::move(parts.bt)), product_(g_.pattern, bt_.pattern),
      solver_(product_.pattern(), is_mechanical), entries_(system_->pattern().entries()), r_(p.n_tops()),
      inverse_(std::ssize(row1_)), a_(std::ssize(row1_)), s_(product_.pattern().entries()), l_(std::ssize(row2_)) {}

template <class S> PointStatus KktDistribution<S>::tops(S t, const S* u, S* w) {
    ++this->counts_.evaluations;
    ++this->counts_.jacobians;
    (*system_)(t, u, r_.data(), entries_.data());
    const auto n1 = static_cast<std::int64_t>(row1_.size()), n2 = static_cast<std::int64_t>(row2_.size());
    for (std::int64_t k = 0; k < n1; ++k) {
        inverse_[k] = S(1) / entries_[diagonal_[static_cast<std::size_t>(k)]];
        a_[k] = r_[row1_[static_cast<std::size_t>(k)]] * inverse_[k]; // E^-1 r1
    }
    g_.fetch(entries_.data());
    bt_.fetch(entries_.data());
    product_.compute(g_.values.data(), inverse_.data(), bt_.values.data(), s_.data());
    ++this->counts_.factorisations;
    if (!solver_.factor(s_.data()))
        return all_finite(s_.data(), s_.size()) ? PointStatus::singular : PointStatus::not_finite;

    // S l = r2 - G E^-1 r1
    for (std::int64_t k = 0; k < n2; ++k) l_[k] = r_[row2_[static_cast<std::size_t>(k)]];
    for (std::int64_t k = 0; k < n1; ++k)
        for (std::int64_t e = g_.pattern.column_start[static_cast<std::size_t>(k)];
             e < g_.pattern.column_start[static_cast<std::size_t>(k) + 1]; ++e)
            l_[g_.pattern.row[static_cast<std::size_t>(e)]] -= g_.values[e] * a_[k];
    solver_.solve(l_.data());
    // a = -E^-1 r1 - E^-1 B l
    for (std::int64_t k = 0; k < n1; ++k) {
        S sum = 0;
        for (std::int64_t e = bt_.pattern.column_start[static_cast<std::size_t>(k)];
             e < bt_.pattern.column_start[static_cast<std::size_t>(k) + 1]; ++e)
            sum += bt_.values[e] * l_[bt_.pattern.row[static_cast<std::size_t>(e)]];
        w[column1_[static_cast<std::size_t>(k)]] = -a_[k] - inverse_[k] * sum;
    }
    for (std::int64_t k = 0; k < n2; ++k) w[column2_[static_cast<std::size_t>(k)]] = l_[k];
    return all_finite(w, this->n_tops()) ? PointStatus::good : PointStatus::not_finite;
}

template class KktDistribution<double>;
template class KktDistribution<expr::Quad>;

} // namespace vessiot
