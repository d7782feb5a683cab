// N = A W A^T of few rows: dense, by L D L^T with pivoting. Where N is banded that is tried first, being faster; it
// does not tell the rank, so that a small pivot hands over to the dense factorisation.
#include <algorithm>
#include <optional>

#include "linalg/dense/pivoted_ldlt.hpp"
#include "linalg/product.hpp"
#include "linalg/scalar.hpp"
#include "linalg/solver/normal_part.hpp"
#include "linalg/solver/square_solver.hpp"

namespace vessiot::linalg {

namespace {

template <class S> class DenseNormal : public NormalPart<S> {
public:
    explicit DenseNormal(const Pattern& a) : a_(a), k_(static_cast<int>(a.rows)), dense_(k_) {
        if (k_ <= 8) return;
        product_.emplace(a, a);
        band_.emplace(product_->pattern(), true);
        if (band_->kind() != "band") {
            band_.reset();
            product_.reset();
        } else {
            n_.resize(at(product_->pattern().entries()));
        }
    }

    bool factor(const S* entries, const S* w) override {
        is_band_ = false;
        if (band_) {
            product_->compute(entries, w, entries, n_.data());
            is_band_ = band_->factor(n_.data()) && band_->pivot_ratio() > PivotedLdlt<S>::tolerance();
            if (is_band_) return true;
        }
        multiply(entries, w);
        return dense_.factor() == k_;
    }

    void solve(S* b) override {
        if (is_band_)
            band_->solve(b);
        else
            dense_.solve(b);
    }

    int rank() const override { return is_band_ ? k_ : dense_.rank(); }
    bool leaves_out_rows() const override { return true; }

    std::vector<int> dependent_rows() const override {
        if (is_band_) return {};
        const auto rest = dense_.order().subspan(at(dense_.rank()));
        std::vector<int> rows(rest.begin(), rest.end());
        std::sort(rows.begin(), rows.end());
        return rows;
    }

    std::string_view kind() const override { return band_ ? "band" : "dense"; }

private:
    // The lower triangle of N, column by column of A.
    void multiply(const S* entries, const S* w) {
        S* n = dense_.matrix();
        std::fill_n(n, at(k_) * at(k_), S(0));
        for (std::int64_t c = 0; c < a_.columns; ++c) {
            const std::int64_t last = a_.column_start[at(c + 1)];
            for (std::int64_t q = a_.column_start[at(c)]; q < last; ++q) {
                const S factor = w ? w[c] * entries[q] : entries[q];
                S* column = n + std::ptrdiff_t(a_.row[at(q)]) * k_;
                for (std::int64_t p = q; p < last; ++p) column[a_.row[at(p)]] += entries[p] * factor;
            }
        }
    }

    Pattern a_;
    int k_;
    PivotedLdlt<S> dense_;
    std::optional<ScaledProduct> product_;
    std::optional<SquareSolver<S>> band_;
    std::vector<S> n_; // entries of N, banded
    bool is_band_ = false;
};

} // namespace

template <class S> std::unique_ptr<NormalPart<S>> make_dense_normal(const Pattern& a) {
    return std::make_unique<DenseNormal<S>>(a);
}

template std::unique_ptr<NormalPart<double>> make_dense_normal(const Pattern&);
template std::unique_ptr<NormalPart<Quad>> make_dense_normal(const Pattern&);

} // namespace vessiot::linalg
