// What rows of a mechanical shape are differentiated by, and what they read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "completion/prolongation.hpp"
#include "expr/graph/derivative.hpp"
#include "linalg/scalar.hpp"
#include "manifold/row_function.hpp"
#include "method/mechanical/system/mechanical_shape.hpp"

namespace vessiot::method {

// Arrays to differentiate by, and what the columns are.
struct ShapeColumns {
    std::vector<expr::ArrayId> arrays;
    Selection selection;
};

// Columns for places of z, numbered in the order given, and rows as the shape has them.
inline ShapeColumns columns_at(const System& system, const Prolongation& p, const ShapeRows& rows,
                               const std::vector<std::int32_t>& places) {
    std::vector<std::int32_t> number(linalg::at(p.z.size), -1);
    for (std::size_t k = 0; k < places.size(); ++k) number[linalg::at(places[k])] = static_cast<std::int32_t>(k);
    ShapeColumns c;
    c.selection = {rows.n, std::ssize(places), rows.number, {}};
    for (std::size_t j = 0; j < p.z.jets.size(); ++j) {
        const auto first = number.begin() + p.z.first[j];
        const auto last = first + system.graph->array(p.z.jets[j]).size();
        if (std::all_of(first, last, [](std::int32_t k) { return k < 0; })) continue;
        c.arrays.push_back(p.z.jets[j]);
        c.selection.column.insert(c.selection.column.end(), first, last);
    }
    return c;
}

inline std::vector<expr::ArrayId> arrays_read(const System& system, const ShapeRows& rows) {
    std::vector<expr::NodeId> bodies;
    for (const RowTemplate& f : rows.families) bodies.push_back(f.value);
    return expr::dependencies(*system.graph, bodies);
}

inline bool reads_time(const System& system, const ShapeRows& rows) {
    const std::vector<expr::ArrayId> read = arrays_read(system, rows);
    return std::ranges::find(read, system.independent) != read.end();
}

// Do the families read one of the coordinates?
inline bool reads(const System& system, const Prolongation& p, const ShapeRows& rows,
                  const std::vector<std::int32_t>& coordinates) {
    std::vector<char> is_wanted(linalg::at(p.z.size), 0);
    for (const std::int32_t k : coordinates) is_wanted[linalg::at(p.state[linalg::at(k)])] = 1;
    const std::vector<expr::ArrayId> read = arrays_read(system, rows);
    for (std::size_t j = 0; j < p.z.jets.size(); ++j) {
        const auto first = is_wanted.begin() + p.z.first[j];
        const bool has_one = std::find(first, first + system.graph->array(p.z.jets[j]).size(), 1) !=
                             first + system.graph->array(p.z.jets[j]).size();
        if (has_one && std::ranges::find(read, p.z.jets[j]) != read.end()) return true;
    }
    return false;
}

} // namespace vessiot::method
