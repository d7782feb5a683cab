#include "completion/prolongation.hpp"

#include "completion/prolong_direct.hpp"
#include "completion/prolong_general.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/graph/derivative.hpp"
#include "system/describe/describe.hpp"

namespace vessiot {

using namespace expr;

namespace {

// Formulas grow with every differentiation, fast where products are long.
constexpr std::int32_t most_differentiations = 100;
constexpr std::size_t most_nodes = 1'000'000; // of the graph, more than before; and of all rows of high derivatives

// The jets of `tops` that a residual is not linear in.
std::set<ArrayId> nonlinear_tops(Graph& g, NodeId residual, const std::set<ArrayId>& tops) {
    std::map<ArrayId, bool> depends; // defined arrays: do they contain tops?
    const auto tops_in = [&](NodeId n) {
        std::set<ArrayId> found;
        for (const ArrayId a : dependencies(g, {n}))
            if (tops.contains(a)) found.insert(a);
        return found;
    };
    const auto is_active = [&](ArrayId a) {
        if (tops.contains(a)) return true;
        if (g.array(a).role != ArrayRole::defined) return false;
        if (const auto it = depends.find(a); it != depends.end()) return it->second;
        bool found = false;
        for (const Contribution& c : std::vector<Contribution>(g.array(a).definition))
            found |= !tops_in(c.body).empty();
        return depends[a] = found;
    };
    std::set<ArrayId> seen, nonlinear;
    std::vector<NodeId> bodies{residual};
    while (!bodies.empty()) {
        const NodeId body = bodies.back();
        bodies.pop_back();
        for (const Partial& p : local_gradient(g, body, is_active)) {
            const ArrayId a = g.node(p.read).a;
            if (const std::set<ArrayId> others = tops_in(p.value); !others.empty()) {
                nonlinear.insert(others.begin(), others.end());
                const std::set<ArrayId> read = tops_in(p.read);
                nonlinear.insert(read.begin(), read.end());
            }
            if (g.array(a).role != ArrayRole::defined || !seen.insert(a).second) continue;
            for (const Contribution& c : std::vector<Contribution>(g.array(a).definition)) bodies.push_back(c.body);
        }
    }
    return nonlinear;
}

ArrayId jet(Graph& g, ArrayId unknown, int order) {
    for (int k = 0; k < order; ++k) unknown = g.derivative(unknown);
    return unknown;
}

// The arrays that hold a top.
std::set<ArrayId> top_arrays(const System& system, const Signature& s, const Offsets& offsets) {
    std::set<ArrayId> tops;
    for (std::size_t u = 0; u < system.unknowns.size(); ++u) {
        std::set<std::int32_t> orders;
        for (std::int64_t j = s.unknowns[u]; j < s.unknowns[u + 1]; ++j)
            orders.insert(offsets.d[static_cast<std::size_t>(j)]);
        for (const std::int32_t d : orders) tops.insert(jet(*system.graph, system.unknowns[u].array, d));
    }
    return tops;
}

// Raises c_i of a row by one, and what follows from it: each c and d by one at most, since all of them together may be.
void raise(Offsets& o, const Signature& s, const Assignment& pairs, std::int32_t first) {
    struct Wanted {
        std::int32_t row, c;
    };
    std::vector<Wanted> open{{first, o.c[static_cast<std::size_t>(first)] + 1}};
    while (!open.empty()) {
        const Wanted w = open.back();
        open.pop_back();
        const auto i = static_cast<std::size_t>(w.row);
        if (o.c[i] >= w.c) continue; // by another one, meanwhile
        o.d[static_cast<std::size_t>(pairs.unknown_of[i])] += w.c - o.c[i];
        o.c[i] = w.c;
        const Signature::Row row = s.row(w.row);
        for (std::size_t k = 0; k < row.size(); ++k) {
            const auto j = static_cast<std::size_t>(row.unknown[k]);
            const std::int32_t missing = o.c[i] + row.order[k] - o.d[j], partner = pairs.equation_of[j];
            if (missing > 0) open.push_back({partner, o.c[static_cast<std::size_t>(partner)] + missing});
        }
    }
}

// The rows to be raised, so that those with c = 0 get linear in the tops: the partners of the algebraic tops that stand
// nonlinearly in them (once these are coordinates, the rows may be linear), else the rows themselves.
std::vector<std::int32_t> rows_to_raise(const System& system, const Structure& structure, const Offsets& offsets) {
    const Signature& s = structure.signature;
    const std::set<ArrayId> tops = top_arrays(system, s, offsets);
    std::set<std::int32_t> rows, partners;
    for (std::size_t e = 0; e < system.equations.size(); ++e) {
        const auto first = offsets.c.begin() + s.equations[e], last = offsets.c.begin() + s.equations[e + 1];
        if (std::find(first, last, 0) == last) continue;
        const std::set<ArrayId> nonlinear = nonlinear_tops(*system.graph, system.equations[e].residual, tops);
        if (nonlinear.empty()) continue;
        for (std::int64_t i = s.equations[e]; i < s.equations[e + 1]; ++i)
            if (offsets.c[static_cast<std::size_t>(i)] == 0) rows.insert(static_cast<std::int32_t>(i));
        for (std::size_t u = 0; u < system.unknowns.size(); ++u) {
            if (!nonlinear.contains(system.unknowns[u].array)) continue; // itself: an algebraic top
            for (std::int64_t j = s.unknowns[u]; j < s.unknowns[u + 1]; ++j)
                if (offsets.d[static_cast<std::size_t>(j)] == 0)
                    partners.insert(structure.transversal.equation_of[static_cast<std::size_t>(j)]);
        }
    }
    const std::set<std::int32_t>& chosen = partners.empty() ? rows : partners;
    return {chosen.begin(), chosen.end()};
}

// Raises offsets until the equations for the tops are linear in them; false where nothing had to be raised.
bool make_linear(const System& system, const Structure& structure, Offsets& offsets) {
    for (bool is_raised = false;; is_raised = true) {
        const std::vector<std::int32_t> rows = rows_to_raise(system, structure, offsets);
        if (rows.empty()) return is_raised;
        std::vector<std::int32_t> before = offsets.c;
        for (const std::int32_t i : rows) // one may have been raised by another in the meantime
            if (offsets.c[static_cast<std::size_t>(i)] == before[static_cast<std::size_t>(i)])
                raise(offsets, structure.signature, structure.transversal, i);
    }
}

struct Elements {
    const Signature& s;
    const Offsets& o;
    std::int32_t highest_c(std::size_t e) const { return *std::max_element(c_begin(e), c_begin(e + 1)); }
    std::vector<std::int32_t>::const_iterator c_begin(std::size_t e) const { return o.c.begin() + s.equations[e]; }
    std::vector<std::int32_t>::const_iterator d_begin(std::size_t u) const { return o.d.begin() + s.unknowns[u]; }
};

std::string text_of(const System& system, std::size_t equation) {
    return shortened(describe_equation(system, system.equations[equation]).text, 100);
}

void check_order(const System& system, const Elements& all) {
    for (std::size_t e = 0; e < system.equations.size(); ++e) {
        if (all.s.equations[e] == all.s.equations[e + 1] || all.highest_c(e) <= most_differentiations) continue;
        throw InvalidInput(fmt::format(
            "the index of {} is too high: '{}' would have to be differentiated {} times, and {} is the limit. Where "
            "unknowns are derivatives of given functions, write these as formulas, or leave the last ones out.",
            system.name, text_of(system, e), all.highest_c(e), most_differentiations));
    }
}

// Of an equation that is differentiated c times the first c - 1 derivatives are constraints, which have to hold to
// round-off: differences of a function of the user do not.
void check_functions(const System& system, const Elements& all) {
    const Graph& g = *system.graph;
    if (!g.has_externals()) return;
    for (std::size_t e = 0; e < system.equations.size(); ++e) {
        if (all.s.equations[e] == all.s.equations[e + 1] || all.highest_c(e) < 2) continue;
        for (const NodeId n : g.cone({system.equations[e].residual})) {
            const Node& x = g.node(n);
            if (x.op != Op::call || g.external(x.b)->n_exact() >= all.highest_c(e) - 1) continue;
            throw InvalidInput(fmt::format("the equations of {} hide others, for which '{}' is differentiated {} "
                                           "times. Of the function '{}', given as "
                                           "numbers{}, there are only differences, on which constraints cannot be "
                                           "held: {}write it as a function of "
                                           "any scalar, [](auto …) {{ … }}, or give the hidden equations yourself",
                                           system.name, text_of(system, e), all.highest_c(e), g.external(x.b)->name(),
                                           g.external(x.b)->n_exact() > 0 ? " with its derivative" : "",
                                           all.highest_c(e) == 2 ? "give its derivative, " : ""));
        }
    }
}

[[noreturn]] void fail_long(const System& system, std::size_t e, int k, int c) {
    throw InvalidInput(fmt::format(
        "the index of {} is too high for formulas as long as these: derivative {} of '{}' fills more than {} "
        "million operations, and derivative {} is needed. New unknowns for its longest parts make it shorter.",
        system.name, k, text_of(system, e), most_nodes / 1'000'000, c));
}

// The families F_e^(k) with k below (constraints) or at (tops) the offset of at least one instance.
void make_rows(const System& system, const Elements& all, Prolongation& p) {
    Direction D = total_derivative(*system.graph);
    const auto add = [&](RowSet& set, std::size_t e, int k, NodeId residual, auto belongs) {
        const auto n = static_cast<std::int64_t>(all.s.equations[e + 1] - all.s.equations[e]);
        bool is_used = false;
        for (std::int64_t i = 0; i < n; ++i) {
            if (!belongs(all.c_begin(e)[i])) continue;
            is_used = true;
            set.selected.push_back(static_cast<std::int32_t>(set.n_rows + i));
            set.equation.push_back(static_cast<std::int32_t>(all.s.equations[e] + i));
        }
        if (!is_used) return;
        set.families.push_back({e, k, system.equations[e].domain, residual, set.n_rows, n});
        set.n_rows += n;
    };
    check_order(system, all);
    check_functions(system, all);
    const std::size_t limit = system.graph->n_nodes() + most_nodes;
    std::size_t work = 0; // what the derivatives of the rows take, which share little
    for (std::size_t e = 0; e < system.equations.size(); ++e) {
        if (all.s.equations[e] == all.s.equations[e + 1]) continue;
        NodeId residual = system.equations[e].residual;
        for (int k = 0; k <= all.highest_c(e); ++k) {
            if (k > 0) residual = D(residual);
            if (k > 2) work += system.graph->cone({residual}).size();
            if (system.graph->n_nodes() > limit || work > most_nodes) fail_long(system, e, k, all.highest_c(e));
            add(p.constraints, e, k, residual, [k](std::int32_t c) { return k < c; });
            add(p.tops, e, k, residual, [k](std::int32_t c) { return k == c; });
        }
    }
}

// Jets that occur in the rows or are coordinates or tops: those of coordinates only first, then the others.
void make_coordinates(const System& system, const Elements& all, Prolongation& p) {
    Graph& g = *system.graph;
    struct Jet {
        std::size_t unknown;
        int order;
        bool is_state;
    };
    std::vector<NodeId> bodies;
    for (const RowSet* set : {&p.constraints, &p.tops})
        for (const RowFamily& f : set->families) bodies.push_back(f.residual);
    const std::vector<ArrayId> used = dependencies(g, bodies);
    std::vector<Jet> jets;
    for (std::size_t u = 0; u < system.unknowns.size(); ++u) {
        const auto [lowest, highest] = std::minmax_element(all.d_begin(u), all.d_begin(u + 1));
        int last = *highest;
        for (int k = last + 1; std::ranges::binary_search(used, jet(g, system.unknowns[u].array, k)); ++k) last = k;
        for (int k = 0; k <= last; ++k) jets.push_back({u, k, k < *lowest});
    }
    std::ranges::stable_partition(jets, [](const Jet& j) { return j.is_state; });
    std::map<std::pair<std::size_t, int>, std::int64_t> first;
    for (const Jet& j : jets) {
        const ArrayId a = jet(g, system.unknowns[j.unknown].array, j.order);
        p.z.jets.push_back(a);
        p.z.first.push_back(p.z.size);
        first[{j.unknown, j.order}] = p.z.size;
        p.z.size += g.array(a).size();
    }
    struct Place {
        std::int32_t at, next;
    };
    std::vector<Place> states;
    for (std::size_t u = 0; u < system.unknowns.size(); ++u)
        for (std::int64_t k = 0; k < all.d_begin(u + 1) - all.d_begin(u); ++k) {
            const int d = all.d_begin(u)[k];
            p.top.push_back(static_cast<std::int32_t>(first.at({u, d}) + k));
            for (int order = 0; order < d; ++order)
                states.push_back({static_cast<std::int32_t>(first.at({u, order}) + k),
                                  static_cast<std::int32_t>(first.at({u, order + 1}) + k)});
        }
    std::ranges::sort(states, {}, &Place::at);
    for (const Place& s : states) {
        p.state.push_back(s.at);
        p.next.push_back(s.next);
    }
    const auto m = static_cast<std::int32_t>(p.state.size());
    p.is_contiguous =
        p.z.size == m + p.n_tops() && (m == 0 || p.state.back() == m - 1) && std::ranges::is_sorted(p.top);
}

// Is an equation with c = 0 not linear in the tops?
bool has_nonlinear_tops(const System& system, const Signature& s, const Offsets& offsets) {
    const std::set<ArrayId> tops = top_arrays(system, s, offsets);
    for (std::size_t e = 0; e < system.equations.size(); ++e) {
        const auto first = offsets.c.begin() + s.equations[e], last = offsets.c.begin() + s.equations[e + 1];
        if (std::find(first, last, 0) == last) continue;
        if (!nonlinear_tops(*system.graph, system.equations[e].residual, tops).empty()) return true;
    }
    return false;
}

} // namespace

Prolongation prolong(const System& system, const Structure& structure) {
    Prolongation p;
    p.offsets = structure.offsets;
    p.is_raised = make_linear(system, structure, p.offsets);
    const Elements all{structure.signature, p.offsets};
    make_rows(system, all, p);
    make_coordinates(system, all, p);
    return p;
}

Prolongation prolong_general(const System& system, const Signature& signature) {
    Prolongation p;
    p.is_general = true;
    p.offsets.c.assign(static_cast<std::size_t>(signature.n_equations), 1);
    for (const std::int32_t q : highest_orders(signature)) p.offsets.d.push_back(std::max(q, 0) + 1);
    const Elements all{signature, p.offsets};
    make_rows(system, all, p);
    make_coordinates(system, all, p);
    return p;
}

namespace {

// Augmenting paths: rows i with an entry sigma_ij = q_j are paired with unknowns j.
class Pairing {
public:
    explicit Pairing(const Signature& s)
        : by_unknown_(transposed(s)), highest_(highest_orders(s)),
          of_row_(static_cast<std::size_t>(s.n_equations), -1) {}

