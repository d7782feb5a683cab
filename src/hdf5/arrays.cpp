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

void write_view(hid_t file, const std::string& group, const std::vector<std::string>& names, const ArrayView& view,
                const std::vector<hsize_t>& rows) {
    std::vector<hsize_t> extent = rows, start(rows.size(), 0), count = rows;
    for (const std::int64_t e : view.shape) {
        extent.push_back(static_cast<hsize_t>(e));
        start.push_back(0);
        count.push_back(1);
    }
    const Object space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), view.name);
    const Object source(H5Screate_simple(static_cast<int>(rows.size()), rows.data(), nullptr), view.name);
    const Object how(H5Pcreate(H5P_DATASET_CREATE), view.name);
    for (std::int64_t k = 0; k < view.size(); ++k) {
        std::int64_t rest = k; // row-major
        for (std::size_t d = view.shape.size(); d-- > 0; rest /= view.shape[d])
            start[rows.size() + d] = static_cast<hsize_t>(rest % view.shape[d]);
        check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), view.name);
        const std::string element = group + "/" + names[static_cast<std::size_t>(view.first + k)];
        check(H5Pset_virtual(how.id(), space.id(), ".", element.c_str(), source.id()), view.name);
    }
    const std::string name = group + "/" + view.name;
    const Object data(H5Dcreate2(file, name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT),
                      view.name);
}

} // namespace vessiot::hdf5
