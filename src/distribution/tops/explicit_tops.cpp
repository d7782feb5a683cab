#include "distribution/tops/explicit_tops.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "distribution/tops/written_rows.hpp"
#include "expr/graph/derivative.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t row_limit = 1500;      // operations of the rows written out
constexpr std::int64_t solution_limit = 6000; // and of the tops
constexpr std::size_t block_limit = 32;

class Elimination {
public:
    Elimination(const System& system, const Structure& structure, const Prolongation& p)
        : system_(system), g_(*system.graph), p_(p),
          blocks_(block_triangular_form(structure.signature, structure.transversal, p.offsets)) {}

    // The tops, or nothing.
    std::optional<std::vector<NodeId>> operator()(bool is_mechanical) {
        auto rows = write_rows(system_, p_, row_limit);
        if (!rows) return std::nullopt;
        rows_ = std::move(*rows);
        w_.assign(p_.top.size(), none);
        for (std::int64_t b = 0; b < blocks_.n_blocks(); ++b) {
            const auto equations = blocks_.equations_of(b);
            const auto unknowns = blocks_.unknowns_of(b);
            if (equations.size() > 1 && (!is_mechanical || equations.size() > block_limit)) return std::nullopt;
            if (!solve_block({equations.begin(), equations.end()}, {unknowns.begin(), unknowns.end()}))
                return std::nullopt;
            is_eliminated_ |= equations.size() > 1;
        }
        if (std::ssize(g_.cone(w_)) > solution_limit) return std::nullopt;
        return w_;
    }
    bool is_eliminated() const { return is_eliminated_; }

private:
    // Equations in the order of elimination beside their pivots: those with c = 0 and coordinates first.
    bool order_block(std::vector<std::int32_t>& equations, std::vector<std::int32_t>& unknowns) const {
        const auto c = [&](std::int32_t i) { return p_.offsets.c[static_cast<std::size_t>(i)]; };
        const auto d = [&](std::int32_t j) { return p_.offsets.d[static_cast<std::size_t>(j)]; };
        std::ranges::sort(equations);
        std::ranges::sort(unknowns);
        std::ranges::stable_sort(equations, {}, [&](std::int32_t i) { return c(i) > 0; });
        std::ranges::stable_sort(unknowns, {}, [&](std::int32_t j) { return d(j) == 0; });
        const auto n_motion = std::ranges::count_if(equations, [&](std::int32_t i) { return c(i) == 0; });
        if (n_motion != std::ranges::count_if(unknowns, [&](std::int32_t j) { return d(j) > 0; })) return false;
        // where E is diagonal its entries say which equation belongs to which coordinate; else both are in order
        std::vector<std::int32_t> partner;
        for (std::ptrdiff_t k = 0; k < n_motion; ++k) {
            std::int32_t only = -1;
            int n = 0;
            for (const auto& [j, a] : rows_[static_cast<std::size_t>(equations[static_cast<std::size_t>(k)])].a)
                if (d(j) > 0 && w_[static_cast<std::size_t>(j)] == none) {
                    only = j;
                    ++n;
                }
            if (n == 1) partner.push_back(only);
        }
        std::vector<std::int32_t> sorted = partner;
        std::ranges::sort(sorted);
        if (std::ssize(sorted) == n_motion && std::ranges::equal(sorted, std::span(unknowns).first(sorted.size())))
            std::ranges::copy(partner, unknowns.begin());
        return true;
    }

    bool solve_block(std::vector<std::int32_t> equations, std::vector<std::int32_t> unknowns) {
        const std::size_t n = equations.size();
        if (n > 1 && !order_block(equations, unknowns)) return false;
        // [a | rhs], the tops known by now moved to the right
        std::vector<std::vector<NodeId>> a(n, std::vector<NodeId>(n, g_.zero()));
        std::vector<NodeId> rhs(n);
        for (std::size_t k = 0; k < n; ++k) {
            const WrittenRow& row = rows_[static_cast<std::size_t>(equations[k])];
            rhs[k] = g_.neg(row.r);
            for (const auto& [j, value] : row.a) {
                const auto at = std::ranges::find(unknowns, j);
                if (at != unknowns.end()) {
                    a[k][static_cast<std::size_t>(at - unknowns.begin())] = value;
                } else if (w_[static_cast<std::size_t>(j)] == none) {
                    return false;
                } else {
                    rhs[k] = g_.sub(rhs[k], g_.mul(value, w_[static_cast<std::size_t>(j)]));
                }
            }
        }
        for (std::size_t k = 0; k < n; ++k) {
            if (g_.is_constant(a[k][k], 0)) return false;
            for (std::size_t i = k + 1; i < n; ++i) {
                if (g_.is_constant(a[i][k], 0)) continue;
                const NodeId l = g_.div(a[i][k], a[k][k]);
                for (std::size_t j = k + 1; j < n; ++j) a[i][j] = g_.sub(a[i][j], g_.mul(l, a[k][j]));
                rhs[i] = g_.sub(rhs[i], g_.mul(l, rhs[k]));
            }
        }
        for (std::size_t k = n; k-- > 0;) {
            NodeId sum = rhs[k];
            for (std::size_t j = k + 1; j < n; ++j)
                sum = g_.sub(sum, g_.mul(a[k][j], w_[static_cast<std::size_t>(unknowns[j])]));
            w_[static_cast<std::size_t>(unknowns[k])] = g_.div(sum, a[k][k]);
        }
        return true;
    }

