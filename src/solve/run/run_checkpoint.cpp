// Runs that can go on in another process, with the same bits.
//
// Methods, projections and distributions keep what helps them at the next point: pivots, the last direction, a
// Jacobian, the polynomial of the last step. Instead of storing all that, a run with a checkpoint forgets it at seams,
// every checkpoint_steps accepted steps, whether or not a file is written there: what comes after a seam depends on the
// point, the size of the step and a few numbers alone (exchange() below). A file holds the state of a seam; a run that
// is resumed from it starts there as the uninterrupted one went on. [docs/decisions/0016]
//
// At a seam the state becomes text at most some ten times a second, and a file every checkpoint_every seconds; at the
// end of a run, however it ends, the last one is written. First the streams are brought to the disk, then the file: it
// never knows of more points than there are.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "solution/same_file.hpp"
#include "solve/run/run.hpp"

namespace vessiot {

namespace {

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "no file" : text;
}

// The same number of outputs: each goes on where it was.
void check_streams(const std::string& path, const std::vector<std::string>& then, const std::vector<std::string>& now) {
    if (then.size() == now.size()) return;
    throw InvalidInput(fmt::format("{} is a checkpoint of a run whose points go to {}, and those of this one go to {}: "
                                   "give the same --out files, .csv and .h5, in the same order",
                                   path, listed(then), listed(now)));
}

} // namespace

void RunCounts::add(const RunCounts& other) {
    stepper.stages += other.stepper.stages;
    stepper.projections += other.stepper.projections;
    stepper.newton_iterations += other.stepper.newton_iterations;
    stepper.newton_max = std::max(stepper.newton_max, other.stepper.newton_max);
    stepper.jacobians += other.stepper.jacobians;
    stepper.factorisations += other.stepper.factorisations;
    stepper.stage_iterations += other.stepper.stage_iterations;
    stepper.rejected_error += other.stepper.rejected_error;
    stepper.rejected_iteration += other.stepper.rejected_iteration;
    distribution.evaluations += other.distribution.evaluations;
    distribution.jacobians += other.distribution.jacobians;
    distribution.factorisations += other.distribution.factorisations;
    projection.jacobians += other.projection.jacobians;
    projection.factorisations += other.projection.factorisations;
    if (other.projection.fallbacks > 0) projection.first_fallback = other.projection.first_fallback; // it came before
    projection.fallbacks += other.projection.fallbacks;
    for (std::size_t k = 0; k < steps_by_order.size(); ++k) steps_by_order[k] += other.steps_by_order[k];
    projection.charts += other.projection.charts;
    seconds += other.seconds;
}

// NOTE: newton_max, a maximum, stays, and so does first_fallback.
void RunCounts::subtract(const RunCounts& other) {
    stepper.stages -= other.stepper.stages;
    stepper.projections -= other.stepper.projections;
    stepper.newton_iterations -= other.stepper.newton_iterations;
    stepper.jacobians -= other.stepper.jacobians;
    stepper.factorisations -= other.stepper.factorisations;
    stepper.stage_iterations -= other.stepper.stage_iterations;
    stepper.rejected_error -= other.stepper.rejected_error;
    stepper.rejected_iteration -= other.stepper.rejected_iteration;
    distribution.evaluations -= other.distribution.evaluations;
    distribution.jacobians -= other.distribution.jacobians;
    distribution.factorisations -= other.distribution.factorisations;
    projection.jacobians -= other.projection.jacobians;
    projection.factorisations -= other.projection.factorisations;
    projection.fallbacks -= other.projection.fallbacks;
    for (std::size_t k = 0; k < steps_by_order.size(); ++k) steps_by_order[k] -= other.steps_by_order[k];
    projection.charts -= other.projection.charts;
    seconds -= other.seconds;
}

template <class S> StreamHead Run<S>::stream_head() const {
    StreamHead head;
    head.attributes = stream_attributes(problem_->system(), options_);
    return head;
}

template <class S> void Run<S>::try_checkpoint() const {
    if (options_.checkpoint.empty()) return;
    for (const auto& stream : options_.streams)
        if (is_same_file(stream->name(), options_.checkpoint))
            throw InvalidInput(fmt::format("the points and the checkpoint of this run are to be written to one file, "
                                           "{}: give each a name of its own",
                                           stream->name()));
    check_writable(options_.checkpoint);
}

template <class S> void Run<S>::seam() {
    if (options_.checkpoint.empty() || solution_.stats.steps % options_.steps_between_seams() != 0) return;
    seam_tau_ = stepper_->tau();
    std::copy_n(stepper_->point(), seam_point_.size(), seam_point_.data());
    seam_mode_ = stepper_->mode();
    if (is_arclength_) {
        const S* v = stepper_->direction();
        std::copy_n(v ? v : arclength_->last_tangent().data(), seam_tangent_.size(), seam_tangent_.data());
    }
    const auto now = Clock::now();
    const auto seconds = [](double s) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
    };
    const bool is_due = now - last_save_ >= seconds(options_.checkpoint_every);
    if (is_due || now >= next_state_) {
        take_state(state_);
        is_saved_ = false;
        next_state_ = Clock::now() + std::max(seconds(0.1), 50 * (Clock::now() - now));
    }
    restart();
    if (is_due) save();
}

template <class S> void Run<S>::take_state(std::string& to) {
    to.clear();
    Archive archive = Archive::writer(to);
    exchange(archive);
}

template <class S> void Run<S>::save() {
    if (!identity_) identity_ = identity(problem_->system(), options_);
    recorder_.sync();
    write_checkpoint(options_.checkpoint, *identity_, state_);
    is_saved_ = true;
    last_save_ = Clock::now();
}

