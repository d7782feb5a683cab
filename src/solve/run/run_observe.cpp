// What observers of a run see, and how it ends where they ask for it.
#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "solve/run/place.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

// Of the step in segment_, which ends at the point (t, x).
template <class S> class Run<S>::View final : public StepView {
public:
    View(Run& run, S t, const S* x) : run_(run), t_(t), x_(x) {}

    std::int64_t number() const override { return run_.solution_.stats.steps; }
    double from() const override {
        const Segment<S>& s = run_.segment_;
        return static_cast<double>(run_.is_arclength_ ? s.at(S(0), run_.problem_->n_state()) : s.tau());
    }
    double t() const override { return static_cast<double>(t_); }
    double h() const override { return static_cast<double>(linalg::absolute(run_.segment_.end() * run_.segment_.h())); }
    std::span<const double> values() const override {
        if (values_.empty()) run_.recorder_.values(t_, x_, values_);
        return values_;
    }
    const std::vector<std::string>& names() const override { return run_.solution_.names; }
    double residual() const override { return run_.recorder_.residual(t_, x_); }

    std::vector<double> at(double theta) const override {
        if (!(theta >= 0 && theta <= 1))
            throw InvalidInput(fmt::format("a step is asked for its curve at {}, but its parts go from 0 to 1", theta));
        return on_curve(S(theta) * run_.segment_.end());
    }
    std::vector<double> operator()(double t) const override {
        const Segment<S>& s = run_.segment_;
        if (run_.is_arclength_)
            throw InvalidInput("in arclength t may turn inside of a step: ask for its curve by parts, with at(theta)");
        const S theta = (S(t) - s.tau()) / s.h();
        const S slack = S(4) * linalg::epsilon<S>() * (S(1) + linalg::absolute(s.tau() / s.h()));
        if (!(theta >= -slack && theta <= s.end() + slack))
            throw InvalidInput(fmt::format("{0} = {1} is not in this step, which goes from {2} to {3}",
                                           run_.solution_.independent, t, from(), this->t()));
        return on_curve(std::clamp(theta, S(0), s.end()));
    }
    std::size_t place_of(std::string_view name) const override { return run_.solution_.column_of(name); }

private:
    std::vector<double> on_curve(S theta) const {
        linalg::Vector<S> x(run_.problem_->n_state() + 1);
        place_on_curve(*run_.problem_, run_.report_projection(), run_.segment_, theta, x);
        std::vector<double> row;
        run_.recorder_.values(run_.time_of(run_.segment_.tau_at(theta), x.data()), x.data(), row);
        return row;
    }

    Run& run_;
    S t_;
    const S* x_;
    mutable std::vector<double> values_;
};

template <class S> void Run<S>::show_step(S t, const S* x) {
    is_stopping_ |= options_.on_step(View(*this, t, x)) == Next::stop;
}

template <class S> void Run<S>::show_event(std::size_t event, S t, const S* x, const std::vector<double>& after) {
    std::vector<double> values;
    recorder_.values(t, x, values);
    const EventView view{problem_->system().events[event].name, static_cast<double>(t), values, after, solution_.names};
    is_stopping_ |= options_.on_event(view) == Next::stop;
}

template <class S> void Run<S>::end_if_stopping() {
    if (is_over_) return;
    solution_.status = Status::stopped;
    solution_.message =
        fmt::format("stopped by an observer at {} = {}", solution_.independent, show(t())) + unreached();
    is_over_ = true;
}

template <class S> void Run<S>::fail_exception() {
    solution_.error = std::current_exception();
    std::string text = "what was thrown is no std::exception";
    try {
        throw;
    } catch (const std::exception& e) {
        text = e.what();
    } catch (...) {
    }
    recorder_.drop_incomplete(solution_);
    fail(fmt::format("the run ended at {} = {}, where a function of the caller threw: {}", solution_.independent,
                     show(t()), text));
}

template void Run<double>::show_step(double, const double*);
template void Run<expr::Quad>::show_step(expr::Quad, const expr::Quad*);
template void Run<double>::show_event(std::size_t, double, const double*, const std::vector<double>&);
template void Run<expr::Quad>::show_event(std::size_t, expr::Quad, const expr::Quad*, const std::vector<double>&);
template void Run<double>::end_if_stopping();
template void Run<expr::Quad>::end_if_stopping();
template void Run<double>::fail_exception();
template void Run<expr::Quad>::fail_exception();

} // namespace vessiot
