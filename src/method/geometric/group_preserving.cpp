#include "method/geometric/group_preserving.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <quadmath.h>

#include "linalg/iterative/krylov.hpp"
#include "linalg/scalar.hpp"
#include "method/make_family.hpp"
#include "method/parts.hpp"

namespace vessiot::method {
namespace {

double exponential(double x) {
    return std::exp(x);
}
Quad exponential(Quad x) {
    return expq(x);
}

// sinh(w)/w and (cosh(w) - 1)/w^2, by their series where differences would lose digits.
template <class S> std::pair<S, S> hyperbolic(S w) {
    if (w > S(1)) {
        const S e = exponential(w), sinh = (e - S(1) / e) / S(2), cosh = (e + S(1) / e) / S(2);
        return {sinh / w, (cosh - S(1)) / (w * w)};
    }
    S sinh = 0, cosh = 0, term = 1; // term = w^(2k) / (2k + 1)! and / (2k + 2)!
    for (int k = 0; sinh + term != sinh; ++k) {
        sinh += term;
        cosh += term / S(2 * k + 2);
        term *= w * w / S((2 * k + 2) * (2 * k + 3));
    }
    return {sinh, cosh};
}

// eta of (23), from |x|^2, |f|^2 and f.x.
template <class S> S adaptive_factor(S h, S xx, S ff, S fx) {
    const auto [sinh, cosh] = hyperbolic(linalg::absolute(h) * linalg::square_root(ff / xx));
    return h * sinh + h * h / xx * fx * cosh;
}

} // namespace

template <class S>
GroupPreserving<S>::GroupPreserving(Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options)
    : OneStep<S>(field, projection, options), partition_(options.partition) {
    if (partition_) return;
    Partition all{{std::vector<std::int32_t>(static_cast<std::size_t>(field.size()))}};
    std::iota(all.sets[0].begin(), all.sets[0].end(), 0);
    partition_ = std::make_shared<Partition>(std::move(all));
}

template <class S> bool GroupPreserving<S>::advance(S h, StepReport<S>&) {
    const S *x = this->from(), *f = this->first();
    S* to = this->to();
    for (std::int64_t i = 0; i < this->size(); ++i) to[i] = x[i] + h * f[i];
    for (const auto& set : partition_->sets) {
        S xx = 0, ff = 0, fx = 0;
        for (const std::int32_t i : set) {
            xx += x[i] * x[i];
            ff += f[i] * f[i];
            fx += f[i] * x[i];
        }
        if (!(xx > h * h * ff)) continue; // shorter than its step: Euler's
        const S eta = adaptive_factor(h, xx, ff, fx);
        for (const std::int32_t i : set) to[i] = x[i] + eta * f[i];
    }
    return true;
}

template <class S>
HamiltonianGroupPreserving<S>::HamiltonianGroupPreserving(Field<S>& field, Projection<S>* projection,
                                                          const StepperOptions<S>& options)
    : OneStep<S>(field, projection, options), map_(options.parts->manifold), y_(map_.size()), f_(map_.size()),
      rate_(map_.size()) {}

template <class S> bool HamiltonianGroupPreserving<S>::advance(S h, StepReport<S>& report) {
    const S *x = this->from(), *v = this->first(), t = this->from_tau();
    S* to = this->to();
    const std::int64_t n = map_.size();
    const std::vector<std::int32_t>& columns = map_.columns();
    for (std::int64_t i = 0; i < this->size(); ++i) to[i] = x[i] + h * v[i];
    map_.gradient(t, x, y_.data());
    map_.find_second(t, x);
    for (std::int64_t j = 0; j < n; ++j) f_[j] = v[columns[linalg::at(j)]];
    map_.multiply(f_.data(), rate_.data());
    const S yy = linalg::dot(n, y_.data(), y_.data());
    if (!(yy > S(0))) return this->fail(report, StepOutcome::no_direction_here, PointStatus::singular, t, x);
    const S eta =
        adaptive_factor(h, yy, linalg::dot(n, rate_.data(), rate_.data()), linalg::dot(n, rate_.data(), y_.data()));
    linalg::add_multiple(n, eta, rate_.data(), y_.data());
    return map_.invert(t + h, y_.data(), to) ||
           this->fail(report, StepOutcome::no_direction, PointStatus::not_converged, t, x);
}

template class GroupPreserving<double>;
template class GroupPreserving<Quad>;
template class HamiltonianGroupPreserving<double>;
template class HamiltonianGroupPreserving<Quad>;

const Family group_preserving_family{.name = "group preserving",
                                     .make_double = make_as<GroupPreserving, double>,
                                     .make_quad = make_as<GroupPreserving, Quad>,
                                     .has_sets = true,
                                     .has_arclength = true};

const Family hamiltonian_group_family{.name = "group preserving",
                                      .make_double = make_as<HamiltonianGroupPreserving, double>,
                                      .make_quad = make_as<HamiltonianGroupPreserving, Quad>,
                                      .has_sets = true,
                                      .steps_in_time = true};

} // namespace vessiot::method
