// What a step of an implicit Runge-Kutta method computes with, from its tableau.
//
// With Z_i = X_i - x, k_i = V(X_i), and the first stage apart where it is explicit (c_1 = 0):
//
//     Z = h A' V + h a_1 k_1                       A' the implicit rows and columns, a_1 the column of the first stage
//     A'^-1 = T Lambda T^-1,  W = T^-1 Z           Lambda of real numbers and 2 x 2 blocks [HW96, IV.8]
//     Lambda W = h (T^-1 V + g k_1)                g = T^-1 A'^-1 a_1
//     x_1 = x + sum_i d_i Z_i + h d_0 k_1          d = A'^-T b',  d_0 = b_1 - d a_1
//     x(theta) = x + sum_m theta^m (sum_i D_mi Z_i + h D_m0 k_1)
//     e = sum_i e_i Z_i + h gamma_0 k_0            the estimate, before it is filtered; k_0 = V(x)
//
// A block of a pair lambda = alpha + i beta acts on (w_1, w_2) as lambda on w_1 - i w_2. The estimate compares with
// x + h (gamma_0 V(x) + sum_i b^_i k_i), which has order S: gamma_0 = 1 / lambda for the real eigenvalue, else the real
// part of it for the first pair. [HW96, (8.17)]
#pragma once

#include <vector>

#include "core/quad.hpp"
#include "linalg/complex.hpp"
#include "method/registry.hpp"

namespace vessiot::method {

struct ImplicitCoefficients {
    explicit ImplicitCoefficients(const TableauView& tableau);

    std::size_t n_stages = 0;   // S
    std::size_t n_implicit = 0; // r: S, or S - 1 where the first stage is explicit
    bool has_explicit = false;  // the first stage
    bool is_stiffly_accurate = false;
    std::vector<Quad> c;                      // of the implicit stages
    std::vector<Quad> real;                   // real eigenvalues of A'^-1
    std::vector<linalg::Complex<Quad>> pairs; // one of each pair, beta > 0
    std::vector<Quad> t, t_inverse; // r x r by rows: columns of T real first, then p and q of each v = p + i q
    std::vector<Quad> g;            // r
    std::vector<Quad> d;            // r
    Quad d_0 = 0;
    std::vector<Quad> dense, dense_0; // D: S x r by rows, and the column of k_1
    std::vector<Quad> e;              // r; empty where c_1 = 0
    Quad gamma_0 = 0;
};

} // namespace vessiot::method
