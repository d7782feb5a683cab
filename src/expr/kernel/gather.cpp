// Scattered contributions turned around: each element is computed where it is stored.
//
// The gradient of  sum(i = 1..n-2, (x[i]-x[i+2])^2)  comes as  d[i] += 2(x[i]-x[i+2])  and  d[i+2] -= 2(x[i]-x[i+2]),
// i = 1..n-2. Turned around, d[j] is a sum of the bodies at i = j and i = j-2, where these exist: j = 1..2 has the
// first, j = 3..n-2 both, j = n-1..n the second. The pieces are templates again, as many as there are cuts, at every n.
#include <algorithm>

#include "expr/graph/derivative.hpp"
#include "expr/kernel/gather.hpp"

namespace vessiot::expr {

namespace {

// More pieces than this and accumulation is the better program.
constexpr std::size_t max_cells = 1'000'000;

struct Turned {
    NodeId body = 0;
    TargetRange range;
};

// The body at the target element `at` (forms, by dimension): var = sign * (at - offset).
NodeId body_at(Graph& g, const Turned& t, const std::vector<FormId>& at) {
    IndexSpace& index = g.index();
    const TargetRange& r = t.range;
    VarMap map;
    for (std::size_t k = 0; k < at.size(); ++k)
        if (r.sign[k] != 0) map[r.var[k]] = index.scale(index.subtract(at[k], index.constant(r.offset[k])), r.sign[k]);
    return g.substitute(t.body, map);
}

// A domain as a box with conditions: bounds that depend on outer variables become conditions. A variable that is the
// target's dimension k then runs through the whole dimension, so that fewer pieces are needed.
struct Box {
    std::vector<VarId> vars;
    std::vector<std::int64_t> lo, hi;
    CondId cond = 0;
};

std::optional<Box> as_box(IndexSpace& index, DomainId d) {
    Box box;
    box.vars = index.domain(d).vars;
    box.cond = index.domain(d).cond;
    if (!index.bounding_box(d, box.lo, box.hi)) return std::nullopt;
    for (std::size_t k = 0; k < box.vars.size(); ++k) {
        const VarId v = box.vars[k];
        const LoopVar var = index.loop_var(v);
        if (auto lo = index.constant_value(var.lo))
            box.lo[k] = *lo;
        else
            box.cond = index.both(box.cond, index.complement(index.less(index.var(v), var.lo)));
        if (auto hi = index.constant_value(var.hi))
            box.hi[k] = *hi;
        else
            box.cond = index.both(box.cond, index.complement(index.less(var.hi, index.var(v))));
    }
    return box;
}

// A[i] += b(i,j) for all i, j as A[i] += sum(j, b(i,j)): one contribution for each element. Nothing for targets in
// which a variable does not stand alone.
std::optional<Contribution> as_sum(Graph& g, const Contribution& c, const Array* whole) {
    IndexSpace& index = g.index();
    if (is_one_to_one(index, c)) return std::nullopt; // nothing to sum: a family with a condition
    const auto box = as_box(index, c.domain);
    if (!box) return std::nullopt;
    VarMap map;
    std::vector<VarId> vars;
    std::vector<FormId> target;
    const std::vector<FormId> forms(index.forms(c.target).begin(), index.forms(c.target).end());
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const Form form = index.form(forms[k]);
        if (form.terms.empty()) {
            target.push_back(forms[k]);
            continue;
        }
        const Atom a = index.atom(form.terms[0].atom);
        const std::int64_t sign = form.terms[0].coefficient;
        if (form.terms.size() != 1 || a.kind != Atom::Kind::var || (sign != 1 && sign != -1) || map.contains(a.a))
            return std::nullopt;
        const auto n = static_cast<std::size_t>(std::find(box->vars.begin(), box->vars.end(), a.a) - box->vars.begin());
        std::int64_t first = form.constant + sign * box->lo[n], last = form.constant + sign * box->hi[n];
        // where the range is cut by a condition anyway, the whole dimension makes fewer pieces
        if (whole && sign == 1 && !index.constant_value(index.loop_var(a.a).lo)) first = whole->lo[k];
        if (whole && sign == 1 && !index.constant_value(index.loop_var(a.a).hi))
            last = whole->lo[k] + whole->extent[k] - 1;
        const VarId v = index.loop_var(index.loop_var(a.a).name, static_cast<int>(k),
                                       index.constant(std::min(first, last)), index.constant(std::max(first, last)));
        vars.push_back(v);
        target.push_back(index.var(v));
        map[a.a] = index.scale(index.subtract(index.var(v), index.constant(form.constant)), sign);
    }
    const std::size_t n_free = vars.size();
    const DomainId elements = index.domain(vars);
    auto level = static_cast<int>(forms.size());
    for (std::size_t n = 0; n < box->vars.size(); ++n) {
        if (map.contains(box->vars[n])) continue;
        if (level == max_levels) return std::nullopt;
        const VarId v = index.loop_var(index.loop_var(box->vars[n]).name, level++, index.constant(box->lo[n]),
                                       index.constant(box->hi[n]));
        vars.push_back(v);
        map[box->vars[n]] = index.var(v);
    }
    const DomainId all = index.domain(vars, index.substitute_cond(box->cond, map));
    return Contribution{elements, index.list(target), g.sum(all, n_free, g.substitute(c.body, map))};
}

bool overlap(const TargetRange& a, const TargetRange& b) {
    for (std::size_t k = 0; k < a.lo.size(); ++k)
        if (a.hi[k] < b.lo[k] || b.hi[k] < a.lo[k]) return false;
    return true;
}

// The box between cuts; cells are numbered with the last dimension fastest.
void cell_box(const std::vector<std::vector<std::int64_t>>& cuts, std::size_t cell, std::vector<std::int64_t>& lo,
              std::vector<std::int64_t>& hi) {
    lo.resize(cuts.size());
    hi.resize(cuts.size());
    for (std::size_t k = cuts.size(); k-- > 0;) {
        const std::size_t n = cuts[k].size() - 1;
        lo[k] = cuts[k][cell % n];
        hi[k] = cuts[k][cell % n + 1] - 1;
        cell /= n;
    }
}

// Which contributions each cell has; nothing if they are too many.
std::optional<std::vector<std::vector<std::uint32_t>>>
members_of_cells(const std::vector<Turned>& turned, const std::vector<std::vector<std::int64_t>>& cuts,
                 std::size_t n_cells) {
    std::vector<std::vector<std::uint32_t>> members(n_cells);
    std::size_t work = 0;
    for (std::uint32_t t = 0; t < turned.size(); ++t) {
        std::vector<std::size_t> cells{0};
        for (std::size_t k = 0; k < cuts.size(); ++k) {
            const auto first = std::lower_bound(cuts[k].begin(), cuts[k].end(), turned[t].range.lo[k]);
            const auto last = std::lower_bound(first, cuts[k].end(), turned[t].range.hi[k] + 1);
            std::vector<std::size_t> next;
            work += cells.size() * static_cast<std::size_t>(last - first);
            if (work > max_cells) return std::nullopt;
            for (std::size_t cell : cells)
                for (auto it = first; it != last; ++it)
                    next.push_back(cell * (cuts[k].size() - 1) + static_cast<std::size_t>(it - cuts[k].begin()));
            cells = std::move(next);
        }
        for (std::size_t cell : cells) members[cell].push_back(t);
    }
    return members;
}

// One cell as a family: its indices are those of the target.
Contribution piece(Graph& g, const std::vector<Turned>& turned, const std::vector<std::uint32_t>& members,
                   const std::vector<std::vector<std::int64_t>>& cuts, std::size_t cell) {
    IndexSpace& index = g.index();
    std::vector<std::int64_t> lo, hi;
    cell_box(cuts, cell, lo, hi);
    std::vector<FormId> at;
    std::vector<VarId> vars;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        if (lo[k] == hi[k]) {
            at.push_back(index.constant(lo[k]));
            continue;
        }
        // keep the author's name of the index where there is one
        const VarId v = turned[members[0]].range.var[k];
        const std::string name = v == none ? std::string(1, static_cast<char>('i' + k % 3)) : index.loop_var(v).name;
        vars.push_back(index.loop_var(name, static_cast<int>(k), index.constant(lo[k]), index.constant(hi[k])));
        at.push_back(index.var(vars.back()));
    }
    std::vector<NodeId> terms;
    for (std::uint32_t t : members) terms.push_back(body_at(g, turned[t], at));
    return {index.domain(vars), index.list(at), g.sum(terms)};
}

} // namespace

