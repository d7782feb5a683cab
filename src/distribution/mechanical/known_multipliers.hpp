// The multipliers of the last two points, from which those of the next are guessed: linearly in t,
//   l_0 + (t - t_0) / (t_0 - t_1) (l_0 - l_1)
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"

namespace vessiot {

template <class S> class KnownMultipliers {
public:
    explicit KnownMultipliers(std::int64_t n) {
        for (Known& k : known_) k.l = linalg::Vector<S>(n);
    }
    void forget() {
        for (Known& k : known_) k.is_set = false;
    }
    // 0 where nothing is known, the last ones where the two points are too near to each other to say more.
    void guess(S t, linalg::Vector<S>& l) const {
        const Known &a = known_[0], &b = known_[1];
        if (!a.is_set) {
            std::ranges::fill(l, S(0));
            return;
        }
        std::ranges::copy(a.l, l.begin());
        const S factor = b.is_set ? (t - a.t) / (a.t - b.t) : S(0);
        if (linalg::absolute(factor) > S(4)) return; // too far away
        for (std::int64_t i = 0; i < l.size(); ++i) l[i] += factor * (a.l[i] - b.l[i]);
    }
    // Points at the same t replace each other.
    void keep(S t, const linalg::Vector<S>& l) {
        if (known_[0].is_set && known_[0].t != t) std::swap(known_[0], known_[1]);
        known_[0].t = t;
        known_[0].is_set = true;
        std::ranges::copy(l, known_[0].l.begin());
    }

private:
    struct Known {
        S t = 0;
        bool is_set = false;
        linalg::Vector<S> l;
    };
    std::array<Known, 2> known_; // the last one first
};

} // namespace vessiot
