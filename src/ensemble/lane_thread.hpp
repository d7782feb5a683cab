// A thread that has eight members of an ensemble under way. Their plain steps are made side by side (lanes/lane_crew);
// all else, from the start point to the last step, is done for each of them as in a solve of its own. Where a member
// does not simply reach its end it is solved once more, alone.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "ensemble/rounds.hpp"
#include "ensemble/team/work.hpp"

namespace vessiot::ensemble {

class LaneThread {
public:
    LaneThread(ProblemCore& core, const MemberCalls& calls) : core_(core), calls_(calls), told_(core) {}

    void operator()();

private:
    static constexpr int n_lanes = lanes::LaneCrew::n_lanes;
    struct Seat {
        std::optional<Member> member;
        std::unique_ptr<SolveInParts> solve;
        std::optional<lanes::LaneRun> lent;
    };
    Seat& seat(int lane) { return seats_[static_cast<std::size_t>(lane)]; }

    bool is_busy() const;
    void fill(); // lanes that nobody is in
    void begin(int lane, const Member& member);
    void go_on(int lane); // until it is in its lane, or at its end
    void enter(int lane, const lanes::LaneRun& lent);
    void leave(int lane);
    void report(int lane, Run<double>& run);
    void finish(int lane, bool is_alone);

    ProblemCore& core_;
    const MemberCalls& calls_;
    Told told_;
    Rounds rounds_;
    std::array<Seat, n_lanes> seats_;
    bool has_more_ = true; // members that nobody has taken
    std::unique_ptr<lanes::LaneCrew> crew_;
    linalg::Vector<double> x_, v_, curve_;
};

} // namespace vessiot::ensemble
