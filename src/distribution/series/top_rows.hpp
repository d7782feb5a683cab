// The equations for the tops as rows of a function, all of them, as series evaluate them.
#pragma once

#include <vector>

#include "completion/prolongation.hpp"
#include "manifold/row_function.hpp"

namespace vessiot {

inline expr::EvaluatorOptions interpreted(expr::EvaluatorOptions options) {
    options.backend = expr::Backend::interpreter; // the kernel is what is wanted
    return options;
}

inline std::vector<RowTemplate> top_row_templates(const Prolongation& p) {
    std::vector<RowTemplate> rows;
    for (const RowFamily& f : p.tops.families) rows.push_back({f.domain, f.residual});
    return rows;
}

// All rows of the families, as they are.
inline Selection all_rows(std::int64_t n) {
    Selection s{n, 0, std::vector<std::int32_t>(static_cast<std::size_t>(n)), {}};
    for (std::int64_t k = 0; k < n; ++k) s.row[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k);
    return s;
}

} // namespace vessiot
