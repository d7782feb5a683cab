// What observers of a run see, and how it ends where they ask for it.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/parts/state.hpp"
#include "solve/run/place.hpp"

namespace vessiot {

namespace {

// Of the last step, which ends at the point (t, x).
template <class S> class View final : public StepView {
public:
    View(RunState<S>& run, S t, const S* x) : run_(run), t_(t), x_(x) {}

    std::int64_t number() const override { return run_.solution.stats.steps; }
    double from() const override {
        const Segment<S>& s = run_.curve.segment;
        return static_cast<double>(run_.is_arclength ? s.at(S(0), run_.problem().n_state()) : s.tau());
    }
    double t() const override { return static_cast<double>(t_); }
    double h() const override {
        return static_cast<double>(linalg::absolute(run_.curve.segment.end() * run_.curve.segment.h()));
    }
    std::span<const double> values() const override {
        if (values_.empty()) run_.recorder().values(t_, x_, values_);
        return values_;
    }
    const std::vector<std::string>& names() const override { return run_.solution.names; }
    double residual() const override { return run_.recorder().residual(t_, x_); }

    std::vector<double> at(double theta) const override {
        if (!(theta >= 0 && theta <= 1))
            throw InvalidInput(fmt::format("a step is asked for its curve at {}, but its parts go from 0 to 1", theta));
        return on_curve(S(theta) * run_.curve.segment.end());
    }
    std::vector<double> operator()(double t) const override {
        const Segment<S>& s = run_.curve.segment;
        if (run_.is_arclength)
            throw InvalidInput("in arclength t may turn inside of a step: ask for its curve by parts, with at(theta)");
        const S theta = (S(t) - s.tau()) / s.h();
        const S slack = S(4) * linalg::epsilon<S>() * (S(1) + linalg::absolute(s.tau() / s.h()));
        if (!(theta >= -slack && theta <= s.end() + slack))
            throw InvalidInput(fmt::format("{0} = {1} is not in this step, which goes from {2} to {3}",
                                           run_.solution.independent, t, from(), this->t()));
        return on_curve(std::clamp(theta, S(0), s.end()));
    }
    std::size_t place_of(std::string_view name) const override { return run_.solution.column_of(name); }

private:
    std::vector<double> on_curve(S theta) const {
        linalg::Vector<S> x(run_.problem().n_state() + 1);
        place_on_curve(run_.problem(), run_.engine.report_projection(), run_.curve.segment, theta, x);
        std::vector<double> row;
        run_.recorder().values(run_.time_of(run_.curve.segment.tau_at(theta), x.data()), x.data(), row);
        return row;
    }

    RunState<S>& run_;
    S t_;
    const S* x_;
    mutable std::vector<double> values_;
};

} // namespace

template <class S> void RunState<S>::show_step(S t, const S* x) {
    is_stopping |= options.on_step(View<S>(*this, t, x)) == Next::stop;
}

template <class S> void RunState<S>::show_event(std::size_t event, S t, const S* x, const std::vector<double>& after) {
    std::vector<double> values;
    recorder().values(t, x, values);
    const EventView view{problem().system().events[event].name, static_cast<double>(t), values, after, solution.names};
    is_stopping |= options.on_event(view) == Next::stop;
}

template <class S> void RunState<S>::end_if_stopping() {
    if (is_over) return;
    solution.status = Status::stopped;
    solution.message = fmt::format("stopped by an observer at {} = {}", solution.independent, show(t())) + unreached();
    is_over = true;
}

#define VESSIOT_OBSERVE(S)                                                                                             \
    template void RunState<S>::show_step(S, const S*);                                                                 \
    template void RunState<S>::show_event(std::size_t, S, const S*, const std::vector<double>&);                       \
    template void RunState<S>::end_if_stopping()
VESSIOT_OBSERVE(double);
VESSIOT_OBSERVE(Quad);
#undef VESSIOT_OBSERVE

} // namespace vessiot
