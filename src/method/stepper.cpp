#include "method/stepper.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "method/constrained_euler.hpp"
#include "method/doubling.hpp"
#include "method/explicit_rk.hpp"
#include "method/lie.hpp"
#include "method/lobatto3ab.hpp"
#include "method/rattle.hpp"
#include "method/symmetric_projection.hpp"

namespace vessiot {

template <class S>
std::unique_ptr<Stepper<S>> make_stepper(const method::MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                         const StepperOptions<S>& options) {
    using method::Family;
    if (options.estimate == Estimate::by_doubling)
        return std::make_unique<method::Doubling<S>>(info, field, projection, options);
    if (options.project == Project::symmetric)
        return std::make_unique<method::SymmetricProjection<S>>(info, field, options);
    switch (info.family) {
    case Family::explicit_rk: return std::make_unique<method::ExplicitRk<S>>(info, field, projection, options);
    case Family::rattle: return std::make_unique<method::Rattle<S>>(info, field, projection, options);
    case Family::shake: return std::make_unique<method::Shake<S>>(info, field, projection, options);
    case Family::symplectic_euler:
    case Family::implicit_mechanical:
        return std::make_unique<method::ConstrainedEuler<S>>(info, field, projection, options);
    case Family::magnus:
    case Family::rkmk:
    case Family::crouch_grossman: return std::make_unique<method::LieStepper<S>>(info, field, projection, options);
    case Family::lobatto_pair: return std::make_unique<method::Lobatto3ab<S>>(info, field, projection, options);
    }
    throw InvalidInput("the method \"" + std::string(info.name) + "\" is not a one-step method");
}

int dense_order(const method::MethodInfo& info, Estimate estimate) {
    using method::Family;
    if (estimate == Estimate::by_doubling) return method::dense_order_of_doubling(info);
    switch (info.family) {
    case Family::explicit_rk: return method::dense_order_of_explicit_rk(info);
    default: return std::min(info.order, 3); // the cubic polynomial through both ends
    }
    return 0;
}

template std::unique_ptr<Stepper<double>> make_stepper(const method::MethodInfo&, Field<double>&, Projection<double>*,
                                                       const StepperOptions<double>&);
template std::unique_ptr<Stepper<float128>> make_stepper(const method::MethodInfo&, Field<float128>&,
                                                         Projection<float128>*, const StepperOptions<float128>&);

} // namespace vessiot
