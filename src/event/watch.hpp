// The functions of all events along a run, step by step: which are crossed or touched in a step, and in which order.
//
// Rules. A function that is zero where a run begins, or goes on after a jump, leaves zero there and does not cross it.
// It does so on the side that its rate says, however that looks on the curve of a method of low order: a step on which
// it does not is not to be believed.
// At the common end of two steps a zero counts once. A touch has no direction: it counts for events without one only.
// A function that becomes zero and stays there crosses zero when it gets there, and not again when it leaves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "event/chebyshev.hpp"
#include "event/zeros.hpp"
#include "system/system.hpp"

namespace vessiot {

// Event `event` at theta = 0 .. 1 of the step.
template <class S> struct EventCrossing {
    std::size_t event = 0;
    S theta = 0;
    ZeroKind kind = ZeroKind::rising;
};

// What is at the end of a step.
enum class StepEnd : std::uint8_t { inside, last, switching };

template <class S> class EventWatch {
public:
    explicit EventWatch(const std::vector<Event>& events)
        : n_(events.size()), before_(n_), inner_(n_), rough_(3 * n_), nodes_(9 * n_), terms_(n_), work_(n_),
          last_touch_(n_), rate_(n_), scale_(n_), sign_(n_), is_start_(n_), is_flat_(n_), has_touch_(n_), is_near_(n_),
          is_lead_lost_(n_), is_met_(n_), is_still_(n_), begin_zero_(n_) {
        unsure_.looks.assign(n_, ZeroFinder<S>::most_looks);
        for (const Event& e : events) directions_.push_back(e.direction);
        zeros_.reserve(16);
    }

    bool is_empty() const { return n_ == 0; }

    // A run begins, or goes on after a jump at which the events `met` were met, with these values, and these rates in
    // the direction of travel; 0, not finite or null: not known. Those of the events `met` are no noise.
    void begin(const S* values, const S* rates = nullptr, std::span<const std::size_t> met = {}) {
        std::ranges::fill(has_touch_, 0);
        std::ranges::fill(inner_, S(0));
        for (std::size_t e = 0; e < n_; ++e) {
            const S zero = std::max(beginning_size(terms_[e]), begin_zero_[e]);
            begin_zero_[e] = zero;
            const bool is_met = std::ranges::find(met, e) != met.end();
            const bool is_zero = linalg::absolute(values[e]) <= zero;
            // a jump of others does not change it: it goes on, and may cross zero there
            const S change = linalg::absolute(values[e] - before_[e]);
            const bool goes_on = rates && !is_met && sign_[e] != 0 &&
                                 change <= zero + S(4) * linalg::epsilon<S>() * linalg::absolute(values[e]);
            is_start_[e] = !goes_on;
            is_met_[e] = is_met;
            if (!goes_on) sign_[e] = is_zero ? 0 : sign_of(values[e]);
            rate_[e] = rates && linalg::is_finite(rates[e]) ? rates[e] : S(0);
        }
        std::copy_n(values, n_, before_.begin());
        std::ranges::fill(terms_, S(0));
    }

    // The zeros in the next step, of length h from tau, in the order in which they are met; at one point in the order
    // of the model. `probe` has
    //     values(theta, v)   the functions on the curve
    //     rough(theta, v)    the same, quicker and not as exact
    //     terms(theta, v)    the largest term of each
    //     has_range(e), range(e, a, b)   is the range of g and of its derivative by theta known, and what it is
    //     sign(e)            its sign all along the step, 0: not known; where touches are of no interest
    //     rtol, atol         of the curve
    // `at_end`: the values at theta = 1. `end`: a zero there is met now where the run ends, or where other equations
    // hold behind it, which may turn the function back.
    template <class Probe>
    void find(Probe& probe, S tau, S h, const S* at_end, StepEnd end, std::vector<EventCrossing<S>>& found) {
        found.clear();
        std::ranges::fill(is_lead_lost_, 0);
        std::ranges::fill(is_still_, 0);
        unsure_.is_there = false;
        const bool is_short = linalg::absolute(h) <= S(rounding) * linalg::epsilon<S>() * linalg::absolute(tau + h);
        if (!are_far(probe, at_end, end) && look_roughly(probe, at_end, is_short)) {
            for (std::size_t k = 1; k < 8; ++k) probe.values(Fit<S, 8>::node(k), &nodes_[k * n_]);
            std::copy_n(before_.begin(), n_, nodes_.begin());
            std::copy_n(at_end, n_, nodes_.begin() + static_cast<std::ptrdiff_t>(8 * n_));
            look_at_terms(probe);
            for (std::size_t e = 0; e < n_; ++e)
                if (is_near_[e]) look_closely(probe, e, tau, h, end, found);
        }
        std::copy_n(at_end, n_, before_.begin());
        for (std::size_t e = 0; e < n_; ++e) {
            if (is_still_[e]) continue;
            is_start_[e] = 0;
            begin_zero_[e] = S(0);
        }
        std::ranges::sort(found, [](const auto& a, const auto& b) {
            return a.theta < b.theta || (a.theta == b.theta && a.event < b.event);
        });
    }

    // A function of which one step could not be sure (noise beside zero) is looked at less often in the next.
    void lose_patience() { unsure_.is_patient = false; }

    // Is it zero, up to round-off, all along the last step?
    bool is_flat(std::size_t event) const { return is_flat_[event] != 0; }

    // May crossings of an event in the last step have been missed? Which, and from which theta on.
    bool is_unsure() const { return unsure_.is_there; }
    std::size_t unsure_event() const { return unsure_.event; }
    S unsure_from() const { return unsure_.from; }

    // Its value at the end of the last step, and the side from which it got there: 0 where it began at zero.
    S last(std::size_t event) const { return before_[event]; }
    int side(std::size_t event) const { return sign_[event]; }

    // It begins at zero in the last step, and is nowhere on the side that its rate says.
    bool is_lead_lost(std::size_t event) const { return is_lead_lost_[event] != 0; }
    // The largest |g| on the last step in which it was looked at closely.
    S scale(std::size_t event) const { return scale_[event]; }

    // For a step that may have to be made again: what was known before it.
    void keep() {
        kept_.before = before_, kept_.inner = inner_, kept_.terms = terms_, kept_.last_touch = last_touch_;
        kept_.begin_zero = begin_zero_;
        kept_.sign = sign_, kept_.is_start = is_start_, kept_.is_flat = is_flat_, kept_.has_touch = has_touch_;
    }
    void go_back() {
        before_ = kept_.before, inner_ = kept_.inner, terms_ = kept_.terms, last_touch_ = kept_.last_touch;
        begin_zero_ = kept_.begin_zero;
        sign_ = kept_.sign, is_start_ = kept_.is_start, is_flat_ = kept_.is_flat, has_touch_ = kept_.has_touch;
    }

    // Everything that counts for the next steps, for a run that goes on elsewhere.
    template <class Archive> void exchange(Archive& archive) {
        archive.fixed("before", before_);
        archive.fixed("inner", inner_);
        archive.fixed("terms", terms_);
        archive.fixed("last_touch", last_touch_);
        archive.fixed("rate", rate_);
        archive.fixed("sign", sign_);
        archive.fixed("is_start", is_start_);
        archive.fixed("is_flat", is_flat_);
        archive.fixed("has_touch", has_touch_);
        archive.fixed("is_met", is_met_);
        archive.fixed("begin_zero", begin_zero_);
    }

private:
    static constexpr double rounding = 64; // round-offs of the largest term: zero
    static constexpr double touching = 10; // tolerances of a step: touched
    static constexpr int fewest_looks = 300;

    // Of a value where a run begins or goes on: less is zero.
    static S beginning_size(S scale) { return S(1000) * linalg::epsilon<S>() * scale; }

    static int sign_of(S x) { return x > S(0) ? 1 : x < S(0) ? -1 : 0; }
    S node(std::size_t k, std::size_t e) const { return nodes_[k * n_ + e]; }

    // Do all functions keep their signs, by their values at the ends and what is known of their rates? What gets near
    // to zero where the run ends, or other equations begin, may have got there but for round-off.
    template <class Probe> bool are_far(Probe& probe, const S* at_end, StepEnd end) {
        bool is_all = true;
        for (std::size_t e = 0; e < n_; ++e) {
            const bool may_arrive =
                end != StepEnd::inside && linalg::absolute(at_end[e]) <= S(1e-6) * linalg::absolute(before_[e]);
            is_near_[e] = !(!may_arrive && probe.has_range(e) && goes_on_there(e) &&
                            (is_sign_known(probe, e, at_end[e]) || keeps_sign(probe, e, at_end[e], 0)));
            if (is_near_[e])
                is_all = false;
            else
                set_far(e);
        }
        return is_all;
    }
    // Does it begin the step with the sign that it had, and on the side to which it moves?
    bool goes_on_there(std::size_t e) const {
        const int sign = sign_of(before_[e]);
        return sign_[e] == sign && !(is_start_[e] && sign_of(rate_[e]) == -sign);
    }
    template <class Probe> bool is_sign_known(Probe& probe, std::size_t e, S at_end) {
        if constexpr (requires { probe.sign(e); }) {
            const int sign = probe.sign(e);
            return sign != 0 && sign == sign_of(before_[e]) && sign == sign_of(at_end);
        }
        return false;
    }
    template <class Probe> bool keeps_sign(Probe& probe, std::size_t e, S at_end, int n_looks) {
        const auto g = [&](S theta) {
            probe.rough(theta, work_.data());
            return work_[e];
        };
        const auto range = [&](S a, S b) { return probe.range(e, a, b); };
        return finder_.keeps_sign(g, range, [](S) { return S(0); }, before_[e], at_end, n_looks);
    }

    // Is any of the others near zero? Of five values each, and what is known of its rate.
    template <class Probe> bool look_roughly(Probe& probe, const S* at_end, bool is_short) {
        constexpr int n_looks = 60;
        for (std::size_t k = 1; k < 4; ++k) probe.rough(Fit<S, 4>::node(k), &rough_[(k - 1) * n_]);
        bool is_any = false;
        for (std::size_t e = 0; e < n_; ++e) {
            if (!is_near_[e]) continue;
            const std::array<S, 5> v{before_[e], rough_[e], rough_[n_ + e], rough_[2 * n_ + e], at_end[e]};
            is_still_[e] = is_short && is_start_[e] && sign_[e] == 0 &&
                           std::ranges::all_of(v, [&](S x) { return linalg::absolute(x) <= begin_zero_[e]; });
            if (is_still_[e]) {
                is_near_[e] = 0;
                continue;
            }
            is_near_[e] = !(is_far(v) && (!probe.has_range(e) || keeps_sign(probe, e, at_end[e], n_looks)));
            is_any |= is_near_[e] != 0;
            if (!is_near_[e]) set_far(e);
        }
        return is_any;
    }
    void set_far(std::size_t e) {
        sign_[e] = sign_of(before_[e]);
        inner_[e] = S(0);
        is_flat_[e] = 0;
    }

    // All of one sign, with a fit that stays away from zero by more than it may be off.
    static bool is_far(const std::array<S, 5>& v) {
        if (!(linalg::is_finite(v[0] + v[1] + v[2] + v[3] + v[4]))) return false;
        const int sign = sign_of(v[0]);
        if (sign == 0) return false;
        for (const S& x : v)
            if (sign_of(x) != sign) return false;
        const Fit<S, 4> fit(v);
        constexpr int n = 16;
        S low = linalg::absolute(v[0]), high = low;
        for (int k = 1; k <= n; ++k) {
            const S value = S(sign) * fit.value(S(2 * k - n) / S(n));
            low = std::min(low, value);
            high = std::max(high, value);
        }
        return low > S(4) * fit.tail() + S(0.02) * (high - low);
    }

    template <class Probe>
    void look_closely(Probe& probe, std::size_t e, S tau, S h, StepEnd end, std::vector<EventCrossing<S>>& found) {
        std::array<S, 9> v;
        S scale = 0;
        for (std::size_t k = 0; k < 9; ++k) {
            v[k] = node(k, e);
            if (linalg::is_finite(v[k])) scale = std::max(scale, linalg::absolute(v[k]));
        }
        scale_[e] = scale;
        const S zero = zero_size(e);
        const bool was_flat = is_flat_[e] != 0;
        is_flat_[e] = scale <= zero && linalg::is_finite(v[0] + v[8]);
        if (is_flat_[e]) {
            if (!was_flat && !is_start_[e] && sign_[e] != 0) add(found, e, S(0), arrival(sign_[e]));
            sign_[e] = 0;
            return;
        }
        if (is_start_[e] && linalg::absolute(v[0]) <= beginning_size(scale)) sign_[e] = 0;
        const auto g = [&](S theta) {
            probe.values(theta, work_.data());
            return work_[e];
        };
        const auto tolerance = [&](S theta) {
            probe.terms(theta, work_.data());
            return S(touching) * (probe.atol + probe.rtol * work_[e]);
        };
        zeros_.clear();
        const bool begins_at_zero = sign_[e] == 0;
        if (is_touched_at_start(e, v, scale, tolerance)) zeros_.push_back({S(0), ZeroKind::touch});
        inner_[e] = v[7];
        const auto range = [&](S a, S b) { return probe.range(e, a, b); };
        int& looks = unsure_.looks[e];
        finder_.allow_looks(unsure_.is_patient ? ZeroFinder<S>::most_looks : looks);
        sign_[e] = finder_(g, tolerance, v, sign_[e], lead(e, h, scale), probe.has_range(e), range, zeros_);
        looks = finder_.is_unsure() ? std::max(fewest_looks, looks / 8) : ZeroFinder<S>::most_looks;
        if (finder_.is_unsure()) {
            unsure_.is_there = true;
            unsure_.event = e;
            unsure_.from = finder_.unsure_from();
        }
        is_lead_lost_[e] = begins_at_zero && is_start_[e] && finder_.is_lead_lost();
        for (const Zero<S>& z : zeros_) {
            if (z.kind == ZeroKind::touch && !is_new_touch(e, tau + z.theta * h, h)) continue;
            add(found, e, z.theta, z.kind);
        }
        if (sign_[e] == 0 || begins_at_zero) return;
        if (linalg::absolute(v[8]) <= zero && linalg::absolute(v[7]) <= zero)
            arrive(g, e, v, zero, found);
        else if (end == StepEnd::last && v[8] == S(0) && zeros_.empty())
            add(found, e, S(1), arrival(sign_[e]));
        else if (end != StepEnd::inside && linalg::absolute(v[8]) <= zero && is_straight(v) && zeros_.empty()) {
            add(found, e, S(1), arrival(sign_[e]));
            sign_[e] = 0;
        }
    }

    // Does it go to zero at the end as a straight line does, and not as a parabola? By its last two values before.
    static bool is_straight(const std::array<S, 9>& v) {
        const S slow = Fit<S, 8>::node(8) - Fit<S, 8>::node(7), fast = Fit<S, 8>::node(8) - Fit<S, 8>::node(6);
        return linalg::absolute(v[7]) > S(0.5) * linalg::absolute(v[6]) * slow / fast;
    }

    // The largest terms since the beginning or the last jump: where all terms vanish for a moment, what is left of them
    // is noise of the others.
    template <class Probe> void look_at_terms(Probe& probe) {
        for (const S theta : {S(0.5), S(1)}) {
            probe.terms(theta, work_.data());
            for (std::size_t e = 0; e < n_; ++e)
                if (linalg::is_finite(work_[e])) terms_[e] = std::max(terms_[e], work_[e]);
        }
    }
    // What counts as zero; an exact zero does.
    S zero_size(std::size_t e) const { return S(rounding) * linalg::epsilon<S>() * terms_[e] + S(1e-300); }

    // A touch at the common end of two steps, where g may have a kink: `inner_` is the last value before.
    template <class T>
    bool is_touched_at_start(std::size_t e, const std::array<S, 9>& v, S scale, const T& tolerance) const {
        const S size = linalg::absolute(v[0]);
        return sign_[e] != 0 && sign_of(inner_[e]) == sign_of(v[1]) && size < linalg::absolute(inner_[e]) &&
               size < linalg::absolute(v[1]) && size <= S(0.01) * scale && size <= tolerance(S(0));
    }

    // The side on which it leaves zero: that of its rate, where this is more than round-off of what it becomes.
    int lead(std::size_t e, S h, S scale) const {
        if (!is_start_[e]) return 0;
        const S rise = rate_[e] * linalg::absolute(h);
        const S noise = is_met_[e] ? beginning_size(S(1)) : linalg::square_root(linalg::epsilon<S>());
        return linalg::absolute(rise) > noise * scale ? sign_of(rise) : 0;
    }

    static ZeroKind arrival(int sign) { return sign < 0 ? ZeroKind::rising : ZeroKind::falling; }

    // It becomes zero inside of the step, and stays there: where that begins.
    template <class G>
    void arrive(const G& g, std::size_t e, const std::array<S, 9>& v, S zero, std::vector<EventCrossing<S>>& found) {
        std::size_t k = 7;
        while (k > 0 && linalg::absolute(v[k]) <= zero) --k;
        S lo = Fit<S, 8>::node(k), hi = Fit<S, 8>::node(k + 1);
        while (hi - lo > S(4) * linalg::epsilon<S>()) {
            const S middle = (lo + hi) / S(2);
            if (middle <= lo || middle >= hi) break;
            (linalg::absolute(g(middle)) <= zero ? hi : lo) = middle;
        }
        std::erase_if(found, [&](const EventCrossing<S>& c) { return c.event == e && c.theta >= lo; });
        add(found, e, hi, arrival(sign_of(v[k])));
        sign_[e] = 0;
        is_flat_[e] = 1;
    }

    // NOTE: a touch at the common end of two steps is found in both.
    bool is_new_touch(std::size_t e, S tau, S h) {
        if (has_touch_[e] && linalg::absolute(tau - last_touch_[e]) <= S(1e-5) * linalg::absolute(h)) return false;
        has_touch_[e] = 1;
        last_touch_[e] = tau;
        return true;
    }

    void add(std::vector<EventCrossing<S>>& found, std::size_t e, S theta, ZeroKind kind) const {
        const EventDirection d = directions_[e];
        const bool counts = d == EventDirection::both || (d == EventDirection::rising && kind == ZeroKind::rising) ||
                            (d == EventDirection::falling && kind == ZeroKind::falling);
        if (counts) found.push_back({e, theta, kind});
    }

    std::size_t n_;
    std::vector<EventDirection> directions_;
    std::vector<S> before_, inner_, rough_, nodes_, terms_, work_, last_touch_;
    std::vector<S> rate_, scale_; // rate_: where the run began or went on
    std::vector<int> sign_;       // the last one that was not 0; 0: zero is left, not crossed
    std::vector<char> is_start_, is_flat_, has_touch_, is_near_, is_lead_lost_, is_met_;
    std::vector<char> is_still_; // a step as short as round-off: it has not left zero yet
    std::vector<S> begin_zero_;  // where it begins, less is zero, by the terms before that; 0 after the first step
    struct {
        std::vector<S> before, inner, terms, last_touch, begin_zero;
        std::vector<int> sign;
        std::vector<char> is_start, is_flat, has_touch;
    } kept_;
    struct {
        bool is_there = false;
        std::size_t event = 0;
        S from = 0;
        std::vector<int> looks{}; // how often the next step may look at each
        bool is_patient = true;
    } unsure_; // crossings may have been missed
    std::vector<Zero<S>> zeros_;
    ZeroFinder<S> finder_;
};

} // namespace vessiot
