#include "manifold/domain_error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "expr/functions/vmath.hpp"
#include "expr/table/number_list.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t max_work = 1'000'000; // operations and instances
constexpr std::int64_t origin_work = 100;    // an origin takes memory
constexpr int max_depth = 1'000;             // of definitions inside each other
constexpr std::size_t max_names = 3;
constexpr std::size_t max_text = 160; // bytes of one expression

struct WorkIsOver {};

constexpr std::int32_t no_origin = -1;

struct Value {
    double number = 0;
    std::int32_t origin = no_origin; // of a number that is not finite
};

// An operation at an instance of its loops, with finite operands and no finite value.
struct Origin {
    NodeId node = none;
    Env env{};
    std::array<double, 3> operands{};
    double result = 0;
};

// Values of nodes by their definition, one instance at a time.
class Walk {
public:
    using Known = std::unordered_map<NodeId, Value>;

    Walk(const System& system, const Prolongation& p, double t, std::span<const double> u, std::span<const double> w)
        : graph_(*system.graph), independent_(system.independent), t_(t), z_(static_cast<std::size_t>(p.z.size)) {
        for (std::size_t k = 0; k < std::min(u.size(), p.state.size()); ++k)
            z_[static_cast<std::size_t>(p.state[k])] = u[k];
        for (std::size_t k = 0; k < std::min(w.size(), p.top.size()); ++k)
            z_[static_cast<std::size_t>(p.top[k])] = w[k];
        for (std::size_t k = 0; k < p.z.jets.size(); ++k) jets_[p.z.jets[k]] = p.z.first[k];
        for (const Parameter& q : system.parameters) parameters_[q.array] = &q;
    }

    const Graph& graph() const { return graph_; }
    const Origin& origin(std::int32_t number) const { return origins_[static_cast<std::size_t>(number)]; }

    // Nodes that are not needed (the other branch of a select) are not visited.
    Value value(NodeId root, const Env& env, Known known = {}) {
        std::vector<NodeId> open{root};
        while (!open.empty()) {
            const NodeId n = open.back();
            if (known.contains(n)) {
                open.pop_back();
            } else if (const NodeId needed = missing_operand(n, known); needed != none) {
                open.push_back(needed);
            } else {
                work(1);
                known[n] = operation(n, env, known);
            }
        }
        return known.at(root);
    }

    // Position of an element; -1 outside of the array.
    std::int64_t address(ArrayId a, ListId indices, const Env& env) const {
        try {
            return graph_.address(a, indices, env);
        } catch (const std::out_of_range&) {
            return -1;
        }
    }

    void start_again() { work_ = 0; } // for the text about what was found

    // Calls visit(env) for the instances of a domain whose variables of some levels are given; false stops.
    using Fixed = std::array<std::optional<std::int64_t>, max_levels>;
    template <class Visit> void for_each(DomainId d, const Fixed& fixed, Visit visit) {
        const IndexSpace& index = graph_.index();
        const Domain& domain = index.domain(d);
        Env env{};
        const auto nest = [&](auto&& self, std::size_t k) -> bool {
            work(1);
            if (k == domain.vars.size()) return !index.holds(domain.cond, env) || visit(env);
            const LoopVar& v = index.loop_var(domain.vars[k]);
            const auto level = static_cast<std::size_t>(v.level);
            std::int64_t lo = index.value(v.lo, env), hi = index.value(v.hi, env);
            if (fixed[level]) {
                lo = std::max(lo, *fixed[level]);
                hi = std::min(hi, *fixed[level]);
            }
            for (std::int64_t i = lo; i <= hi; ++i) {
                env[level] = i;
                if (!self(self, k + 1)) return false;
            }
            return true;
        };
        nest(nest, 0);
    }

private:
    struct Elements {
        bool is_whole = false; // all elements were computed; those that are not there are 0
        std::unordered_map<std::int64_t, Value> values{};
    };

    void work(std::int64_t amount) {
        work_ += amount;
        if (work_ > max_work) throw WorkIsOver{};
    }

    NodeId missing_operand(NodeId n, const Known& known) const {
        const Node& x = graph_.node(n);
        if (x.op == Op::select && known.contains(x.a)) {
            const NodeId taken = known.at(x.a).number != 0 ? x.b : x.c;
            return known.contains(taken) ? none : taken;
        }
        const NodeId operands[] = {x.a, x.b, x.c};
        for (int k = 0; k < arity(x.op); ++k)
            if (!known.contains(operands[k])) return operands[k];
        return none;
    }

