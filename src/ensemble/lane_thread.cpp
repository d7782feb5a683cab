#include "ensemble/lane_thread.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace vessiot::ensemble {

namespace {

constexpr int rounds_between_looks = 4096; // at whether somebody stops the ensemble

} // namespace

void LaneThread::operator()() {
    while (!calls_.is_stopped()) {
        fill();
        if (!is_busy()) return;
        if (!crew_->work(rounds_between_looks)) continue;
        for (int l = 0; l < n_lanes; ++l)
            if (crew_->is_done(l)) leave(l);
    }
}

bool LaneThread::is_busy() const {
    return std::ranges::any_of(seats_, [](const Seat& s) { return s.lent.has_value(); });
}

void LaneThread::fill() {
    for (int l = 0; l < n_lanes; ++l)
        while (has_more_ && !seat(l).member) {
            const Taken taken = calls_.take(!is_busy());
            has_more_ = !taken.is_end;
            if (!taken.member) return;
            begin(l, *taken.member);
        }
}

void LaneThread::begin(int lane, const Member& member) {
    Seat& s = seat(lane);
    s.member = member;
    try {
        told_.tell(calls_.run(member));
        s.solve = std::make_unique<SolveInParts>(core_, told_);
    } catch (const InvalidInput&) {
        return finish(lane, true); // which says why
    }
    go_on(lane);
}

void LaneThread::go_on(int lane) {
    Run<double>& run = seat(lane).solve->run();
    {
        const expr::CodeCache::Scope scope = seat(lane).solve->code();
        const linalg::PivotsInUse pivots = seat(lane).solve->pivots();
        while (!run.is_over()) {
            if (const auto lent = rounds_.lend(run)) return enter(lane, *lent);
            run.advance();
        }
    }
    finish(lane, false);
}

void LaneThread::enter(int lane, const lanes::LaneRun& lent) {
    Run<double>& run = seat(lane).solve->run();
    if (!crew_) {
        crew_ = std::make_unique<lanes::LaneCrew>(rounds_.kernel(), rounds_.n(), rounds_.evaluator(),
                                                  rounds_.with_points());
        curve_ = linalg::Vector<double>(linalg::padded(rounds_.n()) * (rounds_.degree() + 1));
        x_ = v_ = linalg::Vector<double>(rounds_.n());
    }
    crew_->enter(lane, lent, run.t(), run.point(), run.direction());
    seat(lane).lent = lent;
}

void LaneThread::leave(int lane) {
    Seat& s = seat(lane);
    const lanes::Outcome outcome = crew_->outcome(lane);
    crew_->leave(lane, *std::exchange(s.lent, std::nullopt), x_.data(), v_.data());
    if (outcome == lanes::Outcome::strange) return finish(lane, true);
    Run<double>& run = s.solve->run();
    {
        const expr::CodeCache::Scope scope = s.solve->code();
        const linalg::PivotsInUse pivots = s.solve->pivots();
        const bool has_points = crew_->reports(lane);
        run.take_back(x_.data(), v_.data());
        if (has_points)
            report(lane, run);
        else if (!run.is_over())
            run.advance(); // somebody has to look, or the parts of the method to find out
    }
    if (run.was_blind()) return finish(lane, true);
    go_on(lane);
}

// The points inside of the last step.
void LaneThread::report(int lane, Run<double>& run) {
    const std::int64_t n = rounds_.n(), stride = linalg::padded(n);
    std::int64_t at = lanes::first_coefficient;
    for (int power = 0; power <= rounds_.degree(); ++power)
        for (std::int64_t e = 0; e < n; ++e) curve_[power * stride + e] = crew_->curve(lane, at++);
    run.report_inside(crew_->curve(lane, lanes::from_curve), curve_.data());
}

void LaneThread::finish(int lane, bool is_alone) {
    Seat& s = seat(lane);
    const Member member = *std::exchange(s.member, std::nullopt);
    std::optional<Solution> solution;
    if (!is_alone) solution = s.solve->finish();
    s.solve.reset();
    if (solution)
        calls_.keep(member, *solution);
    else
        calls_.compute(member);
    if (!calls_.is_stopped()) calls_.done(member);
}

} // namespace vessiot::ensemble
