// What there is to choose from: methods, projections, ways to the direction.
//
//     for (const vessiot::MethodDescription& m : vessiot::methods())
//         if (problem.misfit(m.name).empty()) use(m.name, m.order);
#pragma once

#include <string>
#include <utility>
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

struct ProjectionDescription {
    std::string name;                 // SolveOptions::projection
    std::string help;                 // half a line
    std::string needs;                // of the constraints, in words; empty: nothing
    bool projects = true;             // anything at all
    bool finds_nearest = false;       // its result is the nearest point of the manifold
    bool goes_along_rays = false;     // from a fixed point or along a fixed gradient
    bool has_charts = false;          // local coordinates, in which stages are made
    bool has_sensitivities = false;   // derivatives of the solution go through it
    bool has_partition = false;       // the option partition acts on it
    bool stops_by_increments = false; // newton_stop = increment
    bool has_forcing = false;         // the option forcing acts on it
};

// A way to the direction of the curve at a point.
struct DistributionDescription {
    std::string name;  // SolveOptions::distribution
    std::string help;  // half a line
    std::string needs; // of the equations, in words; empty: nothing
};

// A coefficient: 1, 0.25, or "1/3", "0.333…" as text, which keeps all 34 digits of quadruple precision.
class Coefficient {
public:
    Coefficient(int value);
    Coefficient(double value);
    Coefficient(const char* value) : text(value) {}
    Coefficient(std::string value) : text(std::move(value)) {}
    std::string text;
};

// A Runge-Kutta method: k_i = V(t + c_i h, x + h sum_j a_ij k_j), x(t + h) = x + h sum_i b_i k_i; b_hat, which may be
// empty, is the embedded method that estimates the error. Explicit or implicit. Orders are found, by the order
// conditions; one that is given here is checked.
struct ButcherTableau {
    std::string name; // SolveOptions::method
    std::vector<std::vector<Coefficient>> a;
    std::vector<Coefficient> b, b_hat{}, c{}; // c: the sums of the rows of a, where it is empty
    int order = 0, embedded_order = 0;        // 0: not said
};

// Makes it a method of that name, beside methods(). Throws InvalidInput where its shape is wrong, where it is not
// consistent, has not the order that it claims, or has the name of another one; a tableau of the same name that was
// added before is replaced. From any thread. Checkpoints know a method by its name alone.
MethodDescription add_tableau(const ButcherTableau& tableau);
// The same from a JSON file {"name": …, "a": [[…]], "b": […], "b_hat": […], "c": […]} (docs/solve.md).
MethodDescription load_tableau(const std::string& path);

// A linear multistep method: sum_j alpha_j x_(n+j) = h sum_j beta_j V(x_(n+j)), j = 0 .. k, oldest first. Its order is
// found, by the order conditions; one that is given here is checked. Steps of any size (docs/multistep.md).
struct LinearMultistep {
    std::string name; // SolveOptions::method
    std::vector<Coefficient> alpha, beta;
    bool is_direct = false; // on the equations as they stand, M u' = F(u), instead of on the manifold
    int order = 0;          // 0: not said
};

// The same as for tableaux. Throws InvalidInput where a formula is not consistent, or rho breaks the root condition.
MethodDescription add_multistep(const LinearMultistep& formula);
// The same from a JSON file {"name": …, "alpha": […], "beta": […], "on": "manifold" or "equations"}.
MethodDescription load_multistep(const std::string& path);

const std::vector<MethodDescription>& methods();
// The first of both is `auto`. Why one does not fit: Problem::projection_misfit, Problem::distribution_misfit.
const std::vector<ProjectionDescription>& projections();
const std::vector<DistributionDescription>& distributions();

} // namespace vessiot
