// J = dV/dx of one point; d(V P)/dx where stages are projected; in arclength the derivative of the unit tangent.
#pragma once

#include <memory>
#include <utility>

#include "distribution/derivative/linearised.hpp"
#include "distribution/derivative/shifted_solver.hpp"
#include "linalg/vector.hpp"
#include "method/operations.hpp"
#include "method/parts.hpp"
#include "method/stepper.hpp"
#include "sensitivity/block_coupling.hpp"

namespace vessiot::method {

template <class S> class FieldJacobian {
public:
    // `wants_tops`: the iteration is to have tops among its unknowns, where that can be (stage_tops.hpp).
    FieldJacobian(Parts<S>& parts, Project project, bool goes_by_levels, bool wants_tops)
        : parts_(parts), wants_tops_(wants_tops && project != Project::stages && !parts.is_arclength && !parts.base &&
                                     !parts.distribution.deficient_rank()),
          linearised_(base().system, base().prolongation, base().jets, parts.evaluator, manifold_of(base(), project),
                      goes_by_levels, form(), base().distribution.deficient_rank()),
          tops_(parts.distribution.n_tops()) {
        if (parts.base)
            coupling_ =
                std::make_unique<BlockCoupling<S>>(linearised_, parts.system, parts.prolongation, parts.jets,
                                                   parts.evaluator, manifold_of(base(), project), &parts.manifold);
    }

    Parts<S>& parts() { return parts_; }
    Linearised<S>& linearised() { return linearised_; }
    Coupling<S>* coupling() { return coupling_.get(); } // of derivatives of the solution; null where there are none
    double direction_operations() const { return method::direction_operations(base()); }
    bool has_tops() const { return wants_tops_ && !linearised_.is_monomial(); }

    // At a point, where the tops are w, or found; in arclength V there goes to `tangent`.
    PointStatus set(Field<S>& field, S tau, const S* x, const S* w, S* tangent) {
        if (w) return linearised_.set(tau, x, w);
        if (parts_.is_arclength) {
            const PointStatus status = field.direction(tau, x, tangent);
            return status == PointStatus::good ? linearised_.set_tangent(x, tangent) : status;
        }
        PointStatus status = parts_.distribution.tops(tau, x, tops_.data());
        if (status == PointStatus::good) status = linearised_.set(tau, x, tops_.data());
        if (status == PointStatus::good && coupling_) status = coupling_->set(tau, x, tops_.data());
        return status;
    }
    // Which derivative has no value, where set() failed for that.
    std::pair<std::int64_t, std::int64_t> not_finite() const { return linearised_.not_finite(); }

private:
    LinearisedForm form() const {
        return parts_.is_arclength ? LinearisedForm::tangent
               : wants_tops_       ? LinearisedForm::tops
                                   : LinearisedForm::small;
    }
    // Without derivatives of the solution.
    Parts<S>& base() const { return parts_.base ? *parts_.base : parts_; }
    // The projection that J has to know of: that of the stages. Large systems whose V makes sense off the manifold as
    // well do without it, which costs a few iterations and saves much in the factors.
    static Manifold<S>* manifold_of(Parts<S>& parts, Project project) {
        const Prolongation& p = parts.prolongation;
        const bool is_needed = p.is_raised || p.is_general || p.n_state() <= 60;
        return project == Project::stages && is_needed ? &parts.manifold : nullptr;
    }

    Parts<S>& parts_;
    bool wants_tops_;
    Linearised<S> linearised_;
    std::unique_ptr<BlockCoupling<S>> coupling_;
    linalg::Vector<S> tops_;
};

} // namespace vessiot::method
