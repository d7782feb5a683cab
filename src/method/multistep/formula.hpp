// Linear multistep formulas as data, and what algebra says about them. [HNW93, III.2, III.3; HW96, V.1]
//
//     sum_(j=0..k) alpha_j x_(n+j) = h sum_(j=0..k) beta_j V(x_(n+j)),   rho(z) = sum alpha_j z^j, sigma = sum beta_j
//     z^j
//
// Order p: sum_j alpha_j theta_j^q = q sum_j beta_j theta_j^(q-1) for q = 0 .. p, theta_j = j - k; q = 0 and 1 are
// consistency. Root condition: no zero of rho is outside of the unit circle, and those on it are simple.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "core/quad.hpp"

namespace vessiot::method {

constexpr int most_multistep_steps = 12, most_multistep_order = 10;

// Oldest first, as in the sums; alpha_k = 1.
struct MultistepFormula {
    std::vector<Quad> alpha, beta;

    int n_steps() const { return static_cast<int>(alpha.size()) - 1; }
    bool is_explicit() const { return beta.back() == 0; }
};

// Of order k; that of Adams and Moulton of order k + 1.
MultistepFormula bdf_formula(int k);
MultistepFormula adams_bashforth_formula(int k);
MultistepFormula adams_moulton_formula(int k);

struct MultistepOrder {
    int order = 0;   // -1: not even sum alpha_j = 0
    Quad defect = 0; // sum alpha_j theta_j^q - q sum beta_j theta_j^(q-1) of the first q that fails
};
// The largest p <= `most` for which all conditions hold; `uncertainty` is the relative one of the coefficients.
MultistepOrder order_of(const MultistepFormula& formula, double uncertainty, int most);

// What keeps all numbers bounded that a recursion with this polynomial makes.
struct RootCondition {
    bool holds = true;          // none outside, and those on the circle are simple
    bool holds_strictly = true; // all are inside (but, of rho, the one at 1)
    std::complex<double> worst; // the zero that violates it, or the largest
    bool is_multiple = false;   // it lies on the circle more than once
};
// Coefficients lowest first. Zeros that differ by less than 1e-6 count as one.
RootCondition root_condition(std::span<const Quad> coefficients);

} // namespace vessiot::method
