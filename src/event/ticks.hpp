// Events at given times: t0, t0 + d, t0 + 2 d, ... in the direction of travel, up to the end of the run, which counts.
// The times are counted, not added up.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/scalar.hpp"

namespace vessiot {

template <class S> class Ticks {
public:
    Ticks(S t0, S t1) : t0_(t0), t1_(t1) {}

    // An event of the model, every d > 0.
    void add(std::size_t event, S d) { all_.push_back({event, t1_ < t0_ ? -d : d, 0}); }
    bool is_empty() const { return all_.empty(); }

    // The next time; none: there is no more.
    std::optional<S> next() const {
        std::optional<S> first;
        for (const Tick& k : all_)
            if (const auto t = time(k); t && (!first || (t1_ < t0_ ? *t > *first : *t < *first))) first = t;
        return first;
    }
    // The events at that time, in the order of the model; they have happened then.
    void take(S t, std::vector<std::size_t>& events) {
        for (Tick& k : all_) {
            const auto own = time(k);
            if (!own || !is_same(*own, t, k)) continue;
            events.push_back(k.event);
            ++k.n;
        }
    }

    // It has not happened yet.
    void give_back(std::size_t event) {
        for (Tick& k : all_)
            if (k.event == event) --k.n;
    }

    template <class Archive> void exchange(Archive& archive) {
        std::vector<std::int64_t> n;
        for (const Tick& k : all_) n.push_back(k.n);
        archive.fixed("n", n);
        for (std::size_t k = 0; k < n.size(); ++k) all_[k].n = n[k];
    }

private:
    struct Tick {
        std::size_t event;
        S d;
        std::int64_t n; // of the next one
    };
    // NOTE: d is rounded: what is that near to the end, or to another one, is meant to be there.
    static bool is_same(S a, S b, const Tick& k) { return linalg::absolute(a - b) <= S(1e-9) * linalg::absolute(k.d); }
    std::optional<S> time(const Tick& k) const {
        const S t = t0_ + S(k.n) * k.d;
        if (is_same(t, t1_, k)) return t1_;
        return (t1_ - t) / k.d > S(0) ? std::optional(t) : std::nullopt;
    }

    S t0_, t1_;
    std::vector<Tick> all_;
};

} // namespace vessiot
