#include "ensemble/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vessiot::ensemble {

void Quantiles::add(double x) {
    ++count_;
    if (!levels_.empty()) return push(0, x);
    exact_.push_back(x);
    if (exact_.size() > most_exact) give_up_exactness();
}

void Quantiles::give_up_exactness() {
    const std::vector<double> numbers = std::exchange(exact_, {});
    levels_.emplace_back();
    for (const double x : numbers) push(0, x);
}

void Quantiles::push(std::size_t level, double x) {
    levels_[level].numbers.push_back(x);
    if (levels_[level].numbers.size() < level_size) return;
    std::vector<double> full = std::exchange(levels_[level].numbers, {});
    std::ranges::sort(full);
    const std::size_t first = std::exchange(levels_[level].takes_odd, !levels_[level].takes_odd) ? 1 : 0;
    if (level + 1 == levels_.size()) levels_.emplace_back();
    for (std::size_t k = first; k < full.size(); k += 2) push(level + 1, full[k]);
}

std::vector<double> Quantiles::at(const std::vector<double>& p) const {
    std::vector<double> result(p.size(), std::numeric_limits<double>::quiet_NaN());
    if (count_ == 0) return result;
    if (is_exact()) {
        std::vector<double> sorted = exact_;
        std::ranges::sort(sorted);
        for (std::size_t k = 0; k < p.size(); ++k) {
            const double rank = p[k] * static_cast<double>(sorted.size() - 1);
            const auto below = static_cast<std::size_t>(rank);
            const double above = sorted[std::min(below + 1, sorted.size() - 1)];
            result[k] = sorted[below] + (rank - static_cast<double>(below)) * (above - sorted[below]);
        }
        return result;
    }
    std::vector<std::pair<double, std::int64_t>> weighted;
    std::int64_t all = 0;
    for (std::size_t l = 0; l < levels_.size(); ++l)
        for (const double x : levels_[l].numbers) {
            weighted.emplace_back(x, std::int64_t{1} << l);
            all += std::int64_t{1} << l;
        }
    std::ranges::sort(weighted);
    for (std::size_t k = 0; k < p.size(); ++k) {
        const double rank = p[k] * static_cast<double>(all - 1);
        std::int64_t so_far = 0;
        for (const auto& [x, weight] : weighted) {
            result[k] = x;
            so_far += weight;
            if (static_cast<double>(so_far) > rank) break;
        }
    }
    return result;
}

} // namespace vessiot::ensemble
