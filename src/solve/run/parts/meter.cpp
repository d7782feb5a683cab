#include "solve/run/parts/meter.hpp"

#include <algorithm>

namespace vessiot {

void RunCounts::add(const RunCounts& other) {
    stepper.add(other.stepper);
    distribution.evaluations += other.distribution.evaluations;
    distribution.jacobians += other.distribution.jacobians;
    distribution.factorisations += other.distribution.factorisations;
    projection.jacobians += other.projection.jacobians;
    projection.factorisations += other.projection.factorisations;
    if (other.projection.fallbacks > 0) projection.first_fallback = other.projection.first_fallback; // it came before
    projection.fallbacks += other.projection.fallbacks;
    for (std::size_t k = 0; k < steps_by_order.size(); ++k) steps_by_order[k] += other.steps_by_order[k];
    projection.charts += other.projection.charts;
    seconds += other.seconds;
}

// NOTE: newton_max, a maximum, stays, and so does first_fallback.
void RunCounts::subtract(const RunCounts& other) {
    stepper.stages -= other.stepper.stages;
    stepper.projections -= other.stepper.projections;
    stepper.newton_iterations -= other.stepper.newton_iterations;
    stepper.jacobians -= other.stepper.jacobians;
    stepper.factorisations -= other.stepper.factorisations;
    stepper.stage_iterations -= other.stepper.stage_iterations;
    stepper.rejected_error -= other.stepper.rejected_error;
    stepper.rejected_iteration -= other.stepper.rejected_iteration;
    distribution.evaluations -= other.distribution.evaluations;
    distribution.jacobians -= other.distribution.jacobians;
    distribution.factorisations -= other.distribution.factorisations;
    projection.jacobians -= other.projection.jacobians;
    projection.factorisations -= other.projection.factorisations;
    projection.fallbacks -= other.projection.fallbacks;
    for (std::size_t k = 0; k < steps_by_order.size(); ++k) steps_by_order[k] -= other.steps_by_order[k];
    projection.charts -= other.projection.charts;
    seconds -= other.seconds;
}

// Clocks are read about a thousand times a second.
bool Meter::look() {
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - started_).count();
    const auto rate = static_cast<double>(n_attempts - first_attempt) / (since + 1e-9);
    next_look_ = n_attempts + std::clamp<std::int64_t>(static_cast<std::int64_t>(1e-3 * rate), 1, 1000);
    if (std::chrono::duration<double>(now - last_told_).count() < 0.1 && n_attempts > 0) return false;
    last_told_ = now;
    return true;
}

} // namespace vessiot
