// Places where time is the wrong parameter, and places where the equations do not say where to go.
//
// At an impasse point the matrix A of the equations r + A w = 0 is singular but (r, A) is not: the curve goes on, with
// a tangent that has no component along t. Where (r, A) loses rank too, several curves may cross; at an isolated such
// point the one that goes on smoothly is followed.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "distribution/tops/top_system.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/jacobi_svd.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> struct Place {
    S t;
    const S* u;
};

// Near an impasse point, for a run that began at `start`? Dense; false for large systems. Takes memory.
template <class S> bool is_near_impasse(Compiled<S>& problem, const Place<S>& here, const Place<S>& start);

// Watches the sign of det A along a run in time: where it changes although the run goes on, r vanishes with A, or the
// run has stepped over a pole.
template <class S> class DeterminantWatch {
public:
    // Watched are implicit systems, f(t, y, y', ..) = 0 with a matrix A that is not constant. In large systems nothing
    // is, nor in arclength. A lagrangian is where its masses vary: constant ones are positive, and then the sign of
    // det A is always the same, (-1)^k for k constraints.
    // A lagrangian all along only where `has_long_steps`, with implicit methods and constant steps: explicit methods
    // make so many small ones near such a place that they see for themselves. Otherwise it is looked at here and there,
    // which costs nothing.
    DeterminantWatch(Compiled<S>& problem, bool has_long_steps);

    // True where the sign differs from that at the last point. Does not allocate.
    bool has_changed(S t, const S* u);
    // The same of a point that is not accepted yet, which is then looked at once for both.
    bool would_change(S t, const S* u);
    // Has |det A| been nearly 0 on the way, and is it not any more, with its sign as it was? Then another curve came
    // nearer than errors of size `rtol` tell curves apart, some sqrt(rtol), and the run may have gone over to it.
    // Returns where; asked once after each call of has_changed.
    std::optional<S> near_miss(S rtol);
    void forget() {
        sign_ = 0;
        dip_ = {};
        looked_.reset();
    }
    // Is |det A| less than a quarter of what it was, or so?
    bool is_in_dip() const { return is_on_ && !is_mechanical_ && size_ + 2 < dip_.highest; }
    bool is_on() const { return is_on_; }
    // Is it enough to look now and then?
    bool is_coarse() const { return is_coarse_; }
    S looked_at() const { return before_t_; } // the time before the last one

    struct Opening {
        bool is_there = false;
        S theta = 0;
        bool is_over_fold = false; // the way leads over a place where t turns, or from one branch to another
    };
    // Where A gets singular on the way from theta = 0 to 1, and leaves the direction of the curve open; `curve` sets u
    // and returns t. Not where the sign jumps, at a condition, nor where only unknowns without a derivative,
    // multipliers, are open at that point: the curve is not touched by that. In systems too large to look at: at the
    // end. A way on the manifold, as `curve` has it, that is continuous and meets a singular A where r has a part that
    // A does not reach, as long as it is elsewhere, goes over a fold: no solution passes there. Takes memory.
    Opening opening(const std::function<S(S theta, S* u)>& curve);

private:
    bool make(const expr::EvaluatorOptions& evaluator); // false: too large
    bool can_change() const;
    int sign_at(S t, const S* u);
    bool is_fold(S t, const S* u, S r_at_ends);

    Compiled<S>& problem_;
    bool is_on_ = false, is_coarse_ = false, is_mechanical_ = false;
    std::optional<TopSystem<S>> system_;
    std::optional<linalg::DenseLu<S>> lu_;
    linalg::Vector<S> r_, entries_;
    int sign_ = 0;

    struct Dip {
        int highest = std::numeric_limits<int>::min(); // log2 |det A| before it
        int lowest = std::numeric_limits<int>::max();  // in it
        S t = 0;                                       // there
    };
    int size_ = 0; // log2 |det A| at the last point
    S t_ = 0, before_t_ = 0;
    struct Looked {
        S t;
        int sign, size;
    };
    std::optional<Looked> looked_; // at a point that is not accepted yet
    Dip dip_;
};

extern template bool is_near_impasse(Compiled<double>&, const Place<double>&, const Place<double>&);
extern template bool is_near_impasse(Compiled<Quad>&, const Place<Quad>&, const Place<Quad>&);
extern template class DeterminantWatch<double>;
extern template class DeterminantWatch<Quad>;

} // namespace vessiot
