// N = A W A^T of many rows. Rows of A with very many entries form a border (index 2), which is eliminated last:
//
//   [N11 N12; N12^T N22] (l1, l2) = (b1, b2):   Z = N11^-1 N12,   (N22 - N12^T Z) l2 = b2 - Z^T b1,   l1 = N11^-1 b1 -
//   Z l2
#include <algorithm>
#include <utility>

#include "linalg/dense/pivoted_ldlt.hpp"
#include "linalg/product.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_part.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot::linalg {

namespace {

// Some rows of A, renumbered, and where their entries are.
struct RowsOf {
    RowsOf(const Pattern& a, const std::vector<char>& is_chosen) {
        std::vector<std::int32_t> number(at(a.rows), -1);
        for (std::int32_t i = 0; i < a.rows; ++i)
            if (is_chosen[at(i)]) {
                number[at(i)] = static_cast<std::int32_t>(rows.size());
                rows.push_back(i);
            }
        pattern.rows = std::ssize(rows);
        pattern.columns = a.columns;
        for (std::int64_t c = 0; c < a.columns; ++c) {
            for (std::int64_t p = a.column_start[at(c)]; p < a.column_start[at(c + 1)]; ++p)
                if (const std::int32_t i = number[at(a.row[at(p)])]; i >= 0) {
                    pattern.row.push_back(i);
                    source.push_back(p);
                }
            pattern.column_start.push_back(pattern.entries());
        }
    }

    template <class S> void gather(const S* entries, S* out) const {
        for (std::size_t p = 0; p < source.size(); ++p) out[p] = entries[source[p]];
    }

