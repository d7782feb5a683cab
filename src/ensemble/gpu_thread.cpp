#include "ensemble/gpu_thread.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot::ensemble {

GpuShare::GpuShare(ProblemCore& core, const RunOptions& first, std::pair<int, int> here) {
    constexpr const char* needs =
        "Steps on a graphics processor are those of explicit Runge-Kutta methods with formulas "
        "of up to 64 coordinates, without events, conditions and checkpoints. Leave "
        "--device out, or take another method, such as dop853";
    try {
        if (!SolveInParts::fits(core))
            throw InvalidInput(fmt::format("{} with these options has no code for graphics processors. {}",
                                           core.system().name, needs));
        Told told(core);
        told.tell(first);
        SolveInParts solve(core, told);
        if (!lend(solve))
            throw InvalidInput(fmt::format("{} with the method {} has no code for graphics processors. {}",
                                           core.system().name, core.method().name, needs));
        for (const int device : devices_of(here)) parts_.push_back({.device = device});
        parts_[0].crew = std::make_unique<lanes::GpuCrew>(parts_[0].device, *rounds_.kernel(), rounds_.n());
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
}

bool GpuShare::make_room() {
    for (Part& part : parts_) part.runs.emplace(*rounds_.kernel(), rounds_.n(), part_size_);
    return std::ranges::all_of(parts_, [](Part& part) { return part.crew->make_room(*part.runs); });
}

std::int64_t GpuShare::begin(std::int64_t n_threads, std::int64_t n_runs) {
    const auto [n_parts, size] = shares_of(n_runs, parts_.size());
    parts_.resize(n_parts);
    part_size_ = size;
    try {
        for (Part& part : parts_)
            if (!part.crew) part.crew = std::make_unique<lanes::GpuCrew>(part.device, *rounds_.kernel(), rounds_.n());
        while (!make_room()) part_size_ = halved(part_size_);
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
    under_way_.assign(part_size_ * parts_.size(), std::nullopt);
    all_.emplace(n_threads);
    return std::ssize(under_way_);
}

double GpuShare::seconds() const {
    double most = 0;
    for (const Part& part : parts_) most = std::max(most, part.crew->seconds());
    return most;
}

void GpuShare::do_without(std::int64_t n_threads) {
    for (; n_threads > 0; --n_threads) all_->arrive_and_drop();
}

std::optional<lanes::LaneRun> GpuShare::lend(SolveInParts& solve) {
    Run<double>& run = solve.run();
    const expr::CodeCache::Scope scope = solve.code();
    const linalg::PivotsInUse pivots = solve.pivots();
    while (!run.is_over()) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto lent = rounds_.lend(run)) return lent;
        }
        run.advance();
    }
    return std::nullopt;
}

void GpuShare::work_on(std::size_t part, const MemberCalls& calls) {
    std::vector<std::uint32_t> list;
    for (std::size_t m = 0; m < part_size_; ++m)
        if (under_way_[part * part_size_ + m]) list.push_back(static_cast<std::uint32_t>(m));
    try {
        if (!list.empty())
            parts_[part].crew->work(*parts_[part].runs, std::move(list), [&] { return !calls.is_stopped(); });
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
}

// All processors at the same time, each with a thread that waits for it.
void GpuShare::run(const MemberCalls& calls) {
    next_ = 0;
    std::vector<std::future<void>> others;
    for (std::size_t k = 1; k < parts_.size(); ++k)
        others.push_back(std::async(std::launch::async, [&, k] { work_on(k, calls); }));
    work_on(0, calls);
    for (std::future<void>& other : others) other.get();
}

void GpuShare::work(ProblemCore& core, const MemberCalls& calls) {
    GpuThread(core, calls, *this)();
}

// All threads fill, one lets the processor work, all end what they find. One that fails stops the ensemble, and leaves.
void GpuThread::operator()() {
    std::barrier<>& all = *share_.all_;
    const std::size_t first = share_.next_++; // one thread has the first place
    const bool is_leader = first == 0;
    all.arrive_and_wait();
    if (is_leader) share_.next_ = 0;
    all.arrive_and_wait();
    try {
        for (bool has_more = true; has_more;) {
            fill();
            all.arrive_and_wait();
            has_more = share_.has_more_ && !calls_.is_stopped(); // NOTE: nobody changes it before the next wait
            if (is_leader && !calls_.is_stopped()) share_.run(calls_);
            all.arrive_and_wait();
            for (Places p = next_places(); p.first < p.end && !calls_.is_stopped(); p = next_places())
                for (std::size_t m = p.first; m < p.end && !calls_.is_stopped(); ++m) end(m);
            all.arrive_and_wait();
            if (is_leader) share_.next_ = 0;
            all.arrive_and_wait();
        }
    } catch (...) {
        all.arrive_and_drop();
        throw;
    }
    all.arrive_and_drop();
}

// Places one after another, while there are members.
void GpuThread::fill() {
    for (Places p = next_places(); p.first < p.end; p = next_places())
        for (std::size_t m = p.first; m < p.end; ++m)
            for (bool is_empty = true; is_empty;) {
                const Taken taken = calls_.take(m == 0); // where nobody is on its way
                if (taken.is_end) share_.has_more_ = false;
                if (!taken.member) return;
                is_empty = !begin(*taken.member, m);
            }
}

// Several that follow each other: threads that write beside each other wait for each other's memory.
GpuThread::Places GpuThread::next_places() {
    constexpr std::size_t count = 64;
    const std::size_t first = share_.next_.fetch_add(count), end = share_.under_way_.size();
    return {std::min(first, end), std::min(first + count, end)};
}

bool GpuThread::compute(const Member& member) {
    calls_.compute(member);
    done(member);
    return false;
}

bool GpuThread::begin(const Member& member, std::size_t place) {
    try {
        told_.tell(calls_.run(member));
        SolveInParts solve(core_, told_);
        const std::optional<lanes::LaneRun> lent = share_.lend(solve);
        if (!lent) return compute(member);
        Run<double>& run = solve.run();
        share_.runs_of(place).enter(place % share_.part_size_, *lent, run.t(), run.point(), run.direction());
        share_.under_way_[place] = member;
        return true;
    } catch (const InvalidInput&) {
        return compute(member); // which says why
    }
}

void GpuThread::end(std::size_t place) {
    const std::optional<Member> member = std::exchange(share_.under_way_[place], std::nullopt);
    if (!member) return;
    if (share_.runs_of(place).outcome(place % share_.part_size_) == lanes::Outcome::strange)
        return static_cast<void>(compute(*member));
    told_.tell(calls_.run(*member));
    SolveInParts solve(core_, told_);
    const std::optional<lanes::LaneRun> lent = share_.lend(solve); // where it was
    if (!lent) return static_cast<void>(compute(*member));
    linalg::Vector<double> x(share_.rounds_.n()), v(share_.rounds_.n());
    share_.runs_of(place).leave(place % share_.part_size_, *lent, x.data(), v.data());
    Run<double>& run = solve.run();
    {
        const expr::CodeCache::Scope scope = solve.code();
        run.take_back(x.data(), v.data());
        run.go_on();
    }
    const std::optional<Solution> solution = solve.finish();
    if (!solution) return static_cast<void>(compute(*member));
    calls_.keep(*member, *solution);
    done(*member);
}

} // namespace vessiot::ensemble
