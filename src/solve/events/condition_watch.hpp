// Where a step leaves the modes that it was made with: the first of all surfaces that it meets, on the curve which goes
// on smoothly behind them.
//
// A function that begins at zero (its surface was just passed, or the run begins on it) may leave to either side. Where
// that is not the side of its mode, the step was made with the wrong one: it is met at theta = 0, and the step is to be
// made again. Where each of both modes leads to the other, the curve cannot leave the surface: a sliding mode.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "event/watch.hpp"
#include "event/zeno.hpp"
#include "solve/events/event_ranges.hpp"
#include "solve/events/surfaces.hpp"

namespace vessiot {

template <class S> class ConditionWatch {
public:
    ConditionWatch(Compiled<S>& problem, S direction, S end, const expr::EvaluatorOptions& evaluator)
        : surfaces_(problem, direction, end, evaluator), ranges_(problem, surfaces_.expressions()),
          watch_(std::vector<Event>(surfaces_.size())), values_(surfaces_.size()), terms_(surfaces_.size()),
          begins_at_zero_(surfaces_.size()), returns_(surfaces_.size()) {
        watch_.lose_patience();
    }

    // For another run: nothing that was learned on the way is left.
    void renew(S direction, S end) {
        surfaces_.renew(direction, end);
        ranges_.forget();
        watch_ = EventWatch<S>(std::vector<Event>(surfaces_.size()));
        watch_.lose_patience();
        std::ranges::fill(begins_at_zero_, 0);
        std::ranges::fill(returns_, 0);
        met_.clear();
        group_.clear();
        n_passed_ = 0;
        last_ = S(0);
        zeno_ = {};
        accumulation_.reset();
    }

    Surfaces<S>& surfaces() { return surfaces_; }
    const Surfaces<S>& surfaces() const { return surfaces_; }
    bool is_empty() const { return surfaces_.is_empty(); }

    // The run begins, or goes on with other modes, at this point; what is in the group is zero there.
    void begin(S t, const S* u) {
        surfaces_.terms(t, u, terms_.data());
        surfaces_.values(t, u, values_.data());
        for (std::size_t f = 0; f < values_.size(); ++f) {
            const auto is_met = [&](const Switching<S>& s) { return surfaces_.is_same(s.function, f); };
            const bool can_be_it = !surfaces_.is_one_of_two(f) || surfaces_.is_nearer(f, values_[f]);
            if (can_be_it && std::ranges::any_of(group_, is_met)) values_[f] = S(0);
            begins_at_zero_[f] = linalg::absolute(values_[f]) <= surfaces_.zero(f);
            if (begins_at_zero_[f]) values_[f] = S(0);
        }
        watch_.begin(values_.data());
        met_.clear();
        group_.clear();
    }

    // Is any surface met in the step? `probe` as EventWatch has it; the step ends at (t, u).
    template <class Probe> bool find(Probe& probe, const Segment<S>& segment, S t, const S* u) {
        met_.clear();
        if (surfaces_.size() == 0) return false;
        const S tau = segment.tau(), h = segment.h();
        surfaces_.values(t, u, values_.data());
        ranges_.enter(segment);
        watch_.find(probe, tau, h, values_.data(), StepEnd::inside, crossings_);
        has_terms_ = false;
        is_again_ = n_passed_ > 0 && linalg::absolute(tau - last_) <= round_off(tau);
        just_begun_ = S(1000) * round_off(tau) / linalg::absolute(h);
        for (std::size_t f = 0; f < values_.size(); ++f) look_at(f, probe);
        std::ranges::fill(begins_at_zero_, 0);
        if (met_.empty()) return false;
        std::ranges::stable_sort(met_, {}, &Meeting::theta);
        return true;
    }

    // What is known of a function along a piece of the step.
    bool has_range(std::size_t function) const { return ranges_.has(function); }
    int sign(std::size_t function) { return ranges_.sign(function); } // all along it; 0: not known
    expr::Range range(std::size_t function, const Segment<S>& segment, S a, S b) {
        return ranges_(function, segment, a, b);
    }
    // May a crossing have been missed in the last step? Of which function.
    bool is_unsure() const { return watch_.is_unsure(); }
    std::size_t unsure_function() const { return watch_.unsure_event(); }

    // The first one: as a part of the step.
    S theta() const { return met_.front().theta; }
    std::size_t first() const { return met_.front().to.function; }
    // What is met at the point (t, u) where the first is zero.
    void take_group(S t, const S* u) {
        group_.assign(1, met_.front().to);
        if (met_.size() == 1) return;
        surfaces_.terms(t, u, terms_.data());
        surfaces_.values(t, u, values_.data());
        for (const Meeting& m : met_) {
            const std::size_t f = m.to.function;
            const bool is_there = linalg::absolute(values_[f]) <= S(16) * surfaces_.zero(f);
            if (f != first() && (is_there || m.theta == theta())) group_.push_back(m.to);
        }
    }
    // What is met no later than at theta.
    void take_group(S theta) {
        group_.clear();
        for (const Meeting& m : met_)
            if (m.theta <= theta) group_.push_back(m.to);
    }
    const std::vector<Switching<S>>& group() const { return group_; }
    // Without what something that was set has moved away from zero.
    void leave_group(S t, const S* u) {
        if (group_.empty()) return;
        surfaces_.values(t, u, values_.data());
        std::erase_if(group_, [&](const Switching<S>& s) {
            return linalg::absolute(values_[s.function]) > surfaces_.near_zero(s.function);
        });
    }
    // The function nearest to zero, where it is within `part` of its largest term: what a curve that cannot be followed
    // any further may have come to.
    bool take_nearest(S t, const S* u, S part) {
        group_.clear();
        surfaces_.terms(t, u, terms_.data());
        surfaces_.values(t, u, values_.data());
        S least = part;
        for (std::size_t f = 0; f < values_.size(); ++f) {
            const S scale = std::max(terms_[f], S(1));
            if (surfaces_.side(f) == 0 || !(linalg::absolute(values_[f]) <= least * scale)) continue;
            least = linalg::absolute(values_[f]) / scale;
            group_.assign(1, {f, surfaces_.beyond(f, 0)});
        }
        return !group_.empty();
    }

    // Changes the modes of the group at tau. False where that is a sliding mode: a surface is passed again and again
    // without any progress.
    bool pass(S tau) {
        if (group_.empty()) return true;
        const bool has_moved = n_passed_ > 0 && linalg::absolute(tau - last_) > round_off(tau);
        if (has_moved) std::ranges::fill(returns_, 0);
        bool is_free = true;
        for (const Switching<S>& s : group_) {
            surfaces_.set(s.function, s.mode);
            if (++returns_[s.function] < most_returns) continue;
            stuck_ = s.function;
            is_free = false;
        }
        if (has_moved) accumulation_ = zeno_.add(static_cast<double>(linalg::absolute(tau - last_)));
        ++n_passed_;
        last_ = tau;
        return is_free;
    }
    std::size_t stuck() const { return stuck_; }
    const std::optional<ZenoWatch::Accumulation>& accumulation() const { return accumulation_; }

    // The run goes on from the time t, by what was archived alone.
    void forget(S t) {
        surfaces_.times().forget(t);
        ranges_.forget();
    }
    template <class Archive> void exchange(Archive& archive) {
        archive.part("watch", 1, [&] { watch_.exchange(archive); });
        archive.part("surfaces", 1, [&] { surfaces_.exchange(archive); });
        archive.part("zeno", 1, [&] { zeno_.exchange(archive); });
        archive.fixed("begins_at_zero", begins_at_zero_);
        archive.fixed("returns", returns_);
        archive("last", last_);
        archive("n_passed", n_passed_);
    }

private:
    static constexpr int most_returns = 4;

    struct Meeting {
        S theta;
        Switching<S> to;
    };

    static S round_off(S tau) { return S(64) * linalg::epsilon<S>() * linalg::absolute(tau); }
    static int sign_of(S x) { return x > S(0) ? 1 : x < S(0) ? -1 : 0; }

    template <class Probe> void look_at(std::size_t f, Probe& probe) {
        const int side = surfaces_.side(f);
        if (watch_.is_flat(f)) { // the mode of a surface that is not left
            if (side != 0 && begins_at_zero_[f] && !surfaces_.is_one_of_two(f)) met_.push_back({S(0), {f, S(0)}});
            return;
        }
        // what crosses zero towards its side right at the beginning has been met there already
        const auto is_old = [&](const EventCrossing<S>& c) {
            return c.theta <= just_begun_ && (c.kind == ZeroKind::rising ? 1 : -1) == side;
        };
        const auto crossing = std::ranges::find_if(crossings_, [&](const EventCrossing<S>& c) {
            return c.event == f && c.kind != ZeroKind::touch && !is_old(c);
        });
        // after some returns it is noise that crosses, where the end of the step is on the right side
        if (returns_[f] >= 2 && is_again_ && sign_of(values_[f]) == side) return;
        int before = 0; // the sign in the step, up to the crossing
        if (crossing != crossings_.end()) {
            before = crossing->kind == ZeroKind::falling ? 1 : -1;
            if (before == side) {
                met_.push_back({crossing->theta, {f, surfaces_.beyond(f, -side)}});
                return;
            }
        } else if (is_sure(f, probe)) {
            before = sign_of(values_[f]);
        }
        if (before != 0 && before != side) met_.push_back({S(0), {f, surfaces_.beyond(f, before)}});
    }

    // Is its value at the end of the step more than round-off?
    template <class Probe> bool is_sure(std::size_t f, Probe& probe) {
        if (sign_of(values_[f]) == surfaces_.side(f)) return true;
        if (!has_terms_) probe.terms(S(1), terms_.data());
        has_terms_ = true;
        return linalg::absolute(values_[f]) > surfaces_.zero(f);
    }

    Surfaces<S> surfaces_;
    EventRanges<S> ranges_;
    EventWatch<S> watch_;
    std::vector<S> values_, terms_;
    std::vector<char> begins_at_zero_;
    std::vector<int> returns_; // how often a surface was passed at the same time
    std::vector<EventCrossing<S>> crossings_;
    std::vector<Meeting> met_;
    std::vector<Switching<S>> group_;
    bool has_terms_ = false, is_again_ = false;
    S just_begun_ = 0; // a part of the step
    std::size_t stuck_ = 0;
    S last_ = 0;
    std::int64_t n_passed_ = 0;
    ZenoWatch zeno_;
    std::optional<ZenoWatch::Accumulation> accumulation_;
};

} // namespace vessiot
