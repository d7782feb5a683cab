// A family of methods: the stepper that all of them are made with, and what that can do. Each stands at the end of the
// file of its stepper; methods point to theirs (registry.hpp), and nothing else asks which family it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/quad.hpp"

namespace vessiot {

struct System;
struct Prolongation;
template <class S> class Field;
template <class S> class Projection;
template <class S> class Stepper;
template <class S> struct StepperOptions;

namespace method {

struct MethodInfo;

// Of a polynomial between the ends of a step: the cubic one through both ends, unless a family has its own.
int cubic_dense_order(const MethodInfo& info);
int own_dense_order(const MethodInfo& info); // as its entry says

struct Family {
    template <class S>
    using Maker = std::unique_ptr<Stepper<S>> (*)(const MethodInfo&, Field<S>&, Projection<S>*,
                                                  const StepperOptions<S>&);

    std::string_view name; // "explicit Runge-Kutta"
    Maker<double> make_double;
    Maker<Quad> make_quad;
    int (*dense_order)(const MethodInfo&) = cubic_dense_order;

    // What its methods are, and which options act on them.
    bool is_explicit = false;       // an explicit tableau: pairs with `continue`, steps that stability limits
    bool is_implicit = false;       // it solves for its stages, on the manifold: a step may go far
    bool solves_equations = false;  // in a step, whatever they are: for stiff systems
    bool is_direct = false;         // it works on the equations as they stand
    bool has_stages = false;        // that can be projected
    bool keeps_constraints = false; // itself, by an iteration of its own: projections have the invariants only
    bool has_sets = false;          // of unknowns: partition
    bool reads_steps_from_series = false;
    bool has_arclength = false;       // its steps go along the curve, whatever they are measured in
    bool steps_in_time = false;       // and it says so where arclength is asked for
    bool can_amplify = false;         // a fast mode, unboundedly, at long steps
    bool carries_derivatives = false; // of the solution: sensitivity
    bool has_quad = true;

    // What a system lacks beside what the method says that it needs (View); null: nothing.
    std::string (*misfit)(const System&, const Prolongation&) = nullptr;
    std::string_view no_chart{}; // why a step may be too long for its coordinates

    template <class S>
    std::unique_ptr<Stepper<S>> make(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                     const StepperOptions<S>& options) const;
};

} // namespace method
} // namespace vessiot
