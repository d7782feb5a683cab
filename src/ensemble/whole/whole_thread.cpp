#include "ensemble/whole/whole_thread.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace vessiot::ensemble {

namespace {

constexpr int rounds_between_looks = 4096; // at whether somebody stops the ensemble

expr::EvaluatorOptions in_lanes(expr::EvaluatorOptions options) {
    options.lanes = lanes::LaneCrew::n_lanes;
    return options;
}

} // namespace

WholeThread::WholeThread(const WholeLists& lists, const MemberCalls& calls)
    : lists_(lists), calls_(calls), code_(lists.code), start_(lists.start, in_lanes(lists.evaluator)),
      record_(lists.record, in_lanes(lists.evaluator)), crew_(lists.round, lists.n, lists.evaluator) {
    const auto n = static_cast<std::size_t>(lists.n);
    for (Memory* m : {&begun_varied_, &varied_, &ended_varied_}) m->resize(place(lists.n_varied, 0));
    batch_.numbers.resize(place(lanes::n_numbers, 0));
    for (Memory* m : {&batch_.point, &batch_.direction, &ended_points_}) m->resize(place(n, 0));
    batch_.fixed.resize(place(lists.fixed.size(), 0));
    rows_.resize(place(lists.n_columns, 0));
    start_.slots()[WholeLists::varied_in] = begun_varied_.data();
    start_.slots()[WholeLists::numbers_out] = batch_.numbers.data();
    start_.slots()[WholeLists::point_out] = batch_.point.data();
    start_.slots()[WholeLists::direction_out] = batch_.direction.data();
    start_.slots()[WholeLists::fixed_out] = batch_.fixed.data();
    record_.slots()[WholeLists::varied_in] = ended_varied_.data();
    record_.slots()[WholeLists::point_in] = ended_points_.data();
    record_.slots()[WholeLists::row_out] = rows_.data();
}

bool WholeThread::operator()() {
    while (!calls_.is_stopped()) {
        fill();
        bool is_busy = false;
        for (const auto& seat : seats_) is_busy |= seat.has_value();
        if (!is_busy && n_ended_ > 0) {
            record();
            continue;
        }
        if (!is_busy && (!has_more_ || is_in_vain())) return has_more_;
        if (!is_busy) continue;
        if (!crew_.work(rounds_between_looks)) continue;
        for (int l = 0; l < n_lanes; ++l)
            if (seats_[static_cast<std::size_t>(l)] && crew_.is_done(l)) end(l);
    }
    return false;
}

void WholeThread::fill() {
    for (int l = 0; l < n_lanes; ++l) {
        auto& seat = seats_[static_cast<std::size_t>(l)];
        while (!seat) {
            if (next_begun_ == n_lanes) {
                bool is_idle = n_ended_ == 0;
                for (const auto& other : seats_) is_idle &= !other;
                const bool is_last = taken_.count == 0 && (!has_more_ || is_in_vain());
                if (is_last || !begin_some(is_idle)) return;
            }
            const int b = next_begun_++;
            auto& begun = begun_[static_cast<std::size_t>(b)];
            if (!begun) continue;
            if (batch_.numbers[place(lanes::outcome_number, b)] != 0) {
                compute(*std::exchange(begun, std::nullopt));
                continue;
            }
            seat = std::exchange(begun, std::nullopt);
            crew_.enter(l, batch_, b);
            for (std::size_t k = 0; k < lists_.n_varied; ++k) varied_[place(k, l)] = begun_varied_[place(k, b)];
        }
    }
}

bool WholeThread::begin_some(bool waits) {
    // short members many at a time: threads wait for each other there
    if (taken_.count == 0) {
        const TakenRange taken = calls_.take_many(std::clamp<std::int64_t>(n_plain_ / 16, n_lanes, 128), waits);
        has_more_ = !taken.is_end;
        taken_ = taken.range;
    }
    if (taken_.count == 0) return false;
    const MemberRange range{taken_.work, taken_.place, std::min<std::int64_t>(taken_.count, n_lanes)};
    taken_.place += range.count;
    taken_.count -= range.count;
    for (int b = 0; b < n_lanes; ++b) {
        auto& begun = begun_[static_cast<std::size_t>(b)];
        begun.reset();
        if (b >= range.count) continue; // what the lane had before is computed again
        begun = Member{range.place + b, range.work};
        const std::span<const double> values = calls_.varied(*begun);
        for (std::size_t k = 0; k < values.size(); ++k) begun_varied_[place(k, b)] = values[k];
    }
    start_.run();
    next_begun_ = 0;
    return true;
}

void WholeThread::end(int lane) {
    const Member member = *std::exchange(seats_[static_cast<std::size_t>(lane)], std::nullopt);
    crew_.vacate(lane);
    if (crew_.outcome(lane) != lanes::Outcome::ended) return compute(member);
    const int e = n_ended_++;
    ended_[static_cast<std::size_t>(e)] = {member, static_cast<std::int64_t>(crew_.number(lane, lanes::steps_number))};
    for (std::size_t k = 0; k < lists_.n_varied; ++k) ended_varied_[place(k, e)] = varied_[place(k, lane)];
    for (std::int64_t k = 0; k < lists_.n; ++k)
        ended_points_[place(static_cast<std::size_t>(k), e)] = crew_.coordinate(lane, k);
    if (n_ended_ == n_lanes) record();
}

void WholeThread::record() {
    record_.run();
    std::vector<double> row(lists_.n_columns);
    const int n = std::exchange(n_ended_, 0);
    n_plain_ += n;
    for (int e = 0; e < n; ++e) {
        const Ended& ended = ended_[static_cast<std::size_t>(e)];
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = rows_[place(k, e)];
        calls_.keep_row(ended.member, ended.steps, row);
    }
    for (int e = 0, count = 1; e < n && !calls_.is_stopped(); ++e, ++count) {
        Work* const work = ended_[static_cast<std::size_t>(e)].member.second;
        if (e + 1 < n && ended_[static_cast<std::size_t>(e) + 1].member.second == work) continue;
        calls_.done_many(*work, count);
        count = 0;
    }
}

void WholeThread::compute(const Member& member) {
    ++n_alone_;
    calls_.compute(member);
    done(member);
}

} // namespace vessiot::ensemble
