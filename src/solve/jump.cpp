#include "solve/jump.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "linalg/scalar.hpp"
#include "solve/given.hpp"
#include "solve/start.hpp"
#include "solve/violation.hpp"

namespace vessiot {

template <class S> Jump<S>::Jump(Problem<S>& problem, EventFunctions<S>& events) : problem_(problem), events_(events) {
    usual_ = freedom_at_jumps(problem.system(), problem.prolongation());
}

template <class S> std::string Jump<S>::not_finite(std::size_t event, S value, std::size_t k) const {
    const Analysis& a = problem_.analysis();
    const auto at = static_cast<std::size_t>(events_.coordinates(event)[k]);
    return fmt::format("the event '{}' sets {} to {}, which is no finite number", a.system.events[event].name,
                       a.name_of(a.prolongation.state[at]), static_cast<double>(value));
}

template <class S> std::string Jump<S>::contradiction(std::size_t event, Manifold<S>& manifold, S t, const S* u) const {
    const Analysis& a = problem_.analysis();
    std::vector<std::string> names;
    for (const std::int64_t k : events_.coordinates(event))
        names.push_back(a.name_of(a.prolongation.state[static_cast<std::size_t>(k)]));
    return fmt::format("what the event '{}' sets ({}) contradicts the constraints, whatever the other values are: {}. "
                       "Set fewer values, or such that the constraints can be satisfied",
                       a.system.events[event].name, listed(names), to_text(find_violations(manifold, t, u)));
}

template <class S> std::string Jump<S>::operator()(std::size_t event, S t, linalg::Vector<S>& u) {
    const std::vector<S>& values = events_.assigned(event, t, u.data());
    const std::vector<std::int64_t>& coordinates = events_.coordinates(event);
    linalg::Vector<S> to = u;
    std::vector<Freedom> freedom = usual_;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(static_cast<double>(values[k]))) return not_finite(event, values[k], k);
        to[coordinates[k]] = values[k];
        freedom[static_cast<std::size_t>(coordinates[k])] = Freedom::held;
    }
    const auto move_onto = [&](Manifold<S>& m) {
        return find_violations(m, t, to.data()).empty() || make_consistent<S>(m, t, to, freedom, nullptr);
    };
    if (!move_onto(problem_.written_manifold())) return contradiction(event, problem_.written_manifold(), t, to.data());
    take_levels(problem_, t, to.data());
    if (!move_onto(problem_.manifold())) return contradiction(event, problem_.manifold(), t, to.data());
    take_levels(problem_, t, to.data());
    u = std::move(to);
    return "";
}

template class Jump<double>;
template class Jump<expr::Quad>;

} // namespace vessiot
