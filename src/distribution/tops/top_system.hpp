// The linear system r(t, u) + A(t, u) w = 0 for the tops, with numbers: square, or, in the general formulation, with
// more equations.
#pragma once

#include "completion/prolongation.hpp"
#include "manifold/jets.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

template <class S> class TopSystem {
public:
    TopSystem(const System& system, const Prolongation& p, Jets<S>& jets, const expr::EvaluatorOptions& evaluator);

    std::int64_t n_equations() const { return function_.n_rows(); }
    const linalg::Pattern& pattern() const { return function_.pattern(); }
    const RowFunction<S>& function() const { return function_; }
    void operator()(S t, const S* u, S* r, S* entries) { function_(jets_.at(t, u), r, entries); }

private:
    Jets<S>& jets_;
    RowFunction<S> function_;
};

extern template class TopSystem<double>;
extern template class TopSystem<Quad>;

} // namespace vessiot
