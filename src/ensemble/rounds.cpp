#include "ensemble/rounds.hpp"

#include "expr/kernel/same_kernel.hpp"

namespace vessiot::ensemble {

std::optional<lanes::LaneRun> Rounds::lend(Run<double>& run) {
    const std::optional<Run<double>::Lent> lent = run.lend();
    if (!lent) return std::nullopt;
    const lanes::LaneRun result{lent->kernels, lent->stretch, lent->controller};
    if (!lanes::is_plain(*lent->stretch, run.t()) || !fits(run, result)) return std::nullopt;
    return result;
}

bool Rounds::fits(Run<double>& run, const lanes::LaneRun& lent) {
    const auto [known, is_new] = fits_.try_emplace(lent.kernels->number(), true);
    if (!is_new) return known->second;
    const std::shared_ptr<const expr::Kernel> round = lanes::make_round(
        lent.kernels->blocks(), lent.controller->options(), {run.watched_rows(), ConservationWatch<double>::noticed});
    if (kernel_) return known->second = are_same(*round, *kernel_);
    kernel_ = round;
    n_ = lent.kernels->blocks().formulas().n();
    evaluator_ = run.evaluator();
    return true;
}

} // namespace vessiot::ensemble
