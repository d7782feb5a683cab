#include "solve/run/parts/seams.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "solution/same_file.hpp"

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

template <class S>
Seams<S>::Seams(RunState<S>& run, RunEvents<S>& events, RunConditions<S>& conditions, MethodChoice<S>& choice)
    : run_(run), events_(events), conditions_(conditions), choice_(choice),
      point_(run.problem().n_state() + (run.is_arclength ? 1 : 0)), tangent_(point_.size()) {}

template <class S> StreamHead Seams<S>::stream_head() const {
    StreamHead head;
    head.attributes = stream_attributes(run_.problem().system(), run_.options);
    return head;
}

template <class S> void Seams<S>::check() const {
    if (run_.options.checkpoint.empty()) return;
    for (const auto& stream : run_.options.streams)
        if (is_same_file(stream->name(), run_.options.checkpoint))
            throw InvalidInput(fmt::format("the points and the checkpoint of this run are to be written to one file, "
                                           "{}: give each a name of its own",
                                           stream->name()));
    check_writable(run_.options.checkpoint);
}

template <class S> void Seams<S>::after_step() {
    if (run_.options.checkpoint.empty() || run_.solution.stats.steps % run_.options.steps_between_seams() != 0) return;
    tau_ = run_.stepper().tau();
    std::copy_n(run_.stepper().point(), point_.size(), point_.data());
    mode_ = run_.stepper().mode();
    if (run_.is_arclength) {
        const S* v = run_.stepper().direction();
        std::copy_n(v ? v : run_.arclength().last_tangent().data(), tangent_.size(), tangent_.data());
    }
    const auto now = Clock::now();
    const auto seconds = [](double s) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
    };
    const bool is_due = now - last_save_ >= seconds(run_.options.checkpoint_every);
    if (is_due || now >= next_state_) {
        take_state(state_);
        is_saved_ = false;
        next_state_ = Clock::now() + std::max(seconds(0.1), 50 * (Clock::now() - now));
    }
    restart();
    if (is_due) save();
}

template <class S> void Seams<S>::take_state(std::string& to) {
    to.clear();
    Archive archive = Archive::writer(to);
    exchange(archive);
}

template <class S> void Seams<S>::save() {
    if (!identity_) identity_ = identity(run_.problem().system(), run_.options);
    run_.recorder().sync();
    write_checkpoint(run_.options.checkpoint, *identity_, state_);
    is_saved_ = true;
    last_save_ = Clock::now();
}

template <class S> void Seams<S>::finish() {
    if (!is_saved_) save();
}

template <class S> void Seams<S>::restart() {
    run_.engine.forget_pivots();
    run_.problem().distribution().forget();
    if (run_.projection()) run_.projection()->forget();
    if (run_.engine.partition && run_.engine.partition->is_chosen)
        run_.engine.for_reports.reset(); // it has sets of its own
    run_.engine.watch.forget();
    if (run_.leap()) run_.leap()->restart();
    if (run_.is_arclength) run_.arclength().restart(point_.data(), tangent_.data());
    conditions_.forget(run_.time_of(tau_, point_.data()));
    run_.stepper().begin_as(mode_, tau_, point_.data());
    choice_.restart();
    run_.engine.watch.has_changed(run_.time_of(run_.clock(), point_.data()), point_.data());
}

template <class S> void Seams<S>::resume() {
    identity_ = identity(run_.problem().system(), run_.options);
    const std::string state = read_checkpoint(run_.options.resume, *identity_);
    Archive archive = Archive::reader(state);
    try {
        exchange(archive);
    } catch (const std::length_error& e) {
        throw InvalidInput(fmt::format("the checkpoint {} is damaged: {}", run_.options.resume, e.what()));
    }
    run_.meter.first_attempt = run_.meter.n_attempts;
    is_saved_ = true;
    last_save_ = Clock::now();
    restart();
}

// NOTE: what is added to a run and changes its points belongs here, or is forgotten in restart().
template <class S> void Seams<S>::exchange(Archive& archive) {
    archive(tau_, point_, tangent_, mode_);
    const S t = run_.time_of(tau_, point_.data());
    if (archive.is_reading() && !run_.is_arclength &&
        (t - run_.span.t1) * run_.direction >= S(0)) // before any file is touched
        throw InvalidInput(fmt::format("the checkpoint {} is at {} = {}, and the run ends at {}: there is nothing left "
                                       "to compute. Give a later --to",
                                       run_.options.resume, run_.solution.independent, run_.show(t),
                                       run_.show(run_.span.t1)));
    std::int64_t every = run_.options.steps_between_seams(); // goes on as it was where nothing else is asked for
    archive(every);
    if (!run_.options.checkpoint_steps) run_.options.checkpoint_steps = every;
    std::vector<std::string> streams, known;
    for (const auto& stream : run_.options.streams) streams.push_back(stream->name());
    std::vector<std::vector<std::int64_t>> positions;
    if (!archive.is_reading()) positions = run_.recorder().positions();
    known = streams;
    archive(known, positions);
    if (archive.is_reading()) {
        check_streams(run_.options.resume, known, streams);
        run_.recorder().resume(run_.solution, stream_head(), positions);
    }
    run_.recorder().store().exchange(archive);
    exchange_solution(archive);

    archive(run_.sizes.h, run_.sizes.floor, run_.sizes.most, run_.forward, run_.has_stray);
    choice_.exchange(archive);
    archive(run_.meter.n_attempts, run_.meter.n_sampled, run_.engine.distribution_time.seconds,
            run_.engine.projection_time.seconds);
    events_.exchange(archive);
    archive(run_.sizes.grid, run_.sizes.part);
    exchange_constants(archive);
    if (archive.is_reading() && run_.problem().analysis().conditions) conditions_.begin(t, point_.data());
    conditions_.exchange(archive);
    std::uint64_t next = run_.next_time;
    archive(next);
    run_.next_time = std::min(static_cast<std::size_t>(next), run_.span.times.size());
    if (run_.engine.partition) archive(run_.engine.partition->sets);
    if (run_.leap()) run_.leap()->exchange(archive);
    RunCounts all = archive.is_reading() ? RunCounts{} : run_.counts();
    archive(all);
    if (!archive.is_reading()) return;
    run_.meter.before = {};
    const RunCounts here = run_.counts();
    run_.meter.before = all;
    run_.meter.before.subtract(here);
}

// Kept values of invariants, and what is held between events.
template <class S> void Seams<S>::exchange_constants(Archive& archive) {
    const std::span<S> constants = run_.problem().jets().constants();
    std::vector<S> values(constants.begin(), constants.end());
    archive(values);
    if (values.size() != constants.size()) throw InvalidInput("it has another number of constants");
    std::ranges::copy(values, constants.begin());
}

template <class S> void Seams<S>::exchange_solution(Archive& archive) {
    Solution& s = run_.solution;
    archive(s.notes, s.n_points, s.t, s.s, s.values, s.outputs, s.events, s.trace, s.constraint_residual_max,
            s.constraint_residual_absolute, s.invariant_drift_max, s.stats, s.method.name, s.method.choice);
}

template class Seams<double>;
template class Seams<Quad>;

} // namespace vessiot
