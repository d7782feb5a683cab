// Scattered contributions turned around: each element is computed where it is stored.
//
// The gradient of  sum(i = 1..n-2, (x[i]-x[i+2])^2)  comes as  d[i] += 2(x[i]-x[i+2])  and  d[i+2] -= 2(x[i]-x[i+2]),
// i = 1..n-2. Turned around, d[j] is a sum of the bodies at i = j and i = j-2, where these exist: j = 1..2 has the
// first, j = 3..n-2 both, j = n-1..n the second. The pieces are templates again, as many as there are cuts, at every n.
#include <algorithm>

#include "expr/derivative.hpp"
#include "expr/gather.hpp"

namespace vessiot::expr {

namespace {

// More pieces than this (per number of contributions) and accumulation is the better program.
constexpr std::size_t max_work = 20'000'000;

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

bool overlap(const TargetRange& a, const TargetRange& b) {
    for (std::size_t k = 0; k < a.lo.size(); ++k)
        if (a.hi[k] < b.lo[k] || b.hi[k] < a.lo[k]) return false;
    return true;
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

std::vector<Contribution> gather(Graph& g, const std::vector<Contribution>& contributions) {
    IndexSpace& index = g.index();
    std::vector<Contribution> result;
    std::vector<Turned> turned;
    for (const Contribution& c : contributions) {
        if (index.count(c.domain, 0) == 0) continue; // an empty range gives nothing
        if (auto range = target_range(index, c))
            turned.push_back({c.body, std::move(*range)});
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
    }
    if (n_cells * turned.size() > max_work) return contributions;

    for (std::size_t cell = 0; cell < n_cells; ++cell) {
        std::vector<std::int64_t> lo(n_dims), hi(n_dims);
        for (std::size_t k = n_dims, rest = cell; k-- > 0;) {
            const std::size_t n = cuts[k].size() - 1;
            lo[k] = cuts[k][rest % n];
            hi[k] = cuts[k][rest % n + 1] - 1;
            rest /= n;
        }
        std::vector<FormId> at;
        std::vector<VarId> vars;
        std::vector<NodeId> terms;
        for (const Turned& t : turned) {
            bool covers = true;
            for (std::size_t k = 0; k < n_dims; ++k) covers &= t.range.lo[k] <= lo[k] && hi[k] <= t.range.hi[k];
            if (!covers) continue;
            for (std::size_t k = at.size(); k < n_dims; ++k) {
                if (lo[k] == hi[k]) {
                    at.push_back(index.constant(lo[k]));
                    continue;
                }
                // keep the author's name of the index where there is one
                const std::string name = t.range.var[k] == none ? std::string(1, static_cast<char>('i' + k % 3))
                                                                : index.loop_var(t.range.var[k]).name;
                vars.push_back(index.loop_var(name, static_cast<int>(k), index.constant(lo[k]), index.constant(hi[k])));
                at.push_back(index.var(vars.back()));
            }
            terms.push_back(body_at(g, t, at));
        }
        if (!terms.empty()) result.push_back({index.domain(vars), index.list(at), g.sum(terms)});
    }
    return result;
}

} // namespace vessiot::expr
