// The nearest point p of the manifold to a point a: what `newton`, `chord` and `inexact` have in common.
//
//   F(z) = (p - a + df(p)^T mu, f(p)) = 0,   z = (p, mu)                       conditions of Lagrange
//   dF = (A  B^T)     A = 1 + sum_i mu_i f_i''(p),   B = df(p),   dF s = -F,   z = z + s
//        (B  0  )
//
// Start.    z = (a, 0); or, with p0 the point where the step began and w = a - p0, from the Taylor polynomial of f
// there
//             mu = (B0 B0^T)^-1 (f(p0) + B0 w + f''(p0)(w, w)/2),   p = a - B0^T mu,   B0 = df(p0)
//           For a step of Euler, w = h V, the first two terms are 0: (5.3) of [Tuomela, Arponen 2001]. The further
//           stages of other methods are not tangent to M at p0. f''(p0)(w, w) is f(p0 + w) - 2 f(p0) + f(p0 - w), exact
//           up to degree 3.
// First.    From (a, 0) the first step is that of A = 1:  mu = (B B^T)^-1 f(a),  p = a - B^T mu. (Algorithm 4.6)
//           Under the rule of the paper it is found by conjugate gradients, to eps_0 |f(a)|.
// End.      Sound: both parts of F at round-off, f_i against its size, p - a + B^T mu against the largest coordinate;
// or
//           where they stop falling although f + B dp is near to 0. (Constraints that contradict each other stop, too,
//           but not there.)
//           Printed: the rule of the paper, |s| + |F_k| < 1e-6 + 1e-10/|F_(k-1)|, before the first step |F_0| <
//           1e-6 + 1e-10/|F_0|, which is about |F_0| < 1.05e-5: M is satisfied to that only. With a tolerance of its
//           own (options) it is |s| + |F_k| < tolerance.
//           Increment: the largest entry of s is below 1e-7, or the tolerance given; at most 30 iterations. [Tuomela,
//           Arponen 2001, 5.3]
//
// [Tuomela, Arponen, Normi, section 4]. No allocation after construction.
#pragma once

#include "linalg/vector.hpp"
#include "manifold/manifold.hpp"
#include "projection/convergence.hpp"
#include "projection/options.hpp"
#include "projection/projection.hpp"

namespace vessiot {

// The printed rule of [Tuomela, Arponen, Normi]: |s| + |F_k| < 1e-6 + 1e-10 / |F_(k-1)|, or < tolerance where that is
// given.
template <class S> class PrintedStop {
public:
    explicit PrintedStop(S tolerance) : tolerance_(tolerance) {}

    void add(S norm) { // of F
        before_ = norm_;
        norm_ = norm;
    }
    void set_step(S norm) { step_ = norm; } // of s
    S norm() const { return norm_; }
    bool is_met(int iterations) const {
        const S before = iterations == 0 ? norm_ : before_, step = iterations == 0 ? S(0) : step_;
        return step + norm_ < (tolerance_ > S(0) ? tolerance_ : S(1e-6) + S(1e-10) / before);
    }

private:
    S tolerance_;
    S norm_ = 0, before_ = 0, step_ = 0;
};

template <class S> class NearestProjection : public Projection<S> {
public:
    // Residuals that stop falling so many times in a row have arrived.
    NearestProjection(Manifold<S>& manifold, const ProjectionOptions& options, int patience = 1);

    bool finds_nearest() const final { return true; }
    void begin_step(S tau, const S* x) final;
    void retry() final { forget(); }
    void forget() final;
    ProjectionReport<S> project(S tau, S* x) final;

protected:
    // The solution mu of B B^T mu = b for these entries of B; false where there is none.
    virtual bool solve_normal(const S* df, const S* b, S* mu) = 0;
    // The same for the first step from (a, 0), where it need not be so good.
    virtual bool solve_first(const S* df, const S* b, S* mu) { return solve_normal(df, b, mu); }
    // s = (dp_, dmu_) of iteration k, from F = (gradient_, f_) and df_ at (x, mu_); false where there is none.
    virtual bool find_step(S t, const S* x, int k) = 0;
    // Does that step solve f + B dp = 0, or only as well as it can be?
    virtual bool has_solved_step();
    // Moves x to the nearest point without iteration, by f_ there; false where it does not know how.
    virtual bool move_at_once(S* x);

    // y += factor B^T v, and y = B x, for these entries of B
    void add_transposed(const S* df, S factor, const S* v, S* y) const;
    void multiply(const S* df, const S* x, S* y) const;

    using Projection<S>::counts_;
    Manifold<S>& manifold_;
    const ProjectionOptions options_;
    std::int64_t m_, k_;
    linalg::Vector<S> a_, mu_, f_, df_, gradient_, dp_, dmu_;

private:
    ProjectionReport<S> iterate(S tau, S* x);
    bool is_done(const S* x, S& r, int iterations);
    bool is_off(S t, const S* x);
    void evaluate(S t, const S* x);
    void move_start(S tau, S* x);
    bool find_first_step();
    S residual_of_f() const;
    S residual(const S* x) const;
    ProjectionReport<S> report(PointStatus status, int iterations) const;

    Convergence<S> convergence_;
    S tolerance_, floor_;
    int patience_, n_standing_ = 0;
    bool is_solved_ = false; // has_solved_step() of the last one
    int n_worse_ = 0;        // steps that made residuals larger
    PrintedStop<S> printed_;
    linalg::Vector<S> size_, linear_, begin_, w_, b_; // begin_: where the step began
};

extern template class NearestProjection<double>;
extern template class NearestProjection<Quad>;

} // namespace vessiot
