#include "solve/events/event_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace vessiot {

using namespace expr;

namespace {

constexpr double least_growth = 2, most_growth = 1e6; // of a box beside a step
constexpr int most_waits = 64;

std::vector<NodeId> functions_of(const std::vector<Event>& events) {
    std::vector<NodeId> functions;
    for (const Event& e : events) functions.push_back(e.value);
    return functions;
}

} // namespace

template <class S>
EventRanges<S>::EventRanges(Compiled<S>& problem) : EventRanges(problem, functions_of(problem.system().events)) {}

template <class S>
EventRanges<S>::EventRanges(Compiled<S>& problem, const std::vector<NodeId>& functions)
    : problem_(problem), is_arclength_(problem.analysis().is_arclength), events_(functions.size()) {
    Graph& g = *problem.system().graph;
    for (const ArrayId a : problem.jets().inputs()[2].arrays) n_whole_ += g.array(a).size();
    std::map<Place, std::size_t> numbers;
    for (std::size_t e = 0; e < events_.size(); ++e) {
        EventProgram& event = events_[e];
        event.program = RangeProgram::make(g, problem.jets().inputs(), functions[e]);
        if (!event.program) continue;
        for (const RangeProgram::Read& read : event.program->reads()) {
            const std::optional<Place> place = place_of(read);
            if (!place) {
                event.program.reset();
                break;
            }
            const auto [at, is_new] = numbers.try_emplace(*place, places_.size());
            if (is_new) places_.push_back(*place);
            event.places.push_back(at->second);
        }
        event.reads.resize(event.places.size());
        event.sides.resize(event.places.size());
    }
    step_.resize(places_.size());
}

// The buffers of Jets: t, parameters, coordinates, arrays with tops in them, what is constant between events.
template <class S>
std::optional<typename EventRanges<S>::Place> EventRanges<S>::place_of(const RangeProgram::Read& read) {
    const std::vector<std::int32_t>& state = problem_.prolongation().state;
    const auto at = static_cast<std::size_t>(read.index);
    switch (read.buffer) {
    case 0: return is_arclength_ ? Place{Source::coordinate, problem_.n_state()} : Place{Source::time};
    case 1:
    case 4: return Place{Source::constant, 0, problem_.jets().parameters_only()[read.buffer] + at};
    case 2: return Place{Source::coordinate, read.index};
    default: {
        const auto found = std::ranges::find(state, static_cast<std::int32_t>(n_whole_ + read.index));
        if (found == state.end()) return std::nullopt;
        return Place{Source::coordinate, found - state.begin()};
    }
    }
}

template <class S> Range EventRanges<S>::coordinate(const Segment<S>& segment, std::int64_t i, double a, double b) {
    const int n = segment.degree();
    shifted_.resize(static_cast<std::size_t>(n) + 1);
    for (int k = 0; k <= n; ++k) shifted_[static_cast<std::size_t>(k)] = static_cast<double>(segment.coefficient(k, i));
    const double m = (a + b) / 2, r = (b - a) / 2;
    for (std::size_t j = 0; j + 1 < shifted_.size(); ++j) // Horner's scheme, again and again
        for (std::size_t k = shifted_.size() - 1; k-- > j;) shifted_[k] += m * shifted_[k + 1];
    double off = 0, slope_off = 0;
    for (std::size_t k = shifted_.size() - 1; k > 0; --k) {
        off = (off + std::abs(shifted_[k])) * r;
        if (k > 1) slope_off = (slope_off + static_cast<double>(k) * std::abs(shifted_[k])) * r;
    }
    const double c = shifted_[0], slope = n > 0 ? shifted_[1] : 0;
    return {{c - off, c + off}, {slope - slope_off, slope + slope_off}};
}

template <class S> Range EventRanges<S>::operator()(std::size_t event, const Segment<S>& segment, S from, S to) {
    EventProgram& e = events_[event];
    const auto a = static_cast<double>(from), b = static_cast<double>(to);
    for (std::size_t k = 0; k < e.places.size(); ++k) {
        const Place& place = places_[e.places[k]];
        if (place.source == Source::coordinate) {
            e.reads[k] = coordinate(segment, place.at, a, b);
        } else if (place.source == Source::constant) {
            e.reads[k] = Range::constant(static_cast<double>(*place.number));
        } else {
            const auto h = static_cast<double>(segment.h()), p = static_cast<double>(segment.tau_at(from)),
                       q = static_cast<double>(segment.tau_at(to));
            e.reads[k] = {{std::min(p, q), std::max(p, q)}, {h, h}};
        }
    }
    return (*e.program)(e.reads.data());
}

template <class S> Interval EventRanges<S>::whole(const Segment<S>& segment, const Place& place) const {
    if (place.source == Source::constant)
        return {static_cast<double>(*place.number), static_cast<double>(*place.number)};
    if (place.source == Source::time) {
        const auto p = static_cast<double>(segment.tau()), q = static_cast<double>(segment.tau_at(S(1)));
        return {std::min(p, q), std::max(p, q)};
    }
    const auto x = static_cast<double>(segment.coefficient(0, place.at));
    double off = 0;
    for (int k = 1; k <= segment.degree(); ++k) off += std::abs(static_cast<double>(segment.coefficient(k, place.at)));
    off += 16 * std::numeric_limits<double>::epsilon() * (std::abs(x) + off);
    return {x - off, x + off};
}

template <class S> void EventRanges<S>::enter(const Segment<S>& segment) {
    for (std::size_t k = 0; k < places_.size(); ++k) step_[k] = whole(segment, places_[k]);
}

template <class S> bool EventRanges<S>::is_inside(const EventProgram& e) const {
    for (std::size_t k = 0; k < e.places.size(); ++k) {
        const Interval& x = step_[e.places[k]];
        if (!(e.sides[k].lo <= x.lo && x.hi <= e.sides[k].hi)) return false;
    }
    return true;
}

template <class S> int EventRanges<S>::sign(std::size_t event) {
    EventProgram& e = events_[event];
    if (!e.program) return 0;
    if (e.box.sign != 0 && is_inside(e)) return e.box.sign;
    if (e.box.n_waits > 0) {
        --e.box.n_waits;
        return 0;
    }
    find_box(e);
    return e.box.sign;
}

// NOTE: of slopes nothing is said, nor asked.
template <class S> void EventRanges<S>::find_box(EventProgram& e) {
    for (std::size_t k = 0; k < e.places.size(); ++k) {
        const Interval& x = step_[e.places[k]];
        const double more = (e.box.growth - 1) * (x.hi - x.lo) / 2;
        e.sides[k] = {x.lo - more, x.hi + more};
        e.reads[k] = {e.sides[k], {}};
    }
    Box& box = e.box;
    box.sign = (*e.program)(e.reads.data()).value.sign();
    if (box.sign != 0) {
        box.growth = std::min(2 * box.growth, most_growth);
        box.next_waits = 1;
    } else {
        box.growth = std::max(box.growth / 4, least_growth);
        box.n_waits = box.next_waits;
        box.next_waits = std::min(2 * box.next_waits, most_waits);
    }
}

template <class S> void EventRanges<S>::forget() {
    for (EventProgram& e : events_) e.box = {};
}

template class EventRanges<double>;
template class EventRanges<Quad>;

} // namespace vessiot
