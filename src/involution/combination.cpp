#include "involution/combination.hpp"

#include <algorithm>
#include <cmath>

#include "expr/graph/collect.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr double zero = 1e-11; // of an entry, in rows scaled to 1: parameters may be rounded to double
constexpr double pivot = 1e-9;

class Elimination {
public:
    Elimination(Graph& g, std::vector<WrittenRow> rows, const std::vector<int>& depth, std::vector<SampledRows> samples,
                std::int64_t n)
        : g_(g), rows_(std::move(rows)), depth_(depth), samples_(std::move(samples)), k_(std::ssize(rows_)), n_(n),
          size_(static_cast<std::size_t>(k_), 0), from_(rows_.size()), is_used_(rows_.size(), 0),
          is_taken_(static_cast<std::size_t>(n), 0) {
        for (std::int32_t i = 0; i < k_; ++i) from_[static_cast<std::size_t>(i)] = {i};
        scale();
    }

    Combinations run() {
        Combinations result;
        result.rank_here = rank_at_first();
        std::vector<int> depths(depth_.begin(), depth_.end());
        std::ranges::sort(depths);
        depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
        for (const int depth : depths)
            while (eliminate_one(depth)) {
                ++result.rank;
                result.depth = depth;
            }
        for (std::int32_t i = 0; i < k_; ++i)
            if (!is_used_[static_cast<std::size_t>(i)]) result.left.push_back(combination(i));
        for (std::int32_t j = 0; j < n_; ++j)
            if (!is_taken_[static_cast<std::size_t>(j)]) result.open.push_back(j);
        return result;
    }

private:
    Quad& a(SampledRows& s, std::int64_t i, std::int64_t j) const { return s.a[j * k_ + i]; }

    // Rows to largest entry 1; r keeps its own size, by which it is measured later.
    void scale() {
        for (SampledRows& s : samples_) {
            s.scale.resize(rows_.size());
            for (std::int64_t i = 0; i < k_; ++i) {
                Quad largest = 0;
                for (std::int64_t j = 0; j < n_; ++j) largest = std::max(largest, linalg::absolute(a(s, i, j)));
                if (largest == 0) largest = 1;
                s.scale[static_cast<std::size_t>(i)] = largest;
                for (std::int64_t j = 0; j < n_; ++j) a(s, i, j) /= largest;
                s.r[i] /= largest;
                double& size = size_[static_cast<std::size_t>(i)];
                size = std::max(size, static_cast<double>(linalg::absolute(s.r[i])));
            }
        }
    }

    int rank_at_first() const {
        linalg::PivotedQr<double> qr(static_cast<int>(k_), static_cast<int>(n_));
        for (std::int64_t e = 0; e < k_ * n_; ++e) qr.matrix()[e] = static_cast<double>(samples_[0].a[e]);
        qr.factor(pivot);
        return qr.rank();
    }

    struct Place {
        std::int32_t row = -1, column = -1;
        double low = 0, high = 0; // over the samples
        double trust = 1;         // that it stays away from zero
    };

    // Numbers cannot vanish along the run, formulas of parameters neither; formulas of unknowns may.
    double trust(NodeId n) const { return g_.is_constant(n) ? 100 : g_.node(n).varies ? 1 : 30; }

    // An entry that is away from zero at all points, constant ones first; else one that is so at some of them.
    Place best(int depth) {
        Place found;
        for (std::int32_t i = 0; i < k_; ++i) {
            if (is_used_[static_cast<std::size_t>(i)] || depth_[static_cast<std::size_t>(i)] != depth) continue;
            for (const auto& [j, node] : rows_[static_cast<std::size_t>(i)].a) {
                if (is_taken_[static_cast<std::size_t>(j)]) continue;
                Place here{i, j, HUGE_VAL, 0, trust(node)};
                for (SampledRows& s : samples_) {
                    const auto size = static_cast<double>(linalg::absolute(a(s, i, j)));
                    here.low = std::min(here.low, size);
                    here.high = std::max(here.high, size);
                }
                if (is_better(here, found)) found = here;
            }
        }
        return found;
    }

