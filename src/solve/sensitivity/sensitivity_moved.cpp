// The derivative of a start point that had to be moved onto the constraints. How far a point is moved, and where to,
// changes with the variable as well, by the curvature of the constraints; what the search for it computes is
// differentiated as it is: central differences in quadruple precision.
//
//     du/dp = (8 (u(h) - u(-h)) - (u(2h) - u(-2h))) / (12 h),   h = 1e-6 of the size of p:
//
// an error of h^4 = 1e-24, and of the round-off of the search, 1e-32, over h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "solve/sensitivity/sensitivity.hpp"
#include "solve/start/given.hpp"
#include "system/constants.hpp"

namespace vessiot {

namespace {

class MovedStart {
public:
    // `from_outside`: a start value that the model gives counts as one from outside.
    MovedStart(const Analysis& base, const Settings& options, Quad t, bool from_outside)
        : base_(base), options_(options), t_(t), from_outside_(from_outside) {}

    std::vector<Quad> operator()(const SensitivityVariable& variable, Quad value) const {
        const int exponent = value == Quad(0) ? 0 : std::ilogb(static_cast<double>(value));
        const Quad h = static_cast<Quad>(std::ldexp(1.0, exponent - 20)); // doubles take it without rounding
        std::vector<Quad> result(static_cast<std::size_t>(base_.prolongation.n_state()), Quad(0));
        for (const int k : {1, -1, 2, -2}) {
            const Quad weight = (std::abs(k) == 1 ? 8 : -1) * (k > 0 ? 1 : -1) / (12 * h);
            const linalg::Vector<Quad> u = start_at(variable, value + k * h);
            for (std::size_t i = 0; i < result.size(); ++i) result[i] += weight * u[static_cast<std::int64_t>(i)];
        }
        return result;
    }

private:
    linalg::Vector<Quad> start_at(const SensitivityVariable& variable, Quad value) const {
        auto analysis = std::make_shared<Analysis>(base_);
        Settings options = options_;
        options.backend = vessiot::Backend::interpreter;
        if (variable.is_start()) {
            give(variable.coordinate, value, analysis->system, options);
        } else {
            std::vector<Parameter>& parameters = analysis->system.parameters;
            parameters[variable.parameter].values[static_cast<std::size_t>(variable.element)] = value;
            follow_formulas(analysis->system, variable.parameter);
        }
        Compiled<Quad> problem(analysis, options);
        return make_start<Quad>(problem, options, t_).u;
    }

    // From where it was given, the options or the model.
    void give(const std::string& name, Quad value, System& system, Settings& options) const {
        const auto it = std::ranges::find(options.start, name, &std::pair<std::string, double>::first);
        if (it != options.start.end()) {
            it->second = static_cast<double>(value);
            return;
        }
        if (from_outside_) {
            options.start.emplace_back(name, static_cast<double>(value));
            return;
        }
        const Coordinates& z = base_.prolongation.z;
        const std::int64_t position = position_of(system, base_.prolongation, name);
        const auto k = static_cast<std::size_t>(std::ranges::upper_bound(z.first, position) - z.first.begin()) - 1;
        expr::Graph& g = *system.graph;
        system.start.push_back({z.jets[k],
                                g.index().scalar_domain(),
                                g.indices_at(z.jets[k], position - z.first[k]),
                                g.constant(value),
                                {}});
    }

    // Parameters that are computed from others: each round brings what changed one formula further.
    static void follow_formulas(System& system, std::size_t changed) {
        for (bool moves = true; moves;) {
            moves = false;
            for (std::size_t k = 0; k < system.parameters.size(); ++k) {
                Parameter& p = system.parameters[k];
                if (k == changed || p.formula.empty()) continue;
                std::vector<Quad> values = evaluate_constants(system, p.formula);
                moves |= values != p.values;
                p.values = std::move(values);
            }
        }
    }

    const Analysis& base_;
    const Settings& options_;
    Quad t_;
    bool from_outside_;
};

} // namespace

template <class S>
std::vector<S> differentiate_moved_start(const Compiled<S>& base, const Settings& options, S t, const S* u,
                                         const SensitivityVariable& variable) {
    const Analysis& analysis = base.analysis();
    const Prolongation& p = analysis.prolongation;
    Quad value = 0;
    bool from_outside = false;
    if (variable.is_start()) {
        const Given<Quad> given = read_start<Quad>(analysis.system, p, options);
        const std::int64_t z = position_of(analysis.system, p, variable.coordinate);
        const auto k = std::ranges::find(p.state, static_cast<std::int32_t>(z)) - p.state.begin();
        if (!given.is_given[static_cast<std::size_t>(z)])
            throw InvalidInput(fmt::format("--sensitivity {}: no start value was given for {}, and those of others had "
                                           "to be moved to satisfy the constraints. Give it one",
                                           variable.name, variable.coordinate));
        value = given.value[static_cast<std::size_t>(z)];
        // one that stayed where it was stays there as one from outside, too
        const double off = std::abs(static_cast<double>(u[k]) - static_cast<double>(value));
        from_outside = off <= 1e-12 * (1 + std::abs(static_cast<double>(value)));
    } else {
        value = analysis.system.parameters[variable.parameter].values[static_cast<std::size_t>(variable.element)];
    }
    std::vector<S> result;
    for (const Quad d : MovedStart(analysis, options, static_cast<Quad>(t), from_outside)(variable, value))
        result.push_back(static_cast<S>(d));
    return result;
}

template std::vector<double> differentiate_moved_start(const Compiled<double>&, const Settings&, double, const double*,
                                                       const SensitivityVariable&);
template std::vector<Quad> differentiate_moved_start(const Compiled<Quad>&, const Settings&, Quad, const Quad*,
                                                     const SensitivityVariable&);

} // namespace vessiot
