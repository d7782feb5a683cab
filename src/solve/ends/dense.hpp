// A small dense matrix by rows.
#pragma once

#include <cstddef>
#include <vector>

namespace vessiot {

struct Dense {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values{};

    Dense() = default;
    Dense(std::size_t n_rows, std::size_t n_columns) : rows(n_rows), columns(n_columns), values(n_rows * n_columns) {}
    double& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
    double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

// a b
inline Dense product(const Dense& a, const Dense& b) {
    Dense c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
}

inline std::vector<double> product(const Dense& a, const std::vector<double>& x) {
    std::vector<double> y(a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k) y[i] += a(i, k) * x[k];
    return y;
}

// The columns first .. first + n - 1.
inline Dense columns_of(const Dense& a, std::size_t first, std::size_t n) {
    Dense c(a.rows, n);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < n; ++j) c(i, j) = a(i, first + j);
    return c;
}

} // namespace vessiot
