// Loop indices: the integer arithmetic that says which element a template reads or writes.
//
// A form is an integer expression in loop variables, kept as  c + sum of coefficient * atom.  An atom is a
// loop variable or something that is not affine in them (mod, quotient, product, an integer table). A domain is
// a nest of loop variables with a condition; its instances are the values of the variables. Everything is
// interned: equal forms, conditions and domains have equal numbers.
//
// Loop variables are known by nesting level and bounds, not by name: `for i = 1..n` and `for k = 1..n` at one
// level are the same variable, so that their templates share what they have in common.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vessiot::expr {

using VarId = std::uint32_t;
using FormId = std::uint32_t;
using ListId = std::uint32_t; // an interned list of forms: the indices of an array element
using CondId = std::uint32_t;
using DomainId = std::uint32_t;
using TableId = std::uint32_t;

inline constexpr int max_levels = 12;
using Env = std::array<std::int64_t, max_levels>; // values of the loop variables, by level

struct LoopVar {
    std::string name; // the first name it was given, for printing
    int level = 0;
    FormId lo = 0, hi = 0; // both inclusive; may use variables of lower levels
};

// Integers that a model gives as a parameter array and uses as indices, in row-major order, indices from 1.
struct IndexTable {
    std::string name;
    std::vector<std::int64_t> extent;
    std::vector<std::int64_t> values;
};

struct Atom {
    enum class Kind : std::uint8_t { var, modulo, quotient, product, lookup };
    Kind kind = Kind::var;
    std::uint32_t a = 0, b = 0; // var: VarId; lookup: TableId and ListId; others: two forms
    auto operator<=>(const Atom&) const = default;
};

struct Term {
    std::uint32_t atom = 0;
    std::int64_t coefficient = 0;
    auto operator<=>(const Term&) const = default;
};

struct Form {
    std::int64_t constant = 0;
    std::vector<Term> terms; // by atom, no zero coefficients
    auto operator<=>(const Form&) const = default;
};

struct Cond {
    enum class Kind : std::uint8_t { yes, no, negative, zero, both, complement };
    Kind kind = Kind::yes;
    std::uint32_t a = 0, b = 0; // negative: form < 0, zero: form == 0; both, complement: conditions
    auto operator<=>(const Cond&) const = default;
};

struct Domain {
    std::vector<VarId> vars; // outermost first; levels increase
    CondId cond = 0;
    auto operator<=>(const Domain&) const = default;
};

// What replaces a loop variable.
using VarMap = std::map<VarId, FormId>;

class IndexSpace {
public:
    IndexSpace();

    // forms
    FormId constant(std::int64_t c);
    FormId var(VarId v);
    FormId add(FormId f, FormId g);
    FormId subtract(FormId f, FormId g);
    FormId scale(FormId f, std::int64_t c);
    FormId multiply(FormId f, FormId g);
    FormId modulo(FormId f, FormId g);   // floored: the sign of g
    FormId quotient(FormId f, FormId g); // floored
    FormId lookup(TableId table, ListId indices);
    ListId list(std::vector<FormId> forms);

    // conditions; 0 is "always"
    CondId always() const { return 0; }
    CondId never() const { return 1; }
    CondId less(FormId f, FormId g);
    CondId equal(FormId f, FormId g);
    CondId both(CondId a, CondId b);
    CondId either(CondId a, CondId b);
    CondId complement(CondId a);

    VarId loop_var(const std::string& name, int level, FormId lo, FormId hi);
    DomainId domain(std::vector<VarId> vars, CondId cond = 0);
    DomainId scalar_domain() const { return 0; } // one instance, no variables
    TableId table(IndexTable t);

    const Form& form(FormId f) const { return forms_[f]; }
    const Atom& atom(std::uint32_t a) const { return atoms_[a]; }
    const Cond& cond(CondId c) const { return conds_[c]; }
    const LoopVar& loop_var(VarId v) const { return vars_[v]; }
    const Domain& domain(DomainId d) const { return domains_[d]; }
    const IndexTable& table(TableId t) const { return tables_[t]; }
    std::span<const FormId> forms(ListId l) const { return lists_[l]; }

    std::optional<std::int64_t> constant_value(FormId f) const;
    // Coefficient of a variable if the form is affine in it; nothing if the variable hides in another atom.
    std::optional<std::int64_t> coefficient(FormId f, VarId v) const;
    // Bit k: a variable of level k occurs.
    std::uint32_t levels(FormId f) const;
    std::uint32_t list_levels(ListId l) const;
    std::uint32_t cond_levels(CondId c) const;
    std::uint32_t domain_levels(DomainId d) const;
    // Variables that occur in the form, added to the list.
    void variables(FormId f, std::vector<VarId>& out) const;
    void cond_variables(CondId c, std::vector<VarId>& out) const;

    // Values; throw std::out_of_range when a table is left or a modulus is zero.
    std::int64_t value(FormId f, const Env& env) const;
    bool holds(CondId c, const Env& env) const;

    FormId substitute(FormId f, const VarMap& map);
    ListId substitute_list(ListId l, const VarMap& map);
    CondId substitute_cond(CondId c, const VarMap& map);

    // Calls visit(env) for every instance, innermost variable fastest. `visit` returns false to stop.
    void for_each(DomainId d, const std::function<bool(const Env&)>& visit) const;
    // Number of instances (enumerates only where bounds or conditions need it), at most `limit`+1.
    std::int64_t count(DomainId d, std::int64_t limit) const;
    // Smallest and largest value of each variable over the domain; false if there is no instance.
    bool bounding_box(DomainId d, std::vector<std::int64_t>& lo, std::vector<std::int64_t>& hi) const;
    // The number of the element with these variables as indices in a box lo..hi, in row-major order from 0.
    FormId position_in_box(const std::vector<VarId>& vars, const std::vector<std::int64_t>& lo,
                           const std::vector<std::int64_t>& hi);
    // All variables have constant bounds and there is no condition.
    bool is_box(DomainId d) const;

    // Texts. `names` gives variables other names, or expressions, than their own.
    using Names = std::map<VarId, std::string>;
    std::string print(FormId f, const Names& names = {}) const;
    std::string print_cond(CondId c, const Names& names = {}) const;
    std::string print_range(VarId v, const Names& names = {}) const; // i = 1..5

private:
    FormId intern(Form f);
    std::uint32_t intern_atom(Atom a);
    CondId intern_cond(Cond c);

    std::vector<Form> forms_;
    std::vector<Atom> atoms_;
    std::vector<Cond> conds_;
    std::vector<LoopVar> vars_;
    std::vector<Domain> domains_;
    std::vector<IndexTable> tables_;
    std::vector<std::vector<FormId>> lists_;
    std::map<Form, FormId> form_ids_;
    std::map<Atom, std::uint32_t> atom_ids_;
    std::map<Cond, CondId> cond_ids_;
    std::map<std::tuple<int, FormId, FormId>, VarId> var_ids_;
    std::map<Domain, DomainId> domain_ids_;
    std::map<std::vector<FormId>, ListId> list_ids_;
    std::vector<std::uint32_t> form_levels_;
};

} // namespace vessiot::expr
