#include "method/geometric/quadratic.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "expr/graph/derivative.hpp"
#include "expr/graph/op.hpp"

namespace vessiot::method {

using namespace expr;

namespace {

constexpr int no_polynomial = 1000;

// The degree of an expression in the elements of the unknowns, and t, which counts as no_polynomial.
class Degree {
public:
    explicit Degree(Graph& g) : g_(g) {}

    int of(NodeId n) {
        const auto known = nodes_.find(n);
        if (known != nodes_.end()) return known->second;
        const int degree = std::min(compute(g_.node(n)), no_polynomial);
        nodes_[n] = degree;
        return degree;
    }

private:
    int compute(const Node x) {
        if (!x.varies) return 0;
        switch (x.op) {
        case Op::read: return of_array(x.a);
        case Op::neg: return of(x.a);
        case Op::add:
        case Op::sub: return std::max(of(x.a), of(x.b));
        case Op::mul: return of(x.a) + of(x.b);
        case Op::div: return of(x.b) == 0 ? of(x.a) : no_polynomial;
        case Op::pow:
            if (g_.is_constant(x.b, 2)) return 2 * of(x.a);
            [[fallthrough]];
        default: return all_constant(x) ? 0 : no_polynomial;
        }
    }
    bool all_constant(const Node& x) {
        const int n = arity(x.op);
        return (n < 1 || of(x.a) == 0) && (n < 2 || of(x.b) == 0) && (n < 3 || of(x.c) == 0);
    }
    int of_array(ArrayId a) {
        const Array& array = g_.array(a);
        if (array.role == ArrayRole::unknown) return 1;
        if (array.role != ArrayRole::defined) return array.varies ? no_polynomial : 0;
        const auto known = arrays_.find(a);
        if (known != arrays_.end()) return known->second;
        int degree = 0;
        const std::vector<Contribution> definition = array.definition;
        for (const Contribution& c : definition) degree = std::max(degree, of(c.body));
        return arrays_[a] = degree;
    }

    Graph& g_;
    std::map<NodeId, int> nodes_;
    std::map<ArrayId, int> arrays_;
};

} // namespace

std::string quadratic_misfit(const System& system, const Prolongation& p) {
    if (!p.constraints.selected.empty()) return "it has constraints";
    Graph& g = *system.graph;
    std::vector<ArrayId> tops; // arrays with highest derivatives
    for (std::size_t k = 0; k < p.z.jets.size(); ++k) {
        const std::int64_t end = p.z.first[k] + g.array(p.z.jets[k]).size();
        if (std::ranges::any_of(p.top, [&](std::int32_t at) { return at >= p.z.first[k] && at < end; }))
            tops.push_back(p.z.jets[k]);
    }
    Degree degree(g);
    for (const RowFamily& f : p.tops.families) {
        const std::string& text = system.equations[f.equation].text;
        const std::string where = text.empty() ? g.print(f.residual) : text;
        for (const Partial& d :
             local_gradient(g, f.residual, [&](ArrayId a) { return std::ranges::count(tops, a) > 0; }))
            if (degree.of(d.value) > 0)
                return fmt::format("the highest derivative in {} has a factor that varies", where);
        if (degree.of(f.residual) > 2) return fmt::format("{} is no polynomial of degree 2", where);
    }
    return "";
}

} // namespace vessiot::method
