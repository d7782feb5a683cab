#include "io/pictures/columns.hpp"

#include <map>

#include "core/element_name.hpp"

namespace vessiot::io {

std::vector<Group> main_groups(const Solution& sol) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> known;
    for (std::size_t j = 0; j < sol.names.size(); ++j) {
        const std::string& name = sol.names[j];
        if (name.ends_with('\'')) continue;
        const std::string base = array_name(name);
        const auto [it, is_new] = known.try_emplace(base, groups.size());
        if (is_new) groups.push_back({base, {}});
        groups[it->second].columns.push_back(j);
    }
    const auto is_multiplier = [](const Group& g) { return g.base == "lambda" || g.base == "λ"; };
    if (!std::ranges::all_of(groups, is_multiplier)) std::erase_if(groups, is_multiplier);
    return groups;
}

std::vector<std::size_t> spread(const std::vector<std::size_t>& columns, std::size_t n) {
    if (columns.size() <= n) return columns;
    std::vector<std::size_t> chosen;
    chosen.reserve(n);
    for (std::size_t k = 0; k < n; ++k) chosen.push_back(columns[n == 1 ? 0 : k * (columns.size() - 1) / (n - 1)]);
    return chosen;
}

} // namespace vessiot::io
