#include "solve/as_written.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "completion/prolong_direct.hpp"
#include "core/error.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

template <class S>
Prepared<S> as_written(const System& given, const SolveOptions& options, const Prepared<S>& completed) {
    const System& system = completed.analysis->conditions ? completed.analysis->conditions->system : given;
    if (options.projection != "none")
        throw InvalidInput(fmt::format("the method {0} works on the equations as they stand and projects nothing, but "
                                       "--projection {1} was asked for: leave it out, or take a method on the "
                                       "constraints, such as radau5",
                                       options.method, options.projection));
    auto analysis = std::make_shared<Analysis>(*completed.analysis);
    analysis->system = system;
    analysis->involution.reset();
    analysis->structure = analyse(system);
    if (!analysis->structure.is_square)
        throw InvalidInput(
            fmt::format("the method {} works on the equations as they stand and needs as many of them as "
                        "unknowns, but {} has {} and {}",
                        options.method, system.name, analysis->structure.signature.n_equations,
                        analysis->structure.signature.n_unknowns));
    analysis->prolongation = prolong_direct(system, analysis->structure.signature);
    SolveOptions with_distribution = options;
    with_distribution.distribution = "written";
    auto problem = std::make_shared<Problem<S>>(analysis, with_distribution);
    std::ranges::copy(completed.problem->jets().constants(), problem->jets().constants().begin());

    const linalg::Vector<S>& u = completed.start.u;
    linalg::Vector<S> w(completed.problem->n_tops());
    completed.problem->distribution().tops(completed.start.t, u.data(), w.data());
    StartPoint<S> start = completed.start;
    start.u = linalg::Vector<S>(problem->n_state() + 1);
    const std::vector<ValuePlace> from = completed.analysis->value_places(), to = analysis->value_places();
    for (std::size_t k = 0; k < to.size(); ++k)
        if (!to[k].is_held) start.u[to[k].at] = from[k].is_top ? w[from[k].at] : u[from[k].at];
    return {analysis, std::move(problem), std::move(start)};
}

template <class S> double hidden_residual(const Prepared<S>& completed, const Solution& solution) {
    Manifold<S>& m = completed.problem->written_manifold();
    if (solution.t.empty() || m.n_constraints() == 0) return 0;
    const std::vector<ValuePlace> places = completed.analysis->value_places();
    linalg::Vector<S> u(completed.problem->n_state() + 1), f(m.n_constraints()), terms(m.n_constraints());
    std::vector<char> is_known(static_cast<std::size_t>(completed.problem->n_state()), 0);
    const std::span<const double> row = solution.row(solution.t.size() - 1);
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (places[k].is_top || places[k].is_held) continue;
        u[places[k].at] = S(row[k]);
        is_known[static_cast<std::size_t>(places[k].at)] = 1;
    }
    if (std::ranges::find(is_known, 0) != is_known.end()) return -1;
    const S t = S(solution.t.back());
    m.f(t, u.data(), f.data());
    m.terms(t, u.data(), terms.data());
    double largest = 0;
    for (std::int64_t k = 0; k < f.size(); ++k)
        largest = std::max(largest,
                           static_cast<double>(linalg::absolute(f[k])) / std::max(1.0, static_cast<double>(terms[k])));
    return largest;
}

template Prepared<double> as_written(const System&, const SolveOptions&, const Prepared<double>&);
template Prepared<expr::Quad> as_written(const System&, const SolveOptions&, const Prepared<expr::Quad>&);
template double hidden_residual(const Prepared<double>&, const Solution&);
template double hidden_residual(const Prepared<expr::Quad>&, const Solution&);

} // namespace vessiot
