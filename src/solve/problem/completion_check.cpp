#include "solve/problem/completion_check.hpp"

#include "core/error.hpp"
#include "solve/start/start.hpp"
#include "system/own_graph.hpp"

namespace vessiot {

namespace {

constexpr int most_others = 8; // each leaves formulas in the graph

} // namespace

GuessedPoint guessed_point(const System& system, const Prolongation& p, const Settings& options,
                           StartFunctions<Quad>& functions) {
    const Given<Quad> given = read_start<Quad>(system, p, options, functions);
    GuessedPoint point{linalg::Vector<Quad>(p.n_state()), {}};
    for (std::size_t k = 0; k < p.state.size(); ++k) {
        point.u[static_cast<std::int64_t>(k)] = given.value[static_cast<std::size_t>(p.state[k])];
        point.freedom.push_back(given.freedom(p, k));
    }
    return point;
}

template <class S>
CompletionCheck<S>::CompletionCheck(const System& given, const Settings& options, Quad from, const Analysis& now)
    : system_(with_own_graph(given)), start_(system_), class_(with_own_graph(given)),
      classification_(now.classification), involution_(complete(options, from)) {
    if (now.structure.is_square && options.formulation != Formulation::general)
        misled_ = std::make_unique<Misled>(with_own_graph(given), options, from);
}

template <class S> Involution CompletionCheck<S>::complete(const Settings& options, Quad from) {
    return completion_(system_, from,
                       [&](const System& s, const Prolongation& p) { return guessed_point(s, p, options, start_); });
}

template <class S> bool CompletionCheck<S>::is_misled(const Settings& options, Quad from) {
    Compiled<S>& problem = misled_->problem;
    set_values(misled_->analysis->system, parameter_values(system_));
    std::vector<S> rounded;
    for (const Quad v : parameter_values(system_)) rounded.push_back(static_cast<S>(v));
    problem.pivots()->forget();
    problem.distribution().renew();
    problem.jets().set_parameters(rounded);
    problem.jets().begin({});
    try {
        make_start<S>(problem, options, static_cast<S>(from));
    } catch (const NoDirection&) {
        return true;
    }
    return false;
}

template <class S>
bool CompletionCheck<S>::is_alike(const std::vector<Quad>& parameters, const Settings& options, Quad from) {
    if (n_others_ >= most_others) return false;
    set_values(system_, parameters);
    try {
        if (class_(parameters, {}) == classification_ && (!misled_ || is_misled(options, from)) &&
            vessiot::is_alike(involution_, complete(options, from)))
            return true;
    } catch (const InvalidInput&) { // said where it is completed anew
    }
    ++n_others_;
    return false;
}

template class CompletionCheck<double>;
template class CompletionCheck<Quad>;

} // namespace vessiot
