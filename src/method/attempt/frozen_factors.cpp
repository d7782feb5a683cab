#include "method/attempt/frozen_factors.hpp"

#include <algorithm>
#include <map>

#include "linalg/scalar.hpp"

namespace vessiot::method {

using expr::Op;
using linalg::at;

namespace {

constexpr double small_pivot = 1e-9;  // beside the diagonal of G: rows that depend on each other, nearly
constexpr double growth_by_gains = 4; // of residuals by a correction with gains: near round-off, or in a long step

} // namespace

FrozenFactors::FrozenFactors(const PointFormulas& formulas, const FrozenRule<double>& rule)
    : formulas_(formulas), rule_(rule) {
    const Manifold<double>& m = formulas.manifold();
    const auto next = [&] { return static_cast<std::int32_t>(n_numbers_++); };
    df_place_.assign(m.pattern().row.size(), 0);
    for (const std::int64_t e : m.immovable_entries()) df_place_[at(e)] = none;
    for (std::int32_t& place : df_place_)
        if (place != none) place = next();
    weight_place_.assign(m.levels().size(), none);
    if (rule.is_joint) {
        std::map<int, std::int32_t> by_level;
        for (std::size_t k = 0; k < m.levels().size(); ++k) {
            const auto [place, is_new] = by_level.try_emplace(m.levels()[k], 0);
            if (is_new) place->second = next();
            weight_place_[k] = place->second;
        }
    }
    size_place_ = static_cast<std::int32_t>(n_numbers_);
    n_numbers_ += m.n_constraints();
    std::map<int, std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>> members;
    const auto key = [&](int level) { return rule.is_joint ? 0 : level; };
    for (std::size_t k = 0; k < m.rows().size(); ++k)
        members[key(m.rows()[k].level)].first.push_back(static_cast<std::int32_t>(k));
    for (std::size_t k = 0; k < m.levels().size(); ++k)
        members[key(m.levels()[k])].second.push_back(static_cast<std::int32_t>(k));
    for (const auto& [level, list] : members)
        if (!list.first.empty()) add_set(list.first, list.second);
}

void FrozenFactors::add_set(const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& columns) {
    const linalg::Pattern& p = formulas_.manifold().pattern();
    Set set{rows, columns, {}, {}, {}, {}};
    set.entry.assign(rows.size(), std::vector<std::int32_t>(columns.size(), none));
    std::map<std::int32_t, std::size_t> place;
    for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = i;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        for (std::int64_t e = p.column_start[at(columns[j])]; e < p.column_start[at(columns[j]) + 1]; ++e)
            if (const auto row = place.find(p.row[at(e)]); row != place.end())
                set.entry[row->second][j] = df_place_[at(e)];
        set.weight.push_back(weight_place_[at(columns[j])]);
    }
    find_fill(set);
    sets_.push_back(std::move(set));
}

// L has an entry where two rows share a column, or a row before both is shared.
void FrozenFactors::find_fill(Set& set) {
    const std::size_t k = set.rows.size();
    std::vector<std::vector<char>> full(k, std::vector<char>(k, 0));
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            for (std::size_t c = 0; c < set.columns.size(); ++c)
                full[i][j] |= static_cast<char>(set.entry[i][c] != none && set.entry[j][c] != none);
            for (std::size_t m = 0; m < j; ++m) full[i][j] |= static_cast<char>(full[i][m] && full[j][m]);
        }
    set.lower.assign(k, {});
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j)
            set.lower[i].push_back(full[i][j] ? static_cast<std::int32_t>(n_numbers_++) : none);
        set.inverse.push_back(static_cast<std::int32_t>(n_numbers_++));
    }
}

// By level the mean square of the coordinates, at least 1; t has none here.
std::vector<FrozenFactors::Value> FrozenFactors::weights(Builder& b, const Point& x) const {
    std::map<std::int32_t, std::vector<Value>> squares;
    for (std::size_t k = 0; k < x.size(); ++k)
        if (weight_place_[k] != none) squares[weight_place_[k]].push_back(b.mul(x[k], x[k]));
    std::vector<Value> result;
    for (auto& [place, terms] : squares) {
        const auto n = static_cast<double>(terms.size());
        result.push_back(b.max(b.constant(1), b.mul(b.sum(std::move(terms)), b.constant(1 / n))));
    }
    return result;
}

// max_j |df_ij| (magnitude_j + floor), or a sixteenth of the largest term.
std::vector<FrozenFactors::Value> FrozenFactors::sizes(Builder& b, Value t, const Point& x,
                                                       const std::vector<Value>& df, const Point& magnitude) const {
    std::vector<Value> size = formulas_.largest_terms(b, t, x);
    for (Value& s : size) s = b.mul(s, b.constant(0.0625));
    const linalg::Pattern& p = formulas_.manifold().pattern();
    for (std::size_t j = 0; j < x.size(); ++j) {
        const Value weight = b.add(magnitude[j], b.constant(rule_.floor));
        for (std::int64_t e = p.column_start[j]; e < p.column_start[j + 1]; ++e) {
            if (df_place_[at(e)] == none) continue;
            Value& s = size[at(p.row[at(e)])];
            s = b.max(s, b.mul(b.abs(df[at(e)]), weight));
        }
    }
    return size;
}

