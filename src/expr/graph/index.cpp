#include "expr/graph/index.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace vessiot::expr {

namespace {

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    if (b == 0) throw std::out_of_range("division of an index by zero");
    const std::int64_t q = a / b;
    return (a % b != 0 && (a % b < 0) != (b < 0)) ? q - 1 : q;
}

std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
    return a - b * floor_quotient(a, b);
}

} // namespace

IndexSpace::IndexSpace() {
    intern_cond({Cond::Kind::yes, 0, 0});
    intern_cond({Cond::Kind::no, 0, 0});
    domain({}, 0);
}

FormId IndexSpace::intern(Form f) {
    auto [it, is_new] = form_ids_.try_emplace(std::move(f), static_cast<FormId>(forms_.size()));
    if (!is_new) return it->second;
    std::uint32_t mask = 0;
    for (const Term& term : it->first.terms) {
        const Atom& a = atoms_[term.atom];
        switch (a.kind) {
        case Atom::Kind::var: mask |= 1U << vars_[a.a].level; break;
        case Atom::Kind::lookup:
            for (FormId g : lists_[a.b]) mask |= form_levels_[g];
            break;
        default: mask |= form_levels_[a.a] | form_levels_[a.b];
        }
    }
    forms_.push_back(it->first);
    form_levels_.push_back(mask);
    return it->second;
}

std::uint32_t IndexSpace::intern_atom(Atom a) {
    auto [it, is_new] = atom_ids_.try_emplace(a, static_cast<std::uint32_t>(atoms_.size()));
    if (is_new) atoms_.push_back(a);
    return it->second;
}

CondId IndexSpace::intern_cond(Cond c) {
    auto [it, is_new] = cond_ids_.try_emplace(c, static_cast<CondId>(conds_.size()));
    if (is_new) conds_.push_back(c);
    return it->second;
}

FormId IndexSpace::constant(std::int64_t c) {
    return intern({c, {}});
}

FormId IndexSpace::var(VarId v) {
    return intern({0, {{intern_atom({Atom::Kind::var, v, 0}), 1}}});
}

FormId IndexSpace::add(FormId f, FormId g) {
    Form sum{forms_[f].constant + forms_[g].constant, {}};
    const auto& a = forms_[f].terms;
    const auto& b = forms_[g].terms;
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && a[i].atom < b[j].atom)) {
            sum.terms.push_back(a[i++]);
        } else if (i == a.size() || b[j].atom < a[i].atom) {
            sum.terms.push_back(b[j++]);
        } else {
            const std::int64_t c = a[i].coefficient + b[j].coefficient;
            if (c != 0) sum.terms.push_back({a[i].atom, c});
            ++i, ++j;
        }
    }
    return intern(std::move(sum));
}

FormId IndexSpace::scale(FormId f, std::int64_t c) {
    if (c == 0) return constant(0);
    Form g = forms_[f];
    g.constant *= c;
    for (Term& term : g.terms) term.coefficient *= c;
    return intern(std::move(g));
}

FormId IndexSpace::subtract(FormId f, FormId g) {
    return add(f, scale(g, -1));
}

FormId IndexSpace::multiply(FormId f, FormId g) {
    if (auto c = constant_value(f)) return scale(g, *c);
    if (auto c = constant_value(g)) return scale(f, *c);
    return intern({0, {{intern_atom({Atom::Kind::product, std::min(f, g), std::max(f, g)}), 1}}});
}

FormId IndexSpace::modulo(FormId f, FormId g) {
    auto a = constant_value(f), b = constant_value(g);
    if (a && b && *b != 0) return constant(floor_modulo(*a, *b));
    return intern({0, {{intern_atom({Atom::Kind::modulo, f, g}), 1}}});
}

FormId IndexSpace::quotient(FormId f, FormId g) {
    auto a = constant_value(f), b = constant_value(g);
    if (a && b && *b != 0) return constant(floor_quotient(*a, *b));
    return intern({0, {{intern_atom({Atom::Kind::quotient, f, g}), 1}}});
}

