// The constraints of the completed system at points of a run on the equations as they stand, which does not see the
// hidden ones.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "projection/consistent.hpp"
#include "solve/events/surfaces.hpp"
#include "solve/problem/prepare.hpp"
#include "solve/start/violation.hpp"

namespace vessiot {

// What is searched for beside the values of a point.
enum class Search : std::uint8_t {
    missing,   // coordinates that are not reported: derivatives that the equations as they stand do not have
    algebraic, // these, and what may jump where conditions switch
};

template <class S> class HiddenConstraints {
public:
    HiddenConstraints(const Prepared<S>& completed, Search search);

    bool is_empty() const { return manifold_.n_constraints() == 0; }
    bool searches() const { return searches_; }
    // What is constant between switchings, as the run has it; or, on the way to `end`, as the values of a point say.
    void take_constants(std::span<const S> constants);
    void settle(S t, S end, std::span<const double> row);

    // How far a reported row is off: the largest residual by the largest term of its constraint. What is searched for
    // is that of the point of the manifold next to it. Infinite where there is none. Takes memory.
    double residual(S t, std::span<const double> row);
    // At the point of the last residual(): what is off, and all values as a row has them, as far as they are known.
    std::vector<Violation> violations(S t) { return find_violations(manifold_, t, u_.data()); }
    std::vector<S> values(S t);

private:
    void take(std::span<const double> row, bool is_all);

    Compiled<S>& problem_;
    Manifold<S>& manifold_;
    std::vector<ValuePlace> places_;
    std::vector<Freedom> freedom_; // given: not searched for
    bool searches_;
    linalg::Vector<S> u_, f_, terms_;
    std::optional<Surfaces<S>> surfaces_; // where conditions are located
};

extern template class HiddenConstraints<double>;
extern template class HiddenConstraints<Quad>;

} // namespace vessiot