FrozenFactors::Values FrozenFactors::factor(Builder& b, Value t, const Point& x) const {
    Point magnitude;
    for (const Value v : x) magnitude.push_back(b.abs(v));
    return factor(b, t, x, shared(b, t, x, magnitude, b.constant(rule_.tolerance)));
}

std::vector<FrozenFactors::Value> FrozenFactors::shared(Builder& b, Value t, const Point& x, const Point& magnitude,
                                                        Value tolerance) const {
    std::vector<Value> result(at(n_numbers_));
    const PointFormulas::Rows rows = formulas_.rows(b, t, x);
    if (rule_.is_joint) {
        const std::vector<Value> w = weights(b, x);
        const std::int32_t first = *std::ranges::min_element(weight_place_);
        for (std::size_t k = 0; k < w.size(); ++k) result[at(first) + k] = w[k];
    }
    const std::vector<Value> size = sizes(b, t, x, rows.df, magnitude);
    for (std::size_t i = 0; i < size.size(); ++i) result[at(size_place_) + i] = b.mul(size[i], tolerance);
    return result;
}

FrozenFactors::Values FrozenFactors::factor(Builder& b, Value t, const Point& x,
                                            const std::vector<Value>& shared) const {
    Values result{shared, {}};
    const PointFormulas::Rows rows = formulas_.rows(b, t, x);
    for (std::size_t e = 0; e < df_place_.size(); ++e)
        if (df_place_[e] != none) result.numbers[at(df_place_[e])] = rows.df[e];
    for (const Set& set : sets_) factor(b, set, result);
    return result;
}

// L_ij D_j = G_ij - sum_m (L_im D_m) L_jm,   D_j = G_jj - sum_m (L_jm D_m) L_jm
void FrozenFactors::factor(Builder& b, const Set& set, Values& to) const {
    const std::size_t k = set.rows.size();
    std::vector<Value>& number = to.numbers;
    const auto weighted = [&](std::size_t i, std::size_t c) {
        const Value a = number[at(set.entry[i][c])];
        return set.weight[c] == none ? a : b.mul(number[at(set.weight[c])], a);
    };
    std::vector<std::vector<Value>> scaled(k, std::vector<Value>(k)); // L_ij D_j
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            std::vector<Value> terms;
            for (std::size_t c = 0; c < set.columns.size(); ++c)
                if (set.entry[i][c] != none && set.entry[j][c] != none)
                    terms.push_back(b.mul(weighted(i, c), number[at(set.entry[j][c])]));
            const Value g = b.sum(std::move(terms));
            Value left = g;
            for (std::size_t m = 0; m < j; ++m)
                if (set.lower[i][m] != none && set.lower[j][m] != none)
                    left = b.sub(left, b.mul(scaled[i][m], number[at(set.lower[j][m])]));
            if (j == i) {
                number[at(set.inverse[i])] = b.div(b.constant(1), left);
                const Value is_good = b.apply(Op::less, b.mul(g, b.constant(small_pivot)), left);
                to.small.push_back(b.apply(Op::logical_not, is_good));
            } else if (set.lower[i][j] != none) {
                scaled[i][j] = left;
                number[at(set.lower[i][j])] = b.mul(left, number[at(set.inverse[j])]);
            }
        }
    }
}

std::int64_t FrozenFactors::n_gain_operations() const {
    std::size_t n = 0;
    for (const Set& set : sets_) n += 2 * set.rows.size() * set.columns.size();
    return static_cast<std::int64_t>(n);
}

std::vector<FrozenFactors::Value> FrozenFactors::stored(Builder& b) const {
    std::vector<Value> result;
    for (std::int64_t k = 0; k < n_numbers_; ++k) result.push_back(b.read(frozen_input, k));
    return result;
}

