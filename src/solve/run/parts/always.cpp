#include "solve/run/parts/always.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "solve/start/given.hpp"

namespace vessiot {

namespace {

constexpr int most_iterations = 1000;

} // namespace

template <class S> bool AlwaysEvents<S>::settle(S t, const std::function<bool()>& follow, bool& has_changed) {
    EventFunctions<S>& functions = run_.engine.events;
    const std::span<const S> held = run_.problem().jets().held();
    std::vector<S> before;
    linalg::Vector<S> u;
    for (int k = 0;; ++k) {
        bool is_done = true;
        before.assign(held.begin(), held.end());
        u = run_.work;
        for (const std::size_t e : events_) {
            if (!functions.changes(e, t, run_.work.data())) continue;
            is_done = false;
            if (const std::string wrong = (*run_.engine.jump)(e, t, run_.work); !wrong.empty()) {
                run_.fail(fmt::format("the run ended at {} = {}: {}", run_.solution.independent, run_.show(t), wrong));
                return false;
            }
        }
        if (is_done) return true;
        has_changed = true;
        if (k == most_iterations) break;
        if (!follow()) return false;
    }
    run_.fail(fmt::format("the run ended at {} = {}: what is set there changes again and again, {} times: {}. Write "
                          "rules that come to an end",
                          run_.solution.independent, run_.show(t), most_iterations, alternating(before, u)));
    return false;
}

// What differs from the iteration before, by name.
template <class S>
std::string AlwaysEvents<S>::alternating(const std::vector<S>& held, const linalg::Vector<S>& u) const {
    const Analysis& a = run_.problem().analysis();
    const std::span<const S> now = run_.problem().jets().held();
    std::vector<std::string> names;
    std::size_t position = 0;
    for (const Held& h : a.system.held)
        for (std::size_t e = 0; e < h.values.size(); ++e, ++position)
            if (now[position] != held[position] && !h.name.empty())
                names.push_back(a.system.graph->print_read(
                    h.array, a.system.graph->indices_at(h.array, static_cast<std::int64_t>(e))));
    for (std::int64_t k = 0; k < run_.problem().n_state(); ++k)
        if (run_.work[k] != u[k]) names.push_back(a.name_of(a.prolongation.state[static_cast<std::size_t>(k)]));
    return listed(names);
}

template class AlwaysEvents<double>;
template class AlwaysEvents<Quad>;

} // namespace vessiot
