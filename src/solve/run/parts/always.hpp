// Events that are looked at always (Event::is_always): where a condition switches, or another event happens, they set
// values until none of them changes.
#pragma once

#include <functional>
#include <vector>

#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class AlwaysEvents {
public:
    explicit AlwaysEvents(RunState<S>& run) : run_(run), events_(run.engine.events.always()) {}

    bool is_empty() const { return events_.empty(); }
    // At the point `work`. `follow` is called after each change: it makes modes fit, and says whether the run goes on.
    // False: the run is over. `has_changed`: something was set.
    bool settle(S t, const std::function<bool()>& follow, bool& has_changed);

private:
    std::string alternating(const std::vector<S>& held, const linalg::Vector<S>& u) const;

    RunState<S>& run_;
    std::vector<std::size_t> events_;
};

extern template class AlwaysEvents<double>;
extern template class AlwaysEvents<Quad>;

} // namespace vessiot
