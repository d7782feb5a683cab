#include "system/conditions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "expr/graph/derivative.hpp"
#include "expr/graph/split.hpp"
#include "expr/table/number_list.hpp"
#include "system/requirement.hpp"

namespace vessiot {

using namespace expr;

namespace {

bool is_condition(Op op) {
    switch (op) {
    case Op::abs:
    case Op::sign:
    case Op::min:
    case Op::max:
    case Op::floor:
    case Op::ceil:
    case Op::atan2:
    case Op::locate:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return true;
    default: return false;
    }
}

// What the values of an expression depend on.
struct Reads {
    bool time = false, unknowns = false;
};

class Holder {
public:
    Holder(const System& given, const std::set<ArrayId>& kept) : result_{given, {}}, g_(*given.graph), kept_(kept) {}

    Conditions run() {
        System& s = result_.system;
        for (Equation& e : s.equations) {
            e.residual = hold(e.domain, e.residual);
            e.lhs = image(e.lhs);
            e.rhs = image(e.rhs);
        }
        for (Invariant& i : s.invariants) i.value = hold(i.domain, i.value);
        for (Force& f : s.forces) f.value = hold(f.domain, f.value);
        const DomainId once = g_.index().scalar_domain();
        if (s.lagrangian) s.lagrangian = hold(once, *s.lagrangian);
        if (s.hamiltonian) s.hamiltonian = hold(once, *s.hamiltonian);
        for (Event& e : s.events)
            for (Reset& r : e.then)
                if (e.is_always) r.value = hold(r.domain, r.value);
        for (Requirement& r : s.requirements) r.condition = hold(once, relaxed(g_, r.condition));
        for (Equation& e : s.initially)
            if (is_held(e.residual)) e.residual = image(e.residual);
        return std::move(result_);
    }

private:
    using Places = const NumberList*; // of SurfaceKind::places
    struct Mode {
        std::size_t family = 0;
        bool is_negative = false; // of -g
    };

    // Are all its conditions watched already, for something that holds beyond the start? Others say what they say at
    // the start point, and nothing afterwards.
    bool is_held(NodeId body) const {
        return std::ranges::all_of(g_.cone({body}), [&](NodeId n) {
            return !g_.node(n).varies || !is_condition(g_.node(n).op) || families_of_.contains(n);
        });
    }

    // The expression with modes; its conditions are watched for the instances of the domain.
    NodeId hold(DomainId domain, NodeId body) {
        const NodeId held = image(body);
        watch(domain, body);
        return held;
    }

    // NOTE: in a branch that an instance does not take its conditions have no value: the domain is cut there.
    void watch(DomainId domain, NodeId body) {
        const std::vector<NodeId> whole = g_.cone({body});
        const auto is_any = [&](const std::vector<NodeId>& nodes) {
            return std::ranges::any_of(nodes, [&](NodeId n) { return families_of_.contains(n); });
        };
        if (!is_any(whole)) return;
        std::set<NodeId> seen;
        for (const Piece& piece : split_by_index_conditions(g_, domain, body))
            for (const NodeId n : g_.cone({piece.body})) {
                const auto found = families_of_.find(n);
                if (found == families_of_.end()) continue;
                seen.insert(n);
                for (const std::size_t family : found->second) add_domain(family, piece.domain, n);
            }
        for (const NodeId n : whole) {
            const auto found = families_of_.find(n);
            if (found == families_of_.end() || seen.contains(n)) continue;
            for (const std::size_t family : found->second) add_domain(family, domain, n);
        }
    }

    void add_domain(std::size_t family, DomainId domain, NodeId condition) {
        const Family& f = families_[family];
        const DomainId own = reduced(domain, f.vars);
        if (!watched_.insert({family, own}).second) return;
        result_.surfaces.push_back({f.kind, f.held, own, f.target, f.value, condition, f.is_of_time});
    }

