// The derivative of the direction field, J = dV/du, from the equations for the tops: for every distribution alike.
//
//   F(t, u, w) = r(t, u) + A(t, u) w = 0,   B = F_u:     dw = -A^-1 (B du + F_t dt)
//   u_k' = u_l  or  u_k' = w_j                           V_u = S + E dw/du, S and E of zeros and ones
//
// What implicit methods solve is (I - gamma J) x = b, gamma real or complex (shifted_solver.hpp). Its matrix is one of
//
//   formed     I - gamma J, m x m. J is sparse where A has one entry in each row and column (x' = f(t, x): A = I and
//              J = f_x), dense for small systems with other A, and for those with more equations than tops (of which
//              enough are chosen at the point)
//   reduced    for large systems: n x n, sparse. du = (1 - gamma S)^-1 (b + gamma E dw) put into B du + A dw = 0, where
//              S is a shift: u_k follows its top w_j at a distance of p_k derivatives, du_k = .. + gamma^p_k dw_j, so
//              that the matrix is A + sum_k gamma^p_k B_k
//   expanded   the same with nothing eliminated: du - gamma (S du + E dw) = b,  B du + A dw = 0, for those who put
//              more rows around it (stabilised_solver.hpp)
//
// With a manifold, J is the derivative of V(P(u)), P a projection onto the manifold: J P' with
//
//   P' = 1 - df^T (df df^T)^-1 df            the orthogonal one
//   P' = .. P_-1 P_-2,  P_s = 1 - E_s A_s^T (A_s A_s^T)^-1 df_s      by levels: df_s the constraints of a level, A_s
//                                            their derivatives by the coordinates of that level, which alone are moved
//
// For large systems augmented, with y = P' du:
//
//   du - gamma (S y + E dw) = b,   B y + A dw = 0,   y + df^T mu - du = 0,   df y - delta mu = 0
//
// (by levels: E_s A_s^T mu_s in the place of df^T mu) where delta, tiny, keeps the matrix regular where constraints
// depend on each other. Notation: m coordinates u, n tops w, k constraints.
//
// Where constraints are redundant A is singular, of a known rank, and multipliers are not unique (shortest.hpp): dw is
// the shortest solution of A dw = -B du, by QR with column pivoting, and J is formed. What has derivatives moves in one
// way only, so that J P' is that of the motion.
//
// In arclength, where J is that of the unit tangent by (u, t), it is formed, for small systems
// (linearised_tangent.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "linalg/vector.hpp"
#include "manifold/field.hpp"
#include "manifold/jets.hpp"
#include "manifold/manifold.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

enum class LinearisedForm : std::uint8_t {
    small,    // the smallest matrix
    direct,   // F = 0 need not determine w (prolong_direct.hpp), so that there is no J; but the matrix for gamma, and
              // what is solved with it
    expanded, // formed, or expanded: the first rows and columns are those of du
    tangent,  // of the unit tangent of arclength by (u, t), dense
};

