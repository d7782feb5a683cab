#include "support/random_system.hpp"

#include <algorithm>

namespace vessiot::test {

using namespace expr;

namespace {

class Generator {
public:
    explicit Generator(std::mt19937_64& random) : random_(random) {
        system_.graph = std::make_shared<Graph>();
        system_.name = "random";
    }

    System make() {
        n_ = pick(3, 7);
        system_.independent = graph().add_array({.name = "t", .role = ArrayRole::independent});
        add_parameters();
        for (int k = 0, n = pick(1, 3); k < n; ++k) add_unknown("x" + std::to_string(k), {n_});
        if (flip(0.5)) add_unknown("y", {});
        if (flip(0.2)) add_unknown("z", {n_, 2});
        for (int k = 0, n = pick(0, 2); k < n; ++k) add_let(k);
        for (int k = 0, n = pick(1, 4); k < n; ++k) add_equation();
        return std::move(system_);
    }

private:
    Graph& graph() { return *system_.graph; }
    IndexSpace& index() { return graph().index(); }
    int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }
    bool flip(double p) { return std::bernoulli_distribution(p)(random_); }

    void add_parameters() {
        const ArrayId scalar = graph().add_array({.name = "p", .role = ArrayRole::parameter});
        const ArrayId family = graph().add_array({.name = "m", .role = ArrayRole::parameter, .extent = {n_}});
        Parameter p{.name = "p", .array = scalar, .values = {1.25}};
        Parameter m{.name = "m", .array = family, .values = {}};
        for (int k = 0; k < n_; ++k) m.values.push_back(static_cast<Quad>(0.5 + 0.25 * k));
        system_.parameters = {p, m};
        arrays_.push_back(family);
        scalars_ = {scalar, system_.independent};
    }

    void add_unknown(const std::string& name, std::vector<std::int64_t> extent) {
        const ArrayId a = graph().add_array({.name = name, .role = ArrayRole::unknown, .extent = extent});
        system_.unknowns.push_back({.name = name, .array = a, .order = 1});
        for (ArrayId jet : {a, graph().derivative(a)}) (extent.empty() ? scalars_ : arrays_).push_back(jet);
    }

    // let v[i = 1..n] = body
    void add_let(int k) {
        const VarId v = index().loop_var("i", 0, index().constant(1), index().constant(n_));
        scope_ = {{v, 1, n_}};
        const NodeId body = expression(2);
        const ListId target = index().list({index().var(v)});
        scope_.clear();
        arrays_.push_back(
            graph().define("v" + std::to_string(k), {1}, {n_}, {{index().domain(std::vector{v}), target, body}}));
    }

    void add_equation() {
        std::vector<VarId> vars;
        CondId cond = index().always();
        for (int level = 0, depth = pick(0, 2); level < depth; ++level) {
            const int lo = pick(1, 2), hi = pick(n_ - 1, n_);
            // a triangular loop now and then
            const bool is_triangular = level == 1 && flip(0.3);
            const FormId first = is_triangular ? index().var(vars[0]) : index().constant(lo);
            vars.push_back(index().loop_var(level == 0 ? "i" : "j", level, first, index().constant(hi)));
            scope_.push_back({vars.back(), is_triangular ? 1 : lo, hi});
        }
        if (vars.size() == 2 && flip(0.3))
            cond = index().complement(index().equal(index().var(vars[0]), index().var(vars[1])));
        Equation e;
        e.residual = e.lhs = expression(flip(0.1) ? 5 : pick(2, 4)); // a few large ones
        e.rhs = graph().zero();
        e.domain = index().domain(vars, cond);
        scope_.clear();
        system_.equations.push_back(e);
    }

    NodeId expression(int depth) {
        if (depth == 0 || flip(0.1)) return leaf();
        switch (pick(0, 9)) {
        case 0:
        case 1: return graph().add(expression(depth - 1), expression(depth - 1));
        case 2: return graph().sub(expression(depth - 1), expression(depth - 1));
        case 3:
        case 4: return graph().mul(expression(depth - 1), expression(depth - 1));
        case 5: // away from a zero denominator
            return graph().div(expression(depth - 1), positive(expression(depth - 1)));
        case 6: return sum(depth - 1);
        case 7: return condition(depth - 1);
        default: return function(depth - 1);
        }
    }

    NodeId positive(NodeId a) { return graph().add(graph().square(a), graph().one()); }
    NodeId bounded(NodeId a) { return graph().apply(Op::tanh, a); }

    NodeId leaf() {
        const int kind = pick(0, 9);
        if (kind == 0) return graph().constant(pick(1, 5) / Quad(4));
        if (kind == 1 && !scope_.empty()) return graph().index_value(index().var(scope_.back().var));
        if (kind <= 3 || arrays_.empty())
            return graph().read(scalars_[static_cast<std::size_t>(pick(0, static_cast<int>(scalars_.size()) - 1))]);
        const ArrayId a = arrays_[static_cast<std::size_t>(pick(0, static_cast<int>(arrays_.size()) - 1))];
        std::vector<FormId> indices;
        for (std::int64_t extent : std::vector<std::int64_t>(graph().array(a).extent))
            indices.push_back(subscript(extent));
        return graph().read(a, index().list(indices));
    }

