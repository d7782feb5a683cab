#include "lang/meaning/loop_nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include "lang/syntax/number_text.hpp"

namespace vessiot::lang {

using expr::Atom;
using expr::Cond;
using expr::CondId;
using expr::DomainId;
using expr::Env;
using expr::FormId;
using expr::VarId;

namespace {

constexpr Wide huge = Wide{1} << 62; // far beyond every index; its square is still a Wide

Wide clamp(Wide x) {
    return std::clamp(x, -huge, huge);
}

Wide absolute(Wide x) {
    return x < 0 ? -x : x;
}

} // namespace

std::optional<VarId> LoopNest::open(std::string_view name, FormId lo, FormId hi, std::string& problem) {
    if (vars_.size() >= static_cast<std::size_t>(expr::max_levels)) {
        problem = fmt::format("loops and sums are nested more than {} deep here", expr::max_levels);
        return std::nullopt;
    }
    const auto limit_text = [&] {
        return fmt::format("the limit is {}, which --max-instances raises",
                           number_text(static_cast<double>(max_instances_)));
    };
    const Interval first = hull(lo), last = hull(hi);
    const Wide length = last.hi - first.lo + 1;
    const bool is_plain = index_.levels(lo) == 0 && index_.levels(hi) == 0;
    // NOTE: ranges beyond any use are refused before they are enumerated or become part of index arithmetic.
    if (is_plain && length > max_instances_) {
        problem = fmt::format("this loop has {} instances; {}", number_text(static_cast<double>(length)), limit_text());
        return std::nullopt;
    }
    if (std::max({absolute(first.lo), absolute(first.hi), absolute(last.lo), absolute(last.hi)}) > max_loop_bound) {
        problem =
            fmt::format("the range of '{}' reaches {}; indices up to {} are allowed", name,
                        number_text(static_cast<double>(absolute(last.hi) > absolute(first.lo) ? last.hi : first.lo)),
                        max_loop_bound);
        return std::nullopt;
    }
    const std::string shown = name.empty() ? std::string(1, static_cast<char>('i' + vars_.size())) : std::string(name);
    const VarId var = index_.loop_var(shown, static_cast<int>(vars_.size()), lo, hi);
    vars_.push_back(var);
    names_.push_back(name);
    if (index_.count(loops(), max_instances_) > max_instances_) {
        if (index_.is_box(loops())) {
            double instances = 1;
            for (const VarId v : vars_) {
                const Interval range = hull_of_variable(v);
                instances *= static_cast<double>(range.hi - range.lo + 1);
            }
            problem = fmt::format("with this loop there are {} instances; {}", number_text(instances), limit_text());
        } else {
            problem =
                fmt::format("with this loop there are more than {} instances, the limit; --max-instances raises it",
                            number_text(static_cast<double>(max_instances_)));
        }
        vars_.pop_back();
        names_.pop_back();
        return std::nullopt;
    }
    return var;
}

void LoopNest::reset(const Mark& mark) {
    vars_.resize(mark.n_vars);
    names_.resize(mark.n_vars);
    conditions_.resize(mark.n_conditions);
    fixed_.resize(mark.n_fixed);
}

DomainId LoopNest::domain() {
    CondId all = index_.always();
    for (const CondId c : conditions_) all = index_.both(all, c);
    return index_.domain(vars_, all);
}

DomainId LoopNest::domain_since(const Mark& mark, std::uint32_t levels) {
    CondId all = index_.always();
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
        if (k >= mark.n_conditions || (index_.cond_levels(conditions_[k]) & levels) != 0) {
            all = index_.both(all, conditions_[k]);
        }
    }
    return index_.domain(vars_, all);
}

bool LoopNest::is_empty() {
    if (conditions_.empty()) return index_.count(loops(), 1) == 0;
    return !search(index_.constant(0), [](std::int64_t) { return true; });
}

// ---- bounds of forms ----

LoopNest::Interval LoopNest::hull_of_variable(VarId var) {
    if (const auto known = tight_.find(var); known != tight_.end()) return known->second;
    // of an empty range its first index: the ends of an interval stay in order
    const Interval range = range_of_variable(var);
    return {range.lo, std::max(range.lo, range.hi)};
}

// Empty where its ends are not in order.
LoopNest::Interval LoopNest::range_of_variable(VarId var) {
    const expr::LoopVar v = index_.loop_var(var);
    return {hull(v.lo).lo, hull(v.hi).hi};
}

const LoopNest::Interval& LoopNest::hull_of_table(expr::TableId table) {
    auto [entry, is_new] = tables_.try_emplace(table);
    if (is_new) {
        const auto& values = index_.table(table).values;
        const auto [lo, hi] = std::ranges::minmax_element(values);
        entry->second = values.empty() ? Interval{0, 0} : Interval{*lo, *hi};
    }
    return entry->second;
}

