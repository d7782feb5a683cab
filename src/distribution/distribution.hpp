// The direction field of a system: at a point (t, u) of the manifold the tops w, and with them u'.
//
// In arclength the direction is (dt, du) = tau (1, u') with tau >= 0: it exists also where tau = 0, at an impasse
// point, where u' is infinite.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/scalar.hpp"
#include "linalg/sparse/sparse_pattern.hpp"
#include "linalg/vector.hpp"
#include "manifold/field.hpp"

namespace vessiot {

namespace expr {
template <class S> class Function;
}

struct DistributionCounts {
    std::int64_t evaluations = 0; // of directions
    std::int64_t jacobians = 0, factorisations = 0;

    template <class Visit> static void visit(const Visit& visit) {
        visit("evaluations", &DistributionCounts::evaluations);
        visit("jacobians", &DistributionCounts::jacobians);
        visit("factorisations", &DistributionCounts::factorisations);
    }
};

struct ExplicitTops;

// The equations for the tops at a point, r + A w = 0.
template <class S> struct TopEquations {
    const linalg::Pattern& pattern; // of A
    const S *residual, *entries;    // r; of A
};

template <class S> class Distribution {
public:
    explicit Distribution(const Prolongation& p);
    Distribution(const Distribution&) = delete;
    Distribution& operator=(const Distribution&) = delete;
    virtual ~Distribution() = default;

    virtual std::string_view name() const = 0;
    // None of these allocates.
    virtual PointStatus tops(S t, const S* u, S* w) = 0;
    // u' of a curve with t' = 1. It may be `good` and not finite.
    virtual PointStatus velocity(S t, const S* u, S* du);
    // A tangent with any length > 0 and tau' >= 0: du, and dt. Continuous along curves.
    virtual PointStatus tangent(S t, const S* u, S* du, S* dt);

    // A w = -r with the matrix of the last tops(), which was good; r has a number for each equation. False where that
    // matrix is not kept.
    virtual bool solve_again(const S* /*r*/, S* /*w*/) { return false; }
    // What it is made of, for those that differentiate along with it: formulas for the tops, null where there are none;
    // is it the multipliers alone that are solved for (kkt_tops); the rank of the equations for w, where w is not their
    // only solution.
    virtual const ExplicitTops* formulas() const { return nullptr; }
    virtual const expr::Function<S>* velocity_function() const { return nullptr; } // of formulas, where tops are 0
    virtual const expr::Function<S>* tops_function() const { return nullptr; }     // likewise
    virtual bool solves_for_multipliers() const { return false; }
    virtual std::optional<std::int64_t> deficient_rank() const { return {}; }
    // Where some equations follow from others and are left out: all of them, as of the last tops().
    virtual std::optional<TopEquations<S>> all_equations() const { return std::nullopt; }
    // What was learned at other points is forgotten, so that directions depend on the points after this alone. A
    // tangent may have the other sign then.
    virtual void forget() {}

    // For another run: it forgets, and counts from zero.
    void renew() {
        forget();
        counts_ = {};
    }

    // Steps of velocity() in one call; null where that cannot be had.
    virtual Stages<S>* stages(const StagePlan& /*plan*/) { return nullptr; }

    const DistributionCounts& counts() const { return counts_; }
    void count_evaluations(std::int64_t n) { counts_.evaluations += n; }
    void go_on_from(const DistributionCounts& before) { counts_ = before; } // of work that need not be done again
    std::int64_t n_state() const { return n_state_; }
    std::int64_t n_tops() const { return n_tops_; }

protected:
    // u' from u and w, with u' = tau * that of the coordinates below the tops: y^(k)' = tau y^(k+1), top part w.
    void spread(const S* u, const S* w, S tau, S* du) const;

    DistributionCounts counts_;

private:
    // du[to .. to+n) = u or w [from .. from+n)
    struct Run {
        std::int32_t to, from, n;
        bool is_top;
    };
    std::vector<Run> runs_;
    std::int64_t n_state_, n_tops_;
    linalg::Vector<S> w_;
};

extern template class Distribution<double>;
extern template class Distribution<Quad>;

using linalg::all_finite;

} // namespace vessiot
