#include "method/implicit/implicit_coefficients.hpp"

#include <algorithm>
#include <stdexcept>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::method {

namespace {

using linalg::Complex;
using Number = Complex<Quad>;
using Matrix = std::vector<Quad>; // by rows

Matrix product(const Matrix& a, const Matrix& b, std::size_t n) {
    Matrix c(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    return c;
}

Matrix inverse(const Matrix& a, std::size_t n) {
    linalg::DenseLu<Quad> lu(static_cast<int>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) lu.matrix()[j * n + i] = a[i * n + j];
    if (!lu.factor()) throw std::logic_error("an implicit tableau has a singular matrix");
    Matrix result(n * n);
    std::vector<Quad> column(n);
    for (std::size_t j = 0; j < n; ++j) {
        std::ranges::fill(column, Quad(0));
        column[j] = 1;
        lu.solve(column.data());
        for (std::size_t i = 0; i < n; ++i) result[i * n + j] = column[i];
    }
    return result;
}

// x^T A
std::vector<Quad> row_times(const std::vector<Quad>& x, const Matrix& a, std::size_t n) {
    std::vector<Quad> y(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) y[j] += x[i] * a[i * n + j];
    return y;
}

std::vector<Quad> times(const Matrix& a, const std::vector<Quad>& x, std::size_t n) {
    std::vector<Quad> y(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) y[i] += a[i * n + j] * x[j];
    return y;
}

// Coefficients of det(x - A), ascending, by Faddeev and Leverrier.
std::vector<Quad> characteristic(const Matrix& a, std::size_t n) {
    std::vector<Quad> p(n + 1);
    p[n] = 1;
    Matrix m(n * n);
    for (std::size_t k = 1; k <= n; ++k) {
        Matrix am = product(a, m, n);
        for (std::size_t i = 0; i < n; ++i) am[i * n + i] += p[n - k + 1];
        m = am;
        const Matrix t = product(a, m, n);
        Quad trace = 0;
        for (std::size_t i = 0; i < n; ++i) trace += t[i * n + i];
        p[n - k] = -trace / static_cast<Quad>(k);
    }
    return p;
}

// All roots at once, by Weierstrass' iteration; they are simple.
std::vector<Number> roots(const std::vector<Quad>& p) {
    const std::size_t n = p.size() - 1;
    Quad size = 1;
    for (const Quad c : p) size = std::max(size, linalg::absolute(c));
    std::vector<Number> x(n);
    Number power(1);
    for (Number& value : x) value = power *= Number(0.4, 0.9) * std::min(size, Quad(10));
    for (int k = 0; k < 2000; ++k) {
        Quad change = 0, largest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            Number value(0), divisor(1);
            for (std::size_t m = n + 1; m-- > 0;) value = value * x[i] + Number(p[m]);
            for (std::size_t j = 0; j < n; ++j)
                if (j != i) divisor *= x[i] - x[j];
            const Number step = value / divisor;
            x[i] -= step;
            change = std::max(change, linalg::absolute(step));
            largest = std::max(largest, linalg::absolute(x[i]));
        }
        if (change <= 4 * linalg::epsilon<Quad>() * largest) break;
    }
    return x;
}

// A vector that A - lambda annihilates, by inverse iteration, of length 1.
std::vector<Number> eigenvector(const Matrix& a, Number lambda, std::size_t n) {
    linalg::DenseLu<Number> lu(static_cast<int>(n));
    const Number shifted = lambda * (1 + Quad(1e-20)); // NOTE: near, so that the matrix is regular
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            lu.matrix()[j * n + i] = Number(a[i * n + j]) - (i == j ? shifted : Number(0));
    if (!lu.factor()) throw std::logic_error("an eigenvalue of an implicit tableau is not simple");
    std::vector<Number> v(n, Number(1));
    for (int k = 0; k < 4; ++k) {
        lu.solve(v.data());
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i)
            if (linalg::absolute(v[i]) > linalg::absolute(v[at])) at = i;
        const Number largest = v[at];
        for (Number& value : v) value = value / largest;
    }
    return v;
}