std::optional<TargetRange> target_range(const IndexSpace& index, const Contribution& c) {
    if (!index.is_box(c.domain)) return std::nullopt;
    TargetRange r;
    std::size_t n_used = 0;
    for (FormId f : index.forms(c.target)) {
        const Form& form = index.form(f);
        std::int64_t lo = form.constant, hi = form.constant, sign = 0;
        VarId v = none;
        if (!form.terms.empty()) {
            const Atom& a = index.atom(form.terms[0].atom);
            sign = form.terms[0].coefficient;
            if (form.terms.size() != 1 || a.kind != Atom::Kind::var || (sign != 1 && sign != -1)) return std::nullopt;
            v = a.a;
            if (std::find(r.var.begin(), r.var.end(), v) != r.var.end()) return std::nullopt;
            const std::int64_t first = form.constant + sign * *index.constant_value(index.loop_var(v).lo);
            const std::int64_t last = form.constant + sign * *index.constant_value(index.loop_var(v).hi);
            lo = std::min(first, last);
            hi = std::max(first, last);
            ++n_used;
        }
        r.lo.push_back(lo);
        r.hi.push_back(hi);
        r.sign.push_back(sign);
        r.offset.push_back(form.constant);
        r.var.push_back(v);
    }
    if (n_used != index.domain(c.domain).vars.size()) return std::nullopt;
    return r;
}

