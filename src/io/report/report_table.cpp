#include "io/report/report_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

namespace vessiot::io {

namespace {

constexpr std::size_t base64_bytes = 11;        // of a double: 8 * 4/3
constexpr std::size_t smooth_rows = 2000;       // with points between the steps
constexpr std::size_t smooth_values = 400'000;  // of the curve, which takes a projection for each row
constexpr std::size_t most_smooth_names = 1000; // as for plots
constexpr std::size_t most_watched = 4;         // columns whose peaks are kept

// A row to be: a point of the solution, or one between.
struct Row {
    double tau;           // t, or the arclength
    std::ptrdiff_t point; // of the solution; -1: of the curve
};

// n of all, evenly, the first and the last included.
std::vector<std::size_t> spread(const std::vector<std::size_t>& all, std::size_t n) {
    if (all.size() <= n) return all;
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < n; ++k) chosen.push_back(all[n == 1 ? 0 : k * (all.size() - 1) / (n - 1)]);
    return chosen;
}

// x[]' of x[3]'
std::string family_of(const std::string& name) {
    const std::size_t open = name.find('['), close = name.find(']');
    if (open == std::string::npos || close == std::string::npos) return name;
    return name.substr(0, open + 1) + name.substr(close);
}

// The columns of the unknowns, at most `most`: of every family the same part, and single unknowns before them.
std::vector<std::size_t> choose_columns(const std::vector<std::string>& names, std::size_t most) {
    std::vector<std::size_t> chosen;
    if (names.size() <= most) {
        for (std::size_t j = 0; j < names.size(); ++j) chosen.push_back(j);
        return chosen;
    }
    std::map<std::string, std::vector<std::size_t>> families;
    for (std::size_t j = 0; j < names.size(); ++j) families[family_of(names[j])].push_back(j);
    const std::size_t each = std::max<std::size_t>(2, most / families.size());
    // what small families leave goes to the others
    std::size_t left = most, n_large = 0;
    for (const auto& [family, columns] : families) {
        if (columns.size() <= each)
            left -= std::min(left, columns.size());
        else
            ++n_large;
    }
    const std::size_t share = std::max<std::size_t>(2, left / std::max<std::size_t>(1, n_large));
    for (const auto& [family, columns] : families)
        for (const std::size_t j : columns.size() <= each ? columns : spread(columns, share)) chosen.push_back(j);
    std::ranges::sort(chosen);
    if (chosen.size() > most) chosen.resize(most); // more families than columns
    return chosen;
}

std::vector<Row> reported_rows(const Solution& sol) {
    std::vector<Row> rows;
    rows.reserve(sol.t.size());
    for (std::size_t k = 0; k < sol.t.size(); ++k)
        rows.push_back({sol.s.empty() ? sol.t[k] : sol.s[k], static_cast<std::ptrdiff_t>(k)});
    return rows;
}

// Ends of steps and points between them, about n in all.
std::vector<Row> curve_rows(const Solution& sol, std::size_t n) {
    const std::size_t n_parts = std::max<std::size_t>(1, n / sol.trace.size());
    const std::size_t stride = std::max<std::size_t>(1, (sol.trace.size() + n - 1) / n);
    std::vector<Row> rows;
    double length = 0, before = 0;
    for (std::size_t k = 0; k < sol.trace.size(); ++k) {
        length += sol.trace[k].h;
        if (k % stride != 0 && k + 1 != sol.trace.size()) continue;
        const double end = sol.s.empty() ? sol.trace[k].t : length;
        if (k > 0)
            for (std::size_t i = 1; i < n_parts; ++i)
                rows.push_back({before + (end - before) * static_cast<double>(i) / static_cast<double>(n_parts), -1});
        rows.push_back({end, -1});
        before = end;
    }
    return rows;
}

// Both in the order of the run; where they coincide the reported point stands.
std::vector<Row> merged(const std::vector<Row>& reported, const std::vector<Row>& between) {
    std::vector<Row> rows = reported;
    rows.insert(rows.end(), between.begin(), between.end());
    const double sign = !between.empty() && between.back().tau < between.front().tau ? -1 : 1;
    std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) { return sign * a.tau < sign * b.tau; });
    const double scale = between.empty() ? 0 : std::abs(between.back().tau - between.front().tau);
    const auto is_near = [&](const Row& a, const Row& b) { return std::abs(a.tau - b.tau) <= 1e-9 * scale; };
    std::vector<Row> result;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const bool has_twin = (k > 0 && is_near(rows[k - 1], rows[k])) ||
                              (k + 1 < rows.size() && rows[k + 1].point >= 0 && is_near(rows[k + 1], rows[k]));
        if (rows[k].point >= 0 || !has_twin) result.push_back(rows[k]);
    }
    return result;
}

