// Multiple shooting on the manifold: points u_0 .. u_(N-1) at the starts of N intervals, and free parameters p, so that
// the curve through them is one curve and the conditions at its ends hold. [AMR95, 4.4]
//
//     L_(k+1) (Phi_k(u_k, p) - u_(k+1)) = 0          k = 0 .. N - 2, m rows each: continuity, on M
//     u_i(t0) = v,   y(t1) = v,   y(t1) = y(t0)      the conditions
//
// Newton's method moves u_k by T_k delta_k + P_k dp + V dt_k (flow.hpp), where dt_k is how the time of the point moves
// with the end of the interval. Its linear system is reduced from the first interval to the last by orthogonal
// transformations (as in SOF of [Wri92]), which keeps what grows and what decays apart,
//
//     [V  A_k] delta_k  by  QR:   R delta_k + .. = ..   kept,   U delta_0 + V delta_(k+1) + W dp = q   goes on
//
// and ends in a small system for delta_0, delta_(N-1) and dp, which is solved by singular values: conditions that
// depend on each other, as those of a periodic orbit with conserved quantities do, make it singular and do no harm; the
// shortest solution is taken, and of the family of solutions that there is then, the one nearest to a goal is found by
// steps along its kernel (`slide`). Steps are damped by the natural test of [Deu74]: |J^+ r(x + l dx)| <= (1 - l/4)
// |dx|.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solve/ends/conditions.hpp"
#include "solve/ends/flow.hpp"

namespace vessiot {

// Where the points are, and the parameters.
struct ShootingState {
    std::vector<double> places; // of the points, parts of the interval: 0 <= .. < 1
    std::vector<std::vector<double>> u;
    std::vector<double> p;
};

class Shooting {
public:
    Shooting(Flow& flow, const EndConditions& conditions, double rtol, double atol, double flow_tolerance);

    enum class Outcome { converged, failed, interrupted };
    // From this state, which becomes the solution, or the best that was found.
    Outcome solve(ShootingState& state, int most_iterations);
    // After solve(), where the conditions leave a family of solutions: to the one whose first point and parameters are
    // nearest to these. False where that is not found; the state is the old one then.
    bool slide(ShootingState& state, const std::vector<double>& u, const std::vector<double>& p);
    const std::string& why() const { return why_; } // of a failure
    std::int64_t iterations() const { return n_iterations_; }

    // After solve():
    bool has_ends() const { return !to_.empty() && to_.size() == from_.size() && to_.back().is_good; }
    std::vector<double> residuals() const; // of the conditions at the end, one by one
    std::vector<double> start_residuals() const;
    std::size_t unknowns() const { return flow_.m() + conditions_.n_free(); }
    std::size_t rank() const { return rank_; }
    double growth() const;   // largest entry of the derivatives over an interval, scaled
    Dense monodromy() const; // over the whole interval, in coordinates on M at its start
    const FlowPoint& first() const { return from_.front(); }
    const std::vector<double>& scale() const { return scale_; }
    std::size_t n_pieces() const { return from_.size(); }
    double widest_gap() const; // of all unknowns, between the end of an interval and the start of the next

    // The points of a curve from u, as far as it goes, for N intervals; false where it ends early.
    bool follow(const std::vector<double>& u, const std::vector<double>& p, std::size_t n, ShootingState& state);

private:
    struct Eliminated { // R delta_k + U delta_0 + V delta_(k+1) + W dp = q
        Dense r, u, v, w;
        std::vector<double> q;
    };
    void set_scale(const ShootingState& state);
    bool evaluate(const ShootingState& state); // points, runs, residuals
    void reduce();
    void make_small();
    double tolerance_of_rank() const;
    // A first point and parameters.
    struct Goal {
        const std::vector<double>&u, &p;
        double distance(const ShootingState& state) const;
    };
    // -J^+ r for the residuals at hand, with the matrices of the last reduce(): delta by point, then dp. With a goal
    // also along the kernel of J, to where it is nearest.
    std::vector<std::vector<double>> correction(const ShootingState* state = nullptr, const Goal* goal = nullptr);
    // What follows for all points from delta_0, delta_(N-1) and dp / |p|.
    std::vector<std::vector<double>> spread(const std::vector<double>& x,
                                            const std::vector<std::vector<double>>& kept) const;
    std::vector<double> change_of_start(const std::vector<double>& x) const; // of u_0 and p
    void go_towards(const Goal& goal, const ShootingState& state, std::vector<double>& x) const;
    bool slide_to(const Goal& goal, ShootingState& state);
    bool back_on_family(const ShootingState& state, const std::vector<std::vector<double>>& d, double part,
                        ShootingState& next);
    ShootingState moved(const ShootingState& state, const std::vector<std::vector<double>>& d, double part);
    double size(const std::vector<std::vector<double>>& d) const; // scaled by sizes, largest
    double tolerances(const std::vector<std::vector<double>>& d) const;
    std::vector<double> jump(std::size_t k) const;
    std::vector<double> condition_residuals() const;
    double time(const ShootingState& state, std::size_t k) const;

    Flow& flow_;
    const EndConditions& conditions_;
    double rtol_, atol_, rank_tolerance_, cut_ = 0;
    std::vector<double> scale_, p_scale_;
    EndValues ends_;
    std::vector<FlowPoint> from_, basis_; // now; of the last reduce()
    std::vector<FlowEnd> to_;
    EndValues ends_of_basis_;
    std::vector<Eliminated> eliminated_;
    Dense relation_u_, relation_v_, relation_w_;
    std::vector<Dense> reflections_; // Q^T of each interval, 2m x 2m
    std::unique_ptr<LeastSquares> small_;
    std::vector<double> row_size_; // of the conditions
    std::string why_;
    bool is_interrupted_ = false;
    std::int64_t n_iterations_ = 0;
    std::size_t rank_ = 0;
    bool keeps_rank_ = false; // on a family of solutions
};

} // namespace vessiot
