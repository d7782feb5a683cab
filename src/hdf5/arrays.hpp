// Arrays with their shapes beside /values: /arrays/r has the shape points x n x 3 where the columns of /values are
// r[1,1] .. r[n,3], /arrays/r' those of r'. Of a family of parts, b[1].r[1] .. b[n].r[3], it is /arrays/b.r. They are
// views (virtual datasets): nothing is stored twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.hpp"
#include "vessiot/arrays.hpp"

namespace vessiot::hdf5 {

// Into a file that nobody else writes.
void write_arrays(hid_t file, const std::vector<std::string>& names, std::int64_t n_points);

} // namespace vessiot::hdf5
