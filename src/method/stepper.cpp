#include "method/stepper.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "method/combined/doubling.hpp"
#include "method/dae/direct_rk.hpp"
#include "method/dae/ida.hpp"
#include "method/estimate/between.hpp"
#include "method/explicit/explicit_rk.hpp"
#include "method/geometric/group_preserving.hpp"
#include "method/geometric/splitting.hpp"
#include "method/geometric/symmetric_projection.hpp"
#include "method/implicit/implicit_rk.hpp"
#include "method/implicit/linearly_implicit.hpp"
#include "method/implicit/radau_orders.hpp"
#include "method/lie/lie.hpp"
#include "method/mechanical/constrained_euler.hpp"
#include "method/mechanical/lobatto3ab.hpp"
#include "method/mechanical/rattle.hpp"
#include "method/parts.hpp"
#include "method/taylor/tangent_taylor.hpp"
#include "method/taylor/taylor.hpp"

namespace vessiot {

template <class S>
std::unique_ptr<Stepper<S>> make_stepper(const method::MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                         const StepperOptions<S>& options) {
    using method::Family;
    if (info.family == Family::bdf && options.estimate != Estimate::none)
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" makes constant steps: give --step, or take \"dae_radau5\", which finds their size");
    if (info.family == Family::ida) return method::make_ida<S>(info, field, projection, options);
    if (options.is_between && options.estimate != Estimate::none) {
        StepperOptions<S> inner = options;
        inner.is_between = false;
        std::unique_ptr<Stepper<S>> stepper = make_stepper<S>(info, field, projection, inner);
        if (stepper->dense_places().empty()) return stepper;
        return std::make_unique<method::Between<S>>(info, field, projection, std::move(stepper), options);
    }
    if (options.estimate == Estimate::by_doubling)
        return std::make_unique<method::Doubling<S>>(info, field, projection, options);
    if (options.project == Project::symmetric)
        return std::make_unique<method::SymmetricProjection<S>>(info, field, options);
    const bool needs_time = info.needs == method::View::one_constraint || info.needs == method::View::separable ||
                            info.needs == method::View::quadratic || info.family == Family::projected_midpoint;
    if (needs_time && options.parts && options.parts->is_arclength)
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" makes steps in time: leave out parametrisation = arclength");
    switch (info.family) {
    case Family::group_preserving: return std::make_unique<method::GroupPreserving<S>>(field, projection, options);
    case Family::hamiltonian_group:
        return std::make_unique<method::HamiltonianGroupPreserving<S>>(field, projection, options);
    case Family::kick_first:
    case Family::drift_first: return std::make_unique<method::Splitting<S>>(info, field, projection, options);
    case Family::kahan: return std::make_unique<method::Kahan<S>>(field, projection, options);
    case Family::projected_midpoint: return std::make_unique<method::ProjectedMidpoint<S>>(field, projection, options);
    case Family::explicit_rk: return std::make_unique<method::ExplicitRk<S>>(info, field, projection, options);
    case Family::rattle: return std::make_unique<method::Rattle<S>>(info, field, projection, options);
    case Family::shake: return std::make_unique<method::Shake<S>>(info, field, projection, options);
    case Family::symplectic_euler:
    case Family::implicit_mechanical:
        return std::make_unique<method::ConstrainedEuler<S>>(info, field, projection, options);
    case Family::magnus:
    case Family::rkmk:
    case Family::cayley:
    case Family::crouch_grossman: return std::make_unique<method::LieStepper<S>>(info, field, projection, options);
    case Family::lobatto_pair: return std::make_unique<method::Lobatto3ab<S>>(info, field, projection, options);
    case Family::implicit_rk: return std::make_unique<method::ImplicitRk<S>>(info, field, projection, options);
    case Family::direct_rk: return std::make_unique<method::DirectRk<S>>(info, field, options);
    case Family::radau_orders: return std::make_unique<method::RadauOrders<S>>(info, field, options);
    case Family::bdf: return std::make_unique<method::Bdf<S>>(info, field, options);
    case Family::taylor: return std::make_unique<method::TaylorStepper<S>>(info, field, projection, options);
    case Family::tangent_taylor: return std::make_unique<method::TangentTaylor<S>>(info, field, projection, options);
    case Family::ida: break;
    }
    throw InvalidInput("the method \"" + std::string(info.name) + "\" is not a one-step method");
}

int dense_order(const method::MethodInfo& info, Estimate estimate) {
    using method::Family;
    if (estimate == Estimate::by_doubling) return method::dense_order_of_doubling(info);
    switch (info.family) {
    case Family::explicit_rk: return method::dense_order_of_explicit_rk(info);
    case Family::group_preserving:
    case Family::hamiltonian_group:
    case Family::kick_first:
    case Family::drift_first:
    case Family::kahan:
    case Family::projected_midpoint:
    case Family::rattle:
    case Family::shake:
    case Family::symplectic_euler:
    case Family::implicit_mechanical:
    case Family::lobatto_pair:
    case Family::magnus:
    case Family::rkmk:
    case Family::cayley:
    case Family::crouch_grossman:
    case Family::tangent_taylor: return std::min(info.order, 3); // the cubic polynomial through both ends
    case Family::implicit_rk: return method::dense_order_of_implicit_rk(info);
    case Family::direct_rk:
    case Family::bdf:
    case Family::radau_orders:
    case Family::ida:
    case Family::taylor: return info.dense_order;
    }
    return 0;
}

template std::unique_ptr<Stepper<double>> make_stepper(const method::MethodInfo&, Field<double>&, Projection<double>*,
                                                       const StepperOptions<double>&);
template std::unique_ptr<Stepper<float128>> make_stepper(const method::MethodInfo&, Field<float128>&,
                                                         Projection<float128>*, const StepperOptions<float128>&);

} // namespace vessiot
