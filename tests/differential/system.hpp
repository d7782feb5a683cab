// A model together with its solution: the solution is chosen, and the equations are made so that it satisfies them.
//
// Most equations have a left side alone; their right side is the left side with the solution put in. So whatever left
// sides and solutions are changed to (shrink.hpp), the solution stays one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "differential/expression.hpp"

namespace vessiot::differential {

struct Unknown {
    std::string name{};
    Formula solution{};       // of t; of an array, of t and the index i
    int size = 0;             // elements of an array; 0: it is none
    int start_orders = 1;     // derivatives below this one are given in `start`, that of this order in `guess`
    bool is_guessed = false;  // where it is: several roots
    bool is_discrete = false; // constant between events
};

struct Equation {
    Formula left{};
    Formula moved{}; // null, or terms of the left side that are written on the right, with the other sign
    Formula right{}; // null: both with the solution put in
    int loop = 0;    // > 0: for i = 1..loop
};

struct Event {
    std::string name{};
    Formula left{};
    double level = 0;                                // left = level
    double every = 0;                                // > 0: instead, at multiples of it from the start
    std::string crossing{};                          // "", rising, falling
    std::vector<std::pair<Formula, Formula>> then{}; // unknown, and what it is set to
    std::vector<double> times{};                     // where the solution meets it
};

// What kinds of methods a system is made for (method::View).
struct Fit {
    bool has_constraints = false, is_square = true, is_mechanical = false, is_separable = false;
};

struct System {
    std::string class_name{};
    std::uint64_t seed = 0;
    double from = 0, to = 1;
    std::vector<Unknown> unknowns{};
    std::vector<Equation> equations{};
    Formula lagrangian{};                // null: there is none
    std::vector<Equation> constraints{}; // beside it
    std::vector<Formula> multipliers{};  // solutions of lambda[1], …
    std::vector<Formula> invariants{};
    std::vector<Event> events{};
    std::vector<double> breaks{}; // where the solution is not smooth
    int index = 0;
    Fit fit{};
};

// How a model is disturbed to see how errors grow: start values by `start`, equations by `equations`, both up to sign.
struct Disturbance {
    double start = 0, equations = 0;
};

// The model as a file.
std::string model_text(const System& system, const Disturbance& disturbance = {});

// The formula with the solution in the place of unknowns.
Formula solved(const System& system, const Formula& formula);
Formula solution_of_leaf(const System& system, const Node& leaf); // null where there is no unknown of its name
Formula right_side(const System& system, const Equation& equation);
// The unknowns, element by element.
std::vector<Node> positions(const System& system);
// The forces that make the chosen motion one of the lagrangian: d/dt L_q' - L_q + G^T lambda.
struct Force {
    Node position;
    Formula value;
};
std::vector<Force> forces(const System& system);
// The solution of a name as it stands in results, x[2]'', as a function of t. Null where there is no such unknown.
Formula solution_of(const System& system, const std::string& name);

// What is wrong with a system, as far as numbers show it: a solution that is large or not finite, right sides that it
// does not satisfy, events that are met elsewhere. Empty: nothing. A system that is not valid is no evidence.
std::string complaint(const System& system);

} // namespace vessiot::differential
