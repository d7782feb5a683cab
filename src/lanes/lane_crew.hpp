// Eight runs side by side: each lane has the numbers of one, and rounds (round_list.hpp) are made for all of them until
// some lane has to be left. A lane that is left can be entered by another run at once; what the others do does not
// depend on it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "expr/kernel/aligned.hpp"
#include "expr/kernel/evaluator.hpp"
#include "lanes/round_places.hpp"
#include "method/attempt/fused_attempt.hpp"
#include "method/stepper.hpp"

namespace vessiot::lanes {

// What a lane is entered with, and left with.
struct LaneRun {
    const method::FusedAttempt* kernels;
    Stretch<double>* stretch;
    Controller<double>* controller;
};

// Eight runs that lists have begun: element e of lane l at [8 e + l].
struct LaneBatch {
    expr::AlignedVector<double> numbers, point, direction, fixed;
};

// May the next step be made without a look, as the list finds out for later ones? `has_points`: also with points to be
// reported inside of it.
bool is_plain(const Stretch<double>& stretch, double t, bool has_points = false);

// The numbers of a run before its first round; those of n_numbers.
void fill_numbers(const LaneRun& run, double t, double* numbers);
// What rounds have left in them.
void read_numbers(const double* numbers, const LaneRun& run);

class LaneCrew {
public:
    static constexpr int n_lanes = 8;

    // Rounds of points of n coordinates; `with_points`: the same round with polynomials, for steps that have points to
    // report inside of them, or null.
    LaneCrew(std::shared_ptr<const expr::Kernel> round, std::int64_t n, const expr::EvaluatorOptions& options,
             std::shared_ptr<const expr::Kernel> with_points = nullptr);

    // A run whose attempts are those of the rounds, at a point with its direction.
    void enter(int lane, const LaneRun& run, double t, const double* x, const double* v);
    // One of those; `fixed` has the numbers of fixed_inputs() in their order.
    void enter(int lane, const LaneBatch& batch, int seat);
    // Up to so many rounds; ends where a lane that was entered has to be left. False: none has.
    bool work(int most_rounds);
    bool is_done(int lane) const {
        return is_entered_[at(lane)] && (outcome(lane) != Outcome::goes_on || reports(lane));
    }
    // Are there points to report inside of the last step? Then its polynomial is read from here.
    bool reports(int lane) const { return has_curve_ && curve_[place(reports_curve, lane)] != 0; }
    double curve(int lane, std::int64_t number) const { return curve_[place(number, lane)]; }
    Outcome outcome(int lane) const;
    // Writes the point and its direction.
    void leave(int lane, const LaneRun& run, double* x, double* v);
    // Of what is in a lane, and that nobody is there.
    double number(int lane, Number n) const { return numbers()[place(n, lane)]; }
    double coordinate(int lane, std::int64_t e) const { return points_[now_][place(e, lane)]; }
    void vacate(int lane) { is_entered_[at(lane)] = false; }
    // Native code, or why it is not there.
    void wait() { round_.wait(); }
    bool is_native() const { return round_.is_native(); }

private:
    using Memory = expr::AlignedVector<double>;
    static std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }
    static std::size_t place(std::int64_t element, int lane) { return at(n_lanes * element + lane); }
    const Memory& numbers() const { return numbers_[now_]; }
    bool has_reports() const; // of some lane, in its next step
    void make_round();

    std::int64_t n_;
    std::vector<FixedInput> fixed_inputs_;
    std::array<Memory, method::n_attempt_inputs> fixed_;
    std::array<Memory, 2> numbers_, points_, directions_; // before and behind a round, in turn
    std::size_t now_ = 0;
    std::array<bool, n_lanes> is_entered_{};
    expr::Evaluator round_;
    // Points that are to be reported: the round does not know of them, unless it is the one with polynomials.
    std::optional<expr::Evaluator> with_points_;
    std::array<double, n_lanes> reports_{};
    Memory curve_;
    bool has_curve_ = false; // the last round was that one
};

} // namespace vessiot::lanes