    Value operation(NodeId n, const Env& env, const Known& known) {
        const Node& x = graph_.node(n);
        if (x.op == Op::select) return known.at(known.at(x.a).number != 0 ? x.b : x.c);
        Origin here{n, env};
        Value value;
        if (x.op == Op::constant) {
            value.number = static_cast<double>(graph_.value(n));
        } else if (x.op == Op::index_value) {
            value.number = index_value(x.a, env);
        } else if (x.op == Op::read) {
            value = element(x.a, address(x.a, x.b, env));
        } else if (x.op == Op::argument) {
            value.number = 0; // calls look for what is in the list
        } else if (x.op == Op::call) {
            value = call(n, known);
        } else {
            const NodeId operands[] = {x.a, x.b, x.c};
            for (std::size_t k = 0; k < static_cast<std::size_t>(arity(x.op)); ++k) {
                const Value operand = known.at(operands[k]);
                here.operands[k] = operand.number;
                if (value.origin == no_origin) value.origin = operand.origin;
            }
            value.number = expr::apply<double>(x.op, here.operands[0], here.operands[1]);
            if (x.op == Op::pick && graph_.node(x.a).op == Op::read) value.number = 0; // by a mode, which is not known
            if (is_outside_of_table(n, here.operands[0])) value.number = NAN;
        }
        here.result = value.number;
        if (std::isfinite(value.number)) return {value.number, no_origin};
        if (value.origin == no_origin) value.origin = add(here);
        return value;
    }

    // x - o, o the origin of a piece of a table that ends where x is.
    bool is_outside_of_table(NodeId n, double x) const {
        const Node& node = graph_.node(n);
        if (node.op != Op::sub || graph_.node(node.b).op != Op::pick) return false;
        const NumberList& list = list_of(graph_, node.b);
        return list.is_last_open() && (x < list.text().lo || x >= list.text().hi);
    }

    // Where no argument is to blame the function is.
    Value call(NodeId n, const Known& known) const {
        const expr::External& function = *graph_.external(graph_.node(n).b);
        std::vector<double> arguments, results(static_cast<std::size_t>(function.n_results()));
        Value value;
        for (const NodeId argument : graph_.arguments(n)) {
            arguments.push_back(known.at(argument).number);
            if (value.origin == no_origin) value.origin = known.at(argument).origin;
        }
        function(arguments.data(), results.data(), function.make_memory().get());
        value.number = results[graph_.node(n).c];
        return value;
    }

    std::int32_t add(const Origin& o) {
        work(origin_work);
        origins_.push_back(o);
        return static_cast<std::int32_t>(origins_.size() - 1);
    }

    // An index outside of its table occurs only where a condition is false anyway: any value will do.
    double index_value(FormId f, const Env& env) const {
        try {
            return static_cast<double>(graph_.index().value(f, env));
        } catch (const std::out_of_range&) {
            return 0;
        }
    }

    // Outside of an array (in a condition that is false anyway) and in arrays that nobody gave: 0.
    Value element(ArrayId a, std::int64_t at) {
        if (at < 0) return {};
        if (a == independent_) return {t_};
        if (const auto jet = jets_.find(a); jet != jets_.end()) return {z_[static_cast<std::size_t>(jet->second + at)]};
        if (const auto given = parameters_.find(a); given != parameters_.end()) {
            const std::vector<Quad>& values = given->second->values;
            const auto k = static_cast<std::size_t>(at);
            return {k < values.size() ? static_cast<double>(values[k]) : 0.0};
        }
        return graph_.array(a).role == ArrayRole::defined ? defined(a, at) : Value{};
    }

    // A[target(d)] += body(d): for the one element where targets tell which instances matter, else for all of them.
    Value defined(ArrayId a, std::int64_t wanted) {
        Elements& known = elements_[a];
        if (const auto it = known.values.find(wanted); it != known.values.end()) return it->second;
        if (known.is_whole) return {};
        if (depth_ == max_depth) throw WorkIsOver{};
        ++depth_;
        const std::vector<Contribution>& all = graph_.array(a).definition;
        known.is_whole = !std::ranges::all_of(all, [&](const Contribution& c) { return is_plain(c.target); });
        for (const Contribution& c : all) {
            const Fixed fixed = known.is_whole ? Fixed{} : variables_at(a, c.target, wanted);
            for_each(c.domain, fixed, [&](const Env& env) {
                const std::int64_t at = address(a, c.target, env);
                if (at < 0 || (!known.is_whole && at != wanted)) return true;
                const Value term = value(c.body, env);
                Value& sum = known.values[at];
                sum.number += term.number;
                if (sum.origin == no_origin) sum.origin = term.origin;
                return true;
            });
        }
        --depth_;
        return known.values[wanted];
    }

    // Each index is a number, or a variable plus a number.
    bool is_plain(ListId target) const {
        const IndexSpace& index = graph_.index();
        return std::ranges::all_of(index.forms(target), [&](FormId f) {
            const std::vector<Term>& terms = index.form(f).terms;
            return terms.empty() || (terms.size() == 1 && terms[0].coefficient == 1 &&
                                     index.atom(terms[0].atom).kind == Atom::Kind::var);
        });
    }

