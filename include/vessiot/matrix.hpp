// Matrices of formulas, for equations such as Y' = A(t, Y) Y on a group:
//
//     auto Y = m.matrix("Y", {3, 3}, "SO(3)");
//     m.equation(der(Y) == skew(cos(m.t()), sin(m.t()), 1) * Y);
//     m.start(Y == identity(3));
//
// A Matrix holds one formula for each entry. Products are written out: for large matrices loops over the entries of an
// array of unknowns are the better way (sum over an Index), which no size makes longer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "vessiot/expression.hpp"

namespace vessiot {

class Matrix {
public:
    // By rows, all of one length: Matrix{{a, b}, {c, d}}. Throws InvalidInput where lengths differ.
    Matrix(std::initializer_list<std::initializer_list<Expr>> rows);
    Matrix(std::int64_t rows, std::int64_t columns, std::vector<Expr> entries);

    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    // Indices count from 1. Throws InvalidInput outside of the matrix.
    const Expr& operator()(std::int64_t row, std::int64_t column) const;
    const std::vector<Expr>& entries() const { return entries_; } // by rows

private:
    std::int64_t rows_, columns_;
    std::vector<Expr> entries_;
};

// Holds for all entries.
struct MatrixEquality {
    Matrix lhs, rhs;
};
MatrixEquality operator==(const Matrix& a, const Matrix& b);

// All throw InvalidInput where shapes do not fit.
Matrix operator+(const Matrix& a, const Matrix& b);
Matrix operator-(const Matrix& a, const Matrix& b);
Matrix operator-(const Matrix& a);
Matrix operator*(const Matrix& a, const Matrix& b);
Matrix operator*(const Expr& factor, const Matrix& a);
Matrix operator*(const Matrix& a, const Expr& factor);
Matrix operator/(const Matrix& a, const Expr& divisor);

Matrix identity(std::int64_t n);
Matrix skew(const Expr& x, const Expr& y, const Expr& z); // skew(a) b = a x b
Matrix transpose(const Matrix& a);
Expr trace(const Matrix& a);
Expr det(const Matrix& a);       // by minors, up to 10 rows
Matrix inverse(const Matrix& a); // cofactors over the determinant, up to 8 rows
Matrix der(const Matrix& a, int k = 1);

} // namespace vessiot