LoopNest::Interval LoopNest::hull_of_atom(const Atom& atom) {
    switch (atom.kind) {
    case Atom::Kind::var: return hull_of_variable(atom.a);
    case Atom::Kind::lookup: return hull_of_table(atom.a);
    case Atom::Kind::modulo: {
        const Interval g = hull(atom.b);
        return {std::min<Wide>(g.lo + 1, 0), std::max<Wide>(g.hi - 1, 0)};
    }
    case Atom::Kind::quotient: {
        const Interval f = hull(atom.a), g = hull(atom.b);
        if (f.lo >= 0 && g.lo > 0) return {f.lo / g.hi, f.hi / g.lo};
        const Wide largest = std::max(absolute(f.lo), absolute(f.hi)) + 1;
        return {-largest, largest};
    }
    case Atom::Kind::product: {
        const Interval f = hull(atom.a), g = hull(atom.b);
        const Wide corners[] = {clamp(f.lo) * g.lo, clamp(f.lo) * g.hi, clamp(f.hi) * g.lo, clamp(f.hi) * g.hi};
        return {clamp(*std::ranges::min_element(corners)), clamp(*std::ranges::max_element(corners))};
    }
    }
    return {-huge, huge};
}

LoopNest::Interval LoopNest::hull(FormId form) {
    const expr::Form f = index_.form(form);
    Interval sum{f.constant, f.constant};
    for (const expr::Term& term : f.terms) {
        const Interval x = hull_of_atom(index_.atom(term.atom));
        const Wide a = x.lo * term.coefficient, b = x.hi * term.coefficient;
        sum.lo = clamp(sum.lo + std::min(a, b));
        sum.hi = clamp(sum.hi + std::max(a, b));
    }
    return sum;
}

Wide LoopNest::magnitude(FormId form) {
    tight_.clear();
    const expr::Form f = index_.form(form);
    Wide sum = absolute(f.constant);
    for (const expr::Term& term : f.terms) {
        const Interval x = hull_of_atom(index_.atom(term.atom));
        sum += absolute(term.coefficient) * std::max({Wide{1}, absolute(x.lo), absolute(x.hi)});
    }
    return sum;
}

// ---- where an index is out of range ----

// Cuts the ranges of the variables down to what the conditions on single variables leave; false: nothing is left.
bool LoopNest::tighten() {
    tight_.clear();
    for (const VarId var : vars_) {
        tight_[var] = range_of_variable(var);
        if (tight_[var].lo > tight_[var].hi) return false;
        // twice: of `i != 1 and i != 2` either may come first
        for (int pass = 0; pass < 2; ++pass)
            for (const CondId c : conditions_)
                if (!apply_condition(c, true)) return false;
        if (tight_[var].lo > tight_[var].hi) return false;
    }
    return true;
}

bool LoopNest::apply_condition(CondId condition, bool is_true) {
    const Cond c = index_.cond(condition);
    switch (c.kind) {
    case Cond::Kind::yes: return is_true;
    case Cond::Kind::no: return !is_true;
    case Cond::Kind::complement: return apply_condition(c.a, !is_true);
    case Cond::Kind::both: return !is_true || (apply_condition(c.a, true) && apply_condition(c.b, true));
    case Cond::Kind::negative:
    case Cond::Kind::zero: break;
    }
    // constant + coefficient*variable, compared with 0
    const expr::Form& form = index_.form(c.a);
    if (form.terms.size() != 1 || index_.atom(form.terms[0].atom).kind != Atom::Kind::var) return true;
    const auto known = tight_.find(index_.atom(form.terms[0].atom).a);
    if (known == tight_.end()) return true;
    Interval& range = known->second;
    const auto fits = [&](Wide v) {
        const Wide x = form.constant + form.terms[0].coefficient * v;
        return (c.kind == Cond::Kind::negative ? x < 0 : x == 0) == is_true;
    };
    if (c.kind == Cond::Kind::zero && is_true) {
        const Wide v = -Wide{form.constant} / form.terms[0].coefficient;
        if (!fits(v) || v < range.lo || v > range.hi) return false;
        range = {v, v};
        return true;
    }
    if (c.kind == Cond::Kind::negative) {
        // monotonous in v: the values that fit are a piece at one end
        Wide lo = range.lo, hi = range.hi;
        if (!fits(lo) && !fits(hi)) return false;
        if (fits(lo) && fits(hi)) return true;
        const bool is_low_end = fits(lo);
        while (hi - lo > 1) {
            const Wide middle = lo + (hi - lo) / 2;
            (fits(middle) == is_low_end ? lo : hi) = middle;
        }
        (is_low_end ? range.hi : range.lo) = is_low_end ? lo : hi;
        return true;
    }
    while (range.lo <= range.hi && !fits(range.lo)) ++range.lo;
    while (range.lo <= range.hi && !fits(range.hi)) --range.hi;
    return range.lo <= range.hi;
}

