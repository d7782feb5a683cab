#include "arrays.hpp"

#include <cstddef>
#include <cstdlib>

namespace vessiot::hdf5 {

namespace {

// "b[2].r[1,3]'": "b.r'" and 2, 1, 3.
std::string without_indices(const std::string& name, std::vector<std::int64_t>& indices) {
    std::string base;
    indices.clear();
    for (std::size_t k = 0; k < name.size(); ++k) {
        if (name[k] != '[') {
            base += name[k];
            continue;
        }
        while (k < name.size() && name[k] != ']') {
            char* end = nullptr;
            indices.push_back(std::strtoll(name.c_str() + k + 1, &end, 10));
            k = static_cast<std::size_t>(end - name.c_str());
        }
    }
    return base;
}

// Do the indices count through a box in row-major order? Its extents are the last ones.
bool is_box(const std::vector<std::vector<std::int64_t>>& all) {
    const std::vector<std::int64_t>& extent = all.back();
    std::int64_t size = 1;
    for (const std::int64_t e : extent) {
        if (e < 1) return false;
        size *= e;
    }
    if (size != static_cast<std::int64_t>(all.size())) return false;
    for (std::int64_t k = 0; k < size; ++k) {
        std::int64_t rest = k;
        for (std::size_t d = extent.size(); d-- > 0; rest /= extent[d])
            if (all[static_cast<std::size_t>(k)][d] != rest % extent[d] + 1) return false;
    }
    return true;
}

} // namespace

std::vector<ArrayView> array_views(const std::vector<std::string>& names) {
    std::vector<ArrayView> views;
    std::vector<std::int64_t> indices;
    for (std::size_t k = 0; k < names.size();) {
        const std::string base = without_indices(names[k], indices);
        std::vector<std::vector<std::int64_t>> all{indices};
        std::size_t end = k + 1;
        for (; end < names.size() && !indices.empty() && without_indices(names[end], indices) == base; ++end)
            all.push_back(indices);
        if (!all[0].empty() && all.back().size() == all[0].size() && is_box(all))
            views.push_back({base, all.back(), static_cast<std::int64_t>(k)});
        k = end;
    }
    return views;
}

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
