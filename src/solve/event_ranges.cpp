#include "solve/event_ranges.hpp"

#include <algorithm>
#include <cmath>

namespace vessiot {

using namespace expr;

namespace {

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
            event.places.push_back(*place);
        }
        event.reads.resize(event.places.size());
    }
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
        const Place& place = e.places[k];
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

template class EventRanges<double>;
template class EventRanges<Quad>;

} // namespace vessiot
