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
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/product.hpp"
#include "linalg/solver/square_solver.hpp"
#include "linalg/sparse/sum_plan.hpp"
#include "linalg/vector.hpp"
#include "manifold/row_function.hpp"
#include "method/mechanical/lagrangian_momenta.hpp"
#include "method/mechanical/mechanical_shape.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

// A point of a run and what is known there. Positions are numbered 0 .. n-1, multipliers 0 .. m-1.
template <class S> struct MechanicalPoint {
    S t = 0;
    linalg::Vector<S> u;
    linalg::Vector<S> force;   // f, by position
    linalg::Vector<S> entries; // of E and B
    linalg::Vector<S> Y, Z;    // in the order of MechanicalSystem; Z is empty where it is Y
    linalg::Vector<S> g, G;    // constraints, and G with a last column g_t where they contain t, in its order
    linalg::Vector<S> lambda;  // multipliers of about this point: a first guess for those of the next step
    std::unique_ptr<linalg::SquareSolver<S>> mass, normal;
    bool is_ready = false; // forces, directions and N are there
};

template <class S> class MechanicalSystem {
public:
    // Throws InvalidInput where the system is not mechanical, or steps are not of time.
    explicit MechanicalSystem(const Parts<S>& parts);

    using Point = MechanicalPoint<S>;
    std::int64_t n() const { return n_; }
    std::int64_t m() const { return m_; }
    bool forces_depend_on_y() const { return forces_depend_on_y_; }
    bool velocities_vary() const { return velocities_vary_; }              // with q or t, where y stays
    bool has_momenta() const { return shape_.is_hamiltonian || momenta_; } // else v = y

    Point make_point() const;
    // Between coordinates and positions.
    void get_q(const S* u, S* out) const { q_places_.get(u, out); }
    void put_q(const S* in, S* u) const { q_places_.put(in, u); }
    void get_y(S t, const S* u, S* out) const { momenta_ ? momenta_->momenta(t, u, out) : y_places_.get(u, out); }
    // With the positions that u has.
    void put_y(S t, const S* in, S* u) const { momenta_ ? momenta_->velocities(t, in, u) : y_places_.put(in, u); }
    bool is_all() const { return n_state_ == 2 * n_; } // there are no other coordinates
    void put_rates(const S* v, S* u) const;            // where q' are coordinates

    // None of these allocates.
    // f and Y at the time of the point, with the coordinates u. False where they are not finite or E is singular.
    bool evaluate_forces(Point& p, const S* u);
    // out += factor Y lambda
    void add_directions(Point& p, S factor, const S* lambda, S* out);
    // y = base + kappa (f + Y lambda), q = q_0 + h y, of systems of second order
    struct Move {
        const S *base, *q_0;
        S kappa, h;
    };
    void move(Point& p, const Move& by, const S* lambda, S* y, S* q);
    // v at (t, u), whose y are there
    void velocity(S t, const S* u, S* v);
    // g at (t, u)
    void constraints(S t, const S* u, S* g) { (*values_)(jets_->at(t, u), g, nullptr); }
    // g, G, N and the sizes of rows at the point, whose directions must be there; false where N is singular.
    bool constrain(Point& p);
    // The matrix of Newton's method for the positions of a step: G of `to`, directions of `from`; solve(to, ..) uses
    // it.
    bool renew(const Point& from, Point& to);
    // lambda with N lambda = b, in place
    void solve(Point& p, S* b);
    // b = G v + g_t
    void constraint_rate(const Point& p, const S* v, S* b) const;
    // What round-off in g, and in G v + g_t, is measured by, inverted; of about the last points.
    const linalg::Vector<S>& inverse_sizes() const { return size_; }
    const linalg::Vector<S>& inverse_rate_sizes() const { return rate_size_; }
    void measure_rates(const Point& p, const S* v);
    // What was measured at other points counts no more.
    void forget_sizes() {
        n_until_measured_ = 0;
        measured_every_ = 1;
    }

private:
    void make_forces(const Parts<S>& parts);
    void use_momenta(const Parts<S>& parts);
    void plan_Y(const linalg::Pattern& B, const std::vector<std::int32_t>& source);
    void number_positions();
    void make_motion(const Parts<S>& parts);
    void make_velocities(const Parts<S>& parts);
    void make_constraints(const Parts<S>& parts);
    void make_matrices();
    void find_rows(const Parts<S>& parts);
    void plan_directions();
    void plan_rates();
    void plan_normal(const linalg::Pattern& Z);
    void find_directions(Point& p, const S* lambda); // work_n_ = Y lambda
    bool divide_by_masses(Point& p);
    void divide_by_constant_masses(Point& p, const S* u);
    void read_constraints(Point& p);
    bool factor_masses(Point& p);
    void find_velocity_directions(Point& p);
    bool factor(const S* G, const Point& directions, Point& p);
    void measure(Point& p);

    // Coordinates by position, as runs of neighbours where these are long.
    class Places {
    public:
        Places() = default;
        explicit Places(const std::vector<std::int32_t>& at);
        void get(const S* u, S* out) const {
            for (const Run& r : runs_) std::copy_n(u + r.at, r.n, out + r.first);
            for (std::size_t k = 0; k < single_.size(); ++k) out[k] = u[single_[k]];
        }
        void put(const S* in, S* u) const {
            for (const Run& r : runs_) std::copy_n(in + r.first, r.n, u + r.at);
            for (std::size_t k = 0; k < single_.size(); ++k) u[single_[k]] = in[k];
        }

    private:
        struct Run {
            std::int64_t first, at, n;
        };
        std::vector<Run> runs_;
        std::vector<std::int32_t> single_; // in their place, where runs are short
    };

    struct Placed {
        std::int32_t to, from;
    };

    MechanicalShape shape_;
    Jets<S>* jets_;
    Manifold<S>* manifold_;
    std::int64_t n_, m_, n_state_;
    std::vector<std::int32_t> q_, y_, rate_; // coordinates by position
    Places q_places_, y_places_;
    std::vector<std::int32_t> number_; // of the positions of the shape
    bool is_diagonal_ = true;          // each equation of the forces has one y', that of its position
    bool has_constant_masses_ = true, has_inverse_ = false, has_t_ = false, is_definite_ = false;
    std::int64_t B_first_ = 0; // with momenta of a lagrangian: where B begins among the entries
    bool forces_depend_on_y_ = false, velocities_vary_ = false;

    std::unique_ptr<LagrangianMomenta<S>> momenta_;                            // of a lagrangian, where they are needed
    std::optional<RowFunction<S>> forces_, velocities_, values_, derivatives_; // f; v; g; g and G
    std::optional<RowFunction<S>> motion_;        // f and B, where masses are constant and diagonal
    linalg::Vector<S> B_weight_;                  // -1 / mass by the entries that it gives
    linalg::SubPattern mass_;                     // E among the entries of the forces
    linalg::Pattern Y_pattern_;                   // transposed: m x n
    std::vector<std::int32_t> Y_source_;          // entries of B
    std::vector<std::int32_t> Y_slot_;            // and where they are in Point::Y
    linalg::SumPlan Y_plan_;                      // Y lambda
    std::vector<std::int32_t> velocity_position_; // of each equation of the velocities
    linalg::SubPattern second_;                   // H_pp among the entries of the velocities, transposed
    std::optional<linalg::ScaledProduct> Z_product_;
    linalg::SumPlan normal_plan_;                   // N, diagonal by diagonal
    std::vector<std::int32_t> normal_order_;        // and which entries of it these are
    linalg::Pattern normal_pattern_;                // of N, or of [E B; G 0]
    std::vector<std::int32_t> mass_at_, B_at_;      // entries of E and B in the latter
    std::vector<Placed> G_at_;                      // and of G
    std::vector<std::int32_t> row_in_manifold_;     // of each constraint
    linalg::Pattern G_rows_;                        // transposed, the column of t included
    std::vector<std::int32_t> G_slot_;              // and where its entries are in Point::G
    linalg::SumPlan rate_plan_;                     // G v
    std::vector<Placed> G_t_;                       // g_t: row, place in Point::G
    int n_until_measured_ = 0, measured_every_ = 1; // sizes are measured now and then
    bool is_rate_due_ = true;

    linalg::Vector<S> residual_, inverse_, work_n_, work_normal_, v_residual_, v_entries_, second_entries_, normal_,
        terms_, mass_entries_, size_, rate_size_;
};

extern template class MechanicalSystem<double>;
extern template class MechanicalSystem<Quad>;

// max_i |b_i| / size_i, sizes given inverted; not a number where one of the b_i is not finite.
template <class S> S relative_size(const linalg::Vector<S>& b, const linalg::Vector<S>& inverse);

} // namespace vessiot::method
