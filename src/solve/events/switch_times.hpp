// Conditions of t alone: when they switch. Known ahead, by bounds of g and dg/dt on intervals of t (interval arithmetic
// and halving, from the present on), so that none is missed: a piece of time on which g cannot be zero, or on which g
// rises or falls all along, is understood.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "system/conditions.hpp"
#include "system/time_function.hpp"

namespace vessiot::expr {
class NumberList;
}

namespace vessiot {

template <class S> int sign_of(S x) {
    return x > S(0) ? 1 : x < S(0) ? -1 : 0;
}

template <class S> class SwitchTimes {
public:
    // `direction` of travel: 1 or -1; the run ends at `end`.
    SwitchTimes(const System& system, S direction, S end) : system_(system), direction_(direction), end_(end) {}

    // The mode at `position` of what is held.
    void add(const Surface& surface, const expr::Env& env, std::size_t position);
    bool is_empty() const { return rows_.empty(); }

    // Another run, with the parameters that the system has now.
    void renew(S direction, S end) {
        direction_ = direction;
        end_ = end;
        forget(S(0));
        for (Row& row : rows_) row.is_looked_at = false;
    }
    // Looks ahead anew, from t on.
    void forget(S t) {
        for (Row& row : rows_) {
            row.at.reset();
            row.clear = t;
        }
    }
    // Sets the modes that hold from t on, in the direction of travel; true where any of them changed.
    bool set_modes(S t, std::span<S> held);
    // The first switching behind t, where it is not beyond `reach`; else none of them switches up to `reach`, which may
    // have been made nearer for that.
    std::optional<S> next(S t, S& reach, std::span<const S> held);

private:
    struct Row {
        SurfaceKind kind;
        TimeFunction g, rate;
        std::size_t position;
        const expr::NumberList* places = nullptr; // of SurfaceKind::places
        std::optional<S> at{};                    // of the next switching, where it is known
        S clear = 0;                              // there is none up to here
        bool is_looked_at = false;
    };
    struct Change {
        std::optional<S> at;
        S clear;
    };
    // Where g - threshold leaves the side (1 or -1), between two times.
    Change first_change(Row& row, S threshold, int side, S from, S to, int most, std::span<const S> held);
    S locate_change(Row& row, S threshold, S from, S to, std::span<const S> held);
    Change next_of(Row& row, S from, S to, int most, std::span<const S> held);
    // The sign of g - threshold right behind t.
    int side_after(Row& row, S threshold, S t, std::span<const S> held);
    S mode_after(Row& row, S t, std::span<const S> held);
    S piece_after(Row& row, S t, std::span<const S> held);
    bool is_before(S a, S b) const { return (b - a) * direction_ > S(0); }

    const System& system_;
    S direction_, end_;
    std::vector<Row> rows_;
    std::vector<std::pair<S, S>> pieces_;
};

extern template class SwitchTimes<double>;
extern template class SwitchTimes<Quad>;

} // namespace vessiot
