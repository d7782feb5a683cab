#include "solve/ends/multipliers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "expr/graph/derivative.hpp"
#include "linalg/dense/complex_schur.hpp"

namespace vessiot {

namespace {

// A double eigenvalue is off by the root of the error of the matrix, a triple one by more.
constexpr double near_one = 2e-3;

// Why eigenvalues are 1, one reason for each.
std::vector<std::string> reasons(const System& system) {
    std::vector<std::string> list;
    const bool is_still = is_autonomous(system);
    if (is_still)
        list.push_back(
            fmt::format("the direction of the flow: the equations do not contain {}", system.independent_name));
    for (const Invariant& i : system.invariants)
        if (!i.kept) list.push_back(fmt::format("conserved: {}", i.text));
    const bool has_energy = (system.lagrangian || system.hamiltonian) && system.forces.empty();
    if (is_still && has_energy && system.invariants.empty()) list.emplace_back("conserved: the energy");
    return list;
}

} // namespace

bool is_autonomous(const System& system) {
    std::vector<expr::NodeId> roots;
    for (const Equation& e : system.equations) roots.push_back(e.residual);
    for (const Invariant& i : system.invariants) roots.push_back(i.value);
    if (system.lagrangian) roots.push_back(*system.lagrangian);
    if (system.hamiltonian) roots.push_back(*system.hamiltonian);
    const std::vector<expr::ArrayId> arrays = expr::dependencies(*system.graph, roots);
    return std::ranges::find(arrays, system.independent) == arrays.end();
}

std::vector<EndsSummary::Multiplier> multipliers(const System& system, const Dense& m) {
    const auto n = static_cast<int>(m.rows);
    linalg::ComplexSchur<double> schur(n);
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.rows; ++j) schur.matrix()[j * m.rows + i] = m(i, j);
    if (!schur.factor()) throw InvalidInput("the derivative of the flow over one period is not finite");
    std::vector<EndsSummary::Multiplier> all;
    for (int k = 0; k < n; ++k) all.push_back({schur.eigenvalue(k).re, schur.eigenvalue(k).im});
    const auto distance = [](const EndsSummary::Multiplier& x) { return std::hypot(x.re - 1, x.im); };
    std::ranges::sort(all, {}, distance);
    const std::vector<std::string> known = reasons(system);
    for (std::size_t k = 0; k < std::min(known.size(), all.size()); ++k)
        if (distance(all[k]) <= near_one) all[k].trivial = known[k];
    std::ranges::sort(all, [](const auto& x, const auto& y) {
        const double a = std::hypot(x.re, x.im), b = std::hypot(y.re, y.im);
        return std::abs(a - b) > 1e-9 * (a + b) ? a > b : x.re != y.re ? x.re > y.re : x.im > y.im;
    });
    return all;
}

} // namespace vessiot
