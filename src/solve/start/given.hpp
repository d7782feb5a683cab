// What the model and the options say about the start point, by position in z (Prolongation).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "expr/graph/function.hpp"
#include "linalg/vector.hpp"
#include "projection/consistent.hpp"
#include "solve/options/settings.hpp"
#include "system/system.hpp"

namespace vessiot {

// Values of z, and where they come from. What nobody gave is 0.
template <class S> struct Given {
    std::vector<S> value;
    std::vector<char> is_given, is_guessed, is_asked, is_held;
    std::vector<char> is_computed; // not below the highest derivative of its unknown: the equations determine it

    // Of the coordinate number k of the manifold.
    Freedom freedom(const Prolongation& p, std::size_t k) const;
};

// The numbers of `start` or `guess` statements, one statement after the other: functions of the parameters.
template <class S> class StatementValues {
public:
    // Works on a copy of the graph, which stays as it is.
    StatementValues(const System& system, const std::vector<StartValue>& statements);
    // With the parameters of this system, the same one but for their values.
    const std::vector<S>& operator()(const System& system);
    // Its input is the parameters; null where there are no statements.
    const expr::Function<S>* function() const { return function_ ? &*function_ : nullptr; }

private:
    std::optional<expr::Function<S>> function_;
    std::vector<S> parameters_, values_;
};

// Those of the `start` and `guess` statements of one system, made once.
template <class S> struct StartFunctions {
    explicit StartFunctions(const System& system) : start(system, system.start), guesses(system, system.guesses) {}
    StatementValues<S> start, guesses;
};

// Throws InvalidInput where a value is not finite or a name of the options is none of z.
template <class S>
Given<S> read_start(const System& system, const Prolongation& p, const Settings& options, StartFunctions<S>& functions);
template <class S> Given<S> read_start(const System& system, const Prolongation& p, const Settings& options) {
    StartFunctions<S> functions(system);
    return read_start(system, p, options, functions);
}

// The positions in z of the numbers of these statements, in their order; -1 for derivatives that z has not.
std::vector<std::int64_t> positions_of(const System& system, const Prolongation& p,
                                       const std::vector<StartValue>& statements);

// The system with what the model's `start` and the options say of what is discrete.
System with_held_start(const System& system, const Settings& options);

// By coordinate, where a solution jumps: what is algebraic is free, what is below the highest derivative of its unknown
// is given.
std::vector<Freedom> freedom_at_jumps(const System& system, const Prolongation& p);

// The name of an element of z: x[3]'.
std::string name_of(const System& system, const Prolongation& p, std::int64_t position);
// The position in z of a name. Throws InvalidInput, with the nearest name.
std::int64_t position_of(const System& system, const Prolongation& p, const std::string& name);
// "x, y', lambda and 3 more"
std::string listed(const std::vector<std::string>& names);

extern template class StatementValues<double>;
extern template class StatementValues<Quad>;
extern template struct Given<double>;
extern template struct Given<Quad>;

} // namespace vessiot