    Pattern pattern;
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> source;
};

template <class S> class PlainNormal : public NormalPart<S> {
public:
    explicit PlainNormal(const Pattern& a)
        : k_(static_cast<int>(a.rows)), product_(a, a), solver_(product_.pattern(), true),
          n_(at(product_.pattern().entries())) {}

    bool factor(const S* entries, const S* w) override {
        product_.compute(entries, w, entries, n_.data());
        return is_regular_ = solver_.factor(n_.data());
    }
    void solve(S* b) override { solver_.solve(b); }
    int rank() const override { return is_regular_ ? k_ : k_ - 1; }
    std::vector<int> dependent_rows() const override { return {}; }
    std::string_view kind() const override { return solver_.kind(); }

private:
    int k_;
    ScaledProduct product_;
    SquareSolver<S> solver_;
    std::vector<S> n_;
    bool is_regular_ = true;
};

template <class S> class BorderedNormal : public NormalPart<S> {
public:
    BorderedNormal(const Pattern& a, const std::vector<char>& is_border, const std::vector<char>& is_inner)
        : inner_(a, is_inner), border_(a, is_border), plain_(inner_.pattern),
          product12_(inner_.pattern, border_.pattern), product22_(border_.pattern, border_.pattern),
          schur_(static_cast<int>(border_.rows.size())), a1_(inner_.source.size()), a2_(border_.source.size()),
          n12_(at(product12_.pattern().entries())), n22_(at(product22_.pattern().entries())),
          z_(inner_.rows.size() * border_.rows.size()), diagonal_(border_.rows.size()), b1_(inner_.rows.size()),
          b2_(border_.rows.size()) {}

    bool factor(const S* entries, const S* w) override {
        is_regular_ = false;
        inner_.gather(entries, a1_.data());
        border_.gather(entries, a2_.data());
        if (!plain_.factor(a1_.data(), w)) return false;
        product12_.compute(a1_.data(), w, a2_.data(), n12_.data());
        product22_.compute(a2_.data(), w, a2_.data(), n22_.data());
        solve_columns();
        make_schur();
        return is_regular_ = schur_.factor(diagonal_.data()) == std::ssize(border_.rows);
    }

    void solve(S* b) override {
        const std::int64_t n1 = std::ssize(inner_.rows), n2 = std::ssize(border_.rows);
        for (std::int64_t i = 0; i < n1; ++i) b1_[at(i)] = b[inner_.rows[at(i)]];
        for (std::int64_t j = 0; j < n2; ++j) {
            S sum = b[border_.rows[at(j)]];
            const S* z = z_.data() + j * n1;
            for (std::int64_t i = 0; i < n1; ++i) sum -= z[i] * b1_[at(i)];
            b2_[at(j)] = sum;
        }
        schur_.solve(b2_.data());
        plain_.solve(b1_.data());
        for (std::int64_t j = 0; j < n2; ++j) {
            const S* z = z_.data() + j * n1;
            for (std::int64_t i = 0; i < n1; ++i) b1_[at(i)] -= z[i] * b2_[at(j)];
            b[border_.rows[at(j)]] = b2_[at(j)];
        }
        for (std::int64_t i = 0; i < n1; ++i) b[inner_.rows[at(i)]] = b1_[at(i)];
    }

    int rank() const override {
        return static_cast<int>(inner_.rows.size() + border_.rows.size()) - (is_regular_ ? 0 : 1);
    }
    std::vector<int> dependent_rows() const override { return {}; }
    std::string_view kind() const override { return plain_.kind(); }

private:
    void solve_columns() {
        const Pattern& p = product12_.pattern();
        std::fill(z_.begin(), z_.end(), S(0));
        for (std::int64_t j = 0; j < p.columns; ++j) {
            S* z = z_.data() + j * p.rows;
            for (std::int64_t q = p.column_start[at(j)]; q < p.column_start[at(j + 1)]; ++q)
                z[p.row[at(q)]] = n12_[at(q)];
            plain_.solve(z);
        }
    }

    void make_schur() {
        const Pattern &p12 = product12_.pattern(), &p22 = product22_.pattern();
        const std::int64_t n2 = p22.rows;
        S* s = schur_.matrix();
        std::fill_n(s, at(n2 * n2), S(0));
        std::fill(diagonal_.begin(), diagonal_.end(), S(0));
        for (std::int64_t j = 0; j < n2; ++j) {
            for (std::int64_t q = p22.column_start[at(j)]; q < p22.column_start[at(j + 1)]; ++q) {
                s[j * n2 + p22.row[at(q)]] = n22_[at(q)];
                if (p22.row[at(q)] == j) diagonal_[at(j)] = n22_[at(q)];
            }
            const S* z = z_.data() + j * p12.rows;
            for (std::int64_t i = j; i < n2; ++i)
                for (std::int64_t q = p12.column_start[at(i)]; q < p12.column_start[at(i + 1)]; ++q)
                    s[j * n2 + i] -= n12_[at(q)] * z[p12.row[at(q)]];
        }
    }

    RowsOf inner_, border_;
    PlainNormal<S> plain_; // N11
    ScaledProduct product12_, product22_;
    PivotedLdlt<S> schur_;
    std::vector<S> a1_, a2_, n12_, n22_;
    std::vector<S> z_; // Z, column-major
    std::vector<S> diagonal_, b1_, b2_;
    bool is_regular_ = true;
};

} // namespace

template <class S> std::unique_ptr<NormalPart<S>> make_sparse_normal(const Pattern& a, const std::vector<int>& border) {
    if (border.empty()) return std::make_unique<PlainNormal<S>>(a);
    std::vector<char> is_border(at(a.rows), 0), is_inner(at(a.rows), 1);
    for (const int i : border) std::swap(is_border[at(i)], is_inner[at(i)]);
    return std::make_unique<BorderedNormal<S>>(a, is_border, is_inner);
}

template std::unique_ptr<NormalPart<double>> make_sparse_normal(const Pattern&, const std::vector<int>&);
template std::unique_ptr<NormalPart<Quad>> make_sparse_normal(const Pattern&, const std::vector<int>&);

} // namespace vessiot::linalg