    bool covers_all() {
        for (std::int32_t j = 0; j < std::ssize(highest_); ++j) {
            seen_.assign(of_row_.size(), 0);
            if (!pair(j)) return false;
        }
        return true;
    }

private:
    bool pair(std::int32_t unknown) {
        const Signature::Row column = by_unknown_.row(unknown);
        for (std::size_t k = 0; k < column.size(); ++k) {
            const auto row = static_cast<std::size_t>(column.unknown[k]);
            if (column.order[k] != highest_[static_cast<std::size_t>(unknown)] || seen_[row]) continue;
            seen_[row] = 1;
            if (of_row_[row] >= 0 && !pair(of_row_[row])) continue;
            of_row_[row] = unknown;
            return true;
        }
        return false;
    }

    Signature by_unknown_;
    std::vector<std::int32_t> highest_, of_row_; // of_row_: the unknown that a row is paired with
    std::vector<char> seen_;
};

} // namespace

bool determines_highest(const Signature& signature) {
    return Pairing(signature).covers_all();
}

Prolongation prolong_general(const System& system, const Structure& structure) {
    Prolongation p;
    p.is_general = true;
    p.offsets = structure.offsets;
    for (std::int32_t& c : p.offsets.c) ++c;
    for (std::int32_t& d : p.offsets.d) ++d;
    const Elements all{structure.signature, p.offsets};
    make_rows(system, all, p);
    make_coordinates(system, all, p);
    return p;
}

Prolongation prolong_direct(const System& system, const Signature& signature) {
    Prolongation p;
    p.is_general = true;
    p.offsets.c.assign(static_cast<std::size_t>(signature.n_equations), 0);
    for (const std::int32_t q : highest_orders(signature)) p.offsets.d.push_back(std::max(q, 1));
    const Elements all{signature, p.offsets};
    make_rows(system, all, p);
    make_coordinates(system, all, p);
    const auto has_top = [&](std::int32_t equation) {
        const Signature::Row row = signature.row(equation);
        for (std::size_t k = 0; k < row.size(); ++k)
            if (row.order[k] == p.offsets.d[static_cast<std::size_t>(row.unknown[k])]) return true;
        return false;
    };
    for (const RowFamily& f : p.tops.families) {
        RowFamily constraint = f;
        constraint.first = p.constraints.n_rows;
        bool is_used = false;
        for (std::int64_t i = 0; i < f.count; ++i) {
            const auto equation = static_cast<std::int32_t>(signature.equations[f.equation] + i);
            if (has_top(equation)) continue;
            is_used = true;
            p.constraints.selected.push_back(static_cast<std::int32_t>(constraint.first + i));
            p.constraints.equation.push_back(equation);
        }
        if (!is_used) continue;
        p.constraints.families.push_back(constraint);
        p.constraints.n_rows += f.count;
    }
    return p;
}

std::vector<int> variable_indices(const Prolongation& direct, const Signature& signature, const Offsets& offsets) {
    const std::int32_t deepest = offsets.c.empty() ? 0 : *std::ranges::max_element(offsets.c);
    // position in z -> unknown element and order, by walking from each y_j to its top
    std::vector<int> index(direct.state.size(), 1);
    std::vector<std::int32_t> state_at(static_cast<std::size_t>(direct.z.size), -1);
    for (std::size_t k = 0; k < direct.state.size(); ++k)
        state_at[static_cast<std::size_t>(direct.state[k])] = static_cast<std::int32_t>(k);
    std::vector<std::int32_t> before(static_cast<std::size_t>(direct.z.size), -1);
    for (std::size_t k = 0; k < direct.state.size(); ++k)
        before[static_cast<std::size_t>(direct.next[k])] = direct.state[k];
    for (std::int32_t j = 0; j < signature.n_unknowns; ++j) {
        int order = direct.offsets.d[static_cast<std::size_t>(j)] - 1;
        for (std::int32_t z = before[static_cast<std::size_t>(direct.top[static_cast<std::size_t>(j)])]; z >= 0;
             z = before[static_cast<std::size_t>(z)], --order)
            index[static_cast<std::size_t>(state_at[static_cast<std::size_t>(z)])] =
                std::max(1, order - offsets.d[static_cast<std::size_t>(j)] + deepest + 1);
    }
    return index;
}

namespace {

Prolongation written(const System& system, const Signature& signature, bool is_in_full) {
    Prolongation p;
    p.is_general = true;
    for (const std::int32_t q : highest_orders(signature)) p.offsets.d.push_back(std::max(q, 0));
    for (std::int32_t i = 0; i < signature.n_equations; ++i) {
        const Signature::Row row = signature.row(i);
        std::int32_t c = row.size() == 0 ? 0 : std::numeric_limits<std::int32_t>::max();
        for (std::size_t k = 0; k < row.size(); ++k)
            c = std::min(c, p.offsets.d[static_cast<std::size_t>(row.unknown[k])] - row.order[k]);
        p.offsets.c.push_back(c);
    }
    p.is_raised = is_in_full || has_nonlinear_tops(system, signature, p.offsets);
    if (p.is_raised) {
        for (std::int32_t& c : p.offsets.c) ++c;
        for (std::int32_t& d : p.offsets.d) ++d;
    }
    const Elements all{signature, p.offsets};
    make_rows(system, all, p);
    make_coordinates(system, all, p);
    return p;
}

} // namespace

Prolongation prolong_written(const System& system, const Signature& signature) {
    return written(system, signature, false);
}

Prolongation prolong_completed(const System& system, const Signature& signature) {
    return written(system, signature, true);
}

} // namespace vessiot
