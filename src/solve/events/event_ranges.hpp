// What the functions of events can be along a piece of a step: their expressions over the ranges of the coordinates,
// which the polynomial of the step gives. Not for functions of tops, which are no polynomials there.
//
// With x(theta) = c_0 + c_1 (theta - m) + c_2 (theta - m)^2 + ... about the middle m of a piece of length 2 r,
//
//     |x - c_0| <= sum_k |c_k| r^k,     |x' - c_1| <= sum_k k |c_k| r^(k-1),  k >= 2
//
// Most functions are far from zero most of the time. For each a *box* is kept: intervals of what it reads on which it
// has one sign. As long as steps stay inside there is nothing to compute but where the coordinates are,
//
//     |x - d_0| <= sum_k |d_k|     on a whole step, x = d_0 + sum_k theta^k d_k
//
// A box is that of a step, made larger by a factor that grows as long as boxes are found.
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "expr/range/range_program.hpp"
#include "solve/problem/compiled.hpp"
#include "solve/run/segment.hpp"

namespace vessiot {

template <class S> class EventRanges {
public:
    explicit EventRanges(Compiled<S>& problem);
    // Of other functions than those of events.
    EventRanges(Compiled<S>& problem, const std::vector<expr::NodeId>& functions);

    // Is anything known of it?
    bool has(std::size_t event) const { return event < events_.size() && events_[event].program.has_value(); }
    // Of lhs - rhs for theta = a .. b, and of its derivative by theta. Does not allocate.
    expr::Range operator()(std::size_t event, const Segment<S>& segment, S a, S b);

    // The step that sign() is asked about.
    void enter(const Segment<S>& segment);
    // The sign of a function all along it; 0: not known. Does not allocate.
    int sign(std::size_t event);
    void forget(); // all boxes

private:
    enum class Source : std::uint8_t { time, coordinate, constant };
    struct Place {
        Source source = Source::constant;
        std::int64_t at = 0;       // of a coordinate
        const S* number = nullptr; // of a constant
        auto operator<=>(const Place&) const = default;
    };
    struct Box {
        int sign = 0; // 0: there is none
        double growth = 16;
        int n_waits = 0, next_waits = 1; // steps until the next one is tried
    };
    struct EventProgram {
        std::optional<expr::RangeProgram> program{};
        std::vector<std::size_t> places{}; // of what it reads
        std::vector<expr::Range> reads{};  // on the piece
        std::vector<expr::Interval> sides{};
        Box box{};
    };
    std::optional<Place> place_of(const expr::RangeProgram::Read& read);
    expr::Interval whole(const Segment<S>& segment, const Place& place) const;
    bool is_inside(const EventProgram& e) const;
    void find_box(EventProgram& e);
    expr::Range coordinate(const Segment<S>& segment, std::int64_t i, double a, double b);

    Compiled<S>& problem_;
    bool is_arclength_;
    std::int64_t n_whole_ = 0;         // coordinates in the buffer of whole arrays
    std::vector<Place> places_;        // that any of them reads
    std::vector<expr::Interval> step_; // where these are along the step
    std::vector<EventProgram> events_;
    std::vector<double> shifted_; // c_k
};

extern template class EventRanges<double>;
extern template class EventRanges<Quad>;

} // namespace vessiot
