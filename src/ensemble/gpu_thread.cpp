#include "ensemble/gpu_thread.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace vessiot::ensemble {

GpuShare::GpuShare(ProblemCore& core, const RunOptions& first) {
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
        crew_ = std::make_unique<lanes::GpuCrew>(0, *rounds_.kernel(), rounds_.n());
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
}

void GpuShare::begin(std::int64_t n_threads, std::int64_t n_runs) {
    runs_.emplace(*rounds_.kernel(), rounds_.n(), static_cast<std::size_t>(n_runs));
    under_way_.assign(runs_->size(), std::nullopt);
    all_.emplace(n_threads);
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

void GpuShare::work(const MemberCalls& calls) {
    std::vector<std::uint32_t> list;
    for (std::size_t m = 0; m < under_way_.size(); ++m)
        if (under_way_[m]) list.push_back(static_cast<std::uint32_t>(m));
    next_ = 0;
    try {
        crew_->work(*runs_, std::move(list), [&] { return !calls.is_stopped(); });
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
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
            if (is_leader && !calls_.is_stopped()) share_.work(calls_);
            all.arrive_and_wait();
            for (std::size_t m = share_.next_++; m < share_.under_way_.size() && !calls_.is_stopped();
                 m = share_.next_++)
                end(m);
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
    for (std::size_t m = share_.next_++; m < share_.under_way_.size(); m = share_.next_++)
        for (bool is_empty = true; is_empty;) {
            const Taken taken = calls_.take(m == 0); // where nobody is on its way
            if (taken.is_end) share_.has_more_ = false;
            if (!taken.member) return;
            is_empty = !begin(*taken.member, m);
        }
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
        share_.runs_->enter(place, *lent, run.t(), run.point(), run.direction());
        share_.under_way_[place] = member;
        return true;
    } catch (const InvalidInput&) {
        return compute(member); // which says why
    }
}

void GpuThread::end(std::size_t place) {
    const std::optional<Member> member = std::exchange(share_.under_way_[place], std::nullopt);
    if (!member) return;
    if (share_.runs_->outcome(place) == lanes::Outcome::strange) return static_cast<void>(compute(*member));
    told_.tell(calls_.run(*member));
    SolveInParts solve(core_, told_);
    const std::optional<lanes::LaneRun> lent = share_.lend(solve); // where it was
    if (!lent) return static_cast<void>(compute(*member));
    linalg::Vector<double> x(share_.rounds_.n()), v(share_.rounds_.n());
    share_.runs_->leave(place, *lent, x.data(), v.data());
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