    // Without the variables that g does not depend on, where that is possible.
    DomainId reduced(DomainId domain, const std::vector<VarId>& vars) {
        IndexSpace& index = g_.index();
        const Domain whole = index.domain(domain);
        std::vector<VarId> needed = vars, of_condition;
        for (const VarId v : vars)
            for (const FormId bound : {index.loop_var(v).lo, index.loop_var(v).hi}) index.variables(bound, needed);
        index.cond_variables(whole.cond, of_condition);
        const auto is_needed = [&](VarId v) { return std::ranges::find(needed, v) != needed.end(); };
        if (!std::ranges::all_of(of_condition, is_needed)) return domain;
        std::vector<VarId> left;
        std::ranges::copy_if(whole.vars, std::back_inserter(left), is_needed);
        return index.domain(left, whole.cond);
    }

    NodeId image(NodeId body) {
        for (const NodeId n : g_.cone({body}))
            if (!image_.contains(n)) image_[n] = image_of(n);
        return image_.at(body);
    }

    // Its operands have theirs.
    NodeId image_of(NodeId n) {
        const Node x = g_.node(n);
        if (x.op == Op::read) return g_.array(x.a).role == ArrayRole::defined ? g_.read(array_image(x.a), x.b) : n;
        if (is_leaf(x.op)) return n;
        if (!is_condition(x.op)) return g_.rebuild_with(n, image_);
        const NodeId a = image_.at(x.a), b = arity(x.op) > 1 ? image_.at(x.b) : 0;
        const auto mode = [&](SurfaceKind kind, NodeId value) { return mode_of(n, kind, value); };
        switch (x.op) {
        case Op::abs:
            if (const auto s = mode(SurfaceKind::sign, a))
                return g_.select(g_.apply(Op::less, *s, g_.zero()), g_.neg(a), a);
            break;
        case Op::sign:
            if (const auto s = mode(SurfaceKind::sign, a)) return *s;
            break;
        case Op::min:
            if (const auto s = mode(SurfaceKind::sign, g_.sub(b, a))) return g_.select(is_positive(*s), a, b);
            break;
        case Op::max:
            if (const auto s = mode(SurfaceKind::sign, g_.sub(a, b))) return g_.select(is_positive(*s), a, b);
            break;
        case Op::floor:
            if (const auto s = mode(SurfaceKind::floor, a)) return *s;
            break;
        case Op::ceil:
            if (const auto s = mode(SurfaceKind::floor, g_.neg(a))) return g_.neg(*s);
            break;
        case Op::locate:
            if (const auto s = mode_of(n, SurfaceKind::places, a, &list_of(g_, n))) return *s;
            break;
        case Op::atan2: return angle(n, a, b);
        default: // a relation
            if (const auto s = mode(SurfaceKind::sign, g_.sub(b, a)))
                return x.op == Op::less || x.op == Op::less_equal ? g_.apply(x.op, g_.zero(), *s)
                                                                  : g_.apply(x.op, *s, g_.zero());
        }
        return g_.rebuild_with(n, image_);
    }

    // It jumps where y changes its sign left of the origin. There +-pi + atan2(-y, -x) goes on smoothly, with the sign
    // of y, which matters on that side only.
    NodeId angle(NodeId n, NodeId y, NodeId x) {
        const auto side = mode_of(n, SurfaceKind::sign, x);
        const NodeId is_left = g_.apply(Op::less, side ? *side : x, g_.zero());
        const NodeId cut = g_.select(is_left, y, g_.apply(Op::hypot, x, y));
        const auto s = mode_of(n, SurfaceKind::sign, cut);
        if (!side && !s) return g_.rebuild_with(n, image_);
        const NodeId half = g_.mul(g_.integer(4), g_.apply(Op::atan, g_.one())); // pi
        const NodeId is_below = g_.apply(Op::less, s ? *s : y, g_.zero());
        const NodeId turned = g_.apply(Op::atan2, g_.neg(y), g_.neg(x));
        return g_.select(is_left, g_.add(g_.select(is_below, g_.neg(half), half), turned), g_.apply(Op::atan2, y, x));
    }

    NodeId is_positive(NodeId s) { return g_.apply(Op::less, g_.zero(), s); }

