#include "method/mechanical/rattle.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "method/make_family.hpp"
#include "method/mechanical/system/mechanical_loops.hpp"

namespace vessiot::method {

template <class S>
Rattle<S>::Rattle(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : MechanicalStepper<S>(info, field, projection, options, info.parts.size() > 1 ? 3 : 2), y_0_(this->n_) {
    for (const Quad g : info.parts) parts_.push_back(static_cast<S>(g));
    this->use_histories(parts_.size());
}

template <class S> bool Rattle<S>::part(Point& from, Point& to, S h, StepReport<S>& report) {
    this->system_.get_y(from.t, from.u.data(), y_0_.data());
    if (!this->solve_positions(from, to, {y_0_.data(), h / S(2), h, true}, report)) return false;
    if (!this->evaluate(to, this->y_.data(), report)) return false;
    if (!this->confirm(to)) {
        if (!this->solve_positions(from, to, {y_0_.data(), h / S(2), h, true}, report)) return false;
        if (!this->evaluate(to, this->y_.data(), report)) return false;
    }
    swap(y_0_, this->y_);
    add_multiple(this->n_, h / S(2), to.force.data(), y_0_.data());
    return this->solve_velocities(to, y_0_.data(), h / S(2), report);
}

template <class S> bool Rattle<S>::advance(S h, StepReport<S>& report) {
    Point* from = &this->start();
    Point* to = &this->finish();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        this->use_history(k);
        if (!part(*from, *to, parts_[k] * h, report)) return false;
        from = to;
        // two points take turns; the one where the step began is kept
        if (k + 1 < parts_.size()) to = from == &this->finish() ? &this->spare(0) : &this->finish();
    }
    this->finish_at(*from);
    return true;
}

template <class S>
Shake<S>::Shake(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : MechanicalStepper<S>(info, field, projection, options, 3), y_0_(this->n_) {
    if (this->system_.forces_depend_on_y() || this->system_.velocities_vary())
        throw InvalidInput("the method shake needs forces that depend on positions alone, and constant masses; "
                           "\"rattle\" does not");
}

template <class S> bool Shake<S>::advance(S h, StepReport<S>& report) {
    Point &from = this->start(), &to = this->finish(), &ahead = this->spare(0);
    this->system_.get_y(from.t, from.u.data(), y_0_.data());
    if (!this->solve_positions(from, to, {y_0_.data(), h / S(2), h, true}, report)) return false;
    std::copy(this->lambda_.begin(), this->lambda_.end(), to.lambda.begin());
    swap(y_0_, this->y_);
    if (!this->evaluate(to, y_0_.data(), report)) return false;
    // a look ahead: y_(3/2) = y_(1/2) + h (f + Y lambda_1), g(q_2) = 0
    if (!this->solve_positions(to, ahead, {y_0_.data(), h, h, true}, report)) return false;
    for (std::int64_t k = 0; k < this->n_; ++k) y_0_[k] = (y_0_[k] + this->y_[k]) / S(2);
    std::copy(this->lambda_.begin(), this->lambda_.end(), (this->projects_ ? ahead : to).lambda.begin());
    if (!this->projects_) {
        this->set_velocities(to, y_0_.data());
        return true;
    }
    if (!this->solve_velocities(to, y_0_.data(), h / S(2), report)) return false;
    // the positions of the next step are the same: its multipliers lack what velocities have now
    for (std::int64_t i = 0; i < this->m_; ++i) to.lambda[i] = ahead.lambda[i] - to.lambda[i];
    return true;
}

template class Rattle<double>;
template class Rattle<Quad>;
template class Shake<double>;
template class Shake<Quad>;

const Family rattle_family{.name = "mechanical",
                           .make_double = make_as<Rattle, double>,
                           .make_quad = make_as<Rattle, Quad>,
                           .keeps_constraints = true};

const Family shake_family{
    .name = "mechanical", .make_double = make_as<Shake, double>, .make_quad = make_as<Shake, Quad>};

} // namespace vessiot::method
