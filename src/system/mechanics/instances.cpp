#include "system/mechanics/instances.hpp"

#include <utility>
#include <vector>

namespace vessiot {

using namespace expr;

FormId instance_number(Graph& g, DomainId d, std::int64_t first) {
    IndexSpace& index = g.index();
    const std::vector<VarId> vars = index.domain(d).vars;
    std::vector<std::int64_t> lo, hi;
    if (!index.bounding_box(d, lo, hi)) return index.constant(first);
    if (index.is_box(d)) return index.add(index.position_in_box(vars, lo, hi), index.constant(first));
    // an irregular domain: a table over its bounding box
    IndexTable table{"lambda", {}, {}};
    std::vector<FormId> at;
    std::int64_t size = 1;
    for (std::size_t k = 0; k < vars.size(); ++k) {
        table.extent.push_back(hi[k] - lo[k] + 1);
        size *= table.extent.back();
        at.push_back(index.add(index.var(vars[k]), index.constant(1 - lo[k])));
    }
    table.values.assign(static_cast<std::size_t>(size), 0);
    index.for_each(d, [&](const Env& env) {
        std::int64_t address = 0;
        for (std::size_t k = 0; k < vars.size(); ++k)
            address =
                address * table.extent[k] + (env[static_cast<std::size_t>(index.loop_var(vars[k]).level)] - lo[k]);
        table.values[static_cast<std::size_t>(address)] = first++;
        return true;
    });
    return index.lookup(index.table(std::move(table)), index.list(std::move(at)));
}

} // namespace vessiot
