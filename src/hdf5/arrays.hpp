// Arrays with their shapes, as views (virtual datasets): nothing is stored twice.
//
// Of a run, beside /values: /arrays/r has the shape points x n x 3 where the columns of /values are
// r[1,1] .. r[n,3], /arrays/r' those of r'. Of a family of parts, b[1].r[1] .. b[n].r[3], it is /arrays/b.r. Of an
// ensemble, beside the elements, which are datasets themselves: /results/r.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.hpp"
#include "vessiot/arrays.hpp"

namespace vessiot::hdf5 {

// Into a file that nobody else writes.
void write_arrays(hid_t file, const std::vector<std::string>& names, std::int64_t n_points);

// GROUP/r of the elements GROUP/r[1,1] …, each a dataset of the shape `rows`: rows x the shape of the array.
void write_view(hid_t file, const std::string& group, const std::vector<std::string>& names, const ArrayView& view,
                const std::vector<hsize_t>& rows);

} // namespace vessiot::hdf5
