// What there is to choose from: methods, projections, ways to the direction.
//
//     for (const vessiot::MethodDescription& m : vessiot::methods())
//         if (problem.misfit(m.name).empty()) use(m.name, m.order);
#pragma once

#include <string>
#include <vector>

namespace vessiot {

struct MethodDescription {
    std::string name;       // SolveOptions::method
    std::string family;     // explicit Runge-Kutta, …
    std::string help;       // one line
    std::string needs;      // of a system, in words; empty: nothing
    std::string projection; // the one it is used with where none is asked for
    std::string cite;       // key in docs/references.bib
    int order = 0, stages = 0;
    int least_order = 0;                     // > 0: the order can be chosen, from this one to `order`
    int max_order = 0;                       // > 0: the order varies, up to this one
    int embedded_order = 0, dense_order = 0; // 0: none of its own
    int max_index = 0;          // of methods on the equations as they stand: the highest index that they converge on
    bool is_adaptive = false;   // estimates its error; others do by step doubling
    bool is_implicit = false;   // solves equations in a step: for stiff systems
    bool is_direct = false;     // works on the equations as they stand, without their hidden constraints
    bool has_arclength = false; // makes steps of arclength
    bool has_sensitivities = false;
    bool has_quad = false; // in quadruple precision
};

// A choice of an option with what it is for.
struct ChoiceDescription {
    std::string name, help;
};

const std::vector<MethodDescription>& methods();
const std::vector<ChoiceDescription>& projections();   // SolveOptions::projection
const std::vector<ChoiceDescription>& distributions(); // SolveOptions::distribution

} // namespace vessiot
