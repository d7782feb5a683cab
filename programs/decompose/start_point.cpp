#include "decompose/start_point.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "expr/kernel/lower.hpp"
#include "linalg/scalar.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "system/constants.hpp"

namespace vessiot::decompose {

using namespace expr;

namespace {

// Values in double precision lie on their component to 1e-14 or so; rounded ones (0.866) count as off.
constexpr double close = 1e-9;

// Of the positions, in the order of PolynomialSystem::positions.
struct Point {
    std::vector<Quad> values, rates;
};

// What the start lines say about an element of an array; 0 where they say nothing.
class GivenValues {
public:
    explicit GivenValues(const System& system) : system_(system), graph_(*system.graph) {}

    Quad operator()(ArrayId jet, std::int64_t address) {
        const std::vector<Quad>& all = values(jet);
        return all[static_cast<std::size_t>(address)];
    }

private:
    const std::vector<Quad>& values(ArrayId jet) {
        const auto known = known_.find(jet);
        if (known != known_.end()) return known->second;
        std::vector<Quad> result(static_cast<std::size_t>(graph_.array(jet).size()), 0);
        for (const auto* statements : {&system_.guesses, &system_.start}) // a start value goes before a guess
            for (const StartValue& s : *statements)
                if (s.jet == jet) fill(s, result);
        return known_.emplace(jet, std::move(result)).first->second;
    }
    void fill(const StartValue& s, std::vector<Quad>& values) {
        const std::vector<Contribution> elements = expand(graph_, {{s.domain, s.target, s.value}});
        std::vector<NodeId> nodes;
        for (const Contribution& e : elements) nodes.push_back(e.body);
        const std::vector<Quad> computed = evaluate_constants(system_, nodes);
        for (std::size_t k = 0; k < elements.size(); ++k)
            values[static_cast<std::size_t>(graph_.address(s.jet, elements[k].target, {}))] = computed[k];
    }

    const System& system_;
    Graph& graph_;
    std::map<ArrayId, std::vector<Quad>> known_;
};

Point given_point(const System& system, const std::vector<Position>& positions, const GivenStart& start) {
    GivenValues given(system);
    Point point;
    const auto replace = [&](const std::string& name, Quad& value) {
        for (const auto& [asked, number] : start)
            if (asked == name) value = number;
    };
    for (const Position& p : positions) {
        if (p.array == system.independent) {
            point.values.push_back(system.from ? evaluate_constants(system, {*system.from})[0] : Quad(0));
            point.rates.push_back(1);
            continue;
        }
        point.values.push_back(given(p.array, p.address));
        const ArrayId rate = system.graph->array(p.array).derivative;
        point.rates.push_back(rate == none ? Quad(0) : given(rate, p.address));
        replace(p.name, point.values.back());
        replace(p.name + "'", point.rates.back());
    }
    return point;
}

// The point at which a run begins, after it was made consistent; nothing where there is none.
std::optional<Point> consistent_point(const System& system, const std::vector<Position>& positions,
                                      const GivenStart& start) {
    try {
        SolveOptions options = model_options(system);
        options.throw_on_failure = options.dense = false;
        options.max_steps = 1;
        options.start = start;
        options.backend = "interpreter";
        options.every = 0;
        options.at = {system.from ? static_cast<double>(evaluate_constants(system, {*system.from})[0]) : 0.0};
        if (!system.to && !options.to) options.to = options.at[0] + 1;
        const Solution solution = solve_system(system, options);
        if (solution.t.empty()) return std::nullopt;
        const auto value = [&](const std::string& name) {
            const auto at = std::ranges::find(solution.names, name);
            return at == solution.names.end() ? 0
                                              : solution.row(0)[static_cast<std::size_t>(at - solution.names.begin())];
        };
        Point point;
        for (const Position& p : positions) {
            const bool is_t = p.array == system.independent;
            point.values.push_back(is_t ? solution.t[0] : value(p.name));
            point.rates.push_back(is_t ? 1 : value(p.name + "'"));
        }
        return point;
    } catch (const InvalidInput&) {
        return std::nullopt; // no consistent point is near: the caller says so in its own way
    }
}

// Values of all variables: x; cos(b x) and sin(b x), which move with -b sin(b x) x' and b cos(b x) x'; roots.
Point of_variables(const Point& point, const std::vector<Variable>& variables) {
    Point result;
    const auto add = [&](Quad value, Quad rate) {
        result.values.push_back(value);
        result.rates.push_back(rate);
    };
    for (const Variable& v : variables) {
        if (v.kind == Variable::Kind::root) {
            add(linalg::square_root(Quad(v.prime)), 0);
            continue;
        }
        const Quad x = point.values[v.position], rate = point.rates[v.position];
        const Quad c = cosq(v.factor * x), s = sinq(v.factor * x);
        switch (v.kind) {
        case Variable::Kind::cosine: add(c, -v.factor * s * rate); break;
        case Variable::Kind::sine: add(s, v.factor * c * rate); break;
        default: add(x, rate);
        }
    }
    return result;
}

template <class Residual> double largest(const Component& component, const Residual& residual) {
    double result = 0;
    for (const Polynomial& p : component.generators) result = std::max(result, residual(p));
    return result;
}

StartPlace place(const Point& point, const Answer& answer) {
    StartPlace result;
    result.values = point.values;
    std::vector<std::size_t> along;
    const bool moves = std::ranges::any_of(point.rates, [](Quad rate) { return rate != 0; });
    for (std::size_t k = 0; k < answer.components.size(); ++k) {
        const Component& c = answer.components[k];
        result.residuals.push_back(largest(c, [&](const Polynomial& p) { return residual(p, point.values); }));
        if (!(result.residuals.back() <= close)) continue;
        result.on.push_back(k);
        const auto rate = [&](const Polynomial& p) { return rate_residual(p, point.values, point.rates); };
        if (moves && largest(c, rate) <= close) along.push_back(k);
    }
    if (result.on.size() == 1) along = result.on;
    if (along.size() == 1) result.along = along[0];
    return result;
}

} // namespace

StartPlace place_start(const System& system, const PolynomialSystem& polynomials, const Answer& answer,
                       const GivenStart& start) {
    StartPlace given =
        place(of_variables(given_point(system, polynomials.positions, start), polynomials.variables), answer);
    if (!given.on.empty()) return given;
    const auto point = consistent_point(system, polynomials.positions, start);
    if (!point) return given;
    StartPlace moved = place(of_variables(*point, polynomials.variables), answer);
    if (moved.on.empty()) return given;
    moved.note = "the start values of the model do not satisfy the constraints, or not all are given; meant is the "
                 "consistent point near them, from which a run starts";
    return moved;
}

} // namespace vessiot::decompose
