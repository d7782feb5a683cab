// Which method a run works with: the one that was asked for, or, for `auto`, what the stiffness on the way asks for.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "solve/run/run.hpp"

namespace vessiot {

namespace {

constexpr int most_changes_told = 4;

} // namespace

// After an attempt: its method has its own control, and the summary says that it was changed.
template <class S> void Run<S>::follow_choice() {
    const method::MethodInfo* now = stepper_->at_work();
    if (method_.max_order > 0) { // another order of the same method
        if (now == at_work_) return;
        at_work_ = now;
        control_ = control_of(options_, *now);
        controller_ = Controller<S>(control_.controller);
        return;
    }
    MethodSummary& summary = solution_.method;
    if (now && solution_.stats.steps == 0 && n_changes_ == 0) {
        const auto stiffness = static_cast<double>(stepper_->stiffness());
        summary.choice = fmt::format("{} at the start, {}stiff: the step times the fastest rate is {:.2g}", now->name,
                                     now == at_work_ ? "not " : "", stiffness);
    }
    if (now == at_work_) return;
    const bool is_implicit = now->family->is_implicit;
    at_work_ = now;
    control_ = control_of(options_, *now);
    controller_ = Controller<S>(control_.controller);
    ++n_changes_;
    const bool is_start = solution_.stats.steps == 0;
    if (!is_start && n_changes_ <= most_changes_told)
        summary.choice += fmt::format("; {} from {} = {} on, where {} (step times rate {:.2g})", now->name,
                                      solution_.independent, show(stepper_->tau()),
                                      is_implicit ? "stability limited the steps" : "steps became short enough",
                                      static_cast<double>(stepper_->stiffness()));
    if (n_changes_ == most_changes_told + 1) summary.choice += "; and further changes";
    const std::string name(now->name);
    summary.name = is_start                                       ? name
                   : summary.name.find(name) != std::string::npos ? summary.name
                                                                  : summary.name + ", " + name;
}

// "order 5 in 210 steps, 3 in 12": the most frequent first.
template <class S> void Run<S>::note_orders(std::span<const std::int64_t> steps) {
    std::vector<int> orders;
    for (std::size_t k = 1; k < steps.size(); ++k)
        if (steps[k] > 0) orders.push_back(static_cast<int>(k));
    std::ranges::stable_sort(orders, std::greater(), [&](int k) { return steps[static_cast<std::size_t>(k)]; });
    std::string text;
    for (const int k : orders)
        text += fmt::format("{}{} in {}{}", text.empty() ? "order " : ", ", k, steps[static_cast<std::size_t>(k)],
                            text.empty() ? " steps" : "");
    if (!text.empty()) solution_.method.choice = text;
}

template void Run<double>::note_orders(std::span<const std::int64_t>);
template void Run<expr::Quad>::note_orders(std::span<const std::int64_t>);
template void Run<double>::follow_choice();
template void Run<expr::Quad>::follow_choice();

} // namespace vessiot
