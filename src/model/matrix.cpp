// Matrices of formulas.
#include "vessiot/matrix.hpp"

#include <bit>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot {

namespace {

constexpr std::int64_t largest_determinant = 10, largest_inverse = 8;

std::string shape(const Matrix& a) {
    return fmt::format("{} x {}", a.rows(), a.columns());
}

void check_same(const Matrix& a, const Matrix& b, const char* what) {
    if (a.rows() != b.rows() || a.columns() != b.columns())
        throw InvalidInput(
            fmt::format("{}: the matrices are {} and {}, but must have one shape", what, shape(a), shape(b)));
}

void check_square(const Matrix& a, const char* what, std::int64_t largest) {
    if (a.rows() != a.columns())
        throw InvalidInput(fmt::format("{}: the matrix is {}, but must be square", what, shape(a)));
    if (a.rows() > largest)
        throw InvalidInput(fmt::format("{}: the matrix has {} rows, but formulas are written out for up to {}", what,
                                       a.rows(), largest));
}

template <class F> Matrix by_entries(const Matrix& a, const F& f) {
    std::vector<Expr> entries;
    for (const Expr& e : a.entries()) entries.push_back(f(e));
    return {a.rows(), a.columns(), std::move(entries)};
}

template <class F> Matrix by_entries(const Matrix& a, const Matrix& b, const F& f) {
    std::vector<Expr> entries;
    for (std::size_t k = 0; k < a.entries().size(); ++k) entries.push_back(f(a.entries()[k], b.entries()[k]));
    return {a.rows(), a.columns(), std::move(entries)};
}

// The determinant of the rows from `first` on in the columns of a set, each of which is computed once.
class Minors {
public:
    explicit Minors(const Matrix& a) : a_(a), known_(std::size_t{1} << a.rows()) {}

    Expr operator()(std::uint32_t columns) {
        const std::int64_t row = a_.rows() - std::popcount(columns) + 1;
        if (columns == 0) return 1;
        std::optional<Expr>& known = known_[columns];
        if (known) return *known;
        std::optional<Expr> sum;
        bool is_negative = false;
        for (std::int64_t j = 1; j <= a_.columns(); ++j) {
            const std::uint32_t bit = std::uint32_t{1} << (j - 1);
            if (!(columns & bit)) continue;
            const Expr term = a_(row, j) * (*this)(columns & ~bit);
            sum = !sum ? term : is_negative ? *sum - term : *sum + term;
            is_negative = !is_negative;
        }
        known = *sum;
        return *known;
    }

private:
    const Matrix& a_;
    std::vector<std::optional<Expr>> known_;
};

} // namespace

Matrix::Matrix(std::initializer_list<std::initializer_list<Expr>> rows)
    : rows_(static_cast<std::int64_t>(rows.size())),
      columns_(rows.size() > 0 ? static_cast<std::int64_t>(rows.begin()->size()) : 0) {
    for (const auto& row : rows) {
        if (static_cast<std::int64_t>(row.size()) != columns_)
            throw InvalidInput(
                fmt::format("a matrix has rows of one length, but these have {} and {} entries", columns_, row.size()));
        entries_.insert(entries_.end(), row.begin(), row.end());
    }
}

Matrix::Matrix(std::int64_t rows, std::int64_t columns, std::vector<Expr> entries)
    : rows_(rows), columns_(columns), entries_(std::move(entries)) {
    if (rows < 0 || columns < 0 || static_cast<std::int64_t>(entries_.size()) != rows * columns)
        throw InvalidInput(fmt::format("a matrix of {} x {} cannot have {} entries", rows, columns, entries_.size()));
}

const Expr& Matrix::operator()(std::int64_t row, std::int64_t column) const {
    if (row < 1 || row > rows_ || column < 1 || column > columns_)
        throw InvalidInput(
            fmt::format("entry ({},{}) is outside of a matrix of {} x {}", row, column, rows_, columns_));
    return entries_[static_cast<std::size_t>((row - 1) * columns_ + column - 1)];
}

