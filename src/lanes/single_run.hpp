// One run by rounds (round_list.hpp), many in one call of native code, each step written down as the stretch of a run
// has it. The bits are those of Stepper::run_on; what a round cannot decide is left to it.
//
// Code is made for runs that are long enough to pay for it: at once where native code was asked for, else when the
// engine has made many attempts. The list is built once an engine, and compiled once a problem (expr::CodeCache).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "expr/kernel/evaluator.hpp"
#include "expr/kernel/repeated/repeated_code.hpp"
#include "lanes/lane_crew.hpp"

namespace vessiot::lanes {

class SingleRun {
public:
    explicit SingleRun(const expr::EvaluatorOptions& options) : options_(options) {}

    // For another run.
    void renew() {
        n_rounds_ = n_unclear_ = n_since_ = 0;
        was_unclear_ = false;
    }
    // Attempts that were made otherwise.
    void count(std::int64_t attempts) {
        n_attempts_ += attempts;
        n_since_ = 0;
        was_unclear_ = false;
    }
    // Is there code for these attempts, which can decide the next one, and most of them? Now and then one is left to
    // others, who may want to know how long it takes.
    bool is_ready(const LaneRun& run);
    // Has it made some, and will it make more?
    bool is_in_use() const { return n_rounds_ > 0 && !is_hopeless(); }
    // At a point with its direction, where is_plain() holds. The stretch has what was made; `unclear` where the next
    // attempt is for others.
    Outcome operator()(const LaneRun& run, double t, const double* x, const double* v);
    // Where it ended.
    const double* point() const { return state_.data() + point_place; }
    const double* direction() const { return state_.data() + direction_place(n_); }

private:
    bool make(const LaneRun& run);
    bool is_hopeless() const { return n_unclear_ > 8 + n_rounds_ / 16; } // what is unclear was made in vain

    expr::EvaluatorOptions options_;
    std::int64_t n_attempts_ = 0;               // of the engine, before there is code
    std::int64_t n_rounds_ = 0, n_unclear_ = 0; // of the run
    std::int64_t n_since_ = 0;                  // rounds since others made an attempt
    bool was_unclear_ = false;                  // the last round
    std::uint64_t number_ = 0;                  // of the attempts that it is made for
    std::shared_ptr<const expr::RepeatedCode> code_;
    std::int64_t n_ = 0; // coordinates
    std::vector<FixedInput> fixed_inputs_;
    std::vector<double> state_, fixed_;
};

} // namespace vessiot::lanes
