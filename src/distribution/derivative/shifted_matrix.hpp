// The matrix by way of which (I - gamma J) x = b is solved, gamma real or complex: J = dV/du (linearised.hpp).
//
//   monomial, dense   I - gamma J, m x m. J is sparse where A has one entry in each row and column (x' = f(t, x): A = I
//              and J = f_x); others have a dense one, for small systems, and for those with more equations than tops
//   reduced    for large systems: n x n, sparse. du = (1 - gamma S)^-1 (b + gamma E dw) put into B du + A dw = 0, where
//              S is a shift: u_k follows its top w_j at a distance of p_k derivatives, du_k = .. + gamma^p_k dw_j, so
//              that the matrix is A + sum_k gamma^p_k B_k
//   expanded   the same with nothing eliminated: du - gamma (S du + E dw) = b,  B du + A dw = 0, for those who put
//              more rows around it (stabilised_solver.hpp)
//   augmented  of J P', P' the derivative of a projection (level_projector.hpp), for large systems, with y = P' du:
//
//                du - gamma (S y + E dw) = b,   B y + A dw = 0,   y + df^T mu - du = 0,   df y - delta mu = 0
//
//              (by levels: E_s A_s^T mu_s in the place of df^T mu) where delta, tiny, keeps the matrix regular where
//              constraints depend on each other
//
// All but `reduced` are constant + gamma slope. Notation: m coordinates u, n tops w, k constraints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "distribution/derivative/level_projector.hpp"
#include "distribution/derivative/top_derivatives.hpp"
#include "distribution/derivative/top_solver.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "linalg/vector.hpp"
#include "manifold/field.hpp"

namespace vessiot {

template <class S> class ShiftedMatrix {
public:
    enum class Shape : std::uint8_t { monomial, dense, reduced, expanded, augmented };

    // n_x x n_x where it is dense. `projector`: null for J itself. Both must outlive it.
    ShiftedMatrix(Shape shape, const TopDerivatives<S>& equations, const LevelProjector<S>* projector,
                  std::int64_t n_x);

    const linalg::Pattern& pattern() const { return pattern_; }
    bool is_monomial() const { return shape_ == Shape::monomial; }
    bool is_formed() const { return is_monomial() || shape_ == Shape::dense; } // it is I - gamma J itself
    // At the point where the equations, and the projector, were evaluated.
    PointStatus set(TopSolver<S>& tops, LevelProjector<S>* projector);
    // A dense one: I, and where -J is to be written.
    S* begin_dense();
    // Is J finite?
    PointStatus status() const;
    // dx = J x, of a matrix that is formed
    void apply(const S* x, S* dx) const;

    // Its entries, T being S or Complex<S>; the right-hand side for b (m numbers); and x in the place of b from the
    // solution.
    template <class T> void entries(T gamma, T* to) const;
    template <class T> void right_side(T gamma, T* b, T* right) const;
    template <class T> void take_solution(T gamma, const T* solution, T* b) const;

private:
    using Next = typename TopDerivatives<S>::Next;
    struct Part { // entry `from` of something is entry `to` of the matrix, times gamma^power
        std::int64_t from, to;
        int power = 0;
    };

    void plan_monomial();
    void plan_dense(std::int64_t n);
    void plan_reduced();
    void plan_expanded();
    void plan_augmented(const LevelProjector<S>& projector);
    PointStatus set_monomial();
    PointStatus set_dense(TopSolver<S>& tops);
    void set_blocks();
    void set_projection(const LevelProjector<S>& projector);

    Shape shape_;
    const TopDerivatives<S>& equations_;
    std::int64_t n_x_;
    linalg::Pattern pattern_;
    linalg::Vector<S> constant_, slope_, column_;
    std::vector<std::int32_t> inner_first_;  // reduced: coordinates, those next to their tops first
    std::vector<std::int64_t> pivot_of_row_; // monomial: entries of A
    std::vector<Part> parts_, constraint_parts_, transposed_parts_;
    std::vector<std::int64_t> ones_, minus_ones_, shifts_, delta_; // entries that do not change
};

template <class S> template <class T> void ShiftedMatrix<S>::entries(T gamma, T* to) const {
    if (shape_ != Shape::reduced) {
        for (std::int64_t e = 0; e < constant_.size(); ++e) to[e] = T(constant_[e]) + gamma * slope_[e];
        return;
    }
    std::fill_n(to, pattern_.entries(), T(0));
    T powers[8] = {T(1)}; // derivatives of higher order do not occur in practice; computed one by one if they do
    for (int p = 1; p < 8; ++p) powers[p] = powers[p - 1] * gamma;
    const S* const from = equations_.entries().data();
    for (const Part& part : parts_) {
        T factor = powers[std::min(part.power, 7)];
        for (int p = 7; p < part.power; ++p) factor *= gamma;
        to[part.to] += factor * from[part.from];
    }
}

template <class S> template <class T> void ShiftedMatrix<S>::right_side(T gamma, T* b, T* right) const {
    const std::int64_t m = equations_.n_state();
    if (shape_ != Shape::reduced) {
        std::copy_n(b, m, right);
        std::fill_n(right + m, pattern_.rows - m, T(0));
        return;
    }
    for (const std::int32_t k : inner_first_)
        if (const Next n = equations_.next(k); !n.is_top) b[k] += gamma * b[n.at];
    std::fill_n(right, equations_.n_tops(), T(0));
    const S* const B = equations_.entries().data();
    for_each_entry(equations_.by_u(), [&](auto i, auto j, auto e) { right[i] -= b[j] * B[e]; });
}

template <class S> template <class T> void ShiftedMatrix<S>::take_solution(T gamma, const T* solution, T* b) const {
    if (shape_ != Shape::reduced) {
        std::copy_n(solution, equations_.n_state(), b);
        return;
    }
    // b is (1 - gamma S)^-1 b; what the tops add follows the same chains
    for (const std::int32_t k : inner_first_) {
        T factor = gamma;
        Next next = equations_.next(k);
        for (; !next.is_top; next = equations_.next(next.at)) factor *= gamma;
        b[k] += factor * solution[next.at];
    }
}

extern template class ShiftedMatrix<double>;
extern template class ShiftedMatrix<Quad>;

} // namespace vessiot
