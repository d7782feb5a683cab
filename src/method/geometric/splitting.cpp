#include "method/geometric/splitting.hpp"

#include <algorithm>

#include "completion/structure.hpp"
#include "distribution/tops/explicit_tops.hpp"
#include "linalg/scalar.hpp"
#include "method/geometric/separable.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

using namespace expr;

template <class S>
Splitting<S>::Splitting(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                        const StepperOptions<S>& options)
    : OneStep<S>(field, projection, options), parts_(*options.parts),
      first_(info.family == &drift_first_family ? position : momentum) {
    for (const Quad g : info.parts) sizes_.push_back(static_cast<S>(g));
    const Separation separation = separate(parts_.system, parts_.prolongation);
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(field.size()); ++k)
        members_[separation.is_momentum[static_cast<std::size_t>(k)] ? momentum : position].push_back(k);
    at_start_ = at_end_ = inner_ = linalg::Vector<S>(field.size());
    compile(separation.is_momentum);
}

// A family that has elements of both halves belongs to both functions.
template <class S> void Splitting<S>::compile(const std::vector<char>& is_momentum) {
    const Prolongation& p = parts_.prolongation;
    Graph& g = *parts_.system.graph;
    const auto formulas = explicit_tops(parts_.system, analyse(parts_.system), p, false);
    if (!formulas) return;
    const ArrayId shape = g.define("halves", {0}, {p.n_state()}, {});
    for (const Half half : {position, momentum}) {
        std::vector<Contribution> own;
        for (const Contribution& c : formulas->velocity) {
            bool is_needed = false;
            g.index().for_each(c.domain, [&](const Env& env) {
                is_needed |= is_momentum[static_cast<std::size_t>(g.address(shape, c.target, env))] == half;
                return !is_needed;
            });
            if (is_needed) own.push_back(c);
        }
        functions_[half].emplace(
            parts_.jets.compile(g, half == position ? "drift" : "kick", p.n_state(), own, parts_.evaluator));
    }
}

template <class S> bool Splitting<S>::derivative(Half half, S tau, S* dx, StepReport<S>& report) {
    if (!functions_[half]) return this->evaluate(tau, this->to(), dx, report);
    call(*functions_[half], parts_.jets.at(tau, this->to()), dx);
    if (half == momentum) { // both halves together are one direction
        parts_.distribution.count_evaluations(1);
        this->count_stage();
    }
    S sum = 0;
    for (const std::int32_t k : members_[half]) sum += dx[k] - dx[k];
    return sum == S(0) || this->evaluate(tau, this->to(), dx, report);
}

template <class S> void Splitting<S>::move(Half half, S h, const S* dx) {
    S* x = this->to();
    for (const std::int32_t k : members_[half]) x[k] += h * dx[k];
}

template <class S> void Splitting<S>::begin(S tau, const S* x) {
    OneStep<S>::begin(tau, x);
    has_start_ = has_end_ = false;
}

// At the start of the step: known from the attempt before, or from the end of the last step unless that was projected.
template <class S> bool Splitting<S>::find_first(StepReport<S>& report) {
    const S tau = this->from_tau();
    if (has_end_ && tau == end_tau_ && !this->projection()) {
        std::swap(at_start_, at_end_);
    } else if (!(has_start_ && tau == start_tau_) && !derivative(first_, tau, at_start_.data(), report)) {
        has_start_ = has_end_ = false;
        report.outcome = StepOutcome::no_direction_here;
        return false;
    }
    start_tau_ = tau;
    has_start_ = true;
    has_end_ = false;
    return true;
}

template <class S> bool Splitting<S>::advance(S h, StepReport<S>& report) {
    const Half outer = first_, inner = first_ == position ? momentum : position;
    std::copy_n(this->from(), this->size(), this->to());
    if (!find_first(report)) return false;
    S tau = this->from_tau();
    const S* before = at_start_.data();
    for (const S size : sizes_) {
        const S part = size * h;
        move(outer, part / S(2), before);
        if (!derivative(inner, tau + part / S(2), inner_.data(), report)) return false;
        move(inner, part, inner_.data());
        tau += part;
        if (!derivative(outer, tau, at_end_.data(), report)) return false;
        move(outer, part / S(2), at_end_.data());
        before = at_end_.data();
    }
    end_tau_ = this->from_tau() + h;
    has_end_ = true;
    return true;
}

template class Splitting<double>;
template class Splitting<Quad>;

const Family kick_first_family{.name = "splitting",
                               .make_double = make_as<Splitting, double>,
                               .make_quad = make_as<Splitting, Quad>,
                               .steps_in_time = true};

const Family drift_first_family{.name = "splitting",
                                .make_double = make_as<Splitting, double>,
                                .make_quad = make_as<Splitting, Quad>,
                                .steps_in_time = true};

} // namespace vessiot::method
