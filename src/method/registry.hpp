// The one list of methods: tests, messages, `vessiot methods` and the reference page read it.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string_view>

#include "core/quad.hpp"
#include "method/family.hpp"

namespace vessiot::method {

// What a method asks of a system.
enum class View {
    any,            // a direction field: every system has one
    constraints,    // at least one constraint or invariant
    one_constraint, // just one
    separable,      // q' = a(t, p), p' = b(t, q)
    quadratic,      // a field of degree 2 at most, without t and constraints
    square,         // as many equations as unknowns
    mechanical,     // positions of second order or a hamiltonian, perhaps with position constraints
    lie,            // Y' = A(t, Y) Y for matrices Y
    linear_lie,     // Y' = A(t) Y
};

std::string_view name(View view);

// A tableau with its number of stages known at run time only; the notation is that of tableau.hpp.
struct TableauView {
    std::size_t n_stages = 0;    // S
    std::size_t n_total = 0;     // S + X
    std::size_t degree = 0;      // D
    std::span<const Quad> a;     // n_total x n_total, by rows
    std::span<const Quad> b;     // n_stages
    std::span<const Quad> b_hat; // n_stages, or empty
    std::span<const Quad> b_low; // n_stages, or empty
    std::span<const Quad> c;     // n_total
    std::span<const Quad> dense; // n_total x degree, by rows
};

struct MethodInfo {
    std::string_view name;
    const Family* family = nullptr;
    std::size_t n_stages = 0;
    std::size_t n_effective_stages = 0; // evaluations in an accepted step: one less for first same as last
    int order = 0;
    int embedded_order = 0;   // 0: no embedded method
    int low_order = 0;        // of the second embedded method; 0: there is none
    int dense_order = 0;      // 0: no dense output of its own
    bool is_adaptive = false; // it estimates its own error
    bool is_fsal = false;
    View needs = View::any;
    std::string_view projection = "simplified"; // the one it is used with where none is asked for
    std::string_view cite;                      // key in docs/references.bib
    TableauView tableau;
    std::span<const Quad> parts{}; // of a composition; of a multistep formula alpha, then beta
    int least_order = 0;           // > 0: the order can be chosen, from this one to `order`
    int max_order = 0;             // highest order that can be asked for, where it varies; `order` is then the usual
    int first_order = 0;           // of the first step, where that is not `order`
    bool chooses_steps = false;    // the loop does not
    int max_index = 0;             // of direct methods: the highest index of equations that they converge on
};

// All methods, family by family, simplest first. They never move.
const std::deque<MethodInfo>& methods();
// For programs that bring methods of their own, before anything is solved. Throws InvalidInput where a name is taken.
void add_methods(std::span<const MethodInfo> list);
// Those with an explicit tableau.
std::span<const MethodInfo> explicit_methods();
// Implicit Runge-Kutta methods.
std::span<const MethodInfo> implicit_methods();
// By SUNDIALS, where the library was built with it.
std::span<const MethodInfo> sundials_methods();
// Methods for differential-algebraic equations as they stand.
std::span<const MethodInfo> direct_methods();
// Does it work on the equations as they stand?
inline bool is_direct(const MethodInfo& info) {
    return info.family->is_direct;
}

// Those that project along rays: every explicit one, with m before its name.
std::span<const MethodInfo> ray_methods();
// Group preserving schemes, splitting, and others that they are compared with.
std::span<const MethodInfo> geometric_methods();
// Those for mechanical systems.
std::span<const MethodInfo> mechanical_methods();
// Those for Lie groups.
std::span<const MethodInfo> lie_methods();
// Those by power series.
std::span<const MethodInfo> taylor_methods();
// A method whose order can be chosen, of that order; it must be one that it has.
const MethodInfo& of_order(const MethodInfo& info, int order);

// The method of that name. Throws InvalidInput, with the nearest name if one is near, where there is none.
const MethodInfo& find_method(std::string_view name);

} // namespace vessiot::method
