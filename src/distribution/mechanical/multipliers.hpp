// What distributions of mechanical systems share: multipliers l from a linear system, everything else from them.
//
//   r(t, u) + S(t, u) l = 0,   S = G E^-1 B up to sign         (KktTops, explicit_tops.hpp)
//
// r, S, and for known l the other tops and u', are compiled functions of families; how l is found is what a
// distribution adds.
#pragma once

#include <vector>

#include "distribution/distribution.hpp"
#include "distribution/tops/explicit_tops.hpp"
#include "expr/graph/function.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

template <class S> class MultiplierDistribution : public Distribution<S> {
public:
    MultiplierDistribution(const System& system, const Prolongation& p, const KktTops& tops, Jets<S>& jets,
                           const expr::EvaluatorOptions& evaluator);

    PointStatus tops(S t, const S* u, S* w) final;
    PointStatus velocity(S t, const S* u, S* du) final;
    bool solves_for_multipliers() const final { return true; }

protected:
    // l_ from r_ and the entries of S.
    virtual PointStatus solve_multipliers(S t) = 0;

    const linalg::Pattern& pattern() const { return rows_.pattern(); }
    std::int64_t n_multipliers() const { return rows_.n_rows(); }

private:
    PointStatus find_multipliers(S t, const S* u);

    // l[from ..] are the tops w[to ..]
    struct Run {
        std::int64_t from, to, n;
    };
    Jets<S>& jets_;
    std::vector<Run> runs_;
    RowFunction<S> rows_;
    expr::Function<S> tops_, velocity_;
    linalg::Vector<S> w_; // the multipliers in their places

protected:
    linalg::Vector<S> entries_, r_, l_;
};

extern template class MultiplierDistribution<double>;
extern template class MultiplierDistribution<Quad>;

} // namespace vessiot
