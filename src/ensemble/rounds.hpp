// The round (lanes/round_list.hpp) that the members of an ensemble have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "lanes/lane_crew.hpp"
#include "solve/problem/in_parts.hpp"

namespace vessiot::ensemble {

class Rounds {
public:
    // The run at a point from which rounds can be made: null where it makes its next step itself.
    std::optional<lanes::LaneRun> lend(Run<double>& run);

    // That of the first run.
    const std::shared_ptr<const expr::Kernel>& kernel() const { return kernel_; }
    std::int64_t n() const { return n_; }
    // The same with polynomials, for points inside of steps; null where none are asked for, or it has none.
    const std::shared_ptr<const expr::Kernel>& with_points() const { return with_points_; }
    int degree() const { return degree_; } // of these
    const expr::EvaluatorOptions& evaluator() const { return evaluator_; }

private:
    bool fits(Run<double>& run, const lanes::LaneRun& lent);

    std::shared_ptr<const expr::Kernel> kernel_, with_points_;
    int degree_ = 0;
    std::int64_t n_ = 0; // coordinates
    expr::EvaluatorOptions evaluator_;
    std::unordered_map<std::uint64_t, bool> fits_; // by the number of the kernels of an attempt
};

} // namespace vessiot::ensemble
