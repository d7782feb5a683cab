// Arrays with their shapes beside /values: /arrays/r has the shape points x n x 3 where the columns of /values are
// r[1,1] .. r[n,3], /arrays/r' those of r'. Of a family of parts, b[1].r[1] .. b[n].r[3], it is /arrays/b.r. They are
// views (virtual datasets): nothing is stored twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.hpp"

namespace vessiot::hdf5 {

struct ArrayView {
    std::string name;                // "r", "r'", "b.r"
    std::vector<std::int64_t> shape; // of one point
    std::int64_t first = 0;          // column
};

// What of the columns are whole arrays, their elements in row-major order.
std::vector<ArrayView> array_views(const std::vector<std::string>& names);

// Into a file that nobody else writes.
void write_arrays(hid_t file, const std::vector<std::string>& names, std::int64_t n_points);

} // namespace vessiot::hdf5