// A constant index is looked up at once. Where it is out of range no instance uses it (an empty loop, a condition that
// never holds), and any number will do.
FormId IndexSpace::lookup(TableId table, ListId indices) {
    const FormId f = intern({0, {{intern_atom({Atom::Kind::lookup, table, indices}), 1}}});
    if (form_levels_[f] != 0) return f;
    const IndexTable& t = tables_[table];
    for (std::size_t k = 0; k < t.extent.size(); ++k) {
        const std::int64_t i = value(lists_[indices][k], {});
        if (i < 1 || i > t.extent[k]) return constant(1);
    }
    return constant(value(f, {}));
}

ListId IndexSpace::list(std::vector<FormId> forms) {
    auto [it, is_new] = list_ids_.try_emplace(std::move(forms), static_cast<ListId>(lists_.size()));
    if (is_new) lists_.push_back(it->first);
    return it->second;
}

CondId IndexSpace::less(FormId f, FormId g) {
    const FormId d = subtract(f, g);
    if (auto c = constant_value(d)) return *c < 0 ? always() : never();
    return intern_cond({Cond::Kind::negative, d, 0});
}

CondId IndexSpace::equal(FormId f, FormId g) {
    FormId d = subtract(f, g);
    if (auto c = constant_value(d)) return *c == 0 ? always() : never();
    if (forms_[d].terms.front().coefficient < 0) d = scale(d, -1); // f == g and g == f are one condition
    return intern_cond({Cond::Kind::zero, d, 0});
}

CondId IndexSpace::both(CondId a, CondId b) {
    if (a == never() || b == never()) return never();
    if (a == always() || a == b) return b;
    if (b == always()) return a;
    return intern_cond({Cond::Kind::both, std::min(a, b), std::max(a, b)});
}

CondId IndexSpace::either(CondId a, CondId b) {
    return complement(both(complement(a), complement(b)));
}

CondId IndexSpace::complement(CondId a) {
    if (a == always()) return never();
    if (a == never()) return always();
    if (conds_[a].kind == Cond::Kind::complement) return conds_[a].a;
    return intern_cond({Cond::Kind::complement, a, 0});
}

VarId IndexSpace::loop_var(const std::string& name, int level, FormId lo, FormId hi) {
    auto [it, is_new] = var_ids_.try_emplace({level, lo, hi}, static_cast<VarId>(vars_.size()));
    if (is_new) vars_.push_back({name, level, lo, hi});
    return it->second;
}

DomainId IndexSpace::domain(std::vector<VarId> vars, CondId cond) {
    auto [it, is_new] = domain_ids_.try_emplace(Domain{std::move(vars), cond}, static_cast<DomainId>(domains_.size()));
    if (is_new) domains_.push_back(it->first);
    return it->second;
}

TableId IndexSpace::table(IndexTable t) {
    tables_.push_back(std::move(t));
    return static_cast<TableId>(tables_.size() - 1);
}

std::optional<std::int64_t> IndexSpace::constant_value(FormId f) const {
    if (forms_[f].terms.empty()) return forms_[f].constant;
    return std::nullopt;
}

std::optional<std::int64_t> IndexSpace::coefficient(FormId f, VarId v) const {
    std::int64_t c = 0;
    const std::uint32_t bit = 1U << vars_[v].level;
    for (const Term& term : forms_[f].terms) {
        const Atom& a = atoms_[term.atom];
        if (a.kind == Atom::Kind::var) {
            if (a.a == v) c += term.coefficient;
            continue;
        }
        std::uint32_t mask = 0;
        if (a.kind == Atom::Kind::lookup)
            for (FormId g : lists_[a.b]) mask |= form_levels_[g];
        else
            mask = form_levels_[a.a] | form_levels_[a.b];
        if (mask & bit) return std::nullopt;
    }
    return c;
}

std::uint32_t IndexSpace::levels(FormId f) const {
    return form_levels_[f];
}

std::uint32_t IndexSpace::list_levels(ListId l) const {
    std::uint32_t mask = 0;
    for (FormId f : lists_[l]) mask |= form_levels_[f];
    return mask;
}

