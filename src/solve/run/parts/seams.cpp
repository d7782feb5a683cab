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

// Here what follows depends on the state alone, once restart() was called.
template <class S> void Seams<S>::look() {
    tau_ = run_.stepper().tau();
    std::copy_n(run_.stepper().point(), point_.size(), point_.data());
    mode_ = run_.stepper().mode();
    if (run_.is_arclength) {
        const S* v = run_.stepper().direction();
        std::copy_n(v ? v : run_.arclength().last_tangent().data(), tangent_.size(), tangent_.data());
    }
}

// NOTE: without it a run that ends before its first seam would leave nothing to go on from.
template <class S> void Seams<S>::begin() {
    if (run_.options.checkpoint.empty() || run_.is_over) return;
    look();
    take_state(state_);
    is_saved_ = false;
    restart();
}

template <class S> void Seams<S>::after_step() {
    if (run_.options.checkpoint.empty() || run_.solution.stats.steps % run_.options.steps_between_seams() != 0) return;
    look();
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
    run_.engine.event_ranges.forget();
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
    try {
        Archive archive = Archive::reader(state);
        exchange(archive);
        archive.finish();
    } catch (const BadArchive& e) {
        fail_damaged(run_.options.resume, e.what());
    }
    run_.meter.first_attempt = run_.meter.n_attempts;
    is_saved_ = true;
    last_save_ = Clock::now();
    restart();
}

// NOTE: what is added to a run and changes its points belongs here, or is forgotten in restart().
template <class S> void Seams<S>::exchange(Archive& archive) {
    archive.part("point", 1, [&] { exchange_point(archive); });
    archive.part("streams", 1, [&] { exchange_streams(archive); });
    archive.part("store", 1, [&] { run_.recorder().store().exchange(archive); });
    archive.part("solution", 1, [&] { exchange_solution(archive); });
    archive.part("sizes", 1, [&] { run_.sizes.exchange(archive); });
    archive.part("run", 1, [&] { exchange_run(archive); });
    archive.part("method", 1, [&] { choice_.exchange(archive); });
    archive.part("events", 1, [&] { events_.exchange(archive); });
    if (archive.is_reading() && run_.problem().analysis().conditions)
        conditions_.begin(run_.time_of(tau_, point_.data()), point_.data());
    archive.part("conditions", 1, [&] { conditions_.exchange(archive); });
    if (run_.engine.partition) archive.part("partition", 1, [&] { exchange_partition(archive); });
    if (run_.leap()) archive.part("leap", 1, [&] { run_.leap()->exchange(archive); });
    archive.part("counts", 1, [&] { exchange_counts(archive); });
}

template <class S> void Seams<S>::exchange_point(Archive& archive) {
    archive("tau", tau_);
    archive("x", point_);
    archive("tangent", tangent_);
    archive("mode", mode_);
    const S t = run_.time_of(tau_, point_.data());
    if (archive.is_reading() && !run_.is_arclength &&
        (t - run_.span.t1) * run_.direction >= S(0)) // before any file is touched
        throw InvalidInput(fmt::format("the checkpoint {} is at {} = {}, and the run ends at {}: there is nothing left "
                                       "to compute. Give a later --to",
                                       run_.options.resume, run_.solution.independent, run_.show(t),
                                       run_.show(run_.span.t1)));
    std::int64_t every = run_.options.steps_between_seams(); // goes on as it was where nothing else is asked for
    archive("steps_between_seams", every);
    if (!run_.options.checkpoint_steps) run_.options.checkpoint_steps = every;
}

template <class S> void Seams<S>::exchange_streams(Archive& archive) {
    std::vector<std::string> here;
    for (const auto& stream : run_.options.streams) here.push_back(stream->name());
    std::vector<std::string> names = here;
    std::vector<std::vector<std::int64_t>> positions;
    if (!archive.is_reading()) positions = run_.recorder().positions();
    archive("names", names);
    archive("positions", positions);
    if (!archive.is_reading()) return;
    check_streams(run_.options.resume, names, here);
    run_.recorder().resume(run_.solution, stream_head(), positions);
}

template <class S> void Seams<S>::exchange_solution(Archive& archive) {
    Solution& s = run_.solution;
    archive("notes", s.notes);
    archive("n_points", s.n_points);
    archive("t", s.t);
    archive("s", s.s);
    archive("values", s.numbers);
    archive("outputs", s.output_numbers);
    archive.table("events", s.events, Archive::column("name", &EventPoint::name), Archive::column("t", &EventPoint::t),
                  Archive::column("values", &EventPoint::values),
                  Archive::column("values_after", &EventPoint::values_after));
    archive.table("trace", s.trace, Archive::column("t", &StepTrace::t), Archive::column("h", &StepTrace::h),
                  Archive::column("residual", &StepTrace::residual));
    archive("constraint_residual_max", s.constraint_residual_max);
    archive("constraint_residual_absolute", s.constraint_residual_absolute);
    archive("invariant_drift_max", s.invariant_drift_max);
    archive("method", s.method.name);
    archive("choice", s.method.choice);
    archive.part("stats", 1, [&] {
        for (const StatsCount& count : stats_counts) archive(count.name, s.stats.*count.at);
        archive("seconds_compile", s.stats.seconds.compile);
    });
    if (s.numbers.size() != s.t.size() * s.names.size() ||
        s.output_numbers.size() != s.t.size() * s.output_names.size())
        throw BadArchive("its points have another number of values");
}

// What the loop knows beside sizes of steps; kept values of invariants, and what is held between events.
template <class S> void Seams<S>::exchange_run(Archive& archive) {
    archive("forward", run_.forward);
    archive("farthest", run_.farthest);
    archive("has_stray", run_.has_stray);
    std::uint64_t next = run_.next_time;
    archive("next_time", next);
    run_.next_time = std::min(static_cast<std::size_t>(next), run_.span.times.size());
    const std::span<S> constants = run_.problem().jets().constants();
    std::vector<S> values(constants.begin(), constants.end());
    archive.fixed("constants", values);
    std::ranges::copy(values, constants.begin());
}

template <class S> void Seams<S>::exchange_partition(Archive& archive) {
    auto& sets = run_.engine.partition->sets;
    archive("sets", sets);
    for (const auto& set : sets)
        for (const std::int32_t k : set)
            if (k < 0 || k >= run_.problem().n_state()) throw BadArchive("its partition has impossible coordinates");
}

template <class S> void Seams<S>::exchange_counts(Archive& archive) {
    archive("attempts", run_.meter.n_attempts);
    archive("sampled", run_.meter.n_covered);
    archive("seconds_distribution", run_.engine.distribution_time.seconds);
    archive("seconds_projection", run_.engine.projection_time.seconds);
    RunCounts all = archive.is_reading() ? RunCounts{} : run_.counts();
    all.exchange(archive);
    if (!archive.is_reading()) return;
    run_.meter.before = {};
    const RunCounts here = run_.counts();
    run_.meter.before = all;
    run_.meter.before.subtract(here);
}

template class Seams<double>;
template class Seams<Quad>;

} // namespace vessiot
