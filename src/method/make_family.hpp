// The maker of a family whose stepper is Class<S>.
#pragma once

#include <memory>
#include <type_traits>

#include "method/family.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

template <template <class> class Class, class S>
std::unique_ptr<Stepper<S>> make_as(const MethodInfo& info, Field<S>& field, [[maybe_unused]] Projection<S>* projection,
                                    const StepperOptions<S>& options) {
    if constexpr (std::is_constructible_v<Class<S>, const MethodInfo&, Field<S>&, Projection<S>*,
                                          const StepperOptions<S>&>)
        return std::make_unique<Class<S>>(info, field, projection, options);
    else if constexpr (std::is_constructible_v<Class<S>, Field<S>&, Projection<S>*, const StepperOptions<S>&>)
        return std::make_unique<Class<S>>(field, projection, options);
    else
        return std::make_unique<Class<S>>(info, field, options); // which projects nothing
}

} // namespace vessiot::method
