#include "solve/events/switch_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "event/crossing.hpp"
#include "expr/functions/vmath.hpp"
#include "expr/graph/derivative.hpp"
#include "expr/table/number_list.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

using expr::Interval;

namespace {

constexpr int most_pieces = 400; // of one look ahead

// All times between a and b, rounded outwards.
template <class S> Interval between(S a, S b) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto lo = static_cast<double>(std::min(a, b)), hi = static_cast<double>(std::max(a, b));
    if (S(lo) > std::min(a, b)) lo = std::nextafter(lo, -infinity);
    if (S(hi) < std::max(a, b)) hi = std::nextafter(hi, infinity);
    return {lo, hi};
}

// Up to the rounding of zeros.
bool is_zero(Interval g) {
    return g.lo > -1e-300 && g.hi < 1e-300;
}

template <class S> Interval minus(Interval g, S threshold) {
    return expr::apply(expr::Op::sub, g, between(threshold, threshold));
}

} // namespace

template <class S> void SwitchTimes<S>::add(const Surface& surface, const expr::Env& env, std::size_t position) {
    expr::Graph& g = *system_.graph;
    const expr::NodeId rate = expr::total_derivative(g)(surface.value);
    rows_.push_back({surface.kind, TimeFunction(system_, surface.value, env), TimeFunction(system_, rate, env),
                     position, surface.kind == SurfaceKind::places ? &expr::list_of(g, surface.condition) : nullptr});
}

template <class S>
typename SwitchTimes<S>::Change SwitchTimes<S>::first_change(Row& row, S threshold, int side, S from, S to, int most,
                                                             std::span<const S> held) {
    const S shortest = std::max(S(1e-13) * linalg::absolute(to - from),
                                S(8) * linalg::epsilon<S>() * std::max(linalg::absolute(from), linalg::absolute(to)));
    const auto side_at = [&](S t) { return sign_of(row.g(t, held) - threshold); };
    pieces_.assign(1, {from, to});
    for (int n = 0; !pieces_.empty(); ++n) {
        const auto [a, b] = pieces_.back();
        if (n == most) return {std::nullopt, a};
        pieces_.pop_back();
        const Interval times = between(a, b), g = minus(row.g(times, held), threshold);
        if (g.sign() == side || is_zero(g)) continue;
        if (g.sign() == -side) return {a, a};
        const Interval rate = row.rate(times, held);
        if (is_zero(rate)) { // a constant: where that is 0, its interval has both signs by rounding alone
            if (side_at(a) == -side) return {a, a};
            continue;
        }
        const bool is_monotone = rate.sign() != 0;
        if (!is_monotone && linalg::absolute(b - a) > shortest) {
            const S middle = (a + b) / S(2);
            pieces_.push_back({middle, b});
            pieces_.push_back({a, middle});
            continue;
        }
        if (side_at(b) != -side) continue;
        S at = side_at(a) == side ? locate_change(row, threshold, a, b, held) : a;
        // sin(t) is positive at the number next to pi: the switching is where it no longer is
        const auto is_before = [&](S t) { return minus(row.g(between(t, t), held), threshold).sign() == side; };
        for (S way = linalg::epsilon<S>() * linalg::absolute(at) + S(1e-300); is_before(at); way *= S(2)) {
            if (linalg::absolute(b - at) <= way) return {b, b};
            at += direction_ * way;
        }
        return {at, at};
    }
    return {std::nullopt, to};
}

// By secants and halves, and then by Newton's steps, which end at the very number where g is zero, if there is one.
template <class S> S SwitchTimes<S>::locate_change(Row& row, S threshold, S from, S to, std::span<const S> held) {
    const auto time = [&](S way) { return from + direction_ * way; };
    const auto g = [&](S t) { return row.g(t, held) - threshold; };
    S t = time(locate([&](S way) { return g(time(way)); }, S(0), g(from), linalg::absolute(to - from), g(to)));
    for (int k = 0; k < 4; ++k) {
        const S value = g(t), rate = row.rate(t, held);
        if (value == S(0) || !(linalg::absolute(rate) > S(0))) break;
        const S better = t - value / rate;
        if (!(linalg::absolute(g(better)) < linalg::absolute(value))) break;
        t = better;
    }
    return t;
}