MatrixEquality operator==(const Matrix& a, const Matrix& b) {
    check_same(a, b, "a matrix equation");
    return {a, b};
}

Matrix operator+(const Matrix& a, const Matrix& b) {
    check_same(a, b, "a sum");
    return by_entries(a, b, [](const Expr& x, const Expr& y) { return x + y; });
}

Matrix operator-(const Matrix& a, const Matrix& b) {
    check_same(a, b, "a difference");
    return by_entries(a, b, [](const Expr& x, const Expr& y) { return x - y; });
}

Matrix operator-(const Matrix& a) {
    return by_entries(a, [](const Expr& x) { return -x; });
}

Matrix operator*(const Matrix& a, const Matrix& b) {
    if (a.columns() != b.rows() || a.columns() == 0)
        throw InvalidInput(fmt::format("a product: the matrices are {} and {}, but the first must have as many columns "
                                       "as the second has rows",
                                       shape(a), shape(b)));
    std::vector<Expr> entries;
    for (std::int64_t i = 1; i <= a.rows(); ++i)
        for (std::int64_t j = 1; j <= b.columns(); ++j) {
            Expr sum = a(i, 1) * b(1, j);
            for (std::int64_t k = 2; k <= a.columns(); ++k) sum += a(i, k) * b(k, j);
            entries.push_back(sum);
        }
    return {a.rows(), b.columns(), std::move(entries)};
}

Matrix operator*(const Expr& factor, const Matrix& a) {
    return by_entries(a, [&](const Expr& x) { return factor * x; });
}

Matrix operator*(const Matrix& a, const Expr& factor) {
    return factor * a;
}

Matrix operator/(const Matrix& a, const Expr& divisor) {
    return by_entries(a, [&](const Expr& x) { return x / divisor; });
}

Matrix identity(std::int64_t n) {
    std::vector<Expr> entries;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) entries.emplace_back(i == j ? 1 : 0);
    return {n, n, std::move(entries)};
}

Matrix skew(const Expr& x, const Expr& y, const Expr& z) {
    return Matrix{{0, -z, y}, {z, 0, -x}, {-y, x, 0}};
}

Matrix transpose(const Matrix& a) {
    std::vector<Expr> entries;
    for (std::int64_t j = 1; j <= a.columns(); ++j)
        for (std::int64_t i = 1; i <= a.rows(); ++i) entries.push_back(a(i, j));
    return {a.columns(), a.rows(), std::move(entries)};
}

Expr trace(const Matrix& a) {
    check_square(a, "trace", a.rows());
    Expr sum = 0;
    for (std::int64_t i = 1; i <= a.rows(); ++i) sum = i == 1 ? a(1, 1) : sum + a(i, i);
    return sum;
}

Expr det(const Matrix& a) {
    check_square(a, "det", largest_determinant);
    return Minors(a)((std::uint32_t{1} << a.rows()) - 1);
}

Matrix inverse(const Matrix& a) {
    check_square(a, "inverse", largest_inverse);
    const std::int64_t n = a.rows();
    const Expr determinant = det(a);
    std::vector<Expr> entries;
    for (std::int64_t i = 1; i <= n; ++i)
        for (std::int64_t j = 1; j <= n; ++j) {
            std::vector<Expr> rest; // without row j and column i
            for (std::int64_t r = 1; r <= n; ++r)
                for (std::int64_t c = 1; c <= n; ++c)
                    if (r != j && c != i) rest.push_back(a(r, c));
            const Expr cofactor = det(Matrix(n - 1, n - 1, std::move(rest)));
            entries.push_back((i + j) % 2 == 0 ? cofactor / determinant : -cofactor / determinant);
        }
    return {n, n, std::move(entries)};
}

Matrix der(const Matrix& a, int k) {
    return by_entries(a, [k](const Expr& x) { return der(x, k); });
}

} // namespace vessiot
