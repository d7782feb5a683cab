// The loops and conditions inside of which an expression stands, and what values an index takes there.
//
// A stack: `for`, `sum` and the fresh indices of componentwise equations open loops, `if` and conditions of sums add
// conditions, an unrolled sum fixes an index to a number. Levels of the loop variables are their places in the nest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "expr/graph/index.hpp"

namespace vessiot::lang {

__extension__ typedef __int128 Wide; // no product of two indices overflows it

// Integers in indices, bounds and sizes; the coefficients of a form obey it as well, so that nothing overflows later.
inline constexpr std::int64_t max_index_magnitude = std::int64_t{1} << 53;
inline constexpr std::int64_t max_loop_bound = std::int64_t{1} << 31;

class LoopNest {
public:
    LoopNest(expr::IndexSpace& index, std::int64_t max_instances) : index_(index), max_instances_(max_instances) {}

    // Opens a loop (with an empty name: one that the model has not written); nothing where it cannot be opened, with
    // the reason in `problem`.
    std::optional<expr::VarId> open(std::string_view name, expr::FormId lo, expr::FormId hi, std::string& problem);
    void add_condition(expr::CondId condition) { conditions_.push_back(condition); }
    void fix(std::string_view name, std::int64_t value) { fixed_.emplace_back(name, value); }

    // The state, to go back to.
    struct Mark {
        std::size_t n_vars, n_conditions, n_fixed;
    };
    Mark mark() const { return {vars_.size(), conditions_.size(), fixed_.size()}; }
    void reset(const Mark& mark);

    // Forgets the conditions while it lives.
    class Pause {
    public:
        explicit Pause(LoopNest& nest) : nest_(nest) { nest_.conditions_.swap(conditions_); }
        ~Pause() { nest_.conditions_.swap(conditions_); }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        LoopNest& nest_;
        std::vector<expr::CondId> conditions_;
    };

    const std::vector<expr::VarId>& vars() const { return vars_; }
    // All open loops, without and with the conditions.
    expr::DomainId loops() { return index_.domain(vars_); }
    expr::DomainId domain();
    // As domain(), with conditions from before a mark only where they bear on the loop levels given. (Where they do
    // not, what depends on these levels is the same inside and outside of the condition.)
    expr::DomainId domain_since(const Mark& mark, std::uint32_t levels);
    bool is_empty();

    // An instance where a form is outside of lo..hi.
    struct Violation {
        std::int64_t value;
        std::string where; // "i = 6, j = 2", empty where no loop has a part in it
    };
    std::optional<Violation> find_outside(expr::FormId form, std::int64_t lo, std::int64_t hi);
    // An instance where a form is zero.
    std::optional<Violation> find_zero(expr::FormId form);

    // A bound of |form| and of its coefficients; see max_index_magnitude.
    Wide magnitude(expr::FormId form);

private:
    struct Interval {
        Wide lo, hi;
    };
    Interval hull(expr::FormId form);
    Interval hull_of_atom(const expr::Atom& atom);
    Interval hull_of_variable(expr::VarId var);
    Interval range_of_variable(expr::VarId var);
    const Interval& hull_of_table(expr::TableId table);
    bool tighten();
    bool apply_condition(expr::CondId condition, bool is_true);
    std::optional<Wide> extreme(expr::FormId form, bool is_largest);
    template <class Predicate> std::optional<Violation> search(expr::FormId form, Predicate is_bad);
    std::string describe(expr::FormId form, const expr::Env& env) const;

    expr::IndexSpace& index_;
    std::int64_t max_instances_;
    std::vector<expr::VarId> vars_;
    std::vector<std::string_view> names_; // of vars_, as the model calls them
    std::vector<expr::CondId> conditions_;
    std::vector<std::pair<std::string_view, std::int64_t>> fixed_;
    std::map<expr::VarId, Interval> tight_; // scratch: what the conditions leave of the ranges
    std::map<expr::TableId, Interval> tables_;
    std::set<std::tuple<expr::DomainId, expr::FormId, std::int64_t, std::int64_t>> inside_; // known to be in range
};

} // namespace vessiot::lang
