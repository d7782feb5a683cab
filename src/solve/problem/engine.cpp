#include "solve/problem/engine.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "method/combined/switching.hpp"
#include "projection/kind.hpp"
#include "projection/newton.hpp"
#include "sensitivity/tangent_projection.hpp"
#include "solve/options/method_options.hpp"
#include "solve/start/rays.hpp"

namespace vessiot {

namespace {

// NOTE: a rough atol is no reason to stay off the constraints.
constexpr double largest_floor = 1e-9;

// Of the method auto.
std::string_view implicit_name(const Settings& options) {
    return wants_high_order(options) ? "radau9" : "radau5";
}

Project project_of(Projected points) {
    switch (points) {
    case Projected::stages: return Project::stages;
    case Projected::symmetric: return Project::symmetric;
    case Projected::automatic:
    case Projected::steps: break;
    }
    return Project::steps;
}

// Of rays `increment` is a rule of their own (ray_rules): where they miss, the nearest point is that of round-off.
NewtonStop newton_stop_of(const Settings& o) {
    if (o.newton_stop == StopRule::printed) return NewtonStop::printed;
    const bool is_increment = o.newton_stop == StopRule::increment && o.projection->can.goes_by_increments;
    return is_increment ? NewtonStop::increment : NewtonStop::sound;
}

template <class S>
std::unique_ptr<Projection<S>> make_projection(Compiled<S>& problem, const Settings& o,
                                               std::shared_ptr<Partition> partition) {
    if (Compiled<S>* base = problem.base()) {
        std::unique_ptr<Projection<S>> inner = make_projection(*base, o, std::move(partition));
        if (!inner) return nullptr;
        return std::make_unique<TangentProjection<S>>(std::move(inner), base->manifold(), problem.manifold());
    }
    if (problem.manifold().n_constraints() == 0) return nullptr;
    const NewtonStop stop = newton_stop_of(o);
    const ProjectionOptions options{
        .tolerance = stop == NewtonStop::sound ? 0 : o.newton_tol,
        .floor = std::min(o.atol, largest_floor),
        .max_iterations = stop == NewtonStop::increment ? 30 : 40,
        .has_closed_first_step = o.init == OnOff::on,
        .start = o.newton_start,
        .stop = stop,
        .forcing = o.forcing.empty() ? Forcing{} : Forcing{o.forcing.front(), o.forcing.back()},
    };
    ProjectionParts<S> parts{problem.system(), problem.prolongation(), problem.manifold(), options};
    parts.rays = ray_rules(o);
    parts.partition = std::move(partition);
    parts.name = coordinate_names_of(problem.analysis());
    return o.projection->make(parts);
}

// A projection that says how long it took, and how often it needed what.
template <class S> class MeasuredProjection final : public Projection<S> {
public:
    MeasuredProjection(Projection<S>& inner, SampledTime& time) : inner_(inner), time_(time) {}
    std::string_view name() const override { return inner_.name(); }
    bool goes_by_levels() const override { return inner_.goes_by_levels(); }
    bool finds_nearest() const override { return inner_.finds_nearest(); }
    void begin_step(S tau, const S* x) override { inner_.begin_step(tau, x); }
    void retry() override { inner_.retry(); }
    void forget() override { inner_.forget(); }
    std::optional<FrozenRule<S>> frozen_rule() const override { return inner_.frozen_rule(); }
    ProjectionReport<S> project(S tau, S* x) override {
        return time_([&] { return inner_.project(tau, x); });
    }

private:
    Projection<S>& inner_;
    SampledTime& time_;
};

template <class S> Parts<S> parts_of(Compiled<S>& p, bool is_arclength) {
    return {p.system(),       p.prolongation(), p.jets(),     p.manifold(),
            p.distribution(), p.evaluator(),    is_arclength, p.analysis().is_mechanical()};
}

} // namespace

template <class S>
Engine<S>::Engine(std::shared_ptr<Compiled<S>> compiled, const Settings& how, const method::MethodInfo& chosen, S t1,
                  const StartPoint<S>& start)
    : problem(std::move(compiled)), options(how), method(chosen), parts(parts_of(*problem, false)),
      control(control_of(how, chosen)), recorder(*problem),
      watch(problem->base() ? *problem->base() : *problem, !chosen.family->is_explicit || how.step != 0),
      divisors(*problem, how.step != 0), events(*problem), event_ranges(*problem), requirements(*problem) {
    const linalg::PivotsInUse use = pivots_in_use();
    parts.is_arclength = problem->analysis().is_arclength;
    if (Compiled<S>* base = problem->base()) {
        base_parts.emplace(parts_of(*base, false));
        base_parts->is_mechanical = parts.is_mechanical;
        parts.base = &*base_parts;
    }
    parts.distribution_time = &distribution_time;
    parts.projection_time = &projection_time;
    make_field();
    partition = make_partition(problem->base() ? *problem->base() : *problem, options, start);
    first_sets_ = *partition;
    projection = make_projection(*problem, options, partition);
    if (projection) measured = std::make_unique<MeasuredProjection<S>>(*projection, projection_time);
    make_stepper_of(stepping(t1));
    if (events.has_resets() || !problem->system().contacts.empty()) {
        if (Compiled<S>* base = problem->base()) base_events.emplace(*base);
        if (problem->base()) saltation.emplace(*problem);
        jump.emplace(*problem, base_events ? *base_events : events, saltation ? &*saltation : nullptr);
    }
    if (is_adaptive() && projection && !problem->base())
        leap.emplace(problem->manifold(), *field, problem->n_state(), S(options.rtol), S(options.atol));
    // an invariant is a claim, imposed or not; beside constraints that are not imposed either it says nothing
    const auto is_invariant = [](const ConstraintRow& row) { return row.kind == ConstraintKind::invariant; };
    if (projection || std::ranges::all_of(problem->manifold().rows(), is_invariant))
        conservation.emplace(problem->base() ? *problem->base() : *problem, options);
    if (conservation && !conservation->is_on()) conservation.reset();
}

template <class S> void Engine<S>::make_field() {
    if (!parts.is_arclength) {
        field = std::make_unique<TimeField<S>>(problem->distribution(), distribution_time);
        return;
    }
    auto made = std::make_unique<ArclengthField<S>>(problem->distribution(), distribution_time);
    arclength = made.get();
    field = std::move(made);
}

template <class S> StepperOptions<S> Engine<S>::stepping(S t1) {
    StepperOptions<S> to;
    to.rtol = S(options.rtol);
    to.atol = S(options.atol);
    to.continue_embedded = continues_with_embedded(options.continuation, method);
    to.estimate = is_adaptive() ? control.estimate : Estimate::none;
    to.norm = control.norm;
    if (const auto& augmentation = problem->analysis().augmentation) {
        // atol of dx/dp is that of x over the size of p, where that is large
        to.block = problem->base()->n_state();
        to.block_scale.assign(1, S(1));
        for (const SensitivityVariable& v : augmentation->by()) to.block_scale.push_back(S(std::max(1.0, v.size)));
        to.only_first_block = options.sensitivity_control == OnOff::off;
    }
    to.to_round_off = !is_adaptive();
    to.is_between = is_adaptive(); // some run may read them
    to.has_fixed_order = options.order > 0;
    to.project = projection ? project_of(options.project) : Project::nothing;
    to.parts = &parts;
    to.max_order = static_cast<int>(options.max_order);
    to.tau_end = t1;
    to.h_max = S(options.h_max);
    to.partition = partition;
    return to;
}

template <class S> void Engine<S>::make_stepper_of(const StepperOptions<S>& stepping) {
    stepper = make_stepper<S>(method, *field, measured.get(), stepping);
    if (const method::MethodInfo* first = stepper->at_work()) control = control_of(options, *first);
    const bool can_change = !options.method && is_adaptive() && !parts.is_arclength &&
                            stepping.estimate == Estimate::by_weights && !stepping.continue_embedded;
    if (!can_change) return;
    StepperOptions<S> implicit = stepping;
    if (projection && problem->analysis().needs_projected_stages(options)) implicit.project = Project::stages;
    const method::MethodInfo& implicit_method = method::find_method(implicit_name(options));
    const auto make = [this, implicit, &implicit_method]() -> std::unique_ptr<Stepper<S>> {
        try {
            return make_stepper<S>(implicit_method, *field, measured.get(), implicit);
        } catch (const InvalidInput&) { // too large for it: explicit all the way
            return nullptr;
        }
    };
    stepper =
        std::make_unique<method::Switching<S>>(method, implicit_method, *field, std::move(stepper), make, stepping);
}

template <class S> Projection<S>* Engine<S>::report_projection() {
    if (projection && !for_reports) {
        Settings how = options;
        if (how.projection->can.goes_along_rays)
            how.projection = &newton_projection; // it moves points no farther than they are off
        for_reports = make_projection(*problem, how, std::make_shared<Partition>(*partition));
    }
    return for_reports.get();
}

template <class S> ConditionWatch<S>& Engine<S>::condition_watch(S direction, S end) {
    if (conditions_)
        conditions_->renew(direction, end);
    else
        conditions_.emplace(*problem, direction, end, problem->evaluator());
    return *conditions_;
}

template <class S> void Engine<S>::renew() {
    forget_pivots();
    for (Compiled<S>* part : {problem.get(), problem->base()})
        if (part) part->distribution().renew();
    *partition = first_sets_;
    if (projection) projection->renew();
    if (for_reports) for_reports->renew();
    distribution_time = projection_time = {};
    if (arclength) arclength->forget();
    stepper->renew();
    watch.forget();
    divisors.forget();
    event_ranges.forget();
    if (leap) leap->renew();
    if (conservation) conservation->renew();
    if (rounds) rounds->renew();
}

template struct Engine<double>;
template struct Engine<Quad>;

} // namespace vessiot
