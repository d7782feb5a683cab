// The members of an ensemble on threads: each takes a few that follow each other, and blocks that are done go on in
// their order.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "ensemble/block_log.hpp"
#include "ensemble/collector.hpp"
#include "ensemble/gpu_thread.hpp"
#include "ensemble/lane_thread.hpp"
#include "ensemble/members.hpp"
#include "solve/options/option_text.hpp"
#include "solve/problem/problem.hpp"
#include "solve/problem/solving.hpp"
#include "system/describe/fingerprint.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/version.hpp"

namespace vessiot::ensemble {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// The points that a run reports, as they are in its Solution.
template <class S> std::vector<double> points_of(const System& system, const Settings& options) {
    Solution solution;
    const ReportTimes<S> times = span_of<S>(system, options, true, solution).first.times;
    std::vector<double> t;
    for (std::size_t k = 0; k < times.size(); ++k) t.push_back(static_cast<double>(times[k]));
    return t;
}

// A member's Solution as rows of the block that it belongs to.
class Extract {
public:
    explicit Extract(const EnsembleHead& head) : head_(head) {}

    // Which values of a solution are kept; found once.
    void choose(const Solution& solution) {
        for (const std::string& name : head_.columns) {
            const auto output = std::ranges::find(solution.output_names, name);
            const auto place = static_cast<std::size_t>(output - solution.output_names.begin());
            const bool is_output = output != solution.output_names.end();
            columns_.push_back(is_output ? solution.names.size() + place : solution.column_of(name));
        }
    }
    // The row of a point.
    void row(const Solution& s, std::size_t point, double* out) const {
        const std::size_t n = s.names.size(), n_outputs = s.output_names.size();
        for (std::size_t j = 0; j < columns_.size(); ++j)
            out[j] = columns_[j] < n ? s.numbers[point * n + columns_[j]]
                                     : s.output_numbers[point * n_outputs + columns_[j] - n];
    }

private:
    const EnsembleHead& head_;
    std::vector<std::size_t> columns_; // places in names, then outputs
};

// The blocks of members that are run here: those of one shard.
struct Shard {
    Shard(std::int64_t n_blocks, std::int64_t number, std::int64_t n_shards) {
        if (n_shards < 1 || number < 0 || number >= n_shards || n_shards > most_shards)
            throw InvalidInput(
                fmt::format("shard {} of {}: shards of n are numbered 0 to n-1, and there are at most {}", number,
                            n_shards, most_shards));
        first = n_blocks * number / n_shards;
        end = n_blocks * (number + 1) / n_shards;
    }
    std::int64_t first = 0, end = 0;
};

class Study {
public:
    Study(ProblemCore& core, const EnsembleOptions& options)
        : core_(core), options_(options), members_(options),
          blocks_(blocks_of(members_.size()), options.shard, options.n_shards) {}

    EnsembleResult operator()() {
        scout();
        check_memory();
        find_device();
        collector_.emplace(head_, options_.streams, options_.keeps_members, options_.max_failures);
        begin_log();
        run_threads();
        if (failure_) std::rethrow_exception(failure_);
        if (is_stopped()) finish_broken();
        if (log_) log_->sync();
        EnsembleResult result = collector_->finish(is_stopped() ? MemberStatus::interrupted : MemberStatus::success,
                                                   std::chrono::duration<double>(Clock::now() - started_).count());
        if (workers_.device) result.device = workers_.device->name();
        if (workers_.device) result.device_seconds = workers_.device->seconds();
        return result;
    }

private:
    // Names are those of the first member that has a solution, points those that the first one reports. Throws where
    // none of the first block has a solution.
    void scout();
    void choose_columns(const Solution& solution);
    void check_memory() const;
    std::string identity() const;
    void begin_log();
    void run_threads();
    void work();
    bool has_lanes() const;
    MemberCalls calls();
    void find_device();
    Taken take(bool waits);
    void done(Work& work);
    void deliver();
    void finish_broken();
    std::unique_ptr<Work> make_work(std::int64_t number) const;
    void compute(Work& work, std::int64_t k);
    std::span<double> varied_of(Work& work, std::int64_t k) const;
    void keep(Work& work, std::int64_t k, const Solution& solution);
    void fail(Work& work, std::int64_t k, MemberStatus status, std::string message);
    void add_notes(MemberBlock& block, std::int64_t k, const Solution& solution);
    // Why it cannot be: empty where it was.
    std::string record(Work& work, std::int64_t k, const Solution& solution);
    void close(Work& work) const;
    RunOptions run_of(std::int64_t member, std::span<double> values) const;
    bool is_stopped() const { return stop_.stop_requested() && !is_complete_; }

