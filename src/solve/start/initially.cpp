#include "solve/start/initially.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "expr/graph/derivative.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr int most_above = 3; // derivatives above the tops

bool is_in_z(const Prolongation& p, ArrayId jet) {
    return std::ranges::find(p.z.jets, jet) != p.z.jets.end();
}

// How far the derivatives in these expressions lie above those of z.
int derivatives_above(const System& system, const Prolongation& p, const std::vector<NodeId>& expressions) {
    const Graph& g = *system.graph;
    const std::vector<ArrayId> read = dependencies(g, expressions);
    int above = 0;
    for (const Unknown& u : system.unknowns) {
        int highest = 0;
        for (ArrayId jet = u.array; jet != none; jet = g.array(jet).derivative) {
            if (is_in_z(p, jet)) highest = g.array(jet).order;
            if (std::ranges::find(read, jet) == read.end()) continue;
            above = std::max(above, g.array(jet).order - highest);
            if (above > most_above)
                throw InvalidInput(fmt::format(
                    "an equation of the start point contains {}{}, which lies {} derivatives "
                    "above what the equations determine, and {} is the limit",
                    u.name, std::string(static_cast<std::size_t>(g.array(jet).order), '\''), above, most_above));
        }
    }
    return above;
}

void append_rows(RowSet& to, const RowSet& from) {
    for (RowFamily f : from.families) {
        f.first += to.n_rows;
        to.families.push_back(f);
    }
    for (const std::int32_t row : from.selected) to.selected.push_back(row + static_cast<std::int32_t>(to.n_rows));
    to.equation.insert(to.equation.end(), from.equation.begin(), from.equation.end());
    to.n_rows += from.n_rows;
}

System with_equations(const System& system) {
    System result = system;
    result.equations.insert(result.equations.end(), system.initially.begin(), system.initially.end());
    result.invariants.clear();
    return result;
}

// Constraints, equations for the tops, derivatives of these, and the equations of the start point.
RowSet all_rows(const System& system, const Prolongation& p) {
    Graph& g = *system.graph;
    std::vector<NodeId> initial;
    for (const Equation& e : system.initially) initial.push_back(e.residual);
    const int above = derivatives_above(system, p, initial);
    RowSet rows;
    append_rows(rows, p.constraints);
    append_rows(rows, p.tops);
    RowSet raised = p.tops;
    Direction D = total_derivative(g);
    for (int k = 0; k < above; ++k) {
        for (RowFamily& f : raised.families) {
            f.residual = D(f.residual);
            ++f.order;
        }
        append_rows(rows, raised);
    }
    const std::size_t first = system.equations.size() - system.initially.size();
    for (std::size_t k = 0; k < system.initially.size(); ++k) {
        const Equation& e = system.initially[k];
        const std::int64_t n = g.index().count(e.domain, std::int64_t{1} << 40);
        if (n == 0) continue;
        rows.families.push_back({first + k, 0, e.domain, e.residual, rows.n_rows, n});
        for (std::int64_t i = 0; i < n; ++i) {
            rows.selected.push_back(static_cast<std::int32_t>(rows.n_rows + i));
            rows.equation.push_back(0);
        }
        rows.n_rows += n;
    }
    return rows;
}

// All of z is coordinates: what the problem has, and behind it what the rows contain beside it.
Prolongation of_start(const System& system, const Prolongation& p) {
    const Graph& g = *system.graph;
    Prolongation result;
    result.is_general = true; // rows of a level do not determine what is of that level
    result.offsets = p.offsets;
    result.constraints = all_rows(system, p);
    result.z = p.z;
    std::vector<NodeId> residuals;
    for (const RowFamily& f : result.constraints.families) residuals.push_back(f.residual);
    for (const ArrayId a : dependencies(g, residuals)) {
        if (g.array(a).role != ArrayRole::unknown || is_in_z(result, a)) continue;
        result.z.jets.push_back(a);
        result.z.first.push_back(result.z.size);
        result.z.size += g.array(a).size();
    }
    for (std::int32_t k = 0; k < result.z.size; ++k) {
        result.state.push_back(k);
        result.next.push_back(k);
    }
    return result;
}

} // namespace

bool has_initial_equations(const System& system, const Prolongation& p) {
    if (!system.initially.empty()) return true;
    const Graph& g = *system.graph;
    const auto has_value = [&](const Hold& h) {
        return std::ranges::any_of(system.start, [&](const StartValue& s) { return s.jet == h.jet; });
    };
    // a held value of something that is no coordinate
    return std::ranges::any_of(system.holds, [&](const Hold& h) {
        const auto jet = std::ranges::find(p.z.jets, h.jet);
        if (jet == p.z.jets.end() || !has_value(h)) return false;
        const std::int64_t first = p.z.first[static_cast<std::size_t>(jet - p.z.jets.begin())];
        const std::int64_t last = first + g.array(h.jet).size() - 1;
        const auto n = std::ranges::count_if(p.state, [&](std::int32_t at) { return at >= first && at <= last; });
        return n <= last - first;
    });
}

template <class S>
InitialEquations<S>::InitialEquations(Compiled<S>& problem)
    : system_(with_equations(problem.system())), prolongation_(of_start(system_, problem.prolongation())),
      jets_(system_, prolongation_), start_functions_(system_) {
    EvaluatorOptions interpreted; // a few evaluations only
    interpreted.backend = expr::Backend::interpreter;
    manifold_ =
        std::make_unique<Manifold<S>>(system_, prolongation_, jets_, ManifoldOptions{interpreted, false, false});
}

template <class S> void InitialEquations<S>::take_constants(Compiled<S>& problem) {
    system_.parameters = problem.system().parameters;
    jets_.set_parameters(problem.jets().parameters());
    std::ranges::copy(problem.jets().held(), jets_.held().begin());
}

template class InitialEquations<double>;
template class InitialEquations<Quad>;

} // namespace vessiot