    // An index in 1..extent for every value of the loop variables.
    FormId subscript(std::int64_t extent) {
        if (scope_.empty() || flip(0.15)) return index().constant(pick(1, static_cast<int>(extent)));
        const Scope& s = scope_[static_cast<std::size_t>(pick(0, static_cast<int>(scope_.size()) - 1))];
        const FormId v = index().var(s.var);
        if (extent < n_ || flip(0.2)) // around a ring
            return index().add(index().modulo(index().add(v, index().constant(pick(0, 2))), index().constant(extent)),
                               index().constant(1));
        if (flip(0.2)) return index().subtract(index().constant(extent + 1), v); // backwards: s.hi <= n
        const int shift = pick(1 - s.lo, n_ - s.hi);
        return index().add(v, index().constant(shift));
    }

    NodeId sum(int depth) {
        if (scope_.size() > 2) return leaf();
        const auto level = static_cast<int>(scope_.size());
        const int lo = pick(1, 2), hi = n_;
        const VarId v = index().loop_var("k", level, index().constant(lo), index().constant(hi));
        std::vector<VarId> vars;
        for (const Scope& s : scope_) vars.push_back(s.var);
        CondId cond = index().always();
        if (!vars.empty() && flip(0.3))
            cond = index().complement(index().equal(index().var(vars.back()), index().var(v)));
        vars.push_back(v);
        scope_.push_back({v, lo, hi});
        const NodeId body = expression(depth);
        scope_.pop_back();
        return graph().sum(index().domain(vars, cond), vars.size() - 1, body);
    }

    NodeId condition(int depth) {
        const NodeId a = expression(depth), b = expression(depth);
        if (!scope_.empty() && flip(0.5)) {
            const NodeId i = graph().index_value(index().var(scope_.back().var));
            return graph().select(graph().apply(flip(0.5) ? Op::less : Op::equal, i, graph().integer(pick(1, n_))), a,
                                  b);
        }
        const Op tests[] = {Op::less, Op::less_equal, Op::equal, Op::not_equal};
        const NodeId test = graph().apply(tests[pick(0, 3)], leaf(), leaf());
        const NodeId other = graph().apply(Op::less, leaf(), leaf());
        const NodeId both = graph().apply(flip(0.5) ? Op::logical_and : Op::logical_or, test, other);
        return graph().select(flip(0.5) ? both : graph().apply(Op::logical_not, test), a, b);
    }

    NodeId function(int depth) {
        Graph& g = graph();
        const NodeId a = expression(depth);
        switch (pick(0, 24)) {
        case 0: return g.apply(Op::sin, a);
        case 1: return g.apply(Op::cos, a);
        case 2: return g.apply(Op::tan, bounded(a));
        case 3: return g.apply(Op::asin, g.mul(g.constant(0.75), bounded(a)));
        case 4: return g.apply(Op::acos, g.mul(g.constant(0.75), bounded(a)));
        case 5: return g.apply(Op::atan, a);
        case 6: return g.apply(Op::sinh, bounded(a));
        case 7: return g.apply(Op::cosh, bounded(a));
        case 8: return bounded(a);
        case 9: return g.apply(Op::asinh, a);
        case 10: return g.apply(Op::acosh, g.add(positive(a), g.one()));
        case 11: return g.apply(Op::atanh, g.mul(g.constant(0.75), bounded(a)));
        case 12: return g.apply(Op::exp, bounded(a));
        case 13: return g.apply(Op::log, positive(a));
        case 14: return g.apply(Op::log10, positive(a));
        case 15: return g.apply(Op::cbrt, positive(a));
        case 16: return g.apply(Op::erf, a);
        case 17: return g.apply(Op::sqrt, positive(a));
        case 18: return g.apply(Op::abs, a);
        case 19: return g.apply(flip(0.5) ? Op::min : Op::max, a, expression(depth));
        case 20: return g.apply(Op::atan2, a, positive(expression(depth)));
        case 21: return g.apply(Op::hypot, positive(a), expression(depth));
        case 22: return g.pow(positive(a), flip(0.5) ? bounded(expression(depth)) : g.constant(pick(-5, 5) / Quad(2)));
        case 23: return g.mul(a, g.apply(flip(0.5) ? Op::floor : Op::ceil, expression(depth)));
        default: return g.mul(a, g.apply(Op::sign, expression(depth)));
        }
    }

    struct Scope {
        VarId var;
        int lo, hi; // smallest and largest value
    };

    std::mt19937_64& random_;
    System system_;
    int n_ = 0;
    std::vector<ArrayId> arrays_, scalars_;
    std::vector<Scope> scope_;
};

} // namespace

System random_system(std::mt19937_64& random) {
    return Generator(random).make();
}

} // namespace vessiot::test
