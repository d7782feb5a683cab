// What arrays of a solution are in a picture: points in the plane and in space, or fields over their indices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot::io {

// Points that move: (x, y), (x, y, z), (x[i], y[i], …), or arrays r[2], r[3], r[n,2], r[n,3], those of parts included.
struct MovingPoints {
    std::vector<std::string> axes;                 // two or three labels
    std::vector<std::string> titles;               // of each point: "r[2]", "b[3].r"
    std::vector<std::vector<std::size_t>> columns; // of each point, as many as there are axes
};
std::optional<MovingPoints> moving_points(const Solution& solution);

// A quantity over one index, u[n] with n of at least 12, or over two, u[n,m] of at least 4 x 4: values of a partial
// differential equation on lines.
struct Field {
    std::string name;
    std::size_t n_rows = 1, n_columns = 1; // u[n]: 1 x n
    std::size_t first = 0;                 // column of its first element
};
std::vector<Field> fields(const Solution& solution);

} // namespace vessiot::io