template <class S>
typename SwitchTimes<S>::Change SwitchTimes<S>::next_of(Row& row, S from, S to, int most, std::span<const S> held) {
    const S mode = held[row.position];
    const auto leaves = [&](S threshold, int side) { return first_change(row, threshold, side, from, to, most, held); };
    const auto earlier = [&](const Change& a, const Change& b) { return is_before(b.clear, a.clear) ? b : a; };
    if (row.kind == SurfaceKind::floor) return earlier(leaves(mode, 1), leaves(mode + S(1), -1));
    if (row.kind == SurfaceKind::places) {
        const std::vector<S>& places = row.places->template numbers<S>();
        const auto k = static_cast<std::size_t>(mode);
        const Change never{std::nullopt, to};
        return earlier(k > 0 ? leaves(places[k - 1], 1) : never, k < places.size() ? leaves(places[k], -1) : never);
    }
    if (mode == S(0)) return earlier(leaves(S(0), 1), leaves(S(0), -1)); // zero so far
    return leaves(S(0), sign_of(mode));
}

template <class S> int SwitchTimes<S>::side_after(Row& row, S threshold, S t, std::span<const S> held) {
    if (const int sign = minus(row.g(between(t, t), held), threshold).sign(); sign != 0) return sign;
    if (t == end_) return sign_of(row.g(t, held) - threshold);
    const auto leaves_at_once = [&](int side) {
        const Change c = first_change(row, threshold, side, t, end_, most_pieces, held);
        return c.at && *c.at == t;
    };
    if (leaves_at_once(1)) return -1;
    return leaves_at_once(-1) ? 1 : 0;
}

template <class S> S SwitchTimes<S>::mode_after(Row& row, S t, std::span<const S> held) {
    if (row.kind == SurfaceKind::sign) return S(side_after(row, S(0), t, held));
    if (row.kind == SurfaceKind::places) return piece_after(row, t, held);
    const S value = row.g(t, held), nearest = expr::apply<S>(expr::Op::floor, value + S(0.5));
    return side_after(row, nearest, t, held) < 0 ? nearest - S(1) : nearest;
}

// The nearest place decides, by the side on which g is behind t. A place that is open belongs to the piece before it.
template <class S> S SwitchTimes<S>::piece_after(Row& row, S t, std::span<const S> held) {
    const std::vector<S>& places = row.places->template numbers<S>();
    if (places.empty()) return S(0);
    const S value = row.g(t, held);
    std::size_t nearest = std::min(row.places->locate(value), places.size() - 1);
    if (nearest > 0 && value - places[nearest - 1] < places[nearest] - value) --nearest;
    const int side = side_after(row, places[nearest], t, held);
    const bool is_open = nearest + 1 == places.size() && row.places->is_last_open();
    return static_cast<S>(side < 0 || (side == 0 && is_open) ? nearest : nearest + 1);
}

template <class S> bool SwitchTimes<S>::set_modes(S t, std::span<S> held) {
    bool has_any = false;
    for (std::size_t pass = 0; pass <= rows_.size(); ++pass) { // conditions may stand in conditions
        bool has_changed = false;
        for (Row& row : rows_) {
            if (pass > 0 && !row.g.reads_held()) continue;
            const S mode = mode_after(row, t, held);
            if (mode == held[row.position]) continue;
            held[row.position] = mode;
            has_changed = true;
        }
        has_any |= has_changed;
        if (!has_changed) break;
    }
    for (Row& row : rows_) {
        const bool is_known = row.is_looked_at && !row.g.reads_held() && is_before(t, row.at ? *row.at : row.clear);
        if (is_known) continue;
        row.at.reset();
        row.clear = t;
        row.is_looked_at = true;
    }
    return has_any;
}

template <class S> std::optional<S> SwitchTimes<S>::next(S t, S& reach, std::span<const S> held) {
    std::optional<S> first;
    for (Row& row : rows_) {
        S window = end_ - row.clear;
        for (int k = 0; !row.at && is_before(row.clear, reach) && k < 100; ++k) {
            if (linalg::absolute(window) > linalg::absolute(end_ - row.clear)) window = end_ - row.clear;
            const Change c = next_of(row, row.clear, row.clear + window, most_pieces, held);
            const bool is_stuck = !c.at && c.clear == row.clear;
            row.at = c.at;
            row.clear = c.clear;
            if (is_stuck) window /= S(16);
        }
        if (row.at && !is_before(reach, *row.at) && (!first || is_before(*row.at, *first))) first = row.at;
        if (!row.at && is_before(row.clear, reach) && is_before(t, row.clear)) reach = row.clear;
    }
    if (first && is_before(reach, *first)) first.reset();
    return first;
}

template class SwitchTimes<double>;
template class SwitchTimes<Quad>;

} // namespace vessiot
