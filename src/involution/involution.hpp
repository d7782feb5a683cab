// Completion with numbers: for systems whose structure misleads, and for those with more equations than unknowns.
//
// The system is taken as it is written (prolong_written). At points of its manifold near the start point the equations
// for the tops are combined so that no top is left (combination.hpp). A combination that does not vanish on the
// manifold is a hidden constraint: it joins the system as one more equation, and all begins anew, until the tops are
// determined and nothing new follows. Every such round is a differentiation and a projection of the differential
// system; for linear equations with constant coefficients it is the shuffle algorithm, and the number of
// differentiations is the index of nilpotency. [Lue78, RR94, Sei10]
//
// Ranks are decided in quadruple precision, so that what vanishes is told from what is small; they hold near the start
// point only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "completion/prolongation.hpp"
#include "linalg/vector.hpp"
#include "projection/consistent.hpp"
#include "system/system.hpp"

namespace vessiot {

// A constraint that follows from the equations of the model and their derivatives.
struct Consequence {
    std::size_t equation = 0;             // its number in Involution::system
    int depth = 0;                        // how often equations of the model were differentiated for it
    std::vector<std::size_t> from{};      // these equations
    std::vector<std::string> from_text{}; // as the author wrote them
};

struct Involution {
    System system; // with the consequences after the equations of the model
    Prolongation prolongation;
    std::vector<Consequence> consequences{};
    std::vector<std::size_t> redundant{}; // equations of the model each of which follows from the others
    int index = 0;                        // differentiations needed until all is an ordinary differential equation
    std::int64_t phase_dimension = 0;     // of the manifold at a fixed t
    std::int64_t hidden_constraints = 0;  // offsets.hpp
    std::int64_t rank = 0;                // of the equations for the tops
    std::string open{};                   // "lambda[1], lambda[2] are": tops left open, where that does not matter
    bool is_regular_here = true;          // false: the start point itself is singular, the points around it are not
    std::vector<std::uint32_t> path{};    // what numbers decided on the way, round after round
};

// A guess of a point of the manifold, in the coordinates of a prolongation.
struct GuessedPoint {
    linalg::Vector<Quad> u;
    std::vector<Freedom> freedom;
};
using Guess = std::function<GuessedPoint(const System&, const Prolongation&)>;

// Completion is dense and in formulas: larger systems are refused.
inline constexpr std::int64_t most_completed = 400; // unknowns

// Throws InvalidInput, with names, where equations contradict each other, where they leave something open, and where
// the system is too large or its index too high for this.
Involution complete(const System& system, Quad t, const Guess& guess);

// The same of one system with other and other numbers: formulas and functions are made once.
class RepeatedCompletion {
public:
    RepeatedCompletion();
    ~RepeatedCompletion();
    // The system with other values of its parameters.
    Involution operator()(const System& system, Quad t, const Guess& guess);
    std::size_t n_rounds() const; // that were met so far, each with functions of its own

private:
    std::unique_ptr<class CompletionRounds> rounds_;
};

// Did numbers decide the same in both, of one graph?
bool is_alike(const Involution& a, const Involution& b);

} // namespace vessiot
