// One attempt of an explicit step with all that is decided about it, as one list of operations: stages, error,
// projection, acceptance, the size of the next step, and whether somebody has to look before it is made. The numbers
// before it are inputs, those behind it are outputs; where it was rejected they stay, but for the size. What it does is
// what ExplicitRk::run_on does in one turn, with the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "control/controller.hpp"
#include "method/attempt/attempt_blocks.hpp"

namespace vessiot::lanes {

// Numbers of a run, in this order: step_input of a round, and its first output.
enum Number : std::int64_t { // NOLINT(performance-enum-size): places in memory
    t_number,
    h_number, // to be tried next
    rtol_number,
    atol_number,
    log_old_number, // what the controller remembers
    was_rejected_number,
    longest_number,  // step so far
    steps_number,    // made
    rejected_number, // attempts
    residual_number, // the largest one
    above_number,    // of the last attempt: the square of its error, above / below
    below_number,
    taken_number,       // the last step
    steps_left_number,  // that may be made
    rounds_left_number, // attempts that may be made
    outcome_number,     // of the round
    last_number,        // of whole runs: 1 where the next step ends with the run
    n_changing,         // those above are outputs
    end_number = n_changing,
    report_number, // steps end before both
    most_number,   // limits of |h|
    floor_number,
    slow_number, // of the longest step: shorter ones are looked at
    n_numbers,
    accepted_number = n_numbers, // 1 where the step was: output of a round of one run
};

enum class Outcome : std::uint8_t {
    goes_on, // accepted or rejected, and the next one may be made
    looks,   // the same, but somebody has to look before the next one
    unclear, // nothing was decided and nothing has changed: the parts of the method have to find out
    strange, // accepted, but something that is conserved seems to change
    ended,   // of whole runs: the last step was accepted
};

// Rows of the manifold whose rates along V must be round-off: ConservationWatch.
struct WatchedRows {
    std::vector<std::int32_t> rows;
    double noticed = 0; // of the sum of the sizes of the parts of a rate
};

// Who makes the rounds.
enum class Crew : std::uint8_t {
    lanes,  // many runs at a time: nothing is kept of a step but what the next one needs
    one,    // one run: each step is written down (single_run.hpp), with its own residual
    whole,  // as lanes, with the last step of each run, and without what only a run needs that goes on elsewhere
    points, // as lanes, with the polynomial of the step for points that are reported inside of it
};

// Outputs, after the inputs of AttemptInput.
inline constexpr std::uint32_t numbers_out = method::n_attempt_inputs, point_out = numbers_out + 1,
                               direction_out = point_out + 1, curve_out = direction_out + 1;
// Of a round with points, which exists where has_curve() holds: 1 where the step was accepted and has one to report in
// it, where it began, and the coefficients of the polynomial (Segment), coordinate by coordinate, power by power.
enum CurveNumber : std::int64_t { reports_curve, from_curve, first_coefficient }; // NOLINT(performance-enum-size)
inline bool has_curve(const method::AttemptBlocks& blocks) {
    return blocks.plan().curve.degree > 0 && !blocks.projects_stages();
}

std::shared_ptr<const expr::Kernel> make_round(const method::AttemptBlocks& blocks, const ControllerOptions& control,
                                               const WatchedRows& watched, Crew crew = Crew::lanes);

// The numbers that all whole runs of a problem have in common.
inline constexpr Number common_numbers[] = {rtol_number, atol_number,  end_number, report_number,
                                            most_number, floor_number, slow_number};
// The round of whole runs, of which `numbers` has the common ones.
std::shared_ptr<const expr::Kernel> make_whole_round(const method::AttemptBlocks& blocks,
                                                     const ControllerOptions& control, const WatchedRows& watched,
                                                     const double* numbers);

} // namespace vessiot::lanes