// Half of them evenly, so that trajectories are not those of peaks alone; NOTE: each a bit aside, by the golden ratio,
// since a fixed distance would beat with an oscillation. Of each piece of the run the rows with the lowest and the
// highest value of each watched column. The first and the last row.
std::vector<Row> thinned(const Solution& sol, const std::vector<Row>& rows, std::vector<std::size_t> watched,
                         std::size_t most) {
    if (rows.size() <= most) return rows;
    watched = spread(watched, most_watched);
    if (watched.empty()) watched.push_back(0);
    std::vector<bool> is_kept(rows.size());
    is_kept.front() = is_kept.back() = true;
    const std::size_t n_even = most / 2;
    for (std::size_t i = 0; i < n_even; ++i) {
        const double aside = std::fmod(0.6180339887498949 * static_cast<double>(i), 1);
        const double part = (static_cast<double>(i) + aside) / static_cast<double>(n_even);
        is_kept[std::min(rows.size() - 1, static_cast<std::size_t>(part * static_cast<double>(rows.size())))] = true;
    }
    const std::size_t n_peaks = most - std::min(most, n_even + 2);
    const std::size_t n_pieces = std::max<std::size_t>(1, n_peaks / (2 * watched.size()));
    for (std::size_t piece = 0; piece < n_pieces; ++piece) {
        const std::size_t first = piece * rows.size() / n_pieces, last = (piece + 1) * rows.size() / n_pieces;
        for (const std::size_t j : watched) {
            const auto value = [&](std::size_t k) {
                return sol.names.empty() ? 0 : sol.row(static_cast<std::size_t>(rows[k].point))[j];
            };
            std::size_t low = first, high = first;
            for (std::size_t k = first; k < last; ++k) {
                if (value(k) < value(low) || std::isnan(value(low))) low = k;
                if (value(k) > value(high) || std::isnan(value(high))) high = k;
            }
            is_kept[low] = is_kept[high] = true;
        }
    }
    std::vector<Row> result;
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (is_kept[k]) result.push_back(rows[k]);
    return result;
}

void fill(const Solution& sol, const std::vector<Row>& rows, const std::vector<std::size_t>& chosen,
          ReportTable& table) {
    table = {};
    for (const std::size_t j : chosen) table.columns.push_back({sol.names[j], false, {}});
    for (const std::string& name : sol.output_names) table.columns.push_back({name, true, {}});
    std::vector<double> between;
    for (const Row& row : rows) {
        const bool is_reported = row.point >= 0;
        const auto point = static_cast<std::size_t>(std::max<std::ptrdiff_t>(row.point, 0));
        if (!is_reported) between = sol(row.tau);
        const std::span<const double> values = is_reported ? sol.row(point) : std::span<const double>(between);
        table.t.push_back(is_reported ? sol.t[point] : sol.s.empty() ? row.tau : sol.t_at(row.tau));
        if (!sol.s.empty()) table.s.push_back(row.tau);
        table.is_reported.push_back(is_reported);
        for (std::size_t c = 0; c < chosen.size(); ++c) table.columns[c].values.push_back(values[chosen[c]]);
        if (!is_reported) continue;
        ++table.n_points;
        for (std::size_t j = 0; j < sol.output_names.size(); ++j)
            table.columns[chosen.size() + j].values.push_back(sol.output_numbers[point * sol.output_names.size() + j]);
    }
    table.n_all_points = static_cast<std::size_t>(std::max(sol.n_points, std::ssize(sol.t)));
    table.n_all_columns = sol.names.size() + sol.output_names.size();
}

constexpr char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64_of(const unsigned char* bytes, std::size_t n) {
    std::string text;
    text.reserve((n + 2) / 3 * 4);
    for (std::size_t k = 0; k < n; k += 3) {
        const std::size_t left = std::min<std::size_t>(3, n - k);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < left ? bytes[k + i] : 0U);
        for (std::size_t i = 0; i < 4; ++i) text += i <= left ? base64_digits[group >> (18 - 6 * i) & 63U] : '=';
    }
    return text;
}

} // namespace

ReportTable report_table(const Solution& sol, const ReportLimits& limits, bool is_section) {
    const std::size_t n_values = std::max<std::size_t>(1, limits.bytes / base64_bytes);
    const std::size_t n_outputs = sol.output_names.size();
    const std::size_t fewest = std::clamp<std::size_t>(sol.t.size(), 1, limits.least_rows);
    const std::size_t most_columns = n_values / fewest;
    const std::vector<std::size_t> chosen =
        choose_columns(sol.names, std::max<std::size_t>(1, most_columns - std::min(most_columns, n_outputs)));
    const std::size_t width = std::max<std::size_t>(1, chosen.size() + n_outputs);
    const std::size_t most_rows = std::clamp(n_values / width, fewest, std::max(fewest, limits.rows));

    const std::vector<Row> reported = reported_rows(sol);
    ReportTable table;
    const std::size_t n_smooth = std::min(smooth_rows, smooth_values / std::max<std::size_t>(1, sol.names.size()));
    const bool is_smooth = !is_section && sol.curve && sol.trace.size() > 1 && sol.names.size() <= most_smooth_names &&
                           reported.size() + n_smooth + sol.trace.size() <= most_rows;
    if (is_smooth) {
        try {
            fill(sol, merged(reported, curve_rows(sol, n_smooth)), chosen, table);
            return table;
        } catch (const std::runtime_error&) { // somewhere on the way there is no value
        }
    }
    std::vector<std::size_t> watched;
    for (const std::size_t j : chosen)
        if (!sol.names[j].ends_with('\'')) watched.push_back(j);
    fill(sol, thinned(sol, reported, watched, most_rows), chosen, table);
    return table;
}

std::string base64(const std::vector<double>& values) {
    static_assert(std::endian::native == std::endian::little);
    std::vector<unsigned char> bytes(values.size() * sizeof(double));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return base64_of(bytes.data(), bytes.size());
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
    return base64_of(bytes.data(), bytes.size());
}

} // namespace vessiot::io
