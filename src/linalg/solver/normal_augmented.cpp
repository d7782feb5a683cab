// N lambda = b without N, for columns of A that would fill it: the sparse square system
//
//   [1, -W A^T; A, 0] (d, lambda) = (0, b)
#include <algorithm>

#include "linalg/scalar.hpp"
#include "linalg/solver/normal_part.hpp"
#include "linalg/sparse/sparse_lu.hpp"

namespace vessiot::linalg {

namespace {

// Column c < m holds 1 and column c of A below it; column m + i holds -(row i of W A).
Pattern augmented(const Pattern& a, const Pattern& rows) {
    const std::int64_t size = a.rows + a.columns;
    Pattern p{size, size, {0}, {}};
    p.column_start.reserve(at(size + 1));
    p.row.reserve(at(a.columns + 2 * a.entries()));
    for (std::int64_t c = 0; c < a.columns; ++c) {
        p.row.push_back(static_cast<std::int32_t>(c));
        for (std::int64_t q = a.column_start[at(c)]; q < a.column_start[at(c + 1)]; ++q)
            p.row.push_back(static_cast<std::int32_t>(a.columns + a.row[at(q)]));
        p.column_start.push_back(p.entries());
    }
    for (std::int64_t i = 0; i < a.rows; ++i) {
        const auto begin = rows.row.begin();
        p.row.insert(p.row.end(), begin + rows.column_start[at(i)], begin + rows.column_start[at(i + 1)]);
        p.column_start.push_back(p.entries());
    }
    return p;
}

template <class S> class AugmentedNormal : public NormalPart<S> {
public:
    explicit AugmentedNormal(const Pattern& a)
        : a_(a), rows_(transposed(a, &source_)), lu_(augmented(a, rows_)), matrix_(at(a.columns + 2 * a.entries())),
          x_(at(a.columns + a.rows)) {}

    bool factor(const S* entries, const S* w) override {
        S* to = matrix_.data();
        for (std::int64_t c = 0; c < a_.columns; ++c) {
            *to++ = 1;
            const std::int64_t first = a_.column_start[at(c)], last = a_.column_start[at(c + 1)];
            to = std::copy(entries + first, entries + last, to);
        }
        for (std::size_t q = 0; q < source_.size(); ++q) {
            const S entry = entries[source_[q]];
            *to++ = w ? -w[rows_.row[q]] * entry : -entry;
        }
        return is_regular_ = lu_.factor(matrix_.data());
    }

    void solve(S* b) override {
        std::fill(x_.begin(), x_.begin() + a_.columns, S(0));
        std::copy_n(b, a_.rows, x_.begin() + a_.columns);
        lu_.solve(x_.data());
        std::copy_n(x_.begin() + a_.columns, a_.rows, b);
    }

    int rank() const override { return static_cast<int>(a_.rows) - (is_regular_ ? 0 : 1); }
    std::vector<int> dependent_rows() const override { return {}; }
    std::string_view kind() const override { return "augmented"; }

private:
    Pattern a_;
    std::vector<std::int64_t> source_; // entry of A for each entry of A^T
    Pattern rows_;                     // A^T
    SparseLu<S> lu_;
    std::vector<S> matrix_, x_;
    bool is_regular_ = true;
};

} // namespace

template <class S> std::unique_ptr<NormalPart<S>> make_augmented_normal(const Pattern& a) {
    return std::make_unique<AugmentedNormal<S>>(a);
}

template std::unique_ptr<NormalPart<double>> make_augmented_normal(const Pattern&);
template std::unique_ptr<NormalPart<Quad>> make_augmented_normal(const Pattern&);

} // namespace vessiot::linalg
