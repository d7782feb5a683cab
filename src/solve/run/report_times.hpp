// The points at which a run reports: a list, or a grid, of which nothing is stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vessiot {

template <class S> class ReportTimes {
public:
    ReportTimes() = default;
    // In the direction of travel.
    explicit ReportTimes(std::vector<S> list) : list_(std::move(list)), size_(list_.size()) {}
    // from, from + step, ..., n of them, and then `to`.
    ReportTimes(S from, S step, std::int64_t n, S to)
        : is_grid_(true), from_(from), step_(step), to_(to), size_(static_cast<std::size_t>(n) + 1) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    S operator[](std::size_t k) const { return !is_grid_ ? list_[k] : k + 1 == size_ ? to_ : from_ + S(k) * step_; }

    // Those that a way from a to b passes, in its order; b counts, a does not.
    std::vector<S> between(S a, S b) const {
        const auto is_passed = [&](S t) { return a < b ? t > a && t <= b : t < a && t >= b; };
        std::vector<S> found;
        const auto [first, last] = near(a, b);
        for (std::size_t k = first; k < last; ++k)
            if (is_passed((*this)[k])) found.push_back((*this)[k]);
        std::ranges::sort(found, [&](S x, S y) { return a < b ? x < y : x > y; });
        return found;
    }

private:
    // The numbers of all that may lie between.
    std::pair<std::size_t, std::size_t> near(S a, S b) const {
        if (!is_grid_) return {0, size_};
        const auto number = [&](S t) { return static_cast<double>((t - from_) / step_); };
        const double low = std::min(number(a), number(b)), high = std::max(number(a), number(b));
        const auto end = static_cast<double>(size_);
        return {static_cast<std::size_t>(std::clamp(std::floor(low) - 1, 0.0, end)),
                static_cast<std::size_t>(std::clamp(std::ceil(high) + 2, 0.0, end))};
    }

    bool is_grid_ = false;
    std::vector<S> list_;
    S from_ = 0, step_ = 1, to_ = 0;
    std::size_t size_ = 0;
};

} // namespace vessiot
