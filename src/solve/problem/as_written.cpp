#include "solve/problem/as_written.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "completion/prolong_direct.hpp"
#include "core/error.hpp"
#include "distribution/written.hpp"
#include "solve/start/hidden.hpp"

namespace vessiot {

template <class S> Prepared<S> as_written(const System& given, const Settings& options, const Prepared<S>& completed) {
    const System& system = completed.analysis->conditions ? completed.analysis->conditions->system : given;
    if (options.is_projected())
        throw InvalidInput(fmt::format("the method {0} works on the equations as they stand and projects nothing, but "
                                       "--projection {1} was asked for: leave it out, or take a method on the "
                                       "constraints, such as radau5",
                                       name_or_auto(options.method), options.projection->name));
    auto analysis = std::make_shared<Analysis>(*completed.analysis);
    analysis->system = system;
    analysis->involution.reset();
    analysis->structure = analyse(system);
    if (!analysis->structure.is_square)
        throw InvalidInput(
            fmt::format("the method {} works on the equations as they stand and needs as many of them as "
                        "unknowns, but {} has {} and {}",
                        name_or_auto(options.method), system.name, analysis->structure.signature.n_equations,
                        analysis->structure.signature.n_unknowns));
    analysis->prolongation = prolong_direct(system, analysis->structure.signature);
    Settings with_distribution = options;
    with_distribution.distribution = &written_distribution;
    auto problem = std::make_shared<Compiled<S>>(analysis, with_distribution);
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

template <class S> HiddenResiduals hidden_residuals(const Prepared<S>& completed, const Solution& solution) {
    constexpr std::size_t most_searched = 100; // points beside which one on the manifold is looked for
    HiddenResiduals result;
    if (solution.t.empty()) return result;
    HiddenConstraints<S> hidden(completed, Search::missing);
    if (hidden.is_empty()) return result;
    const std::size_t n = solution.t.size(), stride = hidden.searches() ? 1 + n / most_searched : 1;
    for (std::size_t k = (n - 1) % stride; k < n; k += stride) { // the last one is among them
        const S t = S(solution.t[k]);
        result.last = hidden.residual(t, solution.row(k));
        if (result.last > 0) { // with the modes of the point before; a switching belongs to both sides
            hidden.settle(t, S(solution.t.back()), solution.row(k));
            result.last = std::min(result.last, hidden.residual(t, solution.row(k)));
        }
        result.largest = std::max(result.largest, result.last);
    }
    return result;
}

template Prepared<double> as_written(const System&, const Settings&, const Prepared<double>&);
template Prepared<Quad> as_written(const System&, const Settings&, const Prepared<Quad>&);
template HiddenResiduals hidden_residuals(const Prepared<double>&, const Solution&);
template HiddenResiduals hidden_residuals(const Prepared<Quad>&, const Solution&);

} // namespace vessiot