    ProblemCore& core_;
    const EnsembleOptions& options_;
    Members members_;
    Shard blocks_;
    EnsembleHead head_;
    std::string identity_;
    Extract extract_{head_};
    std::optional<Collector> collector_;
    std::optional<BlockLog> log_;
    Clock::time_point started_ = Clock::now(), last_sync_ = started_;

    std::mutex mutex_;
    std::condition_variable room_;
    std::deque<std::unique_ptr<Work>> open_; // in the order of their members
    std::int64_t next_block_ = 0;            // not yet begun
    std::int64_t next_member_ = 0;           // of the last block that was begun
    bool is_delivering_ = false, is_complete_ = false;
    struct {
        std::int64_t n = 1;                 // threads
        std::unique_ptr<GpuShare> device{}; // where steps are made there
        std::int64_t runs_on_device = 0;    // of each thread, at a time
    } workers_;
    std::atomic<std::int64_t> n_done_ = 0, n_failed_ = 0;
    std::exception_ptr failure_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> from_outside_{options_.stop, [this] { stop_.request_stop(); }};
};

RunOptions Study::run_of(std::int64_t member, std::span<double> values) const {
    members_.values(member, values);
    RunOptions run = members_.run(values);
    run.dense = false;
    run.throw_on_failure = false;
    if (options_.record == Record::last) run.keep = 2; // the first and the last point
    run.stop = stop_.get_token();
    return run;
}

void Study::scout() {
    std::vector<double> values(members_.names().size());
    RunOptions first = run_of(0, values);
    const System system = core_.with_parameters(first); // a name that is none, or that cannot vary
    const Settings settings = core_.with(first);
    const bool has_points =
        options_.run.at || options_.run.every || !core_.options().at.empty() || core_.options().every > 0;
    if (options_.record == Record::last && has_points)
        throw InvalidInput("points are asked for, but of each member the last one only is recorded");
    if (options_.record == Record::points && !has_points)
        throw InvalidInput("which points are recorded is missing: every, or at");
    if (options_.record == Record::points)
        head_.t = settings.precision == Precision::quad ? points_of<Quad>(system, settings)
                                                        : points_of<double>(system, settings);
    std::optional<Solution> longest;
    std::string why;
    for (std::int64_t k = 0; k < std::min(members_.size(), block_size); ++k) {
        try {
            RunOptions run = run_of(k, values);
            run.progress = [&](const Progress&) {
                return !options_.progress || options_.progress({0, 0, members_.size(), 0});
            };
            Solution s = core_.solve(run);
            if (s.status == Status::interrupted) stop_.request_stop();
            if (!longest || s.t.size() > longest->t.size()) longest = std::move(s);
            if (longest->status == Status::success) break;
        } catch (const InvalidInput& e) {
            if (why.empty()) why = e.what();
        }
        if (stop_.stop_requested()) break;
    }
    if (!longest)
        throw InvalidInput(
            fmt::format("none of the first {} members can be run: {}", std::min(members_.size(), block_size), why));
    choose_columns(*longest);
}

void Study::choose_columns(const Solution& solution) {
    head_.model = solution.model;
    head_.independent = solution.independent;
    head_.varied = members_.names();
    head_.record = options_.record;
    head_.columns = solution.names;
    if (options_.record != Record::events)
        head_.columns.insert(head_.columns.end(), solution.output_names.begin(), solution.output_names.end());
    if (!options_.outputs.empty()) {
        for (const std::string& name : options_.outputs)
            if (std::ranges::find(head_.columns, name) == head_.columns.end())
                solution.column_of(name); // says what is wrong
        head_.columns = options_.outputs;
    }
    head_.reduce = options_.reduce;
    head_.n_members = members_.size();
    head_.shard = options_.shard;
    head_.n_shards = options_.n_shards;
    head_.attributes.emplace_back("version", version());
    head_.attributes.emplace_back("method", solution.method.name);
    for (const GivenOption& option : changed_settings(core_.options()))
        head_.attributes.emplace_back("option_" + std::string(option.name), option.text);
    identity_ = identity();
    head_.attributes.insert(head_.attributes.end(), options_.attributes.begin(), options_.attributes.end());
    extract_.choose(solution);
}

// Members that are kept are numbers in memory, as many as can be counted before.
void Study::check_memory() const {
    constexpr double most_bytes = 16e9;
    if (!options_.keeps_members || head_.is_ragged()) return;
    const auto members = static_cast<double>(members_of(head_.n_members, head_.shard, head_.n_shards).second);
    const double bytes =
        members * static_cast<double>(8 * (head_.varied.size() + head_.n_points() * head_.columns.size()) + 17);
    if (bytes > most_bytes)
        throw InvalidInput(fmt::format("{:.6g} members with {} values at {} points would take {:.3g} GB of memory: "
                                       "take statistics only, a file, shards, or fewer "
                                       "values",
                                       members, head_.columns.size(), head_.n_points(), bytes / 1e9));
}

// Two runs with the same identity have the same members, with the same bits.
std::string Study::identity() const {
    std::string text = fmt::format("{} {} {:016x} {:016x} {}\n", version(), build_identity(),
                                   fingerprint(core_.system()), fingerprint_of_end(core_.system()), members_.size());
    for (const auto& [name, value] : head_.attributes) text += fmt::format("{} = {}\n", name, value);
    text += members_.identity();
    text += fmt::format("{} {} {}\n", static_cast<int>(head_.record), fmt::join(head_.columns, ","),
                        fmt::join(head_.t, " "));
    const RunOptions& run = options_.run;
    const auto number = [](const std::optional<double>& x) { return x ? fmt::format("{}", *x) : std::string("-"); };
    text += fmt::format("{} {} {}\n", number(run.from), number(run.to), number(run.to_s));
    for (const auto& [name, value] : run.parameters)
        text += fmt::format("{} = {}\n", name, fmt::join(value.values, " "));
    for (const auto& [name, value] : run.start) text += fmt::format("start {} = {}\n", name, value);
    for (const auto& [name, value] : run.guess) text += fmt::format("guess {} = {}\n", name, value);
    if (run.at) text += fmt::format("at {}\n", fmt::join(*run.at, " "));
    text += fmt::format("{} {}\n", number(run.every), run.section.value_or("-"));
    return text;
}

void Study::begin_log() {
    next_block_ = blocks_.first;
    const std::string& path = options_.checkpoint.empty() ? options_.resume : options_.checkpoint;
    if (options_.resume.empty()) {
        collector_->begin();
        if (!path.empty()) log_.emplace(path, head_, identity_);
        return;
    }
    const bool is_same = path == options_.resume;
    const auto begin = [&](const LogContents& log) {
        if (log.identity != identity_ || log.head.shard != head_.shard || log.head.n_shards != head_.n_shards)
            throw InvalidInput(
                fmt::format("'{}' belongs to another ensemble: model, options and what varies must be as they were",
                            options_.resume));
        collector_->begin();
        if (!is_same) log_.emplace(path, head_, identity_);
    };
    const LogContents log = read_log(options_.resume, begin, [&](MemberBlock&& block) {
        if (block.first != next_block_ * block_size) throw InvalidInput("a block is missing");
        if (next_block_ == blocks_.end) throw InvalidInput("it has a block of another shard");
        if (!is_same) log_->add(block);
        n_done_ += block.size();
        collector_->add(std::move(block));
        ++next_block_;
    });
    if (is_same) log_.emplace(path, log.length);
}

std::unique_ptr<Work> Study::make_work(std::int64_t number) const {
    auto work = std::make_unique<Work>();
    MemberBlock& b = work->block;
    b.first = number * block_size;
    const auto n = static_cast<std::size_t>(std::min(block_size, members_.size() - b.first));
    b.status.assign(n, MemberStatus::interrupted);
    b.steps.assign(n, 0);
    b.t.assign(n, nothing);
    b.varied.assign(n * head_.varied.size(), nothing);
    if (head_.is_ragged()) {
        work->rows.resize(n);
        work->row_t.resize(n);
        work->row_event.resize(n);
    } else {
        b.values.assign(n * head_.n_points() * head_.columns.size(), nothing);
    }
    work->remaining = static_cast<std::int64_t>(n);
    return work;
}

// The next member, and the block that it belongs to. Not while too many blocks are open: one member may take long.
Taken Study::take(bool waits) {
    const std::size_t most_open = 64 + static_cast<std::size_t>(workers_.n * workers_.runs_on_device / block_size);
    std::unique_lock lock(mutex_);
    for (;;) {
        if (stop_.stop_requested()) return {.is_end = true};
        if (!open_.empty() && next_member_ < open_.back()->block.size())
            return {.member = Member{next_member_++, open_.back().get()}};
        if (next_block_ == blocks_.end) return {.is_end = true};
        if (open_.size() < most_open) {
            open_.push_back(make_work(next_block_++));
            next_member_ = 0;
        } else if (waits) {
            room_.wait(lock);
        } else {
            return {};
        }
    }
}

std::span<double> Study::varied_of(Work& work, std::int64_t k) const {
    return std::span(work.block.varied).subspan(static_cast<std::size_t>(k) * head_.varied.size(), head_.varied.size());
}

void Study::compute(Work& work, std::int64_t k) {
    try {
        const Solution solution = core_.solve(run_of(work.block.first + k, varied_of(work, k)));
        if (solution.status != Status::interrupted) keep(work, k, solution);
    } catch (const InvalidInput& e) {
        fail(work, k, MemberStatus::no_start, e.what());
    }
}

void Study::keep(Work& work, std::int64_t k, const Solution& solution) {
    const std::string other = record(work, k, solution);
    if (!other.empty() || solution.status == Status::failed)
        return fail(work, k, MemberStatus::failed, other.empty() ? solution.message : other);
    add_notes(work.block, k, solution);
    work.block.status[static_cast<std::size_t>(k)] =
        solution.status == Status::stopped ? MemberStatus::stopped : MemberStatus::success;
}

void Study::fail(Work& work, std::int64_t k, MemberStatus status, std::string message) {
    work.block.status[static_cast<std::size_t>(k)] = status;
    ++n_failed_;
    const std::lock_guard lock(mutex_);
    work.block.messages.emplace_back(k, std::move(message));
}

// What a run that reached its end says beside; warnings about the model are said once, elsewhere.
void Study::add_notes(MemberBlock& block, std::int64_t k, const Solution& solution) {
    const auto is_warning = [&](const std::string& note) {
        return std::ranges::any_of(core_.system().warnings, [&](const std::string& w) { return w.starts_with(note); });
    };
    for (const std::string& note : solution.notes) {
        if (is_warning(note)) continue;
        const std::lock_guard lock(mutex_);
        block.messages.emplace_back(k, note);
    }
}

std::string Study::record(Work& work, std::int64_t k, const Solution& s) {
    MemberBlock& b = work.block;
    const auto place = static_cast<std::size_t>(k);
    const std::size_t columns = head_.columns.size();
    b.steps[place] = s.stats.steps;
    b.t[place] = s.t.empty() ? nothing : s.t.back();
    if (head_.record == Record::events) {
        for (const EventPoint& e : s.events) {
            work.row_t[place].push_back(e.t);
            work.row_event[place].push_back(e.name);
            for (const std::string& name : head_.columns) work.rows[place].push_back(e.values[s.column_of(name)]);
        }
        return {};
    }
    if (head_.record == Record::all) {
        work.row_t[place] = s.t;
        work.rows[place].resize(s.t.size() * columns);
        for (std::size_t p = 0; p < s.t.size(); ++p) extract_.row(s, p, work.rows[place].data() + p * columns);
        return {};
    }
    double* const rows = b.values.data() + place * head_.n_points() * columns;
    if (head_.record == Record::last) {
        if (!s.t.empty()) extract_.row(s, s.t.size() - 1, rows);
        return {};
    }
    for (std::size_t p = 0, q = 0; p < s.t.size(); ++p) { // both ascend, or both descend
        while (q < head_.t.size() && head_.t[q] != s.t[p]) ++q;
        if (q == head_.t.size() && s.status == Status::success)
            return fmt::format("the points of members differ: one has {} = {}, which the first one has not. Where the "
                               "interval depends on what varies, record all points",
                               head_.independent, s.t[p]);
        if (q == head_.t.size()) break; // where it failed
        extract_.row(s, p, rows + q * columns);
    }
    return {};
}

// Rows of ragged members one after another, messages in order.
void Study::close(Work& work) const {
    MemberBlock& b = work.block;
    std::ranges::sort(b.messages);
    for (std::size_t k = 0; k < work.rows.size(); ++k) {
        b.row_count.push_back(static_cast<std::int64_t>(work.row_t[k].size()));
        b.row_t.insert(b.row_t.end(), work.row_t[k].begin(), work.row_t[k].end());
        b.values.insert(b.values.end(), work.rows[k].begin(), work.rows[k].end());
        b.row_event.insert(b.row_event.end(), work.row_event[k].begin(), work.row_event[k].end());
    }
}

void Study::done(Work& work) {
    {
        const std::lock_guard lock(mutex_);
        ++n_done_;
        if (--work.remaining > 0) return;
    }
    deliver();
}

// Blocks that are complete, in their order: by one thread at a time, while the others go on.
void Study::deliver() {
    std::unique_lock lock(mutex_);
    if (is_delivering_ || stop_.stop_requested()) return;
    is_delivering_ = true;
    while (!open_.empty() && open_.front()->remaining == 0 && !stop_.stop_requested()) {
        const std::unique_ptr<Work> work = std::move(open_.front());
        open_.pop_front();
        lock.unlock();
        close(*work);
        if (log_) {
            log_->add(work->block);
            if (Clock::now() - last_sync_ > std::chrono::seconds(5)) {
                log_->sync();
                last_sync_ = Clock::now();
            }
        }
        collector_->add(std::move(work->block));
        lock.lock();
        if (collector_->is_full()) {
            is_complete_ = true; // as far as it goes
            stop_.request_stop();
        }
        room_.notify_all();
    }
    is_delivering_ = false;
}

// Lanes cost a list of operations and its code; a few members are run sooner one by one.
bool Study::has_lanes() const {
    constexpr std::int64_t few = 200;
    const bool is_wanted =
        options_.lanes == Lanes::eight || (options_.lanes == Lanes::automatic && members_.size() > few);
    return is_wanted && !head_.is_ragged() && SolveInParts::fits(core_);
}

MemberCalls Study::calls() {
    return {
        .take = [this](bool waits) { return take(waits); },
        .run =
            [this](const Member& m) { return run_of(m.second->block.first + m.first, varied_of(*m.second, m.first)); },
        .keep = [this](const Member& m, const Solution& s) { keep(*m.second, m.first, s); },
        .compute = [this](const Member& m) { compute(*m.second, m.first); },
        .done = [this](const Member& m) { done(*m.second); },
        .is_stopped = [this] { return stop_.stop_requested(); }};
}

// Where a graphics processor was asked for.
void Study::find_device() {
    if (options_.device != Device::gpu) return;
    if (head_.record != Record::last)
        throw InvalidInput("on a graphics processor the last point of each member is recorded, but others are asked "
                           "for: leave --device out, or --every, --at, --section and --record");
    std::vector<double> values(members_.names().size());
    workers_.device = std::make_unique<GpuShare>(core_, run_of(0, values));
}

void Study::work() {
    try {
        if (workers_.device) return GpuThread(core_, calls(), *workers_.device)(workers_.runs_on_device);
        if (has_lanes()) return LaneThread(core_, calls())();
        while (const std::optional<Member> next = take(true).member) {
            compute(*next->second, next->first);
            if (stop_.stop_requested()) return;
            done(*next->second);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stop_.request_stop();
        room_.notify_all();
    }
}

void Study::run_threads() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const auto wanted = options_.threads > 0 ? options_.threads : static_cast<int>(cores);
    const std::int64_t left =
        std::max<std::int64_t>(0, std::min(members_.size(), blocks_.end * block_size) - next_block_ * block_size);
    workers_.n = std::max<std::int64_t>(1, std::min<std::int64_t>(wanted, left));
    if (workers_.device)
        workers_.runs_on_device =
            std::clamp<std::int64_t>((left + workers_.n - 1) / workers_.n, 1, GpuShare::most_runs);
    std::atomic<int> running = 0;
    std::vector<std::jthread> threads;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(wanted, left); ++k) {
        try {
            ++running;
            threads.emplace_back([&] {
                work();
                --running;
            });
        } catch (const std::system_error&) { // no more of them here
            --running;
            break;
        }
    }
    if (threads.empty()) work();
    auto next = Clock::now();
    while (running > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        bool goes_on = !stop_.stop_requested();
        if (goes_on && options_.progress && Clock::now() >= next) {
            next = Clock::now() + std::chrono::milliseconds(100);
            goes_on = options_.progress(
                {n_done_, n_failed_, members_.size(), std::chrono::duration<double>(Clock::now() - started_).count()});
        }
        if (goes_on) continue;
        stop_.request_stop();
        room_.notify_all();
    }
}

// Stopped in the middle: what is done is kept, the rest counts as interrupted. The log ends with the last whole block.
void Study::finish_broken() {
    for (const std::unique_ptr<Work>& work : open_) {
        close(*work);
        collector_->add(std::move(work->block));
    }
}

} // namespace

} // namespace vessiot::ensemble

namespace vessiot {

EnsembleResult Problem::ensemble(const EnsembleOptions& options) const {
    // where a member ended is a point of its own, whatever the model reports
    const std::shared_ptr<ProblemCore> core = options.record == Record::last ? core_->reporting_steps() : core_;
    return ensemble::Study(*core, options)();
}

} // namespace vessiot
