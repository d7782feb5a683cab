#include "solve/run/dense_curve.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "solve/run/place.hpp"

namespace vessiot {

template <class S>
DenseCurve<S>::DenseCurve(CurveData<S> data, Loan<S>& loan)
    : data_(std::move(data)), is_arclength_(loan->analysis().is_arclength), numbers_(loan->numbers()),
      pool_(loan.pool()) {
    if (loan->is_spent()) own_ = loan.keep();
}

template <class S> template <class Use> void DenseCurve<S>::visit(double tau, const Use& use) const {
    const auto look = [&](Workspace<S>& workspace) {
        Engine<S>& engine = workspace.engine();
        const linalg::PivotsInUse pivots = engine.pivots_in_use();
        engine.forget_pivots();
        linalg::Vector<S> x(engine.problem->n_state() + 1);
        const S t = place(engine, tau, x);
        use(engine, t, x.data());
    };
    if (own_) {
        const std::lock_guard lock(busy_);
        look(*own_);
    } else {
        const Loan<S> loan(pool_, pool_->take_for_curve(numbers_));
        look(*loan);
    }
}

template <class S> S DenseCurve<S>::place(Engine<S>& engine, double given, linalg::Vector<S>& x) const {
    const std::vector<Segment<S>>& segments = data_.segments;
    const S tau = S(direction() * given);
    // the last segment that begins before tau, in the direction of travel
    const bool is_backward = segments.front().h() < S(0);
    const auto after = std::ranges::upper_bound(
        segments, tau, [&](S a, S b) { return is_backward ? a > b : a < b; }, &Segment<S>::tau);
    const Segment<S>& segment = after == segments.begin() ? segments.front() : *(after - 1);
    Compiled<S>& problem = *engine.problem;
    hold(problem, static_cast<std::size_t>(&segment - segments.data()));
    const S theta = std::clamp((tau - segment.tau()) / segment.h(), S(0), segment.end());
    if (!place_on_curve(problem, engine.report_projection(), segment, theta, x))
        throw InvalidInput(fmt::format("no point on the constraints was found near the curve at {}, inside of a long "
                                       "step; solve with tighter tolerances",
                                       given));
    return is_arclength_ ? x[problem.n_state()] : tau;
}

// The functions of the problem are those of this segment.
template <class S> void DenseCurve<S>::hold(Compiled<S>& problem, std::size_t segment) const {
    const auto after = std::ranges::upper_bound(data_.constants, segment, {}, &ConstantsFrom<S>::segment);
    if (after == data_.constants.begin()) return;
    std::ranges::copy((after - 1)->values, problem.jets().constants().begin());
    if (problem.base()) std::ranges::copy(problem.jets().held(), problem.base()->jets().held().begin());
}

template <class S> std::vector<double> DenseCurve<S>::at(double tau) const {
    std::vector<double> row;
    visit(tau, [&](Engine<S>& engine, S t, const S* x) { engine.recorder.values(t, x, row); });
    return row;
}

template <class S> std::vector<double> DenseCurve<S>::sensitivities(double tau) const {
    std::vector<double> row;
    visit(tau, [&](Engine<S>& engine, S t, const S* x) { engine.recorder.sensitivities(t, x, row); });
    return row;
}

template <class S> double DenseCurve<S>::t_at(double tau) const {
    double result = 0;
    visit(tau, [&](Engine<S>&, S t, const S*) { result = static_cast<double>(t); });
    return result;
}

template class DenseCurve<double>;
template class DenseCurve<Quad>;

} // namespace vessiot
