// The rows of the equations for the tops, F(t, u, w), as a function without derivatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linalg/scalar.hpp"
#include "manifold/row_function.hpp"
#include "method/parts.hpp"

namespace vessiot::method {

// In the order of the equations.
template <class S> RowFunction<S> make_top_rows(Parts<S>& parts) {
    const Prolongation& p = parts.prolongation;
    std::vector<RowTemplate> templates;
    for (const RowFamily& f : p.tops.families) templates.push_back({f.domain, f.residual});
    Selection s{p.n_equations(), 0, std::vector<std::int32_t>(linalg::at(p.tops.n_rows), -1), {}};
    for (std::size_t k = 0; k < p.tops.selected.size(); ++k) s.row[linalg::at(p.tops.selected[k])] = p.tops.equation[k];
    return RowFunction<S>(*parts.system.graph, parts.jets, templates, s, {parts.evaluator, false, {}});
}

} // namespace vessiot::method