    // The values of the variables in a plain target that make it this element.
    Fixed variables_at(ArrayId a, ListId target, std::int64_t wanted) const {
        const IndexSpace& index = graph_.index();
        const Array& array = graph_.array(a);
        const auto forms = index.forms(target);
        Fixed fixed;
        for (std::size_t k = forms.size(); k-- > 0; wanted /= array.extent[k]) {
            const Form& f = index.form(forms[k]);
            if (f.terms.empty()) continue;
            const VarId v = index.atom(f.terms[0].atom).a;
            fixed[static_cast<std::size_t>(index.loop_var(v).level)] =
                array.lo[k] + wanted % array.extent[k] - f.constant;
        }
        return fixed;
    }

    const Graph& graph_;
    ArrayId independent_;
    double t_;
    std::vector<double> z_;
    std::unordered_map<ArrayId, std::int64_t> jets_; // first position in z
    std::unordered_map<ArrayId, const Parameter*> parameters_;
    std::unordered_map<ArrayId, Elements> elements_;
    std::vector<Origin> origins_;
    std::int64_t work_ = 0;
    int depth_ = 0;
};

std::string shortened(std::string text) {
    if (text.size() <= max_text) return text;
    std::size_t end = max_text;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end; // not inside a character
    return text.substr(0, end) + "…";
}

// The text about an origin.
class Explanation {
public:
    // NOTE: a graph of its own: numbers in place of loop variables make new nodes, and the system stays as it is.
    Explanation(Walk& walk, const Origin& origin)
        : walk_(walk), origin_(origin), graph_(walk.graph()), node_(graph_.node(origin.node)) {}

    std::string operator()() {
        if (node_.op == Op::constant) return "a number of the model is too large";
        if (node_.op == Op::sub && graph_.node(node_.b).op == Op::pick) return outside_of_table(node_.b, node_.a);
        if (node_.op == Op::pick && graph_.node(node_.a).op == Op::locate)
            return outside_of_table(origin_.node, graph_.node(node_.a).a);
        const bool is_division = node_.op == Op::div && origin_.operands[1] == 0;
        const NodeId subject = is_division ? node_.b : origin_.node;
        const bool is_divisor = is_division && !is_plain_name(subject) && !graph_.is_constant(subject);
        const NodeId shown = is_divisor ? subject : origin_.node;
        collect_variables(shown);
        collect_names(subject);
        if (node_.op == Op::read && graph_.array(node_.a).role != ArrayRole::defined)
            return fmt::format("{} = {}", text_of(shown), std::isnan(origin_.result) ? NAN : origin_.result); // no -nan
        // with numbers for indices it may simplify to something else: then the template and its indices
        const bool is_instance = has_reads_ && graph_.node(instance(shown)).op == graph_.node(shown).op;
        const std::string at = is_instance ? names_at() : indices_at();
        const std::string text = is_instance ? text_of(shown) : shortened(graph_.print(shown));
        if (is_divisor) return "the divisor " + text + " is 0" + at;
        return (!is_division && is_overflow() ? "overflow of " : "") + text + at;
    }

private:
    struct Name {
        NodeId read;
        double value;
    };

    // The table 'torque' has values from 0 to 4 only, and t = 4.2.
    std::string outside_of_table(NodeId pick, NodeId argument) {
        const NumberList::Text& table = list_of(graph_, pick).text();
        collect_variables(argument);
        walk_.start_again();
        const double x = walk_.value(argument, origin_.env).number;
        return fmt::format("the table '{}' has values {} only, and {} = {:.8g}", table.name, table.limits,
                           text_of(argument), x);
    }

    // Infinite, and not at a pole.
    bool is_overflow() const {
        if (!std::isinf(origin_.result)) return false;
        switch (node_.op) {
        case Op::log:
        case Op::log10:
        case Op::atanh: return false;
        case Op::pow: return origin_.operands[0] != 0;
        default: return true;
        }
    }

    bool is_sum(NodeId n) const {
        return graph_.node(n).op == Op::read && graph_.array(graph_.node(n).a).name == "sum";
    }
    bool is_plain_name(NodeId n) const { return graph_.node(n).op == Op::read && !is_sum(n); }

    // The first names in an expression, read from left to right.
    void collect_names(NodeId subject) {
        std::set<NodeId> seen;
        std::vector<NodeId> open{subject};
        while (!open.empty()) {
            const NodeId n = open.back();
            open.pop_back();
            if (!seen.insert(n).second) continue;
            const Node x = graph_.node(n);
            const NodeId operands[] = {x.a, x.b, x.c};
            for (int k = arity(x.op); k-- > 0;) open.push_back(operands[k]);
            if (x.op != Op::read) continue;
            has_reads_ = true;
            if (n != subject || !is_sum(n)) add_name(n);
        }
    }

