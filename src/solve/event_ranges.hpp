// What the functions of events can be along a piece of a step: their expressions over the ranges of the coordinates,
// which the polynomial of the step gives. Not for functions of tops, which are no polynomials there.
//
// With x(theta) = c_0 + c_1 (theta - m) + c_2 (theta - m)^2 + ... about the middle m of a piece of length 2 r,
//
//     |x - c_0| <= sum_k |c_k| r^k,     |x' - c_1| <= sum_k k |c_k| r^(k-1),  k >= 2
#pragma once

#include <optional>
#include <vector>

#include "expr/range_program.hpp"
#include "solve/compiled.hpp"
#include "solve/segment.hpp"

namespace vessiot {

template <class S> class EventRanges {
public:
    explicit EventRanges(Compiled<S>& problem);
    // Of other functions than those of events.
    EventRanges(Compiled<S>& problem, const std::vector<expr::NodeId>& functions);

    // Is anything known of it?
    bool has(std::size_t event) const { return events_[event].program.has_value(); }
    // Of lhs - rhs for theta = a .. b, and of its derivative by theta. Does not allocate.
    expr::Range operator()(std::size_t event, const Segment<S>& segment, S a, S b);

private:
    enum class Source : std::uint8_t { time, coordinate, constant };
    struct Place {
        Source source = Source::constant;
        std::int64_t at = 0;       // of a coordinate
        const S* number = nullptr; // of a constant
    };
    struct EventProgram {
        std::optional<expr::RangeProgram> program{};
        std::vector<Place> places{};      // of what it reads
        std::vector<expr::Range> reads{}; // on the piece
    };
    std::optional<Place> place_of(const expr::RangeProgram::Read& read);
    expr::Range coordinate(const Segment<S>& segment, std::int64_t i, double a, double b);

    Compiled<S>& problem_;
    bool is_arclength_;
    std::int64_t n_whole_ = 0; // coordinates in the buffer of whole arrays
    std::vector<EventProgram> events_;
    std::vector<double> shifted_; // c_k
};

extern template class EventRanges<double>;
extern template class EventRanges<expr::Quad>;

} // namespace vessiot