std::uint32_t IndexSpace::cond_levels(CondId c) const {
    const Cond& k = conds_[c];
    switch (k.kind) {
    case Cond::Kind::negative:
    case Cond::Kind::zero: return form_levels_[k.a];
    case Cond::Kind::both: return cond_levels(k.a) | cond_levels(k.b);
    case Cond::Kind::complement: return cond_levels(k.a);
    default: return 0;
    }
}

std::uint32_t IndexSpace::domain_levels(DomainId d) const {
    std::uint32_t mask = 0;
    for (VarId v : domains_[d].vars) mask |= 1U << vars_[v].level;
    return mask;
}

void IndexSpace::variables(FormId f, std::vector<VarId>& out) const {
    for (const Term& term : forms_[f].terms) {
        const Atom& a = atoms_[term.atom];
        if (a.kind == Atom::Kind::var) {
            if (std::find(out.begin(), out.end(), a.a) == out.end()) out.push_back(a.a);
        } else if (a.kind == Atom::Kind::lookup) {
            for (FormId g : lists_[a.b]) variables(g, out);
        } else {
            variables(a.a, out);
            variables(a.b, out);
        }
    }
}

void IndexSpace::cond_variables(CondId c, std::vector<VarId>& out) const {
    const Cond& k = conds_[c];
    switch (k.kind) {
    case Cond::Kind::negative:
    case Cond::Kind::zero: variables(k.a, out); break;
    case Cond::Kind::both: cond_variables(k.b, out); [[fallthrough]];
    case Cond::Kind::complement: cond_variables(k.a, out); break;
    default: break;
    }
}

std::int64_t IndexSpace::value(FormId f, const Env& env) const {
    std::int64_t sum = forms_[f].constant;
    for (const Term& term : forms_[f].terms) {
        const Atom& a = atoms_[term.atom];
        std::int64_t x = 0;
        switch (a.kind) {
        case Atom::Kind::var: x = env[static_cast<std::size_t>(vars_[a.a].level)]; break;
        case Atom::Kind::modulo: x = floor_modulo(value(a.a, env), value(a.b, env)); break;
        case Atom::Kind::quotient: x = floor_quotient(value(a.a, env), value(a.b, env)); break;
        case Atom::Kind::product: x = value(a.a, env) * value(a.b, env); break;
        case Atom::Kind::lookup: {
            const IndexTable& t = tables_[a.a];
            std::int64_t address = 0;
            const auto& indices = lists_[a.b];
            for (std::size_t k = 0; k < indices.size(); ++k) {
                const std::int64_t i = value(indices[k], env);
                if (i < 1 || i > t.extent[k])
                    throw std::out_of_range("index " + std::to_string(i) + " of '" + t.name + "' is outside 1.." +
                                            std::to_string(t.extent[k]));
                address = address * t.extent[k] + (i - 1);
            }
            x = t.values[static_cast<std::size_t>(address)];
            break;
        }
        }
        sum += term.coefficient * x;
    }
    return sum;
}

bool IndexSpace::holds(CondId c, const Env& env) const {
    const Cond& k = conds_[c];
    switch (k.kind) {
    case Cond::Kind::yes: return true;
    case Cond::Kind::no: return false;
    case Cond::Kind::negative: return value(k.a, env) < 0;
    case Cond::Kind::zero: return value(k.a, env) == 0;
    case Cond::Kind::both: return holds(k.a, env) && holds(k.b, env);
    case Cond::Kind::complement: return !holds(k.a, env);
    }
    return false;
}

FormId IndexSpace::substitute(FormId f, const VarMap& map) {
    if (form_levels_[f] == 0 || map.empty()) return f;
    FormId sum = constant(forms_[f].constant);
    const std::vector<Term> terms = forms_[f].terms; // a copy: interning below moves the storage
    for (const Term& term : terms) {
        const Atom a = atoms_[term.atom];
        FormId g = 0;
        switch (a.kind) {
        case Atom::Kind::var: {
            auto it = map.find(a.a);
            g = it != map.end() ? it->second : var(a.a);
            break;
        }
        case Atom::Kind::modulo: g = modulo(substitute(a.a, map), substitute(a.b, map)); break;
        case Atom::Kind::quotient: g = quotient(substitute(a.a, map), substitute(a.b, map)); break;
        case Atom::Kind::product: g = multiply(substitute(a.a, map), substitute(a.b, map)); break;
        case Atom::Kind::lookup: g = lookup(a.a, substitute_list(a.b, map)); break;
        }
        sum = add(sum, scale(g, term.coefficient));
    }
    return sum;
}