    void collect_variables(NodeId shown) {
        for (const NodeId n : graph_.cone({shown})) {
            const Node& x = graph_.node(n);
            if (x.op == Op::index_value) graph_.index().variables(x.a, variables_);
            if (x.op != Op::read) continue;
            for (const FormId f : graph_.index().forms(x.b)) graph_.index().variables(f, variables_);
        }
        std::ranges::sort(variables_);
        variables_.erase(std::unique(variables_.begin(), variables_.end()), variables_.end());
        for (const VarId v : variables_) numbers_[v] = graph_.index().constant(number(v));
    }

    void add_name(NodeId n) {
        const Node& x = graph_.node(n);
        if (names_.size() == max_names || walk_.address(x.a, x.b, origin_.env) < 0) return;
        walk_.start_again();
        names_.push_back({n, walk_.value(n, origin_.env).number});
    }

    std::int64_t number(VarId v) const {
        return origin_.env[static_cast<std::size_t>(graph_.index().loop_var(v).level)];
    }

    NodeId instance(NodeId n) { return graph_.substitute(n, numbers_); }

    std::string text_of(NodeId n) { return shortened(graph_.print(instance(n))); }

    // The value with as many digits as show that there is none: 4, more where rounding would hide it.
    std::string names_at() {
        std::vector<std::string> values;
        for (const int digits : {4, 8, 17}) {
            values.clear();
            walk_.start_again();
            Walk::Known rounded;
            for (const Name& n : names_) {
                values.push_back(fmt::format("{:.{}g}", n.value + 0.0, digits)); // 0 for -0
                double number = n.value;
                std::from_chars(values.back().data(), values.back().data() + values.back().size(), number);
                rounded[n.read] = {number, no_origin};
            }
            if (!std::isfinite(walk_.value(origin_.node, origin_.env, rounded).number)) break;
        }
        std::set<std::string> said;
        std::string at;
        for (std::size_t k = 0; k < names_.size(); ++k)
            if (const std::string text = text_of(names_[k].read); said.insert(text).second)
                at += fmt::format("{}{} = {}", at.empty() ? " at " : ", ", text, values[k]);
        return at;
    }

    std::string indices_at() const {
        std::string at;
        for (const VarId v : variables_)
            at += fmt::format("{}{} = {}", at.empty() ? " at " : ", ", graph_.index().loop_var(v).name, number(v));
        return at;
    }

    Walk& walk_;
    const Origin origin_;
    Graph graph_;
    const Node node_;
    std::vector<Name> names_;
    bool has_reads_ = false;
    std::vector<VarId> variables_;
    VarMap numbers_; // of the loop variables
};

// The first instance of a family that is not finite, among those (counted from 0) that belong.
template <class Belongs> std::string explain(Walk& walk, const RowTemplate& row, Belongs belongs) {
    std::string text;
    std::int64_t count = 0;
    walk.for_each(row.domain, {}, [&](const Env& env) {
        if (!belongs(count++)) return true;
        const Value value = walk.value(row.value, env);
        if (!std::isfinite(value.number)) text = Explanation(walk, walk.origin(value.origin))();
        return text.empty();
    });
    return text;
}

std::string explain(Walk& walk, const RowSet& rows) {
    for (const RowFamily& f : rows.families) {
        const auto belongs = [&](std::int64_t k) {
            return std::ranges::binary_search(rows.selected, static_cast<std::int32_t>(f.first + k));
        };
        if (std::string text = explain(walk, {f.domain, f.residual}, belongs); !text.empty()) return text;
    }
    return {};
}

// What `find` says of a walk; nothing where the work had to end before, or a loop leaves its table.
template <class Find>
std::string bounded(const System& system, const Prolongation& p, double t, std::span<const double> u,
                    std::span<const double> w, Find find) {
    try {
        Walk walk(system, p, t, u, w);
        return find(walk);
    } catch (const WorkIsOver&) {
    } catch (const std::out_of_range&) {
    }
    return {};
}

} // namespace

std::string explain_not_finite(const System& system, const Prolongation& p, double t, std::span<const double> u,
                               std::span<const double> w) {
    return bounded(system, p, t, u, w, [&](Walk& walk) {
        std::string text = explain(walk, p.constraints);
        return text.empty() ? explain(walk, p.tops) : text;
    });
}

std::string explain_not_finite(const System& system, const Prolongation& p, const std::vector<RowTemplate>& rows,
                               double t, std::span<const double> u, std::span<const double> w) {
    return bounded(system, p, t, u, w, [&](Walk& walk) {
        std::string text;
        for (std::size_t k = 0; k < rows.size() && text.empty(); ++k)
            text = explain(walk, rows[k], [](std::int64_t) { return true; });
        return text;
    });
}

} // namespace vessiot
