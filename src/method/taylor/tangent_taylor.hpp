// Taylor's method of order 1, 2 and 3 by tangent vectors of the manifold. [Tuomela, Arponen, section 3]
//
//     q + df(q)^T mu = x + h w1 + h^2 w2 + h^3 w3,   f(q) = 0          q is the nearest point: (3.2)
//
//     w1 = V
//     w2 = 1/2 nabla_V V                                               Corollary 3.4
//     w3 = 1/6 nabla_V (nabla_V V) + 1/3 X,   X = pi_t((dV)^t S_V)      Proposition 3.5
//
// nabla is the connection of M, S_V = S(V, V) the second fundamental tensor, pi_t and pi_n the projections onto the
// tangent and the normal space at x. With c the solution through x,
//
//     S_V = pi_n c'' = df^t nu,  B nu = df c'',  B = df df^t            Lemma 3.3 and (2.3)
//     nabla_V V = pi_t c'',   nabla_V (nabla_V V) = pi_t c''' + X        Lemmas 8.2, 8.3
//     (dV)^t df^t nu = -(sum_i nu_i f_i''(V, .))                        Lemma 8.1
//
// so that w2 = pi_t(c''/2) and w3 = pi_t(c'''/6 - 1/2 sum_i nu_i f_i''(V, .)). Where constraints contain t, V stands
// for (V, 1) in f_i''(V, .), and all of this remains true at a fixed t. c'' and c''' are 2 and 6 times the coefficients
// of the series through x (distribution/solution_series.hpp).
//
// The same order has (Proposition 3.9), with a normal part in w2 instead of one more term in w3,
//
//     w2 = 1/2 nabla_V V + 1/3 S_V,     w3 = 1/6 nabla_V (nabla_V V) = pi_t(c'''/6 - 1/6 sum_i nu_i f_i''(V, .))
//
// which is the method taylor3_normal. In arclength V and c are those of the curve (u, t).
//
// Normal parts do not count up to order 2 (Proposition 3.7), and at order 3 w3 is made for the nearest point: with a
// projection along other directions order 3 needs the normal part as well, which is what the method `taylor` has.
// Without projection all of c''/2 and c'''/6 is taken.
//
// Cost of a step: the series to order p, and the second derivatives of the constraints for p = 3.
#pragma once

#include <memory>

#include "distribution/series/solution_series.hpp"
#include "linalg/solver/normal_solver.hpp"
#include "manifold/manifold.hpp"
#include "method/one_step.hpp"

namespace vessiot::method {

// What tangent vectors are made of, at a point of M.
template <class S> class TangentVectors {
public:
    // M must outlive it. `has_second`: X can be asked for.
    TangentVectors(const System& system, const Prolongation& p, Jets<S>& jets, Manifold<S>& manifold,
                   const expr::EvaluatorOptions& evaluator, bool has_second);

    // False where the constraints are dependent. None of these allocates after the first call.
    bool set(S t, const S* u);
    // x = pi_t x; where `nu` is given, pi_n x = df^t nu.
    void make_tangent(S* x, S* nu = nullptr);
    // out = -(sum_i nu_i f_i''(V, .)) at the point of set(), not yet tangent.
    void curvature_term(const S* v, const S* nu, S* out);

private:
    Manifold<S>& manifold_;
    std::unique_ptr<Manifold<S>> with_t_; // t is a coordinate, too
    linalg::NormalSolver<S> solver_;
    std::int64_t n_, k_;
    S t_ = 0;
    linalg::Vector<S> u_, f_, df_, b_, lambda_, correction_, curvature_;
};

extern template class TangentVectors<double>;
extern template class TangentVectors<Quad>;

template <class S> class TangentTaylor : public OneStep<S> {
public:
    // `has_normal`: by Proposition 3.9. Throws InvalidInput for order 3 with a projection that does not find the
    // nearest point.
    TangentTaylor(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options,
                  bool has_normal = false);

private:
    bool advance(S h, StepReport<S>& report) override;
    bool needs_first() const override { return false; }

    int order_;
    bool is_arclength_, has_normal_;
    std::unique_ptr<SolutionSeries<S>> series_;
    std::unique_ptr<TangentVectors<S>> vectors_; // null where nothing is projected
    linalg::Vector<S> v_, w2_, w3_, x_, nu_;
};

template <class S> class NormalTaylor final : public TangentTaylor<S> {
public:
    NormalTaylor(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
        : TangentTaylor<S>(info, field, projection, options, true) {}
};

extern template class TangentTaylor<double>;
extern template class TangentTaylor<Quad>;

extern const Family tangent_taylor_family, normal_taylor_family;

} // namespace vessiot::method
