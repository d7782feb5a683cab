#include "io/pictures/shapes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "vessiot/arrays.hpp"

namespace vessiot::io {

namespace {

constexpr std::int64_t shortest_field = 12, smallest_side = 4;
constexpr std::array<std::string_view, 6> position_words{"r", "q", "x", "p", "pos", "position"};

// b.r is called r by its part.
std::string_view last_word(std::string_view name) {
    return name.substr(name.rfind('.') + 1); // npos + 1 is 0
}

bool is_position_word(std::string_view name) {
    return std::ranges::find(position_words, last_word(name)) != position_words.end();
}

// Arrays, and scalars as arrays without indices, without derivatives and multipliers.
std::vector<ArrayView> main_arrays(const Solution& sol) {
    std::vector<ArrayView> all = array_views(sol.names);
    for (std::size_t k = 0; k < sol.names.size(); ++k)
        if (sol.names[k].find('[') == std::string::npos)
            all.push_back({sol.names[k], {}, static_cast<std::int64_t>(k)});
    std::erase_if(all, [](const ArrayView& a) { return a.name.ends_with('\'') || a.name == "lambda"; });
    return all;
}

const ArrayView* find(const std::vector<ArrayView>& all, std::string_view name) {
    const auto it = std::ranges::find(all, name, &ArrayView::name);
    return it == all.end() ? nullptr : &*it;
}

std::size_t column(std::int64_t k) {
    return static_cast<std::size_t>(k);
}

// x and y, or x, y and z, all of one shape.
std::optional<MovingPoints> by_coordinates(const Solution& sol, const std::vector<ArrayView>& all) {
    const ArrayView *x = find(all, "x"), *y = find(all, "y"), *z = find(all, "z");
    if (!x || !y || x->shape != y->shape) return std::nullopt;
    if (z && z->shape != x->shape) z = nullptr;
    MovingPoints points{.axes = {"x", "y"}, .titles = {}, .columns = {}};
    if (z) points.axes.emplace_back("z");
    for (std::int64_t k = 0; k < x->size(); ++k) {
        points.columns.push_back({column(x->first + k), column(y->first + k)});
        if (z) points.columns.back().push_back(column(z->first + k));
        const std::string& name = sol.names[column(x->first + k)];
        points.titles.push_back(x->shape.empty() ? "" : name.substr(name.find('[')));
    }
    return points;
}

// "r[2,1]" is of the point "r[2]", "b[3].r[1]" of "b[3].r".
std::string without_last_index(const std::string& name) {
    const std::size_t comma = name.rfind(','), bracket = name.rfind('[');
    return comma != std::string::npos && comma > bracket ? name.substr(0, comma) + "]" : name.substr(0, bracket);
}

// The last index of an array counts the coordinates. A single vector of three may be anything: its name has to say that
// it is a place; of a family it is enough that it has velocities.
std::optional<MovingPoints> by_arrays(const Solution& sol, const std::vector<ArrayView>& all) {
    const auto is_place = [&](const ArrayView& a) {
        if (a.shape.empty() || (a.shape.back() != 2 && a.shape.back() != 3)) return false;
        if (is_position_word(a.name)) return true;
        const bool has_velocity = std::ranges::find(sol.names, sol.names[column(a.first)] + "'") != sol.names.end();
        return a.shape.size() > 1 && has_velocity;
    };
    const auto first = std::ranges::find_if(all, is_place);
    if (first == all.end()) return std::nullopt;
    const std::int64_t n = first->shape.back();
    MovingPoints points;
    for (std::int64_t k = 1; k <= n; ++k)
        points.axes.push_back(std::string(last_word(first->name)) + "[" + std::to_string(k) + "]");
    for (const ArrayView& a : all) {
        if (!is_place(a) || a.shape.back() != n || last_word(a.name) != last_word(first->name)) continue;
        for (std::int64_t k = 0; k < a.size(); k += n) {
            points.titles.push_back(without_last_index(sol.names[column(a.first + k)]));
            points.columns.emplace_back();
            for (std::int64_t d = 0; d < n; ++d) points.columns.back().push_back(column(a.first + k + d));
        }
    }
    return points;
}

} // namespace

std::optional<MovingPoints> moving_points(const Solution& sol) {
    const std::vector<ArrayView> all = main_arrays(sol);
    if (auto points = by_coordinates(sol, all)) return points;
    return by_arrays(sol, all);
}

std::vector<Field> fields(const Solution& sol) {
    std::vector<Field> result;
    if (moving_points(sol)) return result;
    for (const ArrayView& a : main_arrays(sol)) {
        const bool is_line = a.shape.size() == 1 && a.shape[0] >= shortest_field;
        const bool is_map = a.shape.size() == 2 && std::min(a.shape[0], a.shape[1]) >= smallest_side;
        if (is_line || is_map)
            result.push_back({.name = a.name,
                              .n_rows = is_map ? column(a.shape[0]) : 1,
                              .n_columns = column(a.shape.back()),
                              .first = column(a.first)});
    }
    return result;
}

} // namespace vessiot::io