    static bool is_better(const Place& a, const Place& b) {
        if (b.row < 0) return a.high > pivot;
        if ((a.low > pivot) != (b.low > pivot)) return a.low > pivot;
        if (a.low <= pivot) return a.high > b.high;
        return a.low * a.trust > b.low * b.trust;
    }

    bool eliminate_one(int depth) {
        const Place p = best(depth);
        if (p.row < 0) return false;
        // points where the pivot vanishes are special: they do not count
        std::erase_if(samples_, [&](SampledRows& s) {
            return linalg::absolute(a(s, p.row, p.column)) <= Quad(pivot) && samples_.size() > 1;
        });
        is_used_[static_cast<std::size_t>(p.row)] = 1;
        is_taken_[static_cast<std::size_t>(p.column)] = 1;
        for (std::int32_t i = 0; i < k_; ++i)
            if (!is_used_[static_cast<std::size_t>(i)]) take_away(p.row, p.column, i);
        return true;
    }

    // row_i -= a_ip / a_pp row_p
    void take_away(std::int32_t p, std::int32_t column, std::int32_t i) {
        WrittenRow& row = rows_[static_cast<std::size_t>(i)];
        const WrittenRow& by = rows_[static_cast<std::size_t>(p)];
        const auto entry = row.a.find(column);
        if (entry == row.a.end()) return;
        const NodeId l = g_.div(entry->second, by.a.at(column));
        row.a.erase(entry);
        double factor = 0;
        for (SampledRows& s : samples_) {
            const Quad m = a(s, i, column) / a(s, p, column);
            factor = std::max(factor, static_cast<double>(linalg::absolute(m)));
            for (const auto& [j, node] : by.a)
                if (j != column) a(s, i, j) -= m * a(s, p, j);
            s.r[i] -= m * s.r[p];
        }
        if (factor <= zero) return;
        for (const auto& [j, node] : by.a) {
            if (is_taken_[static_cast<std::size_t>(j)]) continue;
            const auto [at, is_new] = row.a.try_emplace(j, g_.zero());
            at->second = g_.sub(at->second, g_.mul(l, node));
            if (is_zero_everywhere(i, j)) row.a.erase(at);
        }
        row.r = g_.sub(row.r, g_.mul(l, by.r));
        size_[static_cast<std::size_t>(i)] += factor * size_[static_cast<std::size_t>(p)];
        from_[static_cast<std::size_t>(i)].insert(from_[static_cast<std::size_t>(p)].begin(),
                                                  from_[static_cast<std::size_t>(p)].end());
    }

    bool is_zero_everywhere(std::int32_t i, std::int32_t j) {
        return std::ranges::all_of(samples_,
                                   [&](SampledRows& s) { return linalg::absolute(a(s, i, j)) <= Quad(zero); });
    }

    Combination combination(std::int32_t i) {
        const auto at = static_cast<std::size_t>(i);
        const auto value = [&](const SampledRows& s) { return s.r[i] * s.scale[at]; };
        const Quad here = value(samples_[0]);
        Combination c{.h = collect(g_, rows_[at].r),
                      .from = from_[at],
                      .is_zero = true,
                      .is_constant = samples_.size() > 1,
                      .value = static_cast<double>(here)};
        for (const std::int32_t source : c.from) c.depth = std::max(c.depth, depth_[static_cast<std::size_t>(source)]);
        for (const SampledRows& s : samples_) {
            c.is_zero &= static_cast<double>(linalg::absolute(s.r[i])) <= zero * (size_[at] + 1e-3);
            c.is_constant &= linalg::absolute(value(s) - here) <= Quad(zero) * linalg::absolute(here);
        }
        c.is_constant &= !c.is_zero;
        return c;
    }

    Graph& g_;
    std::vector<WrittenRow> rows_;
    const std::vector<int>& depth_;
    std::vector<SampledRows> samples_;
    std::int64_t k_, n_;
    std::vector<double> size_; // of r, before it cancels
    std::vector<std::set<std::int32_t>> from_;
    std::vector<char> is_used_, is_taken_;
};

} // namespace

Combinations combine(Graph& g, std::vector<WrittenRow> rows, const std::vector<int>& depth,
                     std::vector<SampledRows> samples, std::int64_t n_tops) {
    return Elimination(g, std::move(rows), depth, std::move(samples), n_tops).run();
}

} // namespace vessiot
