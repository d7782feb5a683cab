#include "arrays.hpp"

namespace vessiot::hdf5 {

void write_arrays(hid_t file, const std::vector<std::string>& names, std::int64_t n_points) {
    const std::vector<ArrayView> views = array_views(names);
    if (views.empty() || n_points == 0) return;
    const Object group(H5Gcreate2(file, "arrays", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "arrays");
    const hsize_t all[2] = {static_cast<hsize_t>(n_points), names.size()};
    for (const ArrayView& view : views) {
        std::vector<hsize_t> extent{all[0]};
        hsize_t width = 1;
        for (const std::int64_t e : view.shape) {
            extent.push_back(static_cast<hsize_t>(e));
            width *= static_cast<hsize_t>(e);
        }
        const Object space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), view.name);
        const Object source(H5Screate_simple(2, all, nullptr), view.name);
        const hsize_t start[2] = {0, static_cast<hsize_t>(view.first)}, count[2] = {all[0], width};
        check(H5Sselect_hyperslab(source.id(), H5S_SELECT_SET, start, nullptr, count, nullptr), view.name);
        const Object how(H5Pcreate(H5P_DATASET_CREATE), view.name);
        check(H5Pset_virtual(how.id(), space.id(), ".", "/values", source.id()), view.name);
        const Object data(
            H5Dcreate2(group.id(), view.name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT),
            view.name);
    }
}

} // namespace vessiot::hdf5
