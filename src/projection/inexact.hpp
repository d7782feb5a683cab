// The projection `inexact`: the nearest point of the manifold (nearest.hpp) by an inexact Newton method, in which all
// linear systems are solved by products with sparse matrices. [Tuomela, Arponen, Normi, section 4.2]
//
//   dF s = b = -F + r,  |r| <= eps_k |F|,  eps_(k+1) = 0.8 eps_k                                  Algorithms 4.2, 4.7
//   A u1 = b1,  v1 = B u1 - b2,  S v2 = v1,  A u3 = B^T v2,  s = (u1 + u3, -v2),  S = -B A^-1 B^T     4.3, 4.4
//   S v: w = B^T v,  A y = w,  -B y                                                                        4.5
//
// A = 1 + sum_i mu_i f_i'' is near to 1: its systems are solved by SYMMLQ to 1e-12 in a few products. The systems with
// S are solved by SYMMLQ until their residual, which is that of the whole, is eps_k |b|. In the first step, in closed
// form, A is 1 and S negative definite: conjugate gradients. eps_0 = 1/2 as in the paper with its stopping rule; 1/10
// with the others, which go on to smaller residuals; or as asked for (Forcing).
//
// Of a mechanical system (4.3) the blocks of df = (d2g(v, .), dg; dg, 0; energy) and of A are its sparsity, and
// products visit no other entries. Rows of df are scaled to length 1, which balances positions, velocities and
// invariants; with the rule of the paper they stay as they are. Where constraints depend on each other, both methods
// find the shortest multipliers.
//
// Cost of an iteration: df, f'', and a few products for every step of SYMMLQ on S. Nothing is factorised: memory grows
// with the entries of df. Where S is badly conditioned (a taut chain) the steps are many, and `newton` is faster.
#pragma once

#include <vector>

#include "linalg/iterative/conjugate_gradient.hpp"
#include "linalg/iterative/symmlq.hpp"
#include "projection/nearest.hpp"

namespace vessiot {

template <class S> class InexactProjection final : public NearestProjection<S> {
public:
    InexactProjection(Manifold<S>& manifold, const ProjectionOptions& options);

    std::string_view name() const override { return "inexact"; }

protected:
    bool solve_normal(const S* df, const S* b, S* mu) override;
    bool find_step(S t, const S* x, int k) override;
    bool has_solved_step() override { return has_converged_; }

private:
    using Base = NearestProjection<S>;
    using Base::counts_, Base::df_, Base::dmu_, Base::dp_, Base::f_, Base::gradient_, Base::k_, Base::m_,
        Base::manifold_, Base::mu_, Base::options_;

    void scale_rows(const S* df);
    void multiply_a(const S* x, S* y) const;
    bool solve_a(const S* b, S* x);
    void multiply_s(const S* v, S* d); // d = B A^-1 B^T v, B scaled
    S tolerance(int k) const;

    // An entry of the lower triangle of the second derivatives.
    struct Place {
        std::int32_t row = 0, column = 0;
        std::int64_t entry = 0;
    };
    std::vector<Place> places_;
    bool is_a_one_ = true;       // there is no curvature in A
    bool has_converged_ = false; // the last iteration on S
    linalg::Symmlq<S> on_a_, on_s_;
    linalg::ConjugateGradient<S> on_normal_;
    linalg::Vector<S> curvature_, scale_, scaled_; // scale_: 1/|df_i|; scaled_: entries of B, rows scaled
    linalg::Vector<S> u1_, w_, y_, v1_, v2_;
};

extern template class InexactProjection<double>;
extern template class InexactProjection<Quad>;

struct ProjectionKind;
extern const ProjectionKind inexact_projection; // kind.hpp

} // namespace vessiot