template <class S> void Run<S>::save_last() {
    if (!is_saved_) save();
}

template <class S> void Run<S>::restart() {
    engine_.forget_pivots();
    problem_->distribution().forget();
    if (projection_) projection_->forget();
    if (engine_.partition && engine_.partition->is_chosen) engine_.for_reports.reset(); // it has sets of its own
    engine_.watch.forget();
    if (leap_) leap_->restart();
    if (is_arclength_) arclength_->restart(seam_point_.data(), seam_tangent_.data());
    if (conditions_) conditions_->forget(time_of(seam_tau_, seam_point_.data()));
    stepper_->begin_as(seam_mode_, seam_tau_, seam_point_.data());
    if (at_work_) {
        at_work_ = stepper_->at_work();
        control_ = control_of(options_, *at_work_);
    }
    controller_ = Controller<S>(control_.controller);
    engine_.watch.has_changed(time_of(clock(), seam_point_.data()), seam_point_.data());
}

template <class S> void Run<S>::resume() {
    identity_ = identity(problem_->system(), options_);
    const std::string state = read_checkpoint(options_.resume, *identity_);
    Archive archive = Archive::reader(state);
    try {
        exchange(archive);
    } catch (const std::length_error& e) {
        throw InvalidInput(fmt::format("the checkpoint {} is damaged: {}", options_.resume, e.what()));
    }
    first_attempt_ = n_attempts_;
    is_saved_ = true;
    last_save_ = Clock::now();
    restart();
}

// NOTE: what is added to a run and changes its points belongs here, or is forgotten in restart().
template <class S> void Run<S>::exchange(Archive& archive) {
    archive(seam_tau_, seam_point_, seam_tangent_, seam_mode_);
    const S t = time_of(seam_tau_, seam_point_.data());
    if (archive.is_reading() && !is_arclength_ && (t - span_.t1) * direction_ >= S(0)) // before any file is touched
        throw InvalidInput(fmt::format("the checkpoint {} is at {} = {}, and the run ends at {}: there is nothing left "
                                       "to compute. Give a later --to",
                                       options_.resume, solution_.independent, show(t), show(span_.t1)));
    std::int64_t every = options_.steps_between_seams(); // goes on as it was where nothing else is asked for
    archive(every);
    if (!options_.checkpoint_steps) options_.checkpoint_steps = every;
    std::vector<std::string> streams, known;
    for (const auto& stream : options_.streams) streams.push_back(stream->name());
    std::vector<std::vector<std::int64_t>> positions;
    if (!archive.is_reading()) positions = recorder_.positions();
    known = streams;
    archive(known, positions);
    if (archive.is_reading()) {
        check_streams(options_.resume, known, streams);
        recorder_.resume(solution_, stream_head(), positions);
    }
    recorder_.store().exchange(archive);
    exchange_solution(archive);

    archive(h_, h_floor_, h_max_, forward_, has_stray_, n_changes_);
    archive(n_attempts_, n_sampled_, engine_.distribution_time.seconds, engine_.projection_time.seconds);
    event_watch_.exchange(archive);
    archive(is_flat_, is_noted_, zeno_, last_jump_, n_events_, n_at_once_, n_tries_, grid_, part_);
    ticks_.exchange(archive);
    exchange_constants(archive);
    if (archive.is_reading() && problem_->analysis().conditions) begin_conditions(t, seam_point_.data());
    if (conditions_) conditions_->exchange(archive);
    std::uint64_t next = next_time_;
    archive(next);
    next_time_ = std::min(static_cast<std::size_t>(next), span_.times.size());
    if (engine_.partition) archive(engine_.partition->sets);
    if (leap_) leap_->exchange(archive);
    RunCounts all = archive.is_reading() ? RunCounts{} : counts();
    archive(all);
    if (!archive.is_reading()) return;
    before_ = {};
    const RunCounts here = counts();
    before_ = all;
    before_.subtract(here);
}

// Levels of invariants and what is held between events.
template <class S> void Run<S>::exchange_constants(Archive& archive) {
    const std::span<S> constants = problem_->jets().constants();
    std::vector<S> values(constants.begin(), constants.end());
    archive(values);
    if (values.size() != constants.size()) throw InvalidInput("it has another number of constants");
    std::ranges::copy(values, constants.begin());
}

template <class S> void Run<S>::exchange_solution(Archive& archive) {
    Solution& s = solution_;
    archive(s.notes, s.n_points, s.t, s.s, s.values, s.outputs, s.events, s.trace, s.constraint_residual_max,
            s.constraint_residual_absolute, s.invariant_drift_max, s.stats, s.method.name, s.method.choice);
}

template <class S> void Run<S>::fail_output(const std::string& why) {
    if (solution_.stats.steps > 0) {
        fail(fmt::format("{}; the run ended at {} = {}", why, solution_.independent,
                         show(time_of(clock(), stepper_->point()))));
        return;
    }
    solution_.status = Status::failed;
    solution_.message = why + "; nothing was computed";
    is_over_ = true;
}

#define VESSIOT_RUN_CHECKPOINT(S)                                                                                      \
    template StreamHead Run<S>::stream_head() const;                                                                   \
    template void Run<S>::try_checkpoint() const;                                                                      \
    template void Run<S>::seam();                                                                                      \
    template void Run<S>::save_last();                                                                                 \
    template void Run<S>::resume();                                                                                    \
    template void Run<S>::fail_output(const std::string&)
VESSIOT_RUN_CHECKPOINT(double);
VESSIOT_RUN_CHECKPOINT(expr::Quad);
#undef VESSIOT_RUN_CHECKPOINT

} // namespace vessiot
