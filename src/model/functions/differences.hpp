// Derivatives by differences, for functions that give none.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "vessiot/functions.hpp"

namespace vessiot {

// Groups of columns that have no row in common: all columns of a group are moved at once, and each row still tells
// which of them it saw. Greedy, in the order of the columns (Curtis, Powell and Reid).
std::vector<std::vector<std::int32_t>> column_groups(const SparsePattern& pattern);

// Where  sum_i mu_i f_i''  may have entries if df has `pattern`: two columns that a row of df has in common. Full, or
// the lower triangle.
SparsePattern second_pattern(const SparsePattern& pattern, bool is_lower);

// Steps of differences: of a function with the full accuracy of its type, and of one that is a difference itself.
inline const double fine_step = std::cbrt(std::numeric_limits<double>::epsilon());
inline const double coarse_step = std::pow(std::numeric_limits<double>::epsilon(), 0.25);

// Central differences  (F(z + h e) - F(z - h e)) / 2h,  error O(h^2) and round-off O(eps/h).
class Differences {
public:
    // F(z, out): writes `rows` numbers.
    using Function = std::function<void(std::span<const double> z, std::span<double> out)>;

    // Moves coordinate k by step * max(|z_k|, scale_k); scale empty: 1.
    Differences(SparsePattern pattern, std::vector<double> scale, double step);

    const SparsePattern& pattern() const { return pattern_; }
    std::size_t n_groups() const { return groups_.size(); }
    // The derivative of F in the order of the pattern.
    void operator()(const Function& F, std::span<const double> z, std::span<double> values);

private:
    SparsePattern pattern_;
    std::vector<double> scale_;
    double step_;
    std::vector<std::vector<std::int32_t>> groups_;
    std::vector<double> moved_, forward_, backward_, width_;
};

} // namespace vessiot
