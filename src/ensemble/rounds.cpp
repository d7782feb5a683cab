#include "ensemble/rounds.hpp"

#include <cmath>
#include <limits>

#include "expr/kernel/same_kernel.hpp"

namespace vessiot::ensemble {

std::optional<lanes::LaneRun> Rounds::lend(Run<double>& run) {
    const std::optional<Run<double>::Lent> lent = run.lend();
    if (!lent) return std::nullopt;
    const lanes::LaneRun result{lent->kernels, lent->stretch, lent->controller};
    if (!fits(run, result) || !lanes::is_plain(*lent->stretch, run.t(), with_points_ != nullptr)) return std::nullopt;
    return result;
}

bool Rounds::fits(Run<double>& run, const lanes::LaneRun& lent) {
    const auto [known, is_new] = fits_.try_emplace(lent.kernels->number(), true);
    if (!is_new) return known->second;
    const method::AttemptBlocks& blocks = lent.kernels->blocks();
    const lanes::WatchedRows watched{run.watched_rows(), ConservationWatch<double>::noticed};
    const std::shared_ptr<const expr::Kernel> round = lanes::make_round(blocks, lent.controller->options(), watched);
    if (kernel_) return known->second = are_same(*round, *kernel_);
    kernel_ = round;
    n_ = blocks.formulas().n();
    if (std::abs(lent.stretch->report) < std::numeric_limits<double>::max() && lanes::has_curve(blocks)) {
        with_points_ = lanes::make_round(blocks, lent.controller->options(), watched, lanes::Crew::points);
        degree_ = static_cast<int>(blocks.plan().curve.degree);
    }
    evaluator_ = run.evaluator();
    return true;
}

} // namespace vessiot::ensemble
