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
//   augmented  du - gamma (S du + E dw) = b,  B du + A dw = 0:  sparse, m + n rows, for large systems
//
// With a manifold, J is the derivative of V(P(u)), P a projection onto the manifold: J P' with
//
//   P' = 1 - df^T (df df^T)^-1 df            the orthogonal one
//   P' = .. P_-1 P_-2,  P_s = 1 - E_s A_s^T (A_s A_s^T)^-1 df_s      by stages: df_s the constraints of a stage, A_s
//                                            their derivatives by the coordinates of that stage, which alone are moved
//
// Augmented, with y = P' du:
//
//   du - gamma (S y + E dw) = b,   B y + A dw = 0,   y + df^T mu - du = 0,   df y - delta mu = 0
//
// (by stages: E_s A_s^T mu_s in the place of df^T mu) where delta, tiny, keeps the matrix regular where constraints
// depend on each other. Notation: m coordinates u, n tops w, k constraints.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/normal_solver.hpp"
#include "linalg/sparse_pattern.hpp"
#include "linalg/square_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/field.hpp"
#include "manifold/jets.hpp"
#include "manifold/manifold.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

template <class S> class Linearised {
public:
    // All must outlive it. `manifold`: that of the projection, null for J itself; `by_stages`: how it projects.
    Linearised(const System& system, const Prolongation& p, Jets<S>& jets, const expr::EvaluatorOptions& evaluator,
               Manifold<S>* manifold = nullptr, bool by_stages = false);

    std::int64_t n_state() const { return n_state_; }
    // Takes the derivatives at a point, w the tops there. Does not allocate after the first call.
    PointStatus set(S t, const S* u, const S* w);

    // After a set() that found something not finite: the equation and the coordinate (or, behind them, the top) of the
    // derivative that is not.
    std::pair<std::int64_t, std::int64_t> not_finite() const;

    // The matrix, entry by entry: constant() + gamma slope(), rows and columns 0 .. n_state() - 1 the coordinates.
    const linalg::Pattern& pattern() const { return pattern_; }
    const S* constant() const { return constant_.data(); }
    const S* slope() const { return slope_.data(); }

    // dx = J x, m numbers each, and V_t; at the point taken last. They take memory when first called.
    void apply(const S* x, S* dx);
    void rate(S* dx);
    // J, m x m by columns.
    void dense(S* matrix);
    // An upper bound of |J| in the norm of maxima, weights w_i > 0: max_i w_i sum_j |J_ij| / w_j. Formed matrices only;
    // infinite for others.
    S norm(const S* weight);

private:
    enum class Shape : std::uint8_t { monomial, dense, augmented };
    struct Next { // u_k' is a coordinate or a top
        std::int32_t at;
        bool is_top;
    };
    struct Stage {
        std::vector<std::int32_t> rows;
        std::vector<std::int32_t> columns, source; // of A_s; its entries in df
        linalg::NormalSolver<S> solver;
        linalg::Vector<S> entries, b;
    };
    struct Part { // entry `from` of something is entry `to` of the matrix
        std::int64_t from, to;
    };

    void choose_shape();
    void make_stages();
    void plan_monomial();
    void plan_dense();
    void plan_augmented();
    PointStatus set_monomial();
    PointStatus set_dense();
    void set_augmented();
    bool factor_tops();
    void choose_rows();
    void project_rows();
    void project(S* x);
    void solve_tops(S* w); // w = -A^-1 w
    void add_products(const S* x, S* rows) const;

    Jets<S>& jets_;
    Manifold<S>* manifold_;
    std::int64_t n_state_, n_tops_, n_equations_;
    Shape shape_ = Shape::dense;
    std::vector<Next> next_;
    RowFunction<S> function_; // columns: u, w, t
    linalg::Pattern by_u_, by_w_;
    std::vector<std::int64_t> column_starts_; // of u, w, t in the entries
    linalg::Vector<S> entries_, rows_;

    linalg::Pattern pattern_;
    linalg::Vector<S> constant_, slope_;
    std::vector<std::int32_t> top_of_row_, coordinate_of_top_; // monomial
    std::vector<std::int64_t> pivot_of_row_;
    std::vector<Part> parts_, constraint_parts_, transposed_parts_;
    std::vector<std::int64_t> ones_, minus_ones_, shifts_, delta_; // entries that do not change

    std::unique_ptr<linalg::SquareSolver<S>> solver_; // of A, or of the chosen rows of it
    std::vector<std::int32_t> chosen_, place_;        // rows of A, where there are more of them than tops
    linalg::Vector<S> chosen_entries_, column_, work_, top_;
    bool by_stages_;
    std::vector<Stage> stages_; // of the projection, lowest first
    linalg::Vector<S> f_, df_, row_, correction_;
    bool has_tops_ = false; // A is factorised at the point
};

extern template class Linearised<double>;
extern template class Linearised<expr::Quad>;

} // namespace vessiot
