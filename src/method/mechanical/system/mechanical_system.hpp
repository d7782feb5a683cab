// A mechanical system with numbers: forces, velocities, constraints, and the linear systems that constraints lead to.
//
// In the notation of mechanical_shape.hpp, at a point (t, q, y):
//
//   y' = f + Y lambda         f = E^-1 K, Y = -E^-1 B;  of momenta E = 1, K = -H_q + force, or L_q + force
//   q' = v                    v = y;                    of momenta v = H_p, or p = L_q'(q, v)
//   dv = Z lambda             what multipliers do to velocities: Z = Y, of momenta H_pp Y, or L_q'q'^-1 Y
//   G v + g_t = 0             the hidden constraint, G = dg/dq
//   N = G Z                   k x k, sparse: one factorisation at a point serves its velocities, and the positions of
//                             the step that begins there
//
// y are momenta where the model is a hamiltonian, or a lagrangian with p = L_q' other than M q' with constant M
// (lagrangian_momenta.hpp), whose coordinates stay q and q'.
//
// Multipliers are those of the model, whatever factors its author gave them, and nothing asks for B = G^T. Where each
// equation has one y' of its own, E is divided by; else E is factorised, and the matrix [E B; G 0] takes the place of
// N. Everything is a family: a chain costs O(n).
//
// Its parts: mechanical_forces.hpp, hamiltonian_velocities.hpp, position_constraints.hpp, constraint_matrix.hpp.
#pragma once

#include <cstdint>
#include <memory>

#include "linalg/vector.hpp"
#include "method/mechanical/system/constraint_matrix.hpp"
#include "method/mechanical/system/hamiltonian_velocities.hpp"
#include "method/mechanical/system/mechanical_forces.hpp"
#include "method/mechanical/system/mechanical_point.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"
#include "method/mechanical/system/position_constraints.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

template <class S> class MechanicalSystem {
public:
    // Throws InvalidInput where the system is not mechanical, or steps are not of time.
    explicit MechanicalSystem(const Parts<S>& parts);

    using Point = MechanicalPoint<S>;
    std::int64_t n() const { return n_; }
    std::int64_t m() const { return m_; }
    bool forces_depend_on_y() const { return forces_.depend_on_y(); }
    bool velocities_vary() const { return velocities_vary_; }             // with q or t, where y stays
    bool has_momenta() const { return velocities_ || forces_.momenta(); } // else v = y

    Point make_point() const;
    // Between coordinates and positions.
    void get_q(const S* u, S* out) const { places().q_places.get(u, out); }
    void put_q(const S* in, S* u) const { places().q_places.put(in, u); }
    void get_y(S t, const S* u, S* out) const {
        forces_.momenta() ? forces_.momenta()->momenta(t, u, out) : places().y_places.get(u, out);
    }
    // With the positions that u has.
    void put_y(S t, const S* in, S* u) const {
        forces_.momenta() ? forces_.momenta()->velocities(t, in, u) : places().y_places.put(in, u);
    }
    bool is_all() const { return n_state_ == 2 * n_; } // there are no other coordinates
    void put_rates(const S* v, S* u) const {           // where q' are coordinates
        if (velocities_) velocities_->put_rates(v, u);
    }

    // None of these allocates.
    // f and Y at the time of the point, with the coordinates u. False where they are not finite or E is singular.
    bool evaluate_forces(Point& p, const S* u) { return forces_.evaluate(p, u); }
    // out += factor Y lambda
    void add_directions(Point& p, S factor, const S* lambda, S* out);
    // y = base + kappa (f + Y lambda), q = q_0 + h y, of systems of second order
    struct Move {
        const S *base, *q_0;
        S kappa, h;
    };
    void move(Point& p, const Move& by, const S* lambda, S* y, S* q);
    // v at (t, u), whose y are there
    void velocity(S t, const S* u, S* v) { velocities_ ? velocities_->velocity(t, u, v) : places().y_places.get(u, v); }
    // g at (t, u)
    void constraints(S t, const S* u, S* g) { constraints_.values(t, u, g); }
    // g, G, N and the sizes of rows at the point, whose directions must be there; false where N is singular.
    bool constrain(Point& p);
    // The matrix of Newton's method for the positions of a step: G of `to`, directions of `from`; solve(to, ..) uses
    // it.
    bool renew(const Point& from, Point& to);
    // lambda with N lambda = b, in place
    void solve(Point& p, S* b) { matrix_.solve(p, b); }
    // b = G v + g_t
    void constraint_rate(const Point& p, const S* v, S* b) const { constraints_.rate(p, v, b); }
    // What round-off in g, and in G v + g_t, is measured by, inverted; of about the last points.
    const linalg::Vector<S>& inverse_sizes() const { return constraints_.inverse_sizes(); }
    const linalg::Vector<S>& inverse_rate_sizes() const { return constraints_.inverse_rate_sizes(); }
    void measure_rates(const Point& p, const S* v) { constraints_.measure_rates(p, v); }
    // What was measured at other points counts no more.
    void forget_sizes() { constraints_.forget_sizes(); }

private:
    MechanicalSystem(const Parts<S>& parts, const MechanicalShape& shape);
    const MechanicalPositions& places() const { return forces_.positions(); }

    std::int64_t n_, m_, n_state_;
    MechanicalForces<S> forces_;
    bool velocities_vary_;
    std::unique_ptr<HamiltonianVelocities<S>> velocities_; // of a hamiltonian; else they are y, or follow from momenta
    PositionConstraints<S> constraints_;
    ConstraintMatrix<S> matrix_;
};

extern template class MechanicalSystem<double>;
extern template class MechanicalSystem<Quad>;

// max_i |b_i| / size_i, sizes given inverted; not a number where one of the b_i is not finite.
template <class S> S relative_size(const linalg::Vector<S>& b, const linalg::Vector<S>& inverse);

} // namespace vessiot::method
