#include "lanes/single_run.hpp"

#include <array>
#include <numeric>

#include "linalg/vector.hpp"

namespace vessiot::lanes {

namespace {

constexpr std::int64_t attempts_before_code = 30000; // some milliseconds; compiling takes some 20
constexpr std::int64_t most_operations = 3000;       // of a list: compiling takes more than linear time
constexpr std::int64_t most_rounds = 1024;           // until somebody else makes an attempt

using Stream = expr::RepeatedProgram::Stream;

// As Stretch has them: steps; points; directions.
std::vector<Stream> streams_of(std::int64_t n) {
    static_assert(sizeof(Stretch<double>::Step) == 3 * sizeof(double));
    const auto numbers = [&](std::uint32_t first) {
        std::vector<std::uint32_t> list(static_cast<std::size_t>(n));
        std::iota(list.begin(), list.end(), first);
        return list;
    };
    const auto padded = static_cast<std::uint64_t>(linalg::padded(n));
    return {{{t_number, taken_number, residual_number}, 3},
            {numbers(point_place), padded},
            {numbers(direction_place(n)), padded}};
}

} // namespace

bool SingleRun::is_ready(const LaneRun& run) {
    if (number_ != run.kernels->number() && !make(run)) return false;
    return code_ && code_->is_ready() && !was_unclear_ && n_since_ < most_rounds && !is_hopeless();
}

bool SingleRun::make(const LaneRun& run) {
    const bool is_at_once = options_.backend == expr::Backend::jit;
    if (options_.backend == expr::Backend::interpreter || options_.contraction) return false;
    if (!is_at_once && n_attempts_ < attempts_before_code) return false;
    number_ = run.kernels->number();
    code_.reset();
    expr::RepeatedProgram program;
    program.kernel = make_round(run.kernels->blocks(), run.controller->options(), {}, Crew::one);
    if (program.kernel->n_operations() > most_operations) return false;
    n_ = run.kernels->blocks().formulas().n();
    program.list = repeated(*program.kernel, n_, Crew::one);
    program.counts = accepted_place(n_);
    program.streams = streams_of(n_);
    fixed_inputs_ = fixed_inputs(*program.kernel);
    fixed_.resize(fixed_inputs_.size());
    state_.resize(n_state(n_, Crew::one));
    code_ = expr::RepeatedCode::find(std::move(program), is_at_once);
    return true;
}

Outcome SingleRun::operator()(const LaneRun& run, double t, const double* x, const double* v) {
    Stretch<double>& s = *run.stretch;
    std::array<double*, method::n_attempt_inputs> slots{};
    run.kernels->bind(slots.data());
    for (std::size_t k = 0; k < fixed_.size(); ++k)
        fixed_[k] = slots[fixed_inputs_[k].buffer][fixed_inputs_[k].element];
    fill_numbers(run, t, state_.data());
    for (std::int64_t e = 0; e < n_; ++e) {
        state_[point_place + static_cast<std::size_t>(e)] = x[e];
        state_[direction_place(n_) + static_cast<std::size_t>(e)] = v[e];
    }
    double* const streams[] = {&s.steps[0].tau, s.points.data(), s.directions.data()};
    (*code_)(state_.data(), fixed_.data(), streams);
    read_numbers(state_.data(), run);
    const auto outcome = static_cast<Outcome>(static_cast<int>(state_[outcome_number]));
    n_rounds_ += s.n_attempts;
    n_since_ += s.n_attempts;
    was_unclear_ = outcome == Outcome::unclear;
    n_unclear_ += was_unclear_ ? 1 : 0;
    return outcome;
}

} // namespace vessiot::lanes