// A bound of an affine form over loops whose bounds are affine in outer ones (triangles), exact where no inner range
// is empty: the innermost variable is replaced by the end of its range where the form is largest, and so on outwards.
std::optional<Wide> LoopNest::extreme(FormId form, bool is_largest) {
    constexpr std::int64_t small = std::int64_t{1} << 31;
    for (std::size_t k = vars_.size(); k-- > 0;) {
        const expr::Form f = index_.form(form);
        if (std::abs(f.constant) >= small) return std::nullopt;
        for (const expr::Term& term : f.terms)
            if (std::abs(term.coefficient) >= small) return std::nullopt;
        const auto coefficient = index_.coefficient(form, vars_[k]);
        if (!coefficient) return std::nullopt;
        if (*coefficient == 0) continue;
        const expr::LoopVar v = index_.loop_var(vars_[k]);
        const FormId end = (*coefficient > 0) == is_largest ? v.hi : v.lo;
        if (magnitude(end) >= small) return std::nullopt;
        form = index_.substitute(form, {{vars_[k], end}});
    }
    if (const auto value = index_.constant_value(form)) return *value;
    return std::nullopt;
}

std::string LoopNest::describe(FormId form, const Env& env) const {
    std::string text;
    const auto add = [&](std::string_view name, std::int64_t value) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    };
    for (const auto& [name, value] : fixed_) add(name, value);
    // the loops that the form depends on, and those whose indices bound them
    std::uint32_t levels = index_.levels(form);
    for (std::size_t k = vars_.size(); k-- > 0;) {
        const expr::LoopVar& v = index_.loop_var(vars_[k]);
        if ((levels >> k & 1U) != 0) levels |= index_.levels(v.lo) | index_.levels(v.hi);
    }
    for (std::size_t k = 0; k < vars_.size(); ++k)
        if ((levels >> k & 1U) != 0 && !names_[k].empty()) add(names_[k], env[k]);
    return text;
}

// The first instance whose value is_bad, by enumeration.
template <class Predicate> std::optional<LoopNest::Violation> LoopNest::search(FormId form, Predicate is_bad) {
    // Loops that neither the form nor a condition nor another bound depends on are left out, unless they may be empty.
    std::uint32_t needed = index_.levels(form);
    for (const CondId c : conditions_) needed |= index_.cond_levels(c);
    std::vector<VarId> kept;
    for (std::size_t k = vars_.size(); k-- > 0;) {
        const expr::LoopVar& v = index_.loop_var(vars_[k]);
        const auto lo = index_.constant_value(v.lo), hi = index_.constant_value(v.hi);
        if ((needed >> k & 1U) == 0 && lo && hi && *lo <= *hi) continue;
        needed |= index_.levels(v.lo) | index_.levels(v.hi);
        kept.insert(kept.begin(), vars_[k]);
    }
    std::optional<Violation> found;
    index_.for_each(index_.domain(std::move(kept)), [&](const Env& env) {
        // NOTE: from the outermost condition on: an inner one may be meaningful only where the outer ones hold.
        for (const CondId c : conditions_)
            if (!index_.holds(c, env)) return true;
        const std::int64_t value = index_.value(form, env);
        if (!is_bad(value)) return true;
        found = Violation{value, describe(form, env)};
        return false;
    });
    return found;
}

std::optional<LoopNest::Violation> LoopNest::find_outside(FormId form, std::int64_t lo, std::int64_t hi) {
    const DomainId where = domain();
    if (inside_.contains({where, form, lo, hi})) return std::nullopt;
    const auto is_within = [&] {
        if (!tighten()) return true; // no instance at all
        const Interval range = hull(form);
        if (range.lo >= lo && range.hi <= hi) return true;
        const auto smallest = extreme(form, false), largest = extreme(form, true);
        return smallest && largest && *smallest >= lo && *largest <= hi;
    };
    const bool is_known = is_within();
    tight_.clear();
    if (!is_known) {
        auto found = search(form, [&](std::int64_t v) { return v < lo || v > hi; });
        if (found) return found;
    }
    inside_.insert({where, form, lo, hi});
    return std::nullopt;
}

std::optional<LoopNest::Violation> LoopNest::find_zero(FormId form) {
    tight_.clear();
    const Interval range = hull(form);
    if (range.lo > 0 || range.hi < 0) return std::nullopt;
    return search(form, [](std::int64_t v) { return v == 0; });
}

} // namespace vessiot::lang
