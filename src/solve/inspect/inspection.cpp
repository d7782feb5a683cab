#include "solve/inspect/inspection.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "distribution/tops/top_system.hpp"
#include "linalg/dense/jacobi_svd.hpp"
#include "linalg/scalar.hpp"
#include "method/fits.hpp"
#include "solve/problem/prepare.hpp"
#include "solve/problem/trivial.hpp"
#include "solve/start/given.hpp"

namespace vessiot {

using namespace expr;

namespace {

constexpr std::int64_t most_unknowns = 50'000; // above, the start point is left to `solve`
constexpr std::int64_t most_conditioned = 60;  // above, no condition number

std::string ordinal(int order) {
    return order == 1 ? "the derivative" : order == 2 ? "the second derivative" : fmt::format("derivative {}", order);
}

// A family of constraints as one formula.
Inspection::Constraint constraint(const Analysis& a, const RowFamily& f) {
    const Equation& e = a.system.equations[f.equation];
    const StatementText text = describe_equation(a.system, e);
    Inspection::Constraint c{f.order > 0 || e.kind == EquationKind::consequence, text.text, text.domain, "", f.count};
    if (f.order > 0) {
        c.text = a.system.graph->print(f.residual) + " = 0";
        c.origin = fmt::format("{} of {}", ordinal(f.order), shortened(text.text, 100));
    } else if (e.kind == EquationKind::consequence) {
        for (const Consequence& found : a.involution->consequences)
            if (found.equation == f.equation)
                c.origin = fmt::format(
                    "follows from {}{}", shortened(fmt::format("{}", fmt::join(found.from_text, "; ")), 150),
                    found.depth == 0
                        ? ""
                        : fmt::format(", differentiated {}",
                                      found.depth == 1 ? "once" : fmt::format("up to {} times", found.depth)));
    }
    return c;
}

double condition_of(Compiled<double>& problem, const StartPoint<double>& start) {
    const Prolongation& p = problem.prolongation();
    const std::int64_t k = p.n_equations(), n = p.n_tops();
    if (k > most_conditioned || n == 0) return 0;
    TopSystem<double> tops(problem.system(), p, problem.jets(), problem.evaluator());
    linalg::Vector<double> r(k), entries(tops.pattern().entries());
    tops(start.t, start.u.data(), r.data(), entries.data());
    linalg::JacobiSvd<double> svd(static_cast<int>(k), static_cast<int>(n));
    linalg::fill_dense(tops.pattern(), entries.data(), svd.matrix());
    if (!svd.factor()) return 0;
    return svd.values().front() / svd.values().back();
}

// The consistent start point, and what the equations determine there.
void add_start(Compiled<double>& problem, const StartPoint<double>& start, Inspection& result) {
    const Analysis& a = problem.analysis();
    const Prolongation& p = a.prolongation;
    for (std::size_t k = 0; k < p.state.size(); ++k)
        result.start.push_back({a.name_of(p.state[k]), start.u[static_cast<std::int64_t>(k)]});
    linalg::Vector<double> w(p.n_tops());
    if (problem.distribution().tops(start.t, start.u.data(), w.data()) != PointStatus::good) return;
    for (std::size_t k = 0; k < p.top.size(); ++k)
        result.start.push_back({a.name_of(p.top[k]), w[static_cast<std::int64_t>(k)]});
}

// Equations that are not linear in the highest derivatives may have other solutions for them at the same point.
void add_branches(Compiled<double>& problem, const StartPoint<double>& start, Inspection& result) {
    const Analysis& a = problem.analysis();
    const Prolongation& p = a.prolongation;
    if (!p.is_raised) return;
    Manifold<double>& m = problem.written_manifold();
    std::vector<Freedom> freedom(p.state.size(), Freedom::held);
    std::vector<std::int64_t> open;
    for (std::size_t k = 0; k < p.state.size(); ++k) {
        const bool occurs = m.pattern().column_start[k] < m.pattern().column_start[k + 1];
        if (m.levels()[k] != -1 || !occurs) continue;
        freedom[k] = Freedom::free;
        open.push_back(static_cast<std::int64_t>(k));
    }
    if (open.size() > 50) return;
    for (const linalg::Vector<double>& u : find_solutions(m, start.t, start.u, freedom, open)) {
        std::vector<Inspection::Value> values;
        bool is_other = false;
        for (const std::int64_t k : open) {
            is_other |= std::fabs(u[k] - start.u[k]) > 1e-6 * (1 + std::fabs(u[k]));
            values.push_back({a.name_of(p.state[static_cast<std::size_t>(k)]), u[k]});
        }
        if (is_other) result.branches.push_back(std::move(values));
    }
}

void check_with_numbers(const System& system, const Settings& options, Inspection& result) {
    const auto t = options.from || system.from || system.to ? interval(system, options).first : Quad(0);
    const Prepared<double> prepared = prepare<double>(system, options, t);
    const Analysis& a = *prepared.analysis;
    result.is_checked = true;
    result.system = a.summary();
    for (const RowFamily& f : a.prolongation.constraints.families)
        if (!is_trivial(a.system, f.residual)) result.constraints.push_back(constraint(a, f));
    if (a.involution)
        for (const std::size_t e : a.involution->redundant)
            result.redundant.push_back(describe_equation(a.system, a.system.equations[e]).text);
    result.condition = condition_of(*prepared.problem, prepared.start);
    // where constraints are dependent at the start point, ranks there say nothing about other points
    const bool is_dependent = a.involution && !a.involution->open.empty();
    if (!is_dependent) result.involutive = involutive_form(system, options, t, result.system.index);
    result.kronecker = kronecker_form(system);
    result.report = prepared.start.report;
    result.notes = prepared.start.notes;
    add_start(*prepared.problem, prepared.start, result);
    add_branches(*prepared.problem, prepared.start, result);
    for (const method::MethodInfo& m : method::methods())
        result.methods.push_back({std::string(m.name), method::misfit(m, a.system, a.prolongation)});
}

} // namespace

Inspection inspect(const System& system, const SolveOptions& given) {
    Inspection result;
    Settings options = settled(given);
    options.backend = vessiot::Backend::interpreter; // a few evaluations only
    std::int64_t n = 0;
    for (const Unknown& u : system.unknowns) n += system.graph->array(u.array).size();
    if (n > most_unknowns) {
        result.problem = fmt::format("not checked with numbers: {} unknowns are more than {}", n, most_unknowns);
        return result;
    }
    try {
        check_with_numbers(system, options, result);
    } catch (const InvalidInput& e) {
        result.problem = e.what();
    }
    return result;
}

} // namespace vessiot
