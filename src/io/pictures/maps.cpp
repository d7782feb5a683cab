#include "io/pictures/maps.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/pictures/shapes.hpp"
#include "lang/syntax/number_text.hpp"

namespace vessiot::io {

namespace {

constexpr std::size_t n_times = 240;   // columns of a map over t
constexpr std::size_t n_snapshots = 4; // of a field over two indices

// Values of all elements of a field at t, on lines between the rows of the table.
std::vector<double> field_at(const Table& table, const Field& field, double t) {
    const bool is_forward = table.t.back() >= table.t.front();
    const auto it =
        is_forward ? std::ranges::lower_bound(table.t, t) : std::ranges::lower_bound(table.t, t, std::greater<>());
    const auto next = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        it - table.t.begin(), std::min<std::ptrdiff_t>(1, std::ssize(table.t) - 1), std::ssize(table.t) - 1));
    const std::size_t last = next == 0 ? 0 : next - 1;
    const double step = table.t[next] - table.t[last];
    const double part = step == 0 ? 1 : std::clamp((t - table.t[last]) / step, 0.0, 1.0);
    std::vector<double> values(field.n_rows * field.n_columns);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double a = table.values[last * table.width + field.first + k],
                     b = table.values[next * table.width + field.first + k];
        values[k] = part == 0 ? a : part == 1 ? b : a + part * (b - a);
    }
    return values;
}

Map over_time(const Table& table, const Field& field) {
    const double begin = table.t.front(), end = table.t.back();
    Map map{.title = "",
            .n_x = n_times,
            .n_y = field.n_columns,
            .x_low = std::min(begin, end),
            .x_high = std::max(begin, end),
            .values = std::vector<double>(n_times * field.n_columns)};
    for (std::size_t i = 0; i < n_times; ++i) { // in the middle of each column
        const double t = map.x_low + (map.x_high - map.x_low) * (static_cast<double>(i) + 0.5) / n_times;
        const std::vector<double> values = field_at(table, field, t);
        for (std::size_t j = 0; j < values.size(); ++j) map.values[j * n_times + i] = values[j];
    }
    return map;
}

// The first index down, as of a matrix.
Map snapshot(const Table& table, const Field& field, double t, const std::string& independent) {
    return {.title = fmt::format("{} = {:.4g}", independent, t),
            .n_x = field.n_columns,
            .n_y = field.n_rows,
            .x_low = 0.5,
            .x_high = static_cast<double>(field.n_columns) + 0.5,
            .values = field_at(table, field, t)};
}

} // namespace

std::optional<Panel> field_map(const Solution& sol, const Table& table) {
    const std::vector<Field> all = fields(sol);
    if (all.empty() || !sol.s.empty() || table.t.size() < 2 || table.t.front() == table.t.back()) return std::nullopt;
    const Field& field = all[0];
    Panel panel{
        .kind = PanelKind::field, .x_label = sol.independent, .y_label = fmt::format("index of {}", field.name)};
    if (field.n_rows == 1) {
        panel.maps.push_back(over_time(table, field));
    } else {
        panel.x_label = panel.y_label = "";
        panel.map_title = fmt::format("{}[i,j], i down, j to the right", field.name);
        for (std::size_t k = 0; k < n_snapshots; ++k)
            panel.maps.push_back(snapshot(table, field,
                                          table.t.front() + (table.t.back() - table.t.front()) *
                                                                static_cast<double>(k) / (n_snapshots - 1),
                                          sol.independent));
    }
    return panel;
}

} // namespace vessiot::io
