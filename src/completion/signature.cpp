#include "completion/signature.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot {

Signature make_signature(const System& system) {
    Incidence incidence = make_incidence(system);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
    if (std::max(incidence.n_equations, incidence.n_unknowns) > most)
        throw InvalidInput(fmt::format("the system has {} equations and {} unknowns, but at most {} can be analysed",
                                       incidence.n_equations, incidence.n_unknowns, most));
    Signature s;
    s.n_equations = static_cast<std::int32_t>(incidence.n_equations);
    s.n_unknowns = static_cast<std::int32_t>(incidence.n_unknowns);
    s.start = std::move(incidence.start);
    s.unknown = std::move(incidence.unknown);
    s.order = std::move(incidence.order);
    s.equations = std::move(incidence.family);
    s.unknowns.push_back(0);
    for (const Unknown& u : system.unknowns)
        s.unknowns.push_back(s.unknowns.back() + system.graph->array(u.array).size());
    return s;
}

Signature transposed(const Signature& s) {
    Signature t;
    t.n_equations = s.n_unknowns;
    t.n_unknowns = s.n_equations;
    t.equations = s.unknowns;
    t.unknowns = s.equations;
    t.start.assign(static_cast<std::size_t>(s.n_unknowns) + 1, 0);
    for (const std::int32_t j : s.unknown) ++t.start[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 1; j < t.start.size(); ++j) t.start[j] += t.start[j - 1];
    t.unknown.resize(s.unknown.size());
    t.order.resize(s.order.size());
    std::vector<std::int64_t> next = t.start;
    for (std::int32_t i = 0; i < s.n_equations; ++i) {
        const Signature::Row row = s.row(i);
        for (std::size_t k = 0; k < row.size(); ++k) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row.unknown[k])]++);
            t.unknown[at] = i;
            t.order[at] = row.order[k];
        }
    }
    return t;
}

std::vector<std::int32_t> highest_orders(const Signature& s) {
    std::vector<std::int32_t> highest(static_cast<std::size_t>(s.n_unknowns), -1);
    for (std::size_t k = 0; k < s.unknown.size(); ++k) {
        std::int32_t& q = highest[static_cast<std::size_t>(s.unknown[k])];
        q = std::max(q, s.order[k]);
    }
    return highest;
}

} // namespace vessiot
