// The derivative of the direction field, J = dV/du, from the equations for the tops: for every distribution alike.
//
//   F(t, u, w) = r(t, u) + A(t, u) w = 0,   B = F_u:     dw = -A^-1 (B du + F_t dt)
//   u_k' = u_l  or  u_k' = w_j                           V_u = S + E dw/du, S and E of zeros and ones
//
// What implicit methods solve is (I - gamma J) x = b, gamma real or complex (shifted_matrix.hpp, shifted_solver.hpp).
// With a manifold, J is the derivative of V(P(u)), P a projection onto the manifold: J P' (level_projector.hpp).
//
// Where constraints are redundant A is singular, of a known rank, and multipliers are not unique (shortest.hpp): dw is
// the shortest solution of A dw = -B du (top_solver.hpp), and J is formed. What has derivatives moves in one way only,
// so that J P' is that of the motion.
//
// In arclength, where J is that of the unit tangent by (u, t), it is formed, for small systems
// (tangent_derivative.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "completion/prolongation.hpp"
#include "distribution/derivative/level_projector.hpp"
#include "distribution/derivative/shifted_matrix.hpp"
#include "distribution/derivative/tangent_derivative.hpp"
#include "distribution/derivative/top_derivatives.hpp"
#include "distribution/derivative/top_solver.hpp"
#include "linalg/vector.hpp"
#include "manifold/field.hpp"
#include "manifold/jets.hpp"
#include "manifold/manifold.hpp"

namespace vessiot {

enum class LinearisedForm : std::uint8_t {
    small,    // the smallest matrix
    tops,     // the same, with dw beside du (stage_tops.hpp): formed only where A has one entry in each row and column,
              // or more rows than columns
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
    Linearised(const Linearised&) = delete; // its parts know each other
    Linearised& operator=(const Linearised&) = delete;

    std::int64_t n_state() const { return equations_.n_state(); }
    std::int64_t n_tops() const { return equations_.n_tops(); }
    std::int64_t n_equations() const { return equations_.n_equations(); }
    // Takes the derivatives at a point, w the tops there. Does not allocate after the first call.
    PointStatus set(S t, const S* u, const S* w);
    // For the form `tangent`: x = (u, t), v the unit tangent there.
    PointStatus set_tangent(const S* x, const S* v);

    // After a set() that found something not finite: the equation and the coordinate (or, behind them, the top) of the
    // derivative that is not.
    std::pair<std::int64_t, std::int64_t> not_finite() const { return equations_.not_finite(); }

    // (I - gamma J) x = b by way of a matrix with this pattern, T being S or Complex<S>: its entries, the right-hand
    // side for b (m numbers), and x in the place of b from the solution. None of them allocates.
    const linalg::Pattern& pattern() const { return matrix_.pattern(); }
    // The matrix is I - gamma J itself: right_side and take_solution only copy.
    bool is_formed() const { return matrix_.is_formed(); }
    // Each equation gives one top: w is not solved for.
    bool is_monomial() const { return matrix_.is_monomial(); }
    template <class T> void matrix(T gamma, T* entries) const { matrix_.entries(gamma, entries); }
    template <class T> void right_side(T gamma, T* b, T* right) const { matrix_.right_side(gamma, b, right); }
    template <class T> void take_solution(T gamma, const T* solution, T* b) const {
        matrix_.take_solution(gamma, solution, b);
    }

    // dx = J x, m numbers each, and V_t; at the point taken last. They take memory when first called.
    void apply(const S* x, S* dx);
    void rate(S* dx);
    // J, m x m by columns.
    void dense(S* matrix);

    // The parts of it: y = P' x in the place of x, or the shortest way from x to df y + offset = 0; -A^-1 (rows + B y)
    // in the place of the rows (room for n_equations() and n_tops() numbers); u' of y and dw, S y + E dw.
    void project(S* x, const S* offset = nullptr) {
        if (projector_) projector_->project(x, offset);
    }
    void tops(const S* y, S* rows);
    void spread(const S* y, const S* dw, S* dx) const { equations_.spread(y, dw, dx); }

private:
    using Shape = typename ShiftedMatrix<S>::Shape;
    Shape choose_shape(LinearisedForm form) const;

    TopDerivatives<S> equations_;
    TopSolver<S> tops_;
    std::unique_ptr<LevelProjector<S>> projector_;  // null for J itself
    std::unique_ptr<TangentDerivative<S>> tangent_; // of that form
    ShiftedMatrix<S> matrix_;
    linalg::Vector<S> column_, work_;
};

extern template class Linearised<double>;
extern template class Linearised<Quad>;

} // namespace vessiot
