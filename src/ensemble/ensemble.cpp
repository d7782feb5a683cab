// The members of an ensemble on threads, and on the processes of several ranks: each takes members that follow each
// other, and blocks that are done go on in their order.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "ensemble/block_log.hpp"
#include "ensemble/collector.hpp"
#include "ensemble/gpu_thread.hpp"
#include "ensemble/lane_thread.hpp"
#include "ensemble/members.hpp"
#include "ensemble/team/open_blocks.hpp"
#include "ensemble/team/records.hpp"
#include "ensemble/team/team.hpp"
#include "ensemble/whole/whole_gpu.hpp"
#include "ensemble/whole/whole_thread.hpp"
#include "solve/options/option_text.hpp"
#include "solve/problem/problem.hpp"
#include "solve/problem/solving.hpp"
#include "system/describe/fingerprint.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/version.hpp"

namespace vessiot::ensemble {

namespace {

using Clock = std::chrono::steady_clock;

// The points that a run reports, as they are in its Solution.
template <class S> std::vector<double> points_of(const System& system, const Settings& options) {
    Solution solution;
    const ReportTimes<S> times = span_of<S>(system, options, true, solution).first.times;
    std::vector<double> t;
    for (std::size_t k = 0; k < times.size(); ++k) t.push_back(static_cast<double>(times[k]));
    return t;
}

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

// Threads that a process runs where nobody says how many: its cores, shared with those beside it on this machine that
// may use the same ones.
int cores_here(const Ranks* ranks) {
    const auto all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    cpu_set_t ours;
    CPU_ZERO(&ours);
    const int n = ::sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : all;
    const bool is_bound = n < static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return is_bound || !ranks ? std::max(1, n) : std::max(1, n / ranks->here().second);
}

class Study {
public:
    Study(ProblemCore& core, const EnsembleOptions& options)
        : core_(core), options_(options), members_(options),
          blocks_(blocks_of(members_.size()), options.shard, options.n_shards) {}