template <class S> class Linearised {
public:
    // All must outlive it. `manifold`: that of the projection, null for J itself; `by_levels`: how it projects;
    // `rank`: of A, where that is less than the number of tops.
    Linearised(const System& system, const Prolongation& p, Jets<S>& jets, const expr::EvaluatorOptions& evaluator,
               Manifold<S>* manifold = nullptr, bool by_levels = false, LinearisedForm form = LinearisedForm::small,
               std::optional<std::int64_t> rank = {});

    std::int64_t n_state() const { return n_state_; }
    std::int64_t n_tops() const { return n_tops_; }
    std::int64_t n_equations() const { return n_equations_; }
    // Takes the derivatives at a point, w the tops there. Does not allocate after the first call.
    PointStatus set(S t, const S* u, const S* w);
    // For the form `tangent`: x = (u, t), v the unit tangent there (linearised_tangent.cpp).
    PointStatus set_tangent(const S* x, const S* v);

    // After a set() that found something not finite: the equation and the coordinate (or, behind them, the top) of the
    // derivative that is not.
    std::pair<std::int64_t, std::int64_t> not_finite() const;

    // (I - gamma J) x = b by way of a matrix with this pattern, T being S or Complex<S>: its entries, the right-hand
    // side for b (m numbers), and x in the place of b from the solution. None of them allocates.
    const linalg::Pattern& pattern() const { return pattern_; }
    // The matrix is I - gamma J itself: right_side and take_solution only copy.
    bool is_formed() const { return shape_ == Shape::monomial || shape_ == Shape::dense; }
    template <class T> void matrix(T gamma, T* entries) const;
    template <class T> void right_side(T gamma, T* b, T* right) const;
    template <class T> void take_solution(T gamma, const T* solution, T* b) const;

    // dx = J x, m numbers each, and V_t; at the point taken last. They take memory when first called.
    void apply(const S* x, S* dx);
    void rate(S* dx);
    // J, m x m by columns.
    void dense(S* matrix);

    // The parts of it: y = P' x in the place of x, or the shortest way from x to df y + offset = 0; -A^-1 (rows + B y)
    // in the place of the rows (room for n_equations() and n_tops() numbers); u' of y and dw, S y + E dw.
    void project(S* x, const S* offset = nullptr);
    void tops(const S* y, S* rows);
    void spread(const S* y, const S* dw, S* dx) const;

private:
    enum class Shape : std::uint8_t { monomial, dense, reduced, expanded, augmented };
    struct Next { // u_k' is a coordinate or a top
        std::int32_t at;
        bool is_top;
    };
    struct Level {
        std::vector<std::int32_t> rows;
        std::vector<std::int32_t> columns, source; // of A_s; its entries in df
        linalg::NormalSolver<S> solver;
        linalg::Vector<S> entries, b;
        bool is_solvable = false;
    };
    struct Part { // entry `from` of something is entry `to` of the matrix, times gamma^power
        std::int64_t from, to;
        int power = 0;
    };

    void choose_shape();
    void make_levels();
    void plan_monomial();
    void plan_dense();
    void plan_tangent();
    void plan_reduced();
    void plan_expanded();
    void plan_augmented();
    PointStatus set_monomial();
    PointStatus set_dense();
    void set_expanded();
    void set_augmented();
    bool factor_tops();
    bool factor_dependent();
    void choose_rows();
    void project_rows();
    void factor_levels();
    void solve_tops(S* w); // w = -A^-1 w
    void add_products(const S* x, S* rows) const;

    Jets<S>& jets_;
    Manifold<S>* manifold_;
    std::int64_t n_state_, n_tops_, n_equations_;
    std::int64_t n_x_; // of J: n_state_, and one more where t is a coordinate
    Shape shape_ = Shape::dense;
    std::vector<Next> next_;
    RowFunction<S> function_; // columns: u, w, t
    linalg::Pattern by_u_, by_w_;
    std::vector<std::int64_t> column_starts_; // of u, w, t in the entries
    linalg::Vector<S> entries_, rows_;

    linalg::Pattern pattern_;
    linalg::Vector<S> constant_, slope_;    // the matrix is constant + gamma slope, but for `reduced`
    std::vector<std::int32_t> inner_first_; // coordinates, those next to their tops first
    std::vector<std::int32_t> top_of_row_, coordinate_of_top_; // monomial
    std::vector<std::int64_t> pivot_of_row_;
    std::vector<Part> parts_, constraint_parts_, transposed_parts_;
    std::vector<std::int64_t> ones_, minus_ones_, shifts_, delta_; // entries that do not change

    std::unique_ptr<linalg::SquareSolver<S>> solver_; // of A, or of the chosen rows of it
    std::vector<std::int32_t> chosen_, place_;        // rows of A, where there are more of them than tops
    linalg::Vector<S> chosen_entries_, column_, work_, top_;
    std::optional<std::int64_t> rank_; // of A, where that is known to be singular
    std::unique_ptr<linalg::PivotedQr<S>> qr_;
    linalg::Vector<S> scale_, shortest_;
    bool by_levels_;
    LinearisedForm form_;
    std::vector<Level> levels_; // of the projection, lowest first
    linalg::Vector<S> f_, df_, row_, correction_;
    std::unique_ptr<linalg::DenseLu<S>> bordered_; // of the form `tangent`
    linalg::Vector<S> at_zero_, bordered_b_;       // F_(u, w, t) for w = 0; right-hand sides
    bool has_tops_ = false;                        // A is factorised at the point
    bool has_levels_ = false;                      // so are the levels
};

template <class S> template <class T> void Linearised<S>::matrix(T gamma, T* entries) const {
    if (shape_ != Shape::reduced) {
        for (std::int64_t e = 0; e < constant_.size(); ++e) entries[e] = T(constant_[e]) + gamma * slope_[e];
        return;
    }
    std::fill_n(entries, pattern_.entries(), T(0));
    T powers[8] = {T(1)}; // derivatives of higher order do not occur in practice; computed one by one if they do
    for (int p = 1; p < 8; ++p) powers[p] = powers[p - 1] * gamma;
    for (const Part& part : parts_) {
        T factor = powers[std::min(part.power, 7)];
        for (int p = 7; p < part.power; ++p) factor *= gamma;
        entries[part.to] += factor * entries_[part.from];
    }
}

template <class S> template <class T> void Linearised<S>::right_side(T gamma, T* b, T* right) const {
    if (shape_ != Shape::reduced) {
        std::copy_n(b, n_state_, right);
        std::fill_n(right + n_state_, pattern_.rows - n_state_, T(0));
        return;
    }
    for (const std::int32_t k : inner_first_)
        if (const Next n = next_[static_cast<std::size_t>(k)]; !n.is_top) b[k] += gamma * b[n.at];
    std::fill_n(right, n_tops_, T(0));
    for (std::int64_t j = 0; j < n_state_; ++j)
        for (std::int64_t e = by_u_.column_start[static_cast<std::size_t>(j)];
             e < by_u_.column_start[static_cast<std::size_t>(j) + 1]; ++e)
            right[by_u_.row[static_cast<std::size_t>(e)]] -= b[j] * entries_[e];
}

template <class S> template <class T> void Linearised<S>::take_solution(T gamma, const T* solution, T* b) const {
    if (shape_ != Shape::reduced) {
        std::copy_n(solution, n_state_, b);
        return;
    }
    // b is (1 - gamma S)^-1 b; what the tops add follows the same chains
    for (const std::int32_t k : inner_first_) {
        T factor = gamma;
        std::int32_t at = k;
        for (; !next_[static_cast<std::size_t>(at)].is_top; at = next_[static_cast<std::size_t>(at)].at)
            factor *= gamma;
        b[k] += factor * solution[next_[static_cast<std::size_t>(at)].at];
    }
}

extern template class Linearised<double>;
extern template class Linearised<Quad>;

} // namespace vessiot
