#include "solve/dense_curve.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "solve/place.hpp"

namespace vessiot {

template <class S> S DenseCurve<S>::place(double given) const {
    const S tau = S(direction() * given);
    // the last segment that begins before tau, in the direction of travel
    const bool is_backward = segments_.front().h() < S(0);
    const auto after = std::ranges::upper_bound(
        segments_, tau, [&](S a, S b) { return is_backward ? a > b : a < b; }, &Segment<S>::tau);
    const Segment<S>& segment = after == segments_.begin() ? segments_.front() : *(after - 1);
    hold(static_cast<std::size_t>(&segment - segments_.data()));
    const S theta = std::clamp((tau - segment.tau()) / segment.h(), S(0), segment.end());
    if (!place_on_curve(*problem_, projection_.get(), segment, theta, x_))
        throw InvalidInput(fmt::format("no point on the constraints was found near the curve at {}, inside of a long "
                                       "step; solve with tighter tolerances",
                                       given));
    return problem_->analysis().is_arclength ? x_[problem_->n_state()] : tau;
}

// The functions of the problem are those of this segment.
template <class S> void DenseCurve<S>::hold(std::size_t segment) const {
    const auto after = std::ranges::upper_bound(constants_, segment, {}, &ConstantsFrom<S>::segment);
    if (after == constants_.begin()) return;
    std::ranges::copy((after - 1)->values, problem_->jets().constants().begin());
    if (problem_->base()) std::ranges::copy(problem_->jets().held(), problem_->base()->jets().held().begin());
}

template <class S> std::vector<double> DenseCurve<S>::at(double tau) const {
    const std::lock_guard lock(busy_);
    const S t = place(tau);
    std::vector<double> row;
    recorder_->values(t, x_.data(), row);
    return row;
}

template <class S> std::vector<double> DenseCurve<S>::sensitivities(double tau) const {
    const std::lock_guard lock(busy_);
    const S t = place(tau);
    std::vector<double> row;
    recorder_->sensitivities(t, x_.data(), row);
    return row;
}

template <class S> double DenseCurve<S>::t_at(double tau) const {
    const std::lock_guard lock(busy_);
    return static_cast<double>(place(tau));
}

template class DenseCurve<double>;
template class DenseCurve<expr::Quad>;

} // namespace vessiot
