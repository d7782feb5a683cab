#include "completion/structure.hpp"

#include <algorithm>

namespace vessiot {

namespace {

// `first`: the first element of each family, and the end.
std::vector<OffsetRange> ranges(const std::vector<std::int32_t>& offsets, const std::vector<std::int64_t>& first) {
    std::vector<OffsetRange> result;
    for (std::size_t k = 0; k + 1 < first.size(); ++k) {
        OffsetRange range{.count = first[k + 1] - first[k]};
        if (range.count > 0) {
            const auto [low, high] = std::minmax_element(offsets.begin() + first[k], offsets.begin() + first[k + 1]);
            range.lowest = *low;
            range.highest = *high;
        }
        result.push_back(range);
    }
    return result;
}

} // namespace

Structure analyse(Signature signature) {
    Structure result;
    result.signature = std::move(signature);
    const Signature& s = result.signature;
    result.is_square = s.n_equations == s.n_unknowns;
    if (!result.is_square) return result;
    result.transversal = highest_transversal(s);
    result.is_regular = result.transversal.is_perfect();
    if (!result.is_regular) {
        result.singular = singular_parts(s, result.transversal);
        return result;
    }
    result.offsets = canonical_offsets(s, result.transversal);
    result.index = structural_index(result.offsets);
    result.phase_dimension = phase_dimension(result.offsets);
    result.constraints = count_constraints(s, result.phase_dimension);
    result.c = ranges(result.offsets.c, s.equations);
    result.d = ranges(result.offsets.d, s.unknowns);
    result.is_uniform = std::ranges::all_of(result.c, &OffsetRange::is_uniform) &&
                        std::ranges::all_of(result.d, &OffsetRange::is_uniform);
    result.blocks = block_triangular_form(s, result.transversal, result.offsets);
    return result;
}

Structure analyse(const System& system) {
    return analyse(make_signature(system));
}

} // namespace vessiot