    ArrayId array_image(ArrayId a) {
        if (const auto known = arrays_.find(a); known != arrays_.end()) return known->second;
        const Array old = g_.array(a);
        std::vector<Contribution> definition = old.definition;
        bool has_changed = false;
        for (Contribution& c : definition) {
            const NodeId held = hold(c.domain, c.body);
            has_changed |= held != c.body;
            c.body = held;
        }
        const ArrayId held =
            has_changed ? g_.define(old.name, old.lo, old.extent, std::move(definition), old.is_disjoint) : a;
        return arrays_[a] = held;
    }

    Reads reads_of(NodeId value) const {
        Reads reads;
        for (const ArrayId a : dependencies(g_, {value})) {
            reads.time |= g_.array(a).role == ArrayRole::independent;
            reads.unknowns |= g_.array(a).role == ArrayRole::unknown;
        }
        return reads;
    }

    // The mode of a surface that node n stands for; none where there is nothing to hold.
    std::optional<NodeId> mode_of(NodeId n, SurfaceKind kind, NodeId value, Places places = nullptr) {
        const NodeId opposite = g_.neg(value);
        for (const auto& [node, is_negative] : {std::pair{value, false}, std::pair{opposite, true}}) {
            if (is_negative && kind != SurfaceKind::sign) continue;
            const auto known = modes_.find({kind, node, places});
            if (known == modes_.end()) continue;
            families_of_[n].insert(known->second);
            const NodeId s = read_mode(families_[known->second]);
            return is_negative ? g_.neg(s) : s;
        }
        const Reads reads = reads_of(value);
        if (!reads.time && !reads.unknowns) return std::nullopt;
        for (const ArrayId a : dependencies(g_, {value}))
            if (kept_.contains(a)) return std::nullopt;
        families_of_[n].insert(families_.size());
        modes_[{kind, value, places}] = families_.size();
        // where it calls functions of the user, intervals do not say when it switches
        families_.push_back(make_family(kind, value, !reads.unknowns && !g_.has_externals(), places));
        return read_mode(families_.back());
    }

    struct Family {
        SurfaceKind kind = SurfaceKind::sign;
        std::size_t held = 0;
        std::vector<VarId> vars{}; // that g depends on, outermost first
        ListId target = 0;
        NodeId value = 0;
        bool is_of_time = false;
        Places places = nullptr;
    };

    NodeId read_mode(const Family& f) { return g_.read(result_.system.held[f.held].array, f.target); }

    std::vector<VarId> variables_of(NodeId value) {
        IndexSpace& index = g_.index();
        std::vector<VarId> vars;
        for (const NodeId n : g_.cone({value})) {
            const Node x = g_.node(n);
            if (x.op == Op::index_value) index.variables(x.a, vars);
            if (x.op == Op::read)
                for (const FormId f : std::vector(index.forms(x.b).begin(), index.forms(x.b).end()))
                    index.variables(f, vars);
        }
        sort_by_level(vars);
        return vars;
    }

    void sort_by_level(std::vector<VarId>& vars) const {
        const IndexSpace& index = g_.index();
        std::ranges::sort(vars, {}, [&](VarId v) { return std::pair(index.loop_var(v).level, v); });
        vars.erase(std::ranges::unique(vars).begin(), vars.end());
    }

