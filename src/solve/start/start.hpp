// The start point: what the model and the options give, made consistent with all constraints.
//
// The constraints f(t0, u) = 0 are solved for the smallest change of u by Gauss and Newton, in this order of trust:
//   1. what nobody gave is moved, given values stay;
//   2. values that the model gives;
//   3. values given from outside (Settings::start); what is held never.
// Each first level after level (positions by position constraints, then velocities by theirs), then jointly. Values
// given for tops (multipliers, highest derivatives) are guesses: they are computed, and the difference is noted.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "linalg/vector.hpp"
#include "solve/problem/compiled.hpp"

namespace vessiot {

template <class S> struct StartPoint {
    S t = 0;
    linalg::Vector<S> u;
    StartReport report{};
    std::vector<std::string> notes; // what was missing, what was moved, by how much
};

// No direction at the start point: a singular one, or the structure of the system misleads.
class NoDirection : public InvalidInput {
    using InvalidInput::InvalidInput;
};

// The start values leave a choice.
template <class S> class SeveralStarts : public InvalidInput {
public:
    SeveralStarts(const std::string& message, std::vector<linalg::Vector<S>> points)
        : InvalidInput(message), points_(std::move(points)) {}
    const std::vector<linalg::Vector<S>>& points() const { return points_; }

private:
    std::vector<linalg::Vector<S>> points_;
};

// Of points with these values, one row each: "the start values leave a choice: z = 2; or z = -2. …", with those that
// differ.
std::string choice_text(const std::vector<std::string>& names, const std::vector<std::vector<double>>& rows);
// Are values of two solutions the same?
bool is_other_value(double a, double b);

// Sets the kept values of the invariants, too. Solutions that do not fit are left out where there are others. Throws
// InvalidInput where there is no consistent point near or a value is not finite, SeveralStarts where there are several,
// NoDirection where the direction there is not unique.
template <class S>
StartPoint<S> make_start(Compiled<S>& problem, const Settings& options, S t,
                         const std::function<bool(const linalg::Vector<S>&)>& fits = {});

// The kept values of the invariants that the model does not give are those at this point.
template <class S> void take_kept_values(Compiled<S>& problem, S t, const S* u);

extern template void take_kept_values(Compiled<double>&, double, const double*);
extern template void take_kept_values(Compiled<Quad>&, Quad, const Quad*);
extern template StartPoint<double> make_start(Compiled<double>&, const Settings&, double,
                                              const std::function<bool(const linalg::Vector<double>&)>&);
extern template StartPoint<Quad> make_start(Compiled<Quad>&, const Settings&, Quad,
                                            const std::function<bool(const linalg::Vector<Quad>&)>&);

} // namespace vessiot
