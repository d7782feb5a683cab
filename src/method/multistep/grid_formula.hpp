// A linear multistep formula on steps of any size. In units of h, with the new point at theta = 0 and the past ones,
// newest first, at theta_0 = -1 > theta_1 > ..,
//
//     x + sum_j a_j x_j = h (b V(x) + sum_j b_j V(x_j))
//
// has order p on this grid if for all polynomials q of degree up to p
//
//     q(0) + sum_j a_j q(theta_j) = b q'(0) + sum_j b_j q'(theta_j)
//
// Coefficients that are 0 on equal steps stay 0; of all that remain, those are taken that have the order and are
// nearest to the given ones. For BDF and for Adams there is just one choice: differentiated and integrated
// interpolation. Where there is none (the midpoint rule x_2 - x_0 = 2 h V(x_1)) the zeros are given up, but for that of
// an explicit formula.
//
// The error of a step is, by the defect K of the formula for q = theta^(p+1), and the point that the polynomial through
// the last p + 1 points leads to,
//
//     e = K (x - x_predicted) / prod_(j=0..p) (-theta_j)                     [HNW93, III.5: Milne's device]
#pragma once

#include <cstdint>
#include <vector>

#include "method/multistep/formula.hpp"

namespace vessiot::method {

// Coefficients c = (a_0 .., b, b_0 ..) of that order nearest to c, of which those marked may change; false where they
// cannot have it. Does not allocate.
template <class S>
bool fit_formula(int order, const std::vector<S>& theta, const std::vector<char>& is_free, std::vector<S>& c);

template <class S> class GridFormula {
public:
    GridFormula(const MultistepFormula& formula, int order);

    int n_steps() const { return k_; }
    bool is_explicit() const { return is_explicit_; }
    // For past points at theta, as many as there are, k at least. `is_even`: the last k are those of equal steps.
    void set(const std::vector<S>& theta, bool is_even);

    S alpha(int j) const { return c_[static_cast<std::size_t>(j)]; }
    S beta() const { return c_[static_cast<std::size_t>(k_)]; }
    S beta(int j) const { return c_[static_cast<std::size_t>(k_ + 1 + j)]; }
    // x_predicted = sum_j predictor(j) x_j; of the error the factor of x - x_predicted, where p + 1 points were there.
    const std::vector<S>& predictor() const { return predictor_; }
    S error_factor() const { return error_factor_; }

private:
    void extrapolate(const std::vector<S>& theta);

    int k_, order_;
    bool is_explicit_;
    std::vector<S> even_, c_, theta_, last_, predictor_;
    std::vector<char> is_free_, all_free_;
    S error_factor_ = 0;
};

extern template class GridFormula<double>;
extern template class GridFormula<Quad>;
extern template bool fit_formula(int, const std::vector<double>&, const std::vector<char>&, std::vector<double>&);
extern template bool fit_formula(int, const std::vector<Quad>&, const std::vector<char>&, std::vector<Quad>&);

} // namespace vessiot::method
