#include "model/functions/differences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vessiot {

namespace {

// The columns with an entry in each row: the pattern by rows.
std::vector<std::vector<std::int32_t>> columns_of_rows(const SparsePattern& p) {
    std::vector<std::vector<std::int32_t>> columns(static_cast<std::size_t>(p.rows));
    for (std::int64_t c = 0; c < p.columns; ++c)
        for (std::int64_t k = p.column_start[static_cast<std::size_t>(c)];
             k < p.column_start[static_cast<std::size_t>(c) + 1]; ++k)
            columns[static_cast<std::size_t>(p.row[static_cast<std::size_t>(k)])].push_back(
                static_cast<std::int32_t>(c));
    return columns;
}

} // namespace

std::vector<std::vector<std::int32_t>> column_groups(const SparsePattern& p) {
    const auto columns = columns_of_rows(p);
    std::vector<std::vector<std::int32_t>> groups;
    std::vector<std::int32_t> group_of(static_cast<std::size_t>(p.columns), -1);
    std::vector<std::int64_t> taken; // by group: the last column that cannot be in it
    // NOTE: a full row, the worst case, makes one group a column: found by counting, not by walking through n^2 pairs.
    const auto is_full = [&](const auto& row) { return static_cast<std::int64_t>(row.size()) == p.columns; };
    const bool all_apart = std::ranges::any_of(columns, is_full);
    for (std::int64_t c = 0; c < p.columns; ++c) {
        const auto at = static_cast<std::size_t>(c);
        if (p.column_start[at] == p.column_start[at + 1]) continue; // nothing depends on it
        std::size_t group = all_apart ? groups.size() : 0;
        if (!all_apart) {
            for (std::int64_t k = p.column_start[at]; k < p.column_start[at + 1]; ++k)
                for (const std::int32_t other : columns[static_cast<std::size_t>(p.row[static_cast<std::size_t>(k)])])
                    if (other < c) taken[static_cast<std::size_t>(group_of[static_cast<std::size_t>(other)])] = c;
            while (group < groups.size() && taken[group] == c) ++group;
        }
        if (group == groups.size()) {
            groups.emplace_back();
            taken.push_back(-1);
        }
        groups[group].push_back(static_cast<std::int32_t>(c));
        group_of[at] = static_cast<std::int32_t>(group);
    }
    return groups;
}

SparsePattern second_pattern(const SparsePattern& p, bool is_lower) {
    const auto columns = columns_of_rows(p);
    SparsePattern second{.rows = p.columns, .columns = p.columns, .column_start = {0}, .row = {}};
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> seen(static_cast<std::size_t>(p.columns), -1);
    for (std::int64_t c = 0; c < p.columns; ++c) {
        rows.clear();
        const auto at = static_cast<std::size_t>(c);
        for (std::int64_t k = p.column_start[at]; k < p.column_start[at + 1]; ++k)
            for (const std::int32_t other : columns[static_cast<std::size_t>(p.row[static_cast<std::size_t>(k)])]) {
                if ((is_lower && other < c) || std::exchange(seen[static_cast<std::size_t>(other)], c) == c) continue;
                rows.push_back(other);
            }
        std::ranges::sort(rows);
        second.row.insert(second.row.end(), rows.begin(), rows.end());
        second.column_start.push_back(second.n_entries());
    }
    return second;
}

Differences::Differences(SparsePattern pattern, std::vector<double> scale, double step)
    : pattern_(std::move(pattern)), scale_(std::move(scale)), step_(step), groups_(column_groups(pattern_)),
      moved_(static_cast<std::size_t>(pattern_.columns)), forward_(static_cast<std::size_t>(pattern_.rows)),
      backward_(forward_), width_(moved_) {
    if (scale_.empty()) scale_.assign(moved_.size(), 1.0);
}

void Differences::operator()(const Function& F, std::span<const double> z, std::span<double> values) {
    std::ranges::copy(z, moved_.begin());
    for (const auto& group : groups_) {
        const auto move = [&](double direction, std::vector<double>& out) {
            for (const std::int32_t c : group) {
                const auto at = static_cast<std::size_t>(c);
                moved_[at] = z[at] + direction * step_ * std::max(std::abs(z[at]), scale_[at]);
            }
            F(moved_, out);
        };
        move(1, forward_);
        // NOTE: what z + h really became, so that its rounding does not enter.
        for (const std::int32_t c : group) width_[static_cast<std::size_t>(c)] = moved_[static_cast<std::size_t>(c)];
        move(-1, backward_);
        for (const std::int32_t c : group) {
            const auto at = static_cast<std::size_t>(c);
            const double width = width_[at] - moved_[at];
            for (std::int64_t k = pattern_.column_start[at]; k < pattern_.column_start[at + 1]; ++k) {
                const auto row = static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)]);
                values[static_cast<std::size_t>(k)] = (forward_[row] - backward_[row]) / width;
            }
            moved_[at] = z[at];
        }
    }
}

} // namespace vessiot