    // Modes are an array over the box of all variables.
    Family make_family(SurfaceKind kind, NodeId value, bool is_of_time, Places places) {
        IndexSpace& index = g_.index();
        Family f{kind, result_.system.held.size(), variables_of(value), 0, value, is_of_time, places};
        std::vector<VarId> all = f.vars; // with those that bounds depend on
        for (std::size_t k = 0; k < all.size(); ++k)
            for (const FormId bound : {index.loop_var(all[k]).lo, index.loop_var(all[k]).hi}) {
                std::vector<VarId> more;
                index.variables(bound, more);
                for (const VarId v : more)
                    if (std::ranges::find(all, v) == all.end()) all.push_back(v);
            }
        sort_by_level(all);
        std::vector<std::int64_t> lo, hi, first, extent;
        const bool is_any = index.bounding_box(index.domain(all), lo, hi);
        std::vector<FormId> at;
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (std::ranges::find(f.vars, all[k]) == f.vars.end()) continue;
            at.push_back(index.var(all[k]));
            first.push_back(is_any ? lo[k] : 1);
            extent.push_back(is_any ? hi[k] - lo[k] + 1 : 0);
        }
        f.target = index.list(at);
        const std::string name = kind == SurfaceKind::sign    ? "sign(" + g_.print(value) + ")"
                                 : kind == SurfaceKind::floor ? "floor(" + g_.print(value) + ")"
                                                              : g_.print(value); // a coefficient is then torque'(t)
        // of a table: a piece that has values
        const Quad first_mode = kind == SurfaceKind::sign ? 1 : kind == SurfaceKind::places && f.places->size() > 0;
        const ArrayId array = g_.add_array({.name = name, .role = ArrayRole::auxiliary, .lo = first, .extent = extent});
        const auto size = static_cast<std::size_t>(g_.array(array).size());
        result_.system.held.push_back(
            {.name = "", .array = array, .values = std::vector<Quad>(size, first_mode), .is_hidden = true});
        return f;
    }

    Conditions result_;
    Graph& g_;
    const std::set<ArrayId>& kept_; // jets that conditions must not take away
    std::unordered_map<NodeId, NodeId> image_;
    std::map<ArrayId, ArrayId> arrays_;
    std::vector<Family> families_;
    std::map<std::tuple<SurfaceKind, NodeId, Places>, std::size_t> modes_;
    std::unordered_map<NodeId, std::set<std::size_t>> families_of_; // by condition
    std::set<std::pair<std::size_t, DomainId>> watched_;
};

// Is there any that could switch? Most systems have none.
bool has_conditions(const System& system) {
    const Graph& g = *system.graph;
    std::vector<NodeId> roots;
    for (const Equation& e : system.equations) roots.push_back(e.residual);
    for (const Invariant& i : system.invariants) roots.push_back(i.value);
    for (const Force& f : system.forces) roots.push_back(f.value);
    for (const auto& function : {system.lagrangian, system.hamiltonian})
        if (function) roots.push_back(*function);
    for (const Event& e : system.events)
        for (const Reset& r : e.then)
            if (e.is_always) roots.push_back(r.value);
    for (const Requirement& r : system.requirements) roots.push_back(r.condition);
    for (const ArrayId a : dependencies(g, roots))
        for (const Contribution& c : g.array(a).definition) roots.push_back(c.body);
    return std::ranges::any_of(g.cone(roots), [&](NodeId n) { return g.node(n).varies && is_condition(g.node(n).op); });
}

// The highest derivative of each unknown, where the equations contain it.
std::set<ArrayId> highest_jets(const System& system) {
    std::vector<NodeId> rows;
    for (const Equation& e : system.equations) rows.push_back(e.residual);
    const std::vector<ArrayId> found = dependencies(*system.graph, rows);
    std::set<ArrayId> jets;
    for (const Unknown& u : system.unknowns) {
        ArrayId jet = u.array;
        for (int k = 0; k < u.order; ++k) jet = system.graph->derivative(jet);
        if (std::ranges::find(found, jet) != found.end()) jets.insert(jet);
    }
    return jets;
}

} // namespace

Conditions hold_conditions(const System& given) {
    if (!has_conditions(given)) return {given, {}};
    const std::set<ArrayId> before = highest_jets(given);
    std::set<ArrayId> kept;
    Conditions found = Holder(given, kept).run();
    const std::set<ArrayId> after = highest_jets(found.system);
    std::ranges::set_difference(before, after, std::inserter(kept, kept.end()));
    return kept.empty() ? found : Holder(given, kept).run();
}

std::string condition_text(Graph& g, const Surface& surface, const Env& env) {
    VarMap map;
    for (const VarId v : g.index().domain(surface.domain).vars)
        map[v] = g.index().constant(env[static_cast<std::size_t>(g.index().loop_var(v).level)]);
    return g.print(g.substitute(surface.condition, map));
}

} // namespace vessiot
