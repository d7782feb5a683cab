// Jumps that follow each other faster and faster, and accumulate at a finite time, after Zeno of Elea.
//
// The longest of the last m intervals between jumps against that of the m before: r^m, where they shrink by r each. An
// accumulation is taken for one where the last interval is a millionth of the longest in the same row of shrinking
// ones: what follows is too short to matter, and has no end. The rest of it is d r / (1 - r), d the last interval.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace vessiot {

class ZenoWatch {
public:
    struct Accumulation {
        double factor = 0; // of the intervals, about
        double rest = 0;   // from the last jump on
    };

    // A jump, `interval` > 0 after the one before, or after the beginning.
    std::optional<Accumulation> add(double interval) {
        intervals_[n_++ % intervals_.size()] = interval;
        if (n_ < 2 * m) return std::nullopt;
        const double now = longest(0), before = longest(m);
        if (!(now < 0.999 * before)) {
            first_ = 0;
            return std::nullopt;
        }
        first_ = std::max(first_, before);
        if (!(now <= 1e-6 * first_)) return std::nullopt;
        const double r = before > 0 ? std::pow(now / before, 1.0 / m) : 0;
        return Accumulation{r, interval * r / (1 - r)};
    }
    template <class Archive> void exchange(Archive& archive) {
        archive("intervals", intervals_);
        archive("n", n_);
        archive("first", first_);
    }

private:
    static constexpr std::size_t m = 4; // several events may take turns

    // Of m intervals, the last one of them `back` jumps ago.
    double longest(std::size_t back) const {
        double all = 0;
        for (std::size_t k = 0; k < m; ++k) all = std::max(all, intervals_[(n_ - 1 - back - k) % intervals_.size()]);
        return all;
    }

    std::array<double, 2 * m> intervals_{};
    std::size_t n_ = 0;
    double first_ = 0;
};

} // namespace vessiot