ListId IndexSpace::substitute_list(ListId l, const VarMap& map) {
    std::vector<FormId> forms = lists_[l];
    for (FormId& f : forms) f = substitute(f, map);
    return list(std::move(forms));
}

CondId IndexSpace::substitute_cond(CondId c, const VarMap& map) {
    const Cond k = conds_[c];
    switch (k.kind) {
    case Cond::Kind::negative: return less(substitute(k.a, map), constant(0));
    case Cond::Kind::zero: return equal(substitute(k.a, map), constant(0));
    case Cond::Kind::both: return both(substitute_cond(k.a, map), substitute_cond(k.b, map));
    case Cond::Kind::complement: return complement(substitute_cond(k.a, map));
    default: return c;
    }
}

void IndexSpace::for_each(DomainId d, const std::function<bool(const Env&)>& visit) const {
    const Domain& dom = domains_[d];
    Env env{};
    const auto nest = [&](auto&& self, std::size_t k) -> bool {
        if (k == dom.vars.size()) return !holds(dom.cond, env) || visit(env);
        const LoopVar& v = vars_[dom.vars[k]];
        const std::int64_t lo = value(v.lo, env), hi = value(v.hi, env);
        for (std::int64_t i = lo; i <= hi; ++i) {
            env[static_cast<std::size_t>(v.level)] = i;
            if (!self(self, k + 1)) return false;
        }
        return true;
    };
    nest(nest, 0);
}

bool IndexSpace::is_box(DomainId d) const {
    const Domain& dom = domains_[d];
    return dom.cond == always() && std::ranges::all_of(dom.vars, [&](VarId v) {
               return form_levels_[vars_[v].lo] == 0 && form_levels_[vars_[v].hi] == 0;
           });
}

std::int64_t IndexSpace::count(DomainId d, std::int64_t limit) const {
    if (is_box(d)) {
        // NOTE: beyond the limit the product is only known to be large, but one empty range still makes it 0.
        std::int64_t n = 1;
        for (VarId v : domains_[d].vars) {
            const std::int64_t length = value(vars_[v].hi, {}) - value(vars_[v].lo, {}) + 1;
            if (length <= 0) return 0;
            n = n > limit / length ? limit + 1 : n * length;
        }
        return n;
    }
    std::int64_t n = 0;
    for_each(d, [&](const Env&) { return ++n <= limit; });
    return n;
}

bool IndexSpace::bounding_box(DomainId d, std::vector<std::int64_t>& lo, std::vector<std::int64_t>& hi) const {
    const auto& vars = domains_[d].vars;
    lo.assign(vars.size(), 0);
    hi.assign(vars.size(), -1);
    if (is_box(d)) {
        for (std::size_t k = 0; k < vars.size(); ++k) {
            lo[k] = value(vars_[vars[k]].lo, {});
            hi[k] = value(vars_[vars[k]].hi, {});
            if (hi[k] < lo[k]) return false;
        }
        return true;
    }
    bool is_first = true;
    for_each(d, [&](const Env& env) {
        for (std::size_t k = 0; k < vars.size(); ++k) {
            const std::int64_t i = env[static_cast<std::size_t>(vars_[vars[k]].level)];
            lo[k] = is_first ? i : std::min(lo[k], i);
            hi[k] = is_first ? i : std::max(hi[k], i);
        }
        is_first = false;
        return true;
    });
    return !is_first;
}

FormId IndexSpace::position_in_box(const std::vector<VarId>& vars, const std::vector<std::int64_t>& lo,
                                   const std::vector<std::int64_t>& hi) {
    FormId position = constant(0);
    for (std::size_t k = 0; k < vars.size(); ++k)
        position = add(scale(position, hi[k] - lo[k] + 1), add(var(vars[k]), constant(-lo[k])));
    return position;
}

} // namespace vessiot::expr
