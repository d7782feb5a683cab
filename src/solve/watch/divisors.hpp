// Divisors of the equations that change their sign on the way.
//
// Where a divisor is 0 the direction may have a pole. Steps that are controlled get small before it, and the run ends
// there; steps of constant size go over it as if nothing was there, to another curve. So the signs of divisors are
// looked at at both ends of each such step. Arguments of tan, which divides by the cosine, are looked at likewise; even
// powers by their base. Branches of an `if` are left out, since nobody says that they are taken.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifold/row_function.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> class DivisorWatch {
public:
    DivisorWatch(Compiled<S>& problem, bool has_constant_steps);

    bool is_on() const { return function_.has_value(); }
    // The first divisor with another sign than at the last point, by its number. Does not allocate.
    std::optional<std::int64_t> changed(S t, const S* u);
    void forget() { is_known_ = false; }
    // Where on the way from theta = 0 to 1 it changes its sign; `curve` sets u and returns t. By bisection.
    S root(std::int64_t divisor, const std::function<S(S theta, S* u)>& curve);
    // As the author wrote it: "t - 0.5"; of a family the formula of its members.
    std::string text(std::int64_t divisor) const;

private:
    bool is_positive(std::int64_t divisor, S t, const S* u);

    Compiled<S>& problem_;
    std::optional<RowFunction<S>> function_; // all divisors
    std::vector<expr::NodeId> node_;         // by divisor
    linalg::Vector<S> values_;
    std::vector<char> sign_; // at the last point: is it positive?
    bool is_known_ = false;
};

extern template class DivisorWatch<double>;
extern template class DivisorWatch<Quad>;

} // namespace vessiot
