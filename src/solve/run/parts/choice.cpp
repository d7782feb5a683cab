#include "solve/run/parts/choice.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "method/combined/switching.hpp"

namespace vessiot {

namespace {

constexpr int most_changes_told = 4;

} // namespace

// After an attempt: its method has its own control, and the summary says that it was changed.
template <class S> void MethodChoice<S>::follow() {
    const method::MethodInfo* now = run_.stepper().at_work();
    if (run_.method().max_order > 0) { // another order of the same method
        if (now == at_work_) return;
        at_work_ = now;
        run_.sizes.follow(control_of(run_.options, *now));
        return;
    }
    MethodSummary& summary = run_.solution.method;
    if (now && run_.solution.stats.steps == 0 && n_changes_ == 0) {
        const auto stiffness = static_cast<double>(run_.stepper().stiffness());
        const bool is_stiff = now->family->is_implicit, is_dear = !is_stiff && stiffness > method::stiff_at_start;
        summary.choice = fmt::format("{} at the start, {}stiff{}: the step times the fastest rate is {:.2g}", now->name,
                                     is_stiff || is_dear ? "" : "not ",
                                     is_dear ? ", but an implicit step costs too much" : "", stiffness);
    }
    if (now == at_work_) return;
    const bool is_implicit = now->family->is_implicit;
    at_work_ = now;
    run_.sizes.follow(control_of(run_.options, *now));
    ++n_changes_;
    const bool is_start = run_.solution.stats.steps == 0;
    const auto stiffness = static_cast<double>(run_.stepper().stiffness());
    if (!is_start && n_changes_ <= most_changes_told)
        summary.choice += fmt::format("; {} from {} = {} on, where {} (step times rate {:.2g})", now->name,
                                      run_.solution.independent, run_.show(run_.stepper().tau()),
                                      is_implicit     ? "stability limited the steps"
                                      : stiffness < 1 ? "steps became short enough"
                                                      : "explicit steps cost less",
                                      stiffness);
    if (n_changes_ == most_changes_told + 1) summary.choice += "; and further changes";
    const std::string name(now->name);
    summary.name = is_start                                       ? name
                   : summary.name.find(name) != std::string::npos ? summary.name
                                                                  : summary.name + ", " + name;
}

// "order 5 in 210 steps, 3 in 12": the most frequent first.
template <class S> void MethodChoice<S>::note_orders(std::span<const std::int64_t> steps) {
    std::vector<int> orders;
    for (std::size_t k = 1; k < steps.size(); ++k)
        if (steps[k] > 0) orders.push_back(static_cast<int>(k));
    std::ranges::stable_sort(orders, std::greater(), [&](int k) { return steps[static_cast<std::size_t>(k)]; });
    std::string text;
    for (const int k : orders)
        text += fmt::format("{}{} in {}{}", text.empty() ? "order " : ", ", k, steps[static_cast<std::size_t>(k)],
                            text.empty() ? " steps" : "");
    if (!text.empty()) run_.solution.method.choice = text;
}

template <class S> void MethodChoice<S>::restart() {
    if (!at_work_) return run_.sizes.follow(run_.sizes.control);
    at_work_ = run_.stepper().at_work();
    run_.sizes.follow(control_of(run_.options, *at_work_));
}

template class MethodChoice<double>;
template class MethodChoice<Quad>;

} // namespace vessiot