// Solves sum_i b_i c_i^(q-1) = right_q, q = 1 .. S.
std::vector<Quad> interpolatory(std::span<const Quad> c, const std::vector<Quad>& right) {
    const std::size_t n = c.size();
    linalg::DenseLu<Quad> lu(static_cast<int>(n));
    for (std::size_t j = 0; j < n; ++j) {
        Quad power = 1;
        for (std::size_t q = 0; q < n; ++q, power *= c[j]) lu.matrix()[j * n + q] = power;
    }
    if (!lu.factor()) throw std::logic_error("an implicit tableau has equal nodes");
    std::vector<Quad> b = right;
    lu.solve(b.data());
    return b;
}

} // namespace

ImplicitCoefficients::ImplicitCoefficients(const TableauView& tableau)
    : n_stages(tableau.n_stages), has_explicit(tableau.c[0] == 0) {
    const std::size_t first = has_explicit, s = n_stages, r = n_implicit = s - first;
    const auto a = [&](std::size_t i, std::size_t j) { return tableau.a[i * tableau.n_total + j]; };
    is_stiffly_accurate = true;
    for (std::size_t j = 0; j < s; ++j) is_stiffly_accurate &= a(s - 1, j) == tableau.b[j];
    c.assign(tableau.c.begin() + static_cast<std::ptrdiff_t>(first), tableau.c.end());
    Matrix inner(r * r);
    std::vector<Quad> a_1(r), b(r);
    for (std::size_t i = 0; i < r; ++i) {
        for (std::size_t j = 0; j < r; ++j) inner[i * r + j] = a(i + first, j + first);
        if (has_explicit) a_1[i] = a(i + first, 0);
        b[i] = tableau.b[i + first];
    }
    const Matrix backward = inverse(inner, r); // A'^-1

    std::vector<Number> eigenvalues = roots(characteristic(backward, r));
    const auto is_real = [](Number x) { return linalg::absolute(x.im) < Quad(1e-20) * linalg::absolute(x); };
    std::vector<std::vector<Quad>> columns;
    for (const Number& x : eigenvalues) {
        if (!is_real(x)) continue;
        real.push_back(x.re);
        std::vector<Quad> column;
        for (const Number& v : eigenvector(backward, Number(x.re), r)) column.push_back(v.re);
        columns.push_back(column);
    }
    for (const Number& x : eigenvalues) {
        if (is_real(x) || x.im < 0) continue;
        pairs.push_back(x);
        std::vector<Quad> p, q;
        for (const Number& v : eigenvector(backward, x, r)) {
            p.push_back(v.re);
            q.push_back(v.im);
        }
        columns.push_back(p);
        columns.push_back(q);
    }
    t.resize(r * r);
    for (std::size_t j = 0; j < r; ++j)
        for (std::size_t i = 0; i < r; ++i) t[i * r + j] = columns[j][i];
    t_inverse = inverse(t, r);
    const std::vector<Quad> backward_a_1 = times(backward, a_1, r);
    g = times(t_inverse, backward_a_1, r);

    d = row_times(b, backward, r);
    if (is_stiffly_accurate) { // the last stage is the result
        std::ranges::fill(d, Quad(0));
        d.back() = 1;
    } else if (has_explicit) {
        d_0 = tableau.b[0];
        for (std::size_t i = 0; i < r; ++i) d_0 -= d[i] * a_1[i];
    }
    for (std::size_t m = 0; m < s; ++m) {
        std::vector<Quad> weights(r);
        for (std::size_t j = 0; j < r; ++j) weights[j] = tableau.dense[(j + first) * tableau.degree + m];
        const std::vector<Quad> row = row_times(weights, backward, r);
        dense.insert(dense.end(), row.begin(), row.end());
        Quad of_first = has_explicit ? tableau.dense[m] : Quad(0);
        for (std::size_t i = 0; i < r; ++i) of_first -= row[i] * a_1[i];
        dense_0.push_back(of_first);
    }
    if (has_explicit) return; // gamma_0 V(x) is then nothing new
    gamma_0 = real.empty() ? (Number(1) / pairs[0]).re : 1 / real[0];
    std::vector<Quad> right(s);
    for (std::size_t q = 0; q < s; ++q) right[q] = 1 / static_cast<Quad>(q + 1) - (q == 0 ? gamma_0 : Quad(0));
    std::vector<Quad> difference = interpolatory(tableau.c, right);
    for (std::size_t i = 0; i < s; ++i) difference[i] -= tableau.b[i];
    e = row_times(difference, backward, r);
}

} // namespace vessiot::method
