// What the iteration for the stages is linearised with: J, the linear systems, and the tops where they are unknowns
// too.
#pragma once

#include <memory>

#include "method/implicit/field_jacobian.hpp"
#include "method/implicit/implicit_numbers.hpp"
#include "method/implicit/stage_solvers.hpp"
#include "method/implicit/stage_tops.hpp"

namespace vessiot::method {

template <class S> struct StageLinear {
    // All must outlive it.
    StageLinear(Parts<S>& parts, Project project, bool goes_by_levels, bool wants_tops,
                const ImplicitNumbers<S>& numbers)
        : jacobian(parts, project, goes_by_levels, wants_tops),
          solvers(numbers, jacobian.linearised(), jacobian.coupling()) {
        if (jacobian.has_tops()) tops = std::make_unique<StageTops<S>>(parts, jacobian.linearised(), numbers);
    }

    FieldJacobian<S> jacobian;
    StageSolvers<S> solvers;
    std::unique_ptr<StageTops<S>> tops; // where they are unknowns of the iteration
};

} // namespace vessiot::method
