// Which columns of a solution are drawn, and how far their values reach.
//
// Notation: a main unknown is one without primes that is no multiplier; a group is an array x[1], x[2], … of them, or a
// scalar.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::io {

constexpr std::size_t most_lines = 8;
constexpr std::size_t few_points = 40;

struct Range {
    double low = INFINITY, high = -INFINITY;

    void add(const std::vector<double>& values) {
        for (const double v : values) {
            if (!std::isfinite(v)) continue;
            low = std::min(low, v);
            high = std::max(high, v);
        }
    }
    double size() const { return high > low ? high - low : 0; }
    double magnitude() const { return high >= low ? std::max(std::abs(low), std::abs(high)) : 0; }
};

struct Group {
    std::string base;                 // x of x[3]
    std::vector<std::size_t> columns; // of its elements
};
std::vector<Group> main_groups(const Solution& solution);

// n of them, the first and the last included.
std::vector<std::size_t> spread(const std::vector<std::size_t>& columns, std::size_t n);

} // namespace vessiot::io