    const System& system_;
    Graph& g_;
    const Prolongation& p_;
    BlockTriangular blocks_;
    std::vector<WrittenRow> rows_; // by equation
    std::vector<NodeId> w_;        // by top; none: not known yet
    bool is_eliminated_ = false;
};

ExplicitTops written_out(const System& system, const Prolongation& p, const std::vector<NodeId>& w) {
    Graph& g = *system.graph;
    IndexSpace& index = g.index();
    ExplicitTops result;
    const auto at = [&](std::size_t k) { return index.list({index.constant(static_cast<std::int64_t>(k))}); };
    std::vector<NodeId> z(static_cast<std::size_t>(p.z.size), none); // what each element of z is
    for (std::size_t k = 0; k < w.size(); ++k) {
        z[static_cast<std::size_t>(p.top[k])] = w[k];
        result.tops.push_back({index.scalar_domain(), at(k), w[k]});
    }
    for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
        for (std::int64_t e = 0; e < g.array(p.z.jets[k]).size(); ++e) {
            NodeId& node = z[static_cast<std::size_t>(p.z.first[k] + e)];
            if (node != none) continue;
            node = g.read(p.z.jets[k], g.indices_at(p.z.jets[k], e));
        }
    }
    for (std::size_t k = 0; k < p.next.size(); ++k)
        result.velocity.push_back({index.scalar_domain(), at(k), z[static_cast<std::size_t>(p.next[k])]});
    return result;
}

// ---- families ----

// x[i]'' = ...: rows with one top each, solved for it as families. Tops in `given` count as known.
class Families {
public:
    Families(const System& system, const Prolongation& p, const std::vector<ArrayId>& given)
        : g_(*system.graph), p_(p) {
        const std::unordered_set<ArrayId> known(given.begin(), given.end());
        for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
            const ArrayId jet = p.z.jets[k];
            first_[jet] = p.z.first[k];
            if (p.z.first[k] < p.n_state())
                below_[g_.derivative(jet)] = p.z.first[k];
            else if (!known.contains(jet))
                tops_.insert(jet);
        }
    }

    // False where the family has not one top of its own.
    bool add(const RowFamily& f) {
        const std::vector<Partial> partials = local_gradient(g_, f.residual, [&](ArrayId a) {
            return is_top(a) || (g_.array(a).role == ArrayRole::defined && defined_contains_top(a));
        });
        if (partials.size() != 1) return false;
        const Node read = g_.node(partials[0].read);
        if (!is_top(read.a) || contains_top(partials[0].value)) return false;
        const NodeId r = without(g_, f.residual, [&](const Node& x) { return x.a == read.a && x.b == read.b; });
        const NodeId w = g_.neg(g_.div(r, partials[0].value));
        tops.push_back({f.domain, flat(read.a, read.b, first_.at(read.a) - p_.n_state()), w});
        by_array[read.a].push_back({f.domain, read.b, w});
        if (const auto below = below_.find(read.a); below != below_.end())
            velocity.push_back({f.domain, flat(read.a, read.b, below->second), w});
        return true;
    }

    // u' of x is x', where that is a coordinate too.
    void add_copies() {
        for (const ArrayId jet : p_.z.jets)
            if (first_.at(jet) < p_.n_state() && first_.at(g_.derivative(jet)) < p_.n_state()) add_copy(jet);
    }

    bool contains_top(NodeId n) const {
        return std::ranges::any_of(dependencies(g_, {n}), [&](ArrayId a) { return is_top(a); });
    }
    bool is_top(ArrayId a) const { return tops_.contains(a); }

    std::vector<Contribution> tops, velocity;
    std::map<ArrayId, std::vector<Contribution>> by_array; // the tops of each array, with its own indices

