#include "method/geometric/separable.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "expr/graph/jacobian.hpp"
#include "linalg/scalar.hpp"
#include "system/functions.hpp"

namespace vessiot::method {

using namespace expr;
using linalg::at;

namespace {

using Numbers = std::vector<std::int32_t>;

// Which coordinates the derivative of each one contains. Tops that are determined together contain what any of their
// equations does.
class Dependence {
public:
    Dependence(const System& system, const Prolongation& p)
        : p_(p), part_(p.top.size()), uses_(p.top.size()), top_at_(at(p.z.size), -1), state_at_(at(p.z.size), -1) {
        std::iota(part_.begin(), part_.end(), 0);
        for (std::size_t k = 0; k < p.top.size(); ++k) top_at_[at(p.top[k])] = static_cast<std::int32_t>(k);
        for (std::size_t k = 0; k < p.state.size(); ++k) state_at_[at(p.state[k])] = static_cast<std::int32_t>(k);
        read_equations(system);
    }

    // Empty where it is a number, or a function of t alone.
    Numbers of(std::int64_t coordinate) const {
        const std::int32_t next = p_.next[at(coordinate)];
        if (top_at_[at(next)] < 0) return {state_at_[at(next)]};
        return uses_[at(root(top_at_[at(next)]))];
    }

private:
    std::int32_t root(std::int32_t top) const {
        while (part_[at(top)] != top) top = part_[at(top)];
        return top;
    }

    void read_equations(const System& system) {
        Graph& g = *system.graph;
        std::vector<RowTemplate> families;
        for (const RowFamily& f : p_.tops.families) families.push_back({f.domain, f.residual});
        std::int64_t n = 0;
        const std::vector<RowBlock> rows = row_blocks(g, families, n);
        const SparseMatrix matrix = jacobian(g, rows, n, p_.z.jets);
        std::vector<Numbers> tops(at(n)), states(at(n));
        for (std::int64_t c = 0; c < matrix.columns; ++c)
            for (std::int64_t e = matrix.column_start[at(c)]; e < matrix.column_start[at(c) + 1]; ++e) {
                if (top_at_[at(c)] >= 0) tops[at(matrix.row[at(e)])].push_back(top_at_[at(c)]);
                if (state_at_[at(c)] >= 0) states[at(matrix.row[at(e)])].push_back(state_at_[at(c)]);
            }
        for (const std::int32_t row : p_.tops.selected)
            for (const std::int32_t top : tops[at(row)]) part_[at(root(top))] = root(tops[at(row)][0]);
        for (const std::int32_t row : p_.tops.selected) {
            if (tops[at(row)].empty()) continue;
            Numbers& uses = uses_[at(root(tops[at(row)][0]))];
            uses.insert(uses.end(), states[at(row)].begin(), states[at(row)].end());
        }
        for (Numbers& uses : uses_) {
            std::ranges::sort(uses);
            uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
        }
    }

    const Prolongation& p_;
    Numbers part_; // of tops that are determined together: the way to one of them
    std::vector<Numbers> uses_;
    Numbers top_at_, state_at_;
};

std::string name_of(const System& system, const Prolongation& p, std::int64_t coordinate) {
    const std::int32_t position = p.state[at(coordinate)];
    const auto after = std::ranges::upper_bound(p.z.first, position);
    const auto jet = static_cast<std::size_t>(after - p.z.first.begin()) - 1;
    return system.graph->print_read(p.z.jets[jet], system.graph->indices_at(p.z.jets[jet], position - p.z.first[jet]));
}

// 1 for a momentum that a hamiltonian names, 0 for one of its positions, -1 for neither.
std::vector<char> known_roles(const System& system, const Prolongation& p) {
    std::vector<char> role(at(p.n_state()), -1);
    for (std::size_t k = 0; k < p.state.size(); ++k) {
        const auto after = std::ranges::upper_bound(p.z.first, p.state[k]);
        const ArrayId jet = p.z.jets[static_cast<std::size_t>(after - p.z.first.begin()) - 1];
        for (const ConjugatePair& pair : system.pairs)
            if (jet == pair.position || jet == pair.momentum) role[k] = jet == pair.momentum;
    }
    return role;
}

} // namespace

Separation separate(const System& system, const Prolongation& p) {
    if (!p.constraints.selected.empty()) return {{}, "it has constraints"};
    if (p.n_equations() != p.n_tops()) return {{}, "it has more equations than unknowns"};
    const Dependence dependence(system, p);
    std::vector<Numbers> neighbours(at(p.n_state()));
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(p.n_state()); ++k)
        for (const std::int32_t l : dependence.of(k)) {
            if (l == k) {
                const std::string name = name_of(system, p, k);
                return {{}, fmt::format("the derivative of {} depends on {} itself", name, name)};
            }
            neighbours[at(k)].push_back(l);
            neighbours[at(l)].push_back(k);
        }
    const std::vector<char> role = known_roles(system, p);
    std::vector<char> half(at(p.n_state()), -1);
    for (std::int32_t first = 0; first < static_cast<std::int32_t>(p.n_state()); ++first) {
        if (half[at(first)] >= 0) continue;
        half[at(first)] = role[at(first)] == 1;
        Numbers open{first};
        while (!open.empty()) {
            const std::int32_t k = open.back();
            open.pop_back();
            for (const std::int32_t l : neighbours[at(k)]) {
                if (half[at(l)] == half[at(k)])
                    return {{},
                            fmt::format("the derivatives of {} and {} mix both halves", name_of(system, p, k),
                                        name_of(system, p, l))};
                if (half[at(l)] >= 0) continue;
                half[at(l)] = half[at(k)] == 0;
                open.push_back(l);
            }
        }
    }
    return {std::move(half), ""};
}

} // namespace vessiot::method
