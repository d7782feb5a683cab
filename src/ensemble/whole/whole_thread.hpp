// A thread that runs plain members (whole_lists.hpp) in eight lanes from their first number to their last: eight are
// begun at a time, whoever ends makes room for the next, and eight that have ended are recorded at a time. Who is not
// plain is solved alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ensemble/team/work.hpp"
#include "ensemble/whole/whole_lists.hpp"
#include "lanes/lane_crew.hpp"

namespace vessiot::ensemble {

class WholeThread {
public:
    WholeThread(const WholeLists& lists, const MemberCalls& calls);

    // True where too few members are plain to go on so, and there are more.
    bool operator()();

private:
    static constexpr int n_lanes = lanes::LaneCrew::n_lanes;
    using Memory = expr::AlignedVector<double>;

    bool begin_some(bool waits); // false where none was taken
    void fill();
    void end(int lane);
    void record();
    void compute(const Member& member);
    bool is_in_vain() const { return n_alone_ > 32 + n_plain_ / 3; } // those were begun for nothing
    void done(const Member& member) {
        if (!calls_.is_stopped()) calls_.done(member);
    }
    static std::size_t place(std::size_t element, int lane) {
        return static_cast<std::size_t>(n_lanes) * element + static_cast<std::size_t>(lane);
    }

    const WholeLists& lists_;
    const MemberCalls& calls_;
    expr::CodeCache::Scope code_; // for the evaluators
    expr::Evaluator start_, record_;
    lanes::LaneCrew crew_;
    bool has_more_ = true; // members that nobody has taken
    std::int64_t n_plain_ = 0, n_alone_ = 0;

    MemberRange taken_{}; // that have not begun

    // Members that have begun, and wait for a lane: from next_begun_ on.
    std::array<std::optional<Member>, n_lanes> begun_{};
    int next_begun_ = n_lanes;
    Memory begun_varied_;
    lanes::LaneBatch batch_;
    std::array<std::optional<Member>, n_lanes> seats_{}; // in their lanes
    Memory varied_;                                      // of those in lanes
    // Members that have ended.
    struct Ended {
        Member member;
        std::int64_t steps = 0;
    };
    std::array<Ended, n_lanes> ended_{};
    int n_ended_ = 0;
    Memory ended_varied_, ended_points_, rows_;
};

} // namespace vessiot::ensemble