private:
    bool defined_contains_top(ArrayId a) const {
        return std::ranges::any_of(g_.array(a).definition, [&](const Contribution& c) { return contains_top(c.body); });
    }

    ListId flat(ArrayId a, ListId indices, std::int64_t first) {
        return g_.index().list({g_.index().add(g_.address_form(a, indices), g_.index().constant(first))});
    }

    void add_copy(ArrayId jet) {
        IndexSpace& index = g_.index();
        const Array x = g_.array(jet);
        std::vector<VarId> vars;
        std::vector<FormId> indices;
        for (std::size_t d = 0; d < x.extent.size(); ++d) {
            vars.push_back(index.loop_var("i", static_cast<int>(d), index.constant(x.lo[d]),
                                          index.constant(x.lo[d] + x.extent[d] - 1)));
            indices.push_back(index.var(vars.back()));
        }
        const ListId list = index.list(indices);
        const ArrayId next = g_.derivative(jet);
        velocity.push_back({index.domain(vars), flat(jet, list, first_.at(jet)), g_.read(next, list)});
    }

    Graph& g_;
    const Prolongation& p_;
    std::unordered_map<ArrayId, std::int64_t> first_; // of the elements of each jet in z
    std::unordered_map<ArrayId, std::int64_t> below_; // of the jet of which this one is the derivative
    std::unordered_set<ArrayId> tops_;
};

bool is_uniform(const Prolongation& p) {
    return p.is_contiguous && std::ssize(p.tops.selected) == p.tops.n_rows;
}

std::optional<ExplicitTops> family_tops(const System& system, const Prolongation& p) {
    if (!is_uniform(p)) return std::nullopt;
    Families families(system, p, {});
    for (const RowFamily& f : p.tops.families)
        if (!families.add(f)) return std::nullopt;
    families.add_copies();
    return ExplicitTops{std::move(families.tops), std::move(families.velocity), false};
}

// Reads of tops replaced by reads of the arrays that define them, `by`; arrays that are defined with tops get a
// definition of their own, once.
class PutIn {
public:
    PutIn(Graph& g, const Families& families, std::map<ArrayId, ArrayId> by)
        : g_(g), families_(families), by_(std::move(by)) {}

    // Nothing where a top cannot be replaced.
    std::optional<NodeId> operator()(NodeId body) {
        std::unordered_map<NodeId, NodeId> image;
        for (const NodeId n : g_.cone({body})) {
            const Node x = g_.node(n);
            if (x.op != Op::read) {
                image[n] = arity(x.op) > 0 ? g_.rebuild_with(n, image) : n;
                continue;
            }
            if (!by_.contains(x.a) && families_.contains_top(n) && !define(x.a)) return std::nullopt;
            const auto it = by_.find(x.a);
            image[n] = it == by_.end() ? n : g_.read(it->second, x.b);
        }
        return image.at(body);
    }

private:
    bool define(ArrayId a) {
        const Array x = g_.array(a);
        if (x.role != ArrayRole::defined) return false;
        std::vector<Contribution> definition = x.definition;
        for (Contribution& c : definition) {
            const auto body = (*this)(c.body);
            if (!body) return false;
            c.body = *body;
        }
        by_[a] = g_.define(x.name + "_of_l", x.lo, x.extent, definition, x.is_disjoint);
        return true;
    }

    Graph& g_;
    const Families& families_;
    std::map<ArrayId, ArrayId> by_;
};

} // namespace

std::optional<ExplicitTops> explicit_tops(const System& system, const Structure& structure, const Prolongation& p,
                                          bool is_mechanical) {
    Elimination eliminate(system, structure, p);
    if (const auto w = eliminate(is_mechanical)) {
        ExplicitTops result = written_out(system, p, *w);
        result.is_eliminated = eliminate.is_eliminated();
        return result;
    }
    return family_tops(system, p);
}

std::optional<KktTops> kkt_tops(const System& system, const Prolongation& p) {
    if (!is_uniform(p)) return std::nullopt;
    Graph& g = *system.graph;
    KktTops result;
    std::int64_t top = 0;
    for (const Unknown& u : system.unknowns) {
        if (p.offsets.d[static_cast<std::size_t>(top)] == 0) {
            result.multipliers.push_back(u.array);
            result.first.push_back(top);
        }
        top += g.array(u.array).size();
    }
    if (result.multipliers.empty()) return std::nullopt;
    Families families(system, p, result.multipliers);
    const auto is_motion = [&](const RowFamily& f) { return f.order == 0; };
    for (const RowFamily& f : p.tops.families)
        if (is_motion(f) && !families.add(f)) return std::nullopt;
    families.add_copies();
    std::map<ArrayId, ArrayId> by;
    for (const auto& [array, contributions] : families.by_array) {
        const Array x = g.array(array);
        by[array] = g.define(x.name + "_of_l", x.lo, x.extent, contributions, true);
    }
    std::int64_t n_rows = 0, n_multipliers = 0;
    PutIn put_in(g, families, std::move(by));
    for (const RowFamily& f : p.tops.families) {
        if (is_motion(f)) continue;
        const auto row = put_in(f.residual);
        if (!row) return std::nullopt;
        result.rows.push_back({f.domain, *row});
        n_rows += f.count;
    }
    for (const ArrayId l : result.multipliers) n_multipliers += g.array(l).size();
    if (n_rows != n_multipliers) return std::nullopt;
    result.tops = std::move(families.tops);
    result.velocity = std::move(families.velocity);
    return result;
}

} // namespace vessiot
