#include "ensemble/gpu_thread.hpp"

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

std::optional<lanes::LaneRun> GpuShare::lend(SolveInParts& solve) {
    Run<double>& run = solve.run();
    const expr::CodeCache::Scope scope = solve.code();
    const linalg::PivotsInUse pivots = solve.pivots();
    while (!run.is_over()) {
        {
            const std::lock_guard lock(rounds_mutex_);
            if (const auto lent = rounds_.lend(run)) return lent;
        }
        run.advance();
    }
    return std::nullopt;
}

lanes::GpuRuns GpuShare::make_runs(std::int64_t n) const {
    return {*rounds_.kernel(), rounds_.n(), static_cast<std::size_t>(n)};
}

void GpuShare::work(lanes::GpuRuns& runs, std::size_t n, const MemberCalls& calls) {
    const std::lock_guard lock(crew_mutex_);
    try {
        crew_->work(runs, n, [&] { return !calls.is_stopped(); });
    } catch (const lanes::GpuFailure& e) {
        throw InvalidInput(e.what());
    }
}

void GpuThread::operator()(std::int64_t n) {
    lanes::GpuRuns runs = share_.make_runs(n);
    for (bool has_more = true; has_more && !calls_.is_stopped();) {
        under_way_.clear();
        while (under_way_.size() < runs.size() && !calls_.is_stopped()) {
            const Taken taken = calls_.take(under_way_.empty());
            has_more = !taken.is_end;
            if (!taken.member) break;
            begin(*taken.member, runs);
        }
        if (under_way_.empty() || calls_.is_stopped()) continue;
        share_.work(runs, under_way_.size(), calls_);
        for (std::size_t m = 0; m < under_way_.size() && !calls_.is_stopped(); ++m) end(m, runs);
    }
}

void GpuThread::compute(const Member& member) {
    calls_.compute(member);
    done(member);
}

void GpuThread::begin(const Member& member, lanes::GpuRuns& runs) {
    try {
        told_.tell(calls_.run(member));
        SolveInParts solve(core_, told_);
        const std::optional<lanes::LaneRun> lent = share_.lend(solve);
        if (!lent) return compute(member);
        Run<double>& run = solve.run();
        runs.enter(under_way_.size(), *lent, run.t(), run.point(), run.direction());
        under_way_.push_back(member);
    } catch (const InvalidInput&) {
        compute(member); // which says why
    }
}

void GpuThread::end(std::size_t m, const lanes::GpuRuns& runs) {
    const Member& member = under_way_[m];
    if (runs.outcome(m) == lanes::Outcome::strange) return compute(member);
    told_.tell(calls_.run(member));
    SolveInParts solve(core_, told_);
    const std::optional<lanes::LaneRun> lent = share_.lend(solve); // where it was
    if (!lent) return compute(member);
    linalg::Vector<double> x(share_.n()), v(share_.n());
    runs.leave(m, *lent, x.data(), v.data());
    Run<double>& run = solve.run();
    {
        const expr::CodeCache::Scope scope = solve.code();
        run.take_back(x.data(), v.data());
        run.go_on();
    }
    const std::optional<Solution> solution = solve.finish();
    if (!solution) return compute(member);
    calls_.keep(member, *solution);
    done(member);
}

} // namespace vessiot::ensemble
