#include "solve/as_written.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "completion/prolong_direct.hpp"
#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "projection/consistent.hpp"

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

namespace {

// The residuals of the completed system at reported values. Coordinates that are not reported, derivatives that the
// equations as they stand do not have, are those of the point of the manifold next to them.
template <class S> class HiddenResidual {
public:
    explicit HiddenResidual(const Prepared<S>& completed)
        : manifold_(completed.problem->written_manifold()), places_(completed.analysis->value_places()),
          freedom_(static_cast<std::size_t>(completed.problem->n_state()), Freedom::free),
          u_(completed.problem->n_state() + 1), f_(manifold_.n_constraints()), terms_(manifold_.n_constraints()) {
        for (const ValuePlace& place : places_)
            if (!place.is_top && !place.is_held) freedom_[static_cast<std::size_t>(place.at)] = Freedom::given;
    }
    bool is_complete() const { return std::ranges::find(freedom_, Freedom::free) == freedom_.end(); }

    // The largest, by the largest term of its row. Infinite where there is no such point.
    double operator()(S t, std::span<const double> row) {
        const auto take = [&] {
            for (std::size_t k = 0; k < places_.size(); ++k)
                if (!places_[k].is_top && !places_[k].is_held) u_[places_[k].at] = S(row[k]);
        };
        take();
        if (!is_complete()) {
            const auto is_found = [&](bool by_stages) {
                return make_consistent(manifold_, t, u_, freedom_, Freedom::given, by_stages).is_consistent;
            };
            if (!is_found(false) && !is_found(true)) return INFINITY;
            take();
        }
        manifold_.f(t, u_.data(), f_.data());
        manifold_.terms(t, u_.data(), terms_.data());
        double largest = 0;
        for (std::int64_t k = 0; k < f_.size(); ++k)
            largest = std::max(largest, static_cast<double>(linalg::absolute(f_[k])) /
                                            std::max(1.0, static_cast<double>(terms_[k])));
        return largest;
    }

private:
    Manifold<S>& manifold_;
    std::vector<ValuePlace> places_;
    std::vector<Freedom> freedom_;
    linalg::Vector<S> u_, f_, terms_;
};

} // namespace

template <class S> HiddenResiduals hidden_residuals(const Prepared<S>& completed, const Solution& solution) {
    constexpr std::size_t most_searched = 100; // points beside which one on the manifold is looked for
    HiddenResiduals result;
    if (solution.t.empty() || completed.problem->written_manifold().n_constraints() == 0) return result;
    HiddenResidual<S> residual(completed);
    const std::size_t n = solution.t.size(), stride = residual.is_complete() ? 1 : 1 + n / most_searched;
    for (std::size_t k = (n - 1) % stride; k < n; k += stride) { // the last one is among them
        result.last = residual(S(solution.t[k]), solution.row(k));
        result.largest = std::max(result.largest, result.last);
    }
    return result;
}

template Prepared<double> as_written(const System&, const SolveOptions&, const Prepared<double>&);
template Prepared<expr::Quad> as_written(const System&, const SolveOptions&, const Prepared<expr::Quad>&);
template HiddenResiduals hidden_residuals(const Prepared<double>&, const Solution&);
template HiddenResiduals hidden_residuals(const Prepared<expr::Quad>&, const Solution&);

} // namespace vessiot