void FrozenFactors::correct(Builder& b, Value t, const std::vector<Value>& number, Point& x,
                            std::vector<Value>& far) const {
    for (const Set& set : sets_) {
        const std::vector<Value> f = formulas_.rows(b, t, x).f;
        const std::size_t k = set.rows.size();
        std::vector<Value> l(k); // L^-1 f, then D^-1 of it, then lambda
        for (std::size_t i = 0; i < k; ++i) {
            l[i] = f[at(set.rows[i])];
            for (std::size_t j = 0; j < i; ++j)
                if (set.lower[i][j] != none) l[i] = b.sub(l[i], b.mul(number[at(set.lower[i][j])], l[j]));
        }
        for (std::size_t i = k; i-- > 0;) {
            l[i] = b.mul(l[i], number[at(set.inverse[i])]);
            for (std::size_t j = i + 1; j < k; ++j)
                if (set.lower[j][i] != none) l[i] = b.sub(l[i], b.mul(number[at(set.lower[j][i])], l[j]));
        }
        Value size = b.constant(0), moved = size;
        for (std::size_t c = 0; c < set.columns.size(); ++c) {
            std::vector<Value> terms;
            for (std::size_t i = 0; i < k; ++i)
                if (set.entry[i][c] != none) terms.push_back(b.mul(number[at(set.entry[i][c])], l[i]));
            Value& coordinate = x[at(set.columns[c])];
            size = b.max(size, b.abs(coordinate));
            if (terms.empty()) continue;
            Value d = b.sum(std::move(terms));
            if (set.weight[c] != none) d = b.mul(number[at(set.weight[c])], d);
            moved = b.max(moved, b.abs(d));
            coordinate = b.sub(coordinate, d);
        }
        far.push_back(b.apply(Op::less, b.mul(size, b.constant(0.5)), moved));
    }
}

// Column by column G s = w a, a the column of A.
FrozenFactors::Gains FrozenFactors::gains(Builder& b, Value t, const Point& x, const std::vector<Value>& shared) const {
    const Values factors = factor(b, t, x, shared);
    const std::vector<Value>& number = factors.numbers;
    Gains result{{}, factors.small};
    for (const Set& set : sets_) {
        const std::size_t k = set.rows.size();
        auto& of_set = result.of.emplace_back();
        for (std::size_t c = 0; c < set.columns.size(); ++c) {
            std::vector<std::optional<Value>> s(k);
            const auto subtract = [&](std::size_t i, std::int32_t lower, std::size_t j) {
                if (lower == none || !s[j]) return;
                const Value part = b.mul(number[at(lower)], *s[j]);
                s[i] = s[i] ? b.sub(*s[i], part) : b.apply(Op::neg, part);
            };
            for (std::size_t i = 0; i < k; ++i) {
                if (set.entry[i][c] != none) {
                    s[i] = number[at(set.entry[i][c])];
                    if (set.weight[c] != none) s[i] = b.mul(number[at(set.weight[c])], *s[i]);
                }
                for (std::size_t j = 0; j < i; ++j) subtract(i, set.lower[i][j], j);
            }
            for (std::size_t i = k; i-- > 0;) {
                if (s[i]) s[i] = b.mul(*s[i], number[at(set.inverse[i])]);
                for (std::size_t j = i + 1; j < k; ++j) subtract(i, set.lower[j][i], j);
            }
            of_set.push_back(std::move(s));
        }
    }
    return result;
}

void FrozenFactors::correct(Builder& b, Value t, const Gains& gains, Point& x) const {
    for (std::size_t q = 0; q < sets_.size(); ++q) {
        const Set& set = sets_[q];
        const std::vector<Value> f = formulas_.rows(b, t, x).f;
        for (std::size_t c = 0; c < set.columns.size(); ++c) {
            std::vector<Value> terms;
            for (std::size_t i = 0; i < set.rows.size(); ++i)
                if (gains.of[q][c][i]) terms.push_back(b.mul(*gains.of[q][c][i], f[at(set.rows[i])]));
            if (terms.empty()) continue;
            Value& coordinate = x[at(set.columns[c])];
            coordinate = b.sub(coordinate, b.sum(std::move(terms)));
        }
    }
}

FrozenFactors::Value FrozenFactors::has_grown(Builder& b, Value t, const std::vector<Value>& shared,
                                              const Point& before, const Point& x) const {
    const std::vector<Value> f0 = formulas_.rows(b, t, before).f, f = formulas_.rows(b, t, x).f;
    Value most = b.constant(1), left = b.constant(0);
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Value unit = b.div(b.constant(1), shared[at(size_place_) + i]);
        most = b.max(most, b.mul(unit, b.abs(f0[i])));
        left = b.max(left, b.mul(unit, b.abs(f[i])));
    }
    return b.apply(Op::logical_not, b.apply(Op::less_equal, left, b.mul(b.constant(growth_by_gains), most)));
}

FrozenFactors::Residual FrozenFactors::residual(Builder& b, Value t, const std::vector<Value>& number,
                                                const Point& x) const {
    const std::vector<Value> f = formulas_.rows(b, t, x).f;
    Residual result{{}, b.constant(0)};
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Value r = b.abs(f[i]);
        const Value is_small = b.apply(Op::less_equal, r, number[at(size_place_) + i]);
        result.off.push_back(b.apply(Op::logical_not, is_small));
        result.largest = b.max(result.largest, r);
    }
    return result;
}

} // namespace vessiot::method