    EnsembleResult operator()() {
        scout();
        if (is_helper()) return help();
        check_memory();
        find_lists();
        find_device();
        collector_.emplace(head_, options_.streams, options_.keeps_members, options_.max_failures);
        begin_log();
        if (options_.ranks) team_ = std::make_unique<Giver>(*options_.ranks, open_, head_, identity_);
        run_threads();
        if (team_ && !failure_) team_->end();
        if (failure_) std::rethrow_exception(failure_);
        if (is_stopped()) finish_broken();
        if (log_) log_->sync();
        EnsembleResult result = collector_->finish(is_stopped() ? MemberStatus::interrupted : MemberStatus::success,
                                                   std::chrono::duration<double>(Clock::now() - started_).count());
        if (workers_.device) result.device = workers_.device->name();
        if (workers_.device) result.device_seconds = workers_.device->seconds();
        if (team_) std::ranges::copy(team_->notes(), std::back_inserter(result.notes));
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
    // Rank 0 has the result, the others help.
    bool is_helper() const { return options_.ranks && options_.ranks->rank() > 0; }
    EnsembleResult help();
    std::size_t most_open() const;
    void count_workers();
    void run_threads();
    void look();
    void work();
    bool has_lanes() const;
    void find_lists();
    MemberCalls calls();
    void find_device();
    void deliver(Work& work);
    void finish_broken();
    std::unique_ptr<Work> make_work(std::int64_t first, std::int64_t count) const;
    void compute(Work& work, std::int64_t k);
    RunOptions run_of(std::int64_t member, std::span<double> values) const;
    bool is_stopped() const { return stop_.stop_requested() && !is_complete_; }

    ProblemCore& core_;
    const EnsembleOptions& options_;
    Members members_;
    Shard blocks_;
    EnsembleHead head_;
    std::string identity_;
    Records records_{head_, core_.system().warnings};
    std::optional<Collector> collector_;
    std::optional<BlockLog> log_;
    Clock::time_point started_ = Clock::now(), last_sync_ = started_, next_look_ = started_;

    std::int64_t next_block_ = 0, n_resumed_ = 0; // behind the blocks of the log, and their members
    bool is_complete_ = false;
    struct {
        std::int64_t n = 1;                      // threads
        std::unique_ptr<DeviceThreads> device{}; // where steps are made there
        std::int64_t runs_on_device = 0;         // at a time
    } workers_;
    std::optional<WholeLists> whole_; // where members are plain
    std::mutex mutex_;                // of failure_
    std::exception_ptr failure_;
    std::stop_source stop_;
    OpenBlocks open_{{.make = [this](std::int64_t first, std::int64_t count) { return make_work(first, count); },
                      .make_room = [this](Work& work) { records_.make_room(work); },
                      .sum_up =
                          [this](Work& work) {
                              if (!asker_) work.sums = sums_of(head_, work.block);
                          },
                      .leave = [this](Work& work) { deliver(work); },
                      .is_stopped = [this] { return stop_.stop_requested(); }}};
    std::unique_ptr<Team> team_;
    Asker* asker_ = nullptr; // the team of a helper
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
    head_.varied_by = members_.varied_by();
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
    const bool is_asked_for = options_.ranks || !options_.checkpoint.empty() || !options_.resume.empty();
    if (is_asked_for) identity_ = identity(); // NOTE: it has all numbers of a table
    head_.attributes.insert(head_.attributes.end(), options_.attributes.begin(), options_.attributes.end());
    records_.choose(solution);
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
        n_resumed_ += block.size();
        collector_->add(std::move(block));
        ++next_block_;
    });
    if (is_same) log_.emplace(path, log.length);
}

std::unique_ptr<Work> Study::make_work(std::int64_t first, std::int64_t count) const {
    auto work = std::make_unique<Work>();
    MemberBlock& b = work->block;
    b.first = first;
    b.status.assign(static_cast<std::size_t>(count), MemberStatus::interrupted);
    work->remaining = count;
    return work;
}

void Study::compute(Work& work, std::int64_t k) {
    try {
        const Solution solution = core_.solve(run_of(work.block.first + k, records_.varied_of(work, k)));
        if (solution.status != Status::interrupted) records_.keep(work, k, solution);
    } catch (const InvalidInput& e) {
        records_.fail(work, k, MemberStatus::no_start, e.what());
    }
}

// A block that is complete: the next one in order, or what rank 0 asked for.
void Study::deliver(Work& work) {
    if (asker_) return asker_->send(work);
    close(work);
    if (log_) {
        log_->add(work.block);
        if (Clock::now() - last_sync_ > std::chrono::seconds(5)) {
            log_->sync();
            last_sync_ = Clock::now();
        }
    }
    collector_->add(std::move(work.block), std::move(work.sums));
    if (!collector_->is_full()) return;
    is_complete_ = true; // as far as it goes
    stop_.request_stop();
}

// Lanes cost a list of operations and its code; a few members are run sooner one by one.
bool Study::has_lanes() const {
    constexpr std::int64_t few = 200;
    const bool is_wanted =
        options_.lanes == Lanes::eight || (options_.lanes == Lanes::automatic && members_.size() > few);
    return is_wanted && !head_.is_ragged() && SolveInParts::fits(core_);
}

MemberCalls Study::calls() {
    return {.take = [this](bool waits) { return open_.take(waits); },
            .take_many = [this](std::int64_t most, bool waits) { return open_.take_many(most, waits); },
            .varied =
                [this](const Member& m) {
                    const std::span<double> values = records_.varied_of(*m.second, m.first);
                    members_.values(m.second->block.first + m.first, values);
                    return values;
                },
            .keep_row =
                [this](const Member& m, std::int64_t steps, std::span<const double> row) {
                    records_.keep_row(*m.second, m.first, steps, whole_->end, row);
                },
            .done_many = [this](Work& work, std::int64_t count) { open_.done(work, count); },
            .run =
                [this](const Member& m) {
                    return run_of(m.second->block.first + m.first, records_.varied_of(*m.second, m.first));
                },
            .keep = [this](const Member& m, const Solution& s) { records_.keep(*m.second, m.first, s); },
            .compute = [this](const Member& m) { compute(*m.second, m.first); },
            .done = [this](const Member& m) { open_.done(*m.second); },
            .is_stopped = [this] { return stop_.stop_requested(); }};
}

// A few members are not worth them.
void Study::find_lists() {
    if (head_.record != Record::last || members_.size() < 2 || !has_lanes()) return;
    whole_ = make_whole_lists(
        {core_, head_.varied, head_.columns, members_.size(), [this](std::int64_t member, std::span<double> values) {
             RunOptions run = run_of(member, values);
             run.stop = {};
             return run;
         }});
}

// Where a graphics processor was asked for.
void Study::find_device() {
    if (options_.device != Device::gpu) return;
    if (head_.record != Record::last)
        throw InvalidInput("on a graphics processor the last point of each member is recorded, but others are asked "
                           "for: leave --device out, or --every, --at, --section and --record");
    const std::pair<int, int> here = options_.ranks ? options_.ranks->here() : std::pair(0, 1);
    try {
        if (whole_) workers_.device = std::make_unique<WholeGpu>(*whole_, devices_of(here));
    } catch (const lanes::GpuFailure&) { // what is wrong is said below, if it is not these lists alone
    }
    std::vector<double> values(members_.names().size());
    if (!workers_.device) workers_.device = std::make_unique<GpuShare>(core_, run_of(0, values), here);
}

void Study::work() {
    try {
        if (workers_.device) return workers_.device->work(core_, calls());
        const MemberCalls mine = calls();
        if (whole_ && !WholeThread(*whole_, mine)()) return;
        if (has_lanes()) return LaneThread(core_, mine)();
        while (const std::optional<Member> next = open_.take(true).member) {
            compute(*next->second, next->first);
            if (stop_.stop_requested()) return;
            open_.done(*next->second);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stop_.request_stop();
        open_.wake();
    }
}

// Blocks that wait for one before them: a gigabyte, but some for every process that runs members.
std::size_t Study::most_open() const {
    const double numbers = static_cast<double>(head_.varied.size() + head_.n_points() * head_.columns.size() + 3);
    const double most = 1e9 / (8 * numbers * static_cast<double>(block_size));
    const std::int64_t wanted =
        64 + workers_.runs_on_device / block_size + (options_.ranks ? 16 * options_.ranks->size() : 0);
    return static_cast<std::size_t>(std::clamp(static_cast<double>(wanted), 4.0, std::max(8.0, most)));
}

void Study::count_workers() {
    const auto wanted = options_.threads > 0 ? options_.threads : cores_here(options_.ranks.get());
    const std::int64_t left =
        is_helper() ? members_.size() : std::min(members_.size(), blocks_.end * block_size) - next_block_ * block_size;
    workers_.n = std::clamp<std::int64_t>(left, 1, wanted);
    if (!workers_.device) return;
    workers_.runs_on_device = std::clamp<std::int64_t>(left, 1, DeviceThreads::most_runs);
    workers_.runs_on_device = workers_.device->begin(workers_.n, workers_.runs_on_device);
}

void Study::run_threads() {
    if (!is_helper()) {
        count_workers();
        open_.begin({next_block_, blocks_.end, members_.size(), most_open()});
    }
    std::atomic<int> running = 0;
    std::vector<std::jthread> threads;
    for (std::int64_t k = 0; k < workers_.n; ++k) {
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
    if (workers_.device) workers_.device->do_without(workers_.n - std::max<std::int64_t>(1, std::ssize(threads)));
    if (threads.empty()) work();
    while (running > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        look();
    }
}

// While threads are at work: at other ranks, and at who wants to know how far it is.
void Study::look() {
    try {
        if (team_) team_->look();
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        stop_.request_stop();
    }
    bool goes_on = !stop_.stop_requested() && !(asker_ && asker_->is_told_to_end());
    if (goes_on && options_.progress && Clock::now() >= next_look_) {
        next_look_ = Clock::now() + std::chrono::milliseconds(100);
        goes_on = options_.progress({n_resumed_ + open_.n_done(), records_.n_failed(), members_.size(),
                                     std::chrono::duration<double>(Clock::now() - started_).count()});
    }
    if (goes_on) return;
    stop_.request_stop();
    open_.wake();
}

// A rank that runs what rank 0 gives it, and has no result.
EnsembleResult Study::help() {
    find_lists();
    find_device();
    count_workers();
    open_.begin_with_given();
    const std::int64_t seats = workers_.device ? workers_.runs_on_device : workers_.n * (has_lanes() ? 8 : 1);
    auto asker = std::make_unique<Asker>(*options_.ranks, open_, identity_, seats);
    asker_ = asker.get();
    team_ = std::move(asker);
    run_threads();
    if (failure_) std::rethrow_exception(failure_);
    team_->end();
    EnsembleResult result;
    result.head = head_;
    return result;
}

// Stopped in the middle: what is done is kept, the rest counts as interrupted. The log ends with the last whole block.
void Study::finish_broken() {
    for (const std::unique_ptr<Work>& work : open_.left()) {
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
    try {
        return ensemble::Study(*core, options)();
    } catch (const std::exception& e) {
        if (options.ranks) leave(*options.ranks, e.what());
        throw;
    }
}

} // namespace vessiot
