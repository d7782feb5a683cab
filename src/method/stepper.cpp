#include "method/stepper.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "method/combined/doubling.hpp"
#include "method/dae/ida.hpp"
#include "method/estimate/between.hpp"
#include "method/geometric/symmetric_projection.hpp"
#include "method/multistep/multistep_entries.hpp"
#include "method/parts.hpp"

namespace vessiot {

template <class S>
std::unique_ptr<Stepper<S>> make_stepper(const method::MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                         const StepperOptions<S>& options) {
    if (method::is_multistep(info) && options.estimate == Estimate::by_doubling)
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" estimates its error from the points behind it: leave out control = doubling");
    if (method::is_multistep(info) && options.project == Project::symmetric)
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" goes on from several points, and has no symmetric projection: leave out project = "
                           "symmetric");
    if (info.chooses_steps) return info.family->make(info, field, projection, options);
    const bool sees_to_curve = method::is_multistep(info); // its starting method is told
    if (options.is_between && options.estimate != Estimate::none && !sees_to_curve) {
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
    if (info.family->steps_in_time && options.parts && options.parts->is_arclength)
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" makes steps in time: leave out parametrisation = arclength");
    return info.family->make(info, field, projection, options);
}

void StepperCounts::add(const StepperCounts& other) {
    visit([&](const char*, std::int64_t StepperCounts::* count) { this->*count += other.*count; });
    newton_max = std::max(newton_max, other.newton_max);
}

void StepperCounts::add_stages(const StepperCounts& other) {
    stages += other.stages;
    jacobians += other.jacobians;
    factorisations += other.factorisations;
    stage_iterations += other.stage_iterations;
}

int dense_order(const method::MethodInfo& info, Estimate estimate) {
    return estimate == Estimate::by_doubling ? method::dense_order_of_doubling(info) : info.family->dense_order(info);
}

namespace method {

int cubic_dense_order(const MethodInfo& info) {
    return std::min(info.order, 3);
}

int own_dense_order(const MethodInfo& info) {
    return info.dense_order;
}

template <class S>
std::unique_ptr<Stepper<S>> Family::make(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                                         const StepperOptions<S>& options) const {
    if constexpr (std::is_same_v<S, double>)
        return make_double(info, field, projection, options);
    else
        return make_quad(info, field, projection, options);
}

const Family ida_family{.name = "linear multistep",
                        .make_double = make_ida<double>,
                        .make_quad = make_ida<Quad>,
                        .dense_order = own_dense_order,
                        .solves_equations = true,
                        .has_quad = false};

} // namespace method

template std::unique_ptr<Stepper<double>> make_stepper(const method::MethodInfo&, Field<double>&, Projection<double>*,
                                                       const StepperOptions<double>&);
template std::unique_ptr<Stepper<Quad>> make_stepper(const method::MethodInfo&, Field<Quad>&, Projection<Quad>*,
                                                     const StepperOptions<Quad>&);

} // namespace vessiot