bool is_one_to_one(const IndexSpace& index, const Contribution& c) {
    return std::ranges::all_of(index.domain(c.domain).vars, [&](VarId v) {
        return std::ranges::any_of(index.forms(c.target), [&](FormId f) {
            const auto& terms = index.form(f).terms;
            return terms.size() == 1 && index.atom(terms[0].atom) == Atom{Atom::Kind::var, v, 0};
        });
    });
}

bool covers_array(const Graph& g, const Array& a, const Contribution& c) {
    const IndexSpace& index = g.index();
    const auto forms = index.forms(c.target);
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const Form& form = index.form(forms[k]);
        if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].coefficient != 1) return false;
        const Atom& atom = index.atom(form.terms[0].atom);
        if (atom.kind != Atom::Kind::var) return false;
        const LoopVar& v = index.loop_var(atom.a);
        if (index.constant_value(v.lo) != a.lo[k] || index.constant_value(v.hi) != a.lo[k] + a.extent[k] - 1)
            return false;
    }
    return true;
}

bool are_disjoint(const IndexSpace& index, const std::vector<Contribution>& contributions) {
    if (contributions.size() == 1) return is_one_to_one(index, contributions[0]);
    std::vector<TargetRange> ranges;
    for (const Contribution& c : contributions) {
        auto r = target_range(index, c);
        if (!r) return false;
        ranges.push_back(std::move(*r));
    }
    if (ranges.empty()) return true;
    if (ranges[0].lo.empty()) return false;
    // sorted by the first dimension, only neighbours that share its range can overlap
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.lo[0] < b.lo[0]; });
    for (std::size_t i = 0; i < ranges.size(); ++i)
        for (std::size_t j = i + 1; j < ranges.size() && ranges[j].lo[0] <= ranges[i].hi[0]; ++j)
            if (overlap(ranges[i], ranges[j])) return false;
    return true;
}

std::vector<Contribution> gather(Graph& g, const std::vector<Contribution>& contributions, const Array* whole) {
    IndexSpace& index = g.index();
    std::vector<Contribution> result;
    std::vector<Turned> turned;
    for (const Contribution& c : contributions) {
        if (index.count(c.domain, 0) == 0) continue; // an empty range gives nothing
        Contribution single = c;
        auto range = target_range(index, c);
        if (!range)
            if (auto sum = as_sum(g, c, whole)) {
                single = *sum;
                range = target_range(index, single);
            }
        if (range)
            turned.push_back({single.body, std::move(*range)});
        else
            result.push_back(c);
    }
    if (turned.empty()) return result;
    const std::size_t n_dims = turned[0].range.lo.size();
    std::vector<std::vector<std::int64_t>> cuts(n_dims); // where pieces begin
    std::size_t n_cells = 1;
    for (std::size_t k = 0; k < n_dims; ++k) {
        for (const Turned& t : turned) {
            cuts[k].push_back(t.range.lo[k]);
            cuts[k].push_back(t.range.hi[k] + 1);
        }
        std::sort(cuts[k].begin(), cuts[k].end());
        cuts[k].erase(std::unique(cuts[k].begin(), cuts[k].end()), cuts[k].end());
        n_cells *= cuts[k].size() - 1;
        if (n_cells > max_cells) return contributions;
    }
    const auto members = members_of_cells(turned, cuts, n_cells);
    if (!members) return contributions;
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        if (!(*members)[cell].empty()) result.push_back(piece(g, turned, (*members)[cell], cuts, cell));
    return result;
}

} // namespace vessiot::expr
