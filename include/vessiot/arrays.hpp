// Columns of a result that are whole arrays: r[1,1] .. r[n,3] is the array r of shape n x 3, and those of a family of
// parts, b[1].r[1] .. b[n].r[3], are the array b.r of the same shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace vessiot {

struct ArrayView {
    std::string name;                // "r", "r'", "b.r"
    std::vector<std::int64_t> shape; // of one point
    std::int64_t first = 0;          // column

    std::int64_t size() const {
        std::int64_t n = 1;
        for (const std::int64_t e : shape) n *= e;
        return n;
    }
};

// "b[2].r[1,3]'": "b.r'" and 2, 1, 3.
inline std::string without_indices(const std::string& name, std::vector<std::int64_t>& indices) {
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
inline bool is_box(const std::vector<std::vector<std::int64_t>>& all) {
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

// What of the columns are whole arrays, their elements in row-major order.
inline std::vector<ArrayView> array_views(const std::vector<std::string>& names) {
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

} // namespace vessiot
