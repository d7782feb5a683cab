#include "completion/offsets.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/scalar.hpp"

namespace vessiot {

using linalg::at;

Offsets canonical_offsets(const Signature& s, const Assignment& transversal) {
    if (s.n_equations == 0) return {};
    const std::vector<std::int32_t>& u = transversal.potential;
    std::vector<std::int32_t> sigma(at(s.n_equations)); // of the pair, by equation
    for (std::int32_t i = 0; i < s.n_equations; ++i) {
        const Signature::Row row = s.row(i);
        for (std::size_t k = 0; k < row.size(); ++k)
            if (row.unknown[k] == transversal.unknown_of[at(i)]) sigma[at(i)] = row.order[k];
    }

    // distance of each equation, at first its own -u_i, counted from the smallest
    const std::int32_t lowest = std::ranges::min(u), highest = std::ranges::max(u);
    std::vector<std::int32_t> distance(u.size());
    std::vector<std::vector<std::int32_t>> buckets(at(std::int64_t{highest} - lowest + 1));
    for (std::int32_t i = 0; i < s.n_equations; ++i) {
        distance[at(i)] = highest - u[at(i)];
        buckets[at(distance[at(i)])].push_back(i);
    }
    for (std::int32_t now = 0; now < std::ssize(buckets); ++now)
        // NOTE: a bucket grows while it is read, by edges of length 0
        for (std::size_t b = 0; b < buckets[at(now)].size(); ++b) {
            const std::int32_t i = buckets[at(now)][b];
            if (distance[at(i)] != now) continue; // was found nearer
            const Signature::Row row = s.row(i);
            for (std::size_t e = 0; e < row.size(); ++e) {
                const std::int32_t k = transversal.equation_of[at(row.unknown[e])];
                const std::int32_t r = (sigma[at(k)] - u[at(k)]) - (row.order[e] - u[at(i)]);
                if (now + r >= distance[at(k)]) continue;
                distance[at(k)] = now + r;
                buckets[at(now + r)].push_back(k);
            }
        }

    Offsets o;
    o.c.resize(at(s.n_equations));
    o.d.resize(at(s.n_unknowns));
    for (std::int32_t k = 0; k < s.n_equations; ++k) {
        o.c[at(k)] = highest - u[at(k)] - distance[at(k)];
        o.d[at(transversal.unknown_of[at(k)])] = o.c[at(k)] + sigma[at(k)];
    }
    return o;
}

int structural_index(const Offsets& offsets) {
    if (offsets.c.empty()) return 0;
    const bool has_underived = std::ranges::find(offsets.d, 0) != offsets.d.end();
    return *std::ranges::max_element(offsets.c) + (has_underived ? 1 : 0);
}

std::int64_t phase_dimension(const Offsets& offsets) {
    return std::accumulate(offsets.d.begin(), offsets.d.end(), std::int64_t{0}) -
           std::accumulate(offsets.c.begin(), offsets.c.end(), std::int64_t{0});
}

ConstraintCount count_constraints(const Signature& s, std::int64_t phase_dimension) {
    const std::vector<std::int32_t> q = highest_orders(s);
    ConstraintCount count;
    for (std::int32_t i = 0; i < s.n_equations; ++i) {
        const Signature::Row row = s.row(i);
        bool is_constraint = true;
        for (std::size_t k = 0; k < row.size(); ++k)
            if (row.order[k] > 0 && row.order[k] == q[at(row.unknown[k])]) is_constraint = false;
        if (is_constraint) ++count.written;
    }
    std::int64_t n_coordinates = 0;
    for (const std::int32_t order : q) n_coordinates += std::max(order, 1);
    count.hidden = n_coordinates - phase_dimension - count.written;
    return count;
}

} // namespace vessiot
