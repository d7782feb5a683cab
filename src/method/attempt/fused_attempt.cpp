#include "method/attempt/fused_attempt.hpp"

#include <atomic>
#include <utility>

namespace vessiot::method {

namespace {

constexpr std::int64_t most_coordinates = 64;
constexpr std::int64_t most_operations = 30000; // of all stages
constexpr int most_corrections = 4;             // of a set of constraints

expr::EvaluatorOptions thorough(const expr::EvaluatorOptions& options) {
    expr::EvaluatorOptions result = options; // called in every step: good code pays
    result.quality = expr::CodeQuality::full;
    return result;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

void timed(SampledTime* time, expr::Evaluator& kernel) {
    if (!time || time->weight == 0) return kernel.run();
    (*time)([&] {
        kernel.run();
        return true;
    });
}

} // namespace

std::unique_ptr<FusedAttempt> FusedAttempt::make(const Parts<double>& parts, const AttemptPlan& plan,
                                                 const Projection<double>* projection, double rtol, double atol) {
    if (plan.n < 2 || parts.prolongation.n_state() > most_coordinates || parts.prolongation.n_state() == 0)
        return nullptr;
    std::optional<FrozenRule<double>> rule;
    if (projection) rule = projection->frozen_rule();
    if (projection && !rule) return nullptr;
    std::optional<PointFormulas> formulas = PointFormulas::make(parts, projection != nullptr);
    const auto n = static_cast<std::int64_t>(plan.n);
    if (!formulas || formulas->n_operations() * n > most_operations) return nullptr;
    if (plan.projects_stages && AttemptBlocks(*formulas, plan, rule).n_operations_of_stage() * n > most_operations)
        return nullptr;
    return std::unique_ptr<FusedAttempt>(new FusedAttempt(parts, std::move(*formulas), plan, rule, rtol, atol));
}

FusedAttempt::FusedAttempt(const Parts<double>& parts, PointFormulas&& formulas, const AttemptPlan& plan,
                           const std::optional<FrozenRule<double>>& rule, double rtol, double atol)
    : parts_(parts), formulas_(std::move(formulas)), plan_(plan), blocks_(formulas_, plan_, rule),
      stages_(blocks_.stages(), thorough(parts.evaluator)), land_(blocks_.land(), thorough(parts.evaluator)),
      step_{0, 0, rtol, atol}, frozen_(blocks_.n_factors()) {
    for (std::size_t i = 0; i < plan_.n; ++i)
        for (std::size_t j = 0; j < plan_.n; ++j) a_.push_back(static_cast<double>(plan_.a[i * plan_.stride + j]));
    if (blocks_.has_rows()) again_.emplace(blocks_.again(), parts.evaluator);
    for (expr::Evaluator* e : {&stages_, &land_, again_ ? &*again_ : nullptr}) {
        if (!e) continue;
        formulas_.bind(e->slots());
        e->slots()[step_input] = step_.data();
        e->slots()[frozen_input] = frozen_.data();
    }
    stage_slots_ = stages_.slots();
    number_ = next_number();
    land_slots_ = land_.slots();
    stage_slots_[AttemptBlocks::stage_report_out] = report_.data();
    land_slots_[AttemptBlocks::land_report_out] = report_.data();
    land_slots_[AttemptBlocks::frozen_out] = frozen_.data();
    if (again_) again_->slots()[AttemptBlocks::land_report_out] = report_.data();
}

FusedAttempt::Result FusedAttempt::operator()(double t, double h, const Places& places, bool lands) {
    step_[0] = t;
    step_[1] = h;
    double** const in = stage_slots_;
    in[start_input] = const_cast<double*>(places.start); // only read
    in[first_input] = const_cast<double*>(places.first);
    in[AttemptBlocks::stages_out] = places.stages;
    in[AttemptBlocks::result_out] = places.end;
    has_landed_ = false;
    timed(is_sampling_ ? parts_.distribution_time : nullptr, stages_);
    parts_.distribution.count_evaluations(static_cast<std::int64_t>(plan_.n) - 1);
    if (!is_landed()) return Result::unclear; // a number that is not finite, or a stage off the manifold
    point_ = places.end;
    if (!plan_.is_fsal && square().is_bad() && !lands) return Result::rejected;
    if (!land(places)) return Result::unclear;
    return square().is_good() ? Result::done : square().is_bad() ? Result::rejected : Result::unclear;
}

void FusedAttempt::complete(const Places& places) const {
    for (const AttemptBlocks::Pair& pair : blocks_.left_out())
        for (std::size_t i = 1; i < plan_.n; ++i) {
            double sum = a_[i * plan_.n] * places.first[pair.velocity];
            for (std::size_t j = 1; j < i; ++j)
                sum += a_[i * plan_.n + j] *
                       places.stages[static_cast<std::size_t>(plan_.distance) * (j - 1) + pair.velocity];
            places.stages[static_cast<std::size_t>(plan_.distance) * (i - 1) + pair.position] =
                places.start[pair.velocity] + step_[1] * sum;
        }
}

bool FusedAttempt::land(const Places& places) {
    double *from = places.end, *to = places.other;
    n_corrections_ = 0;
    const auto run = [&](expr::Evaluator& e, double** slots) {
        slots[start_input] = const_cast<double*>(places.start);
        slots[first_input] = const_cast<double*>(places.first);
        slots[stage_input] = places.stages;
        slots[from_input] = from;
        slots[AttemptBlocks::point_out] = to;
        slots[AttemptBlocks::direction_out] = places.direction;
        timed(is_sampling_ ? parts_.projection_time : nullptr, e);
        parts_.distribution.count_evaluations(1);
        has_landed_ = true;
        ++n_corrections_;
        if (!blocks_.has_rows()) return;
        point_ = to;
        std::swap(from, to);
    };
    run(land_, land_slots_);
    while (!is_landed() && report_[AttemptBlocks::off_report] < AttemptBlocks::hopeless &&
           n_corrections_ < most_corrections && again_)
        run(*again_, again_->slots());
    return is_landed();
}

} // namespace vessiot::method
