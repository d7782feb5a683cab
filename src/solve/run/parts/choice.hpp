// Which method a run works with: the one that was asked for, or, for `auto`, what the stiffness on the way asks for.
#pragma once

#include <cstdint>
#include <span>

#include "solve/run/parts/state.hpp"

namespace vessiot {

template <class S> class MethodChoice {
public:
    explicit MethodChoice(RunState<S>& run) : run_(run), at_work_(run.stepper().at_work()) {}

    // Is the method, or its order, chosen on the way?
    bool is_open() const { return at_work_ != nullptr; }
    const method::MethodInfo& at_work() const { return at_work_ ? *at_work_ : run_.method(); }
    void follow();
    void note_orders(std::span<const std::int64_t> steps);
    // The stepper has begun anew: the control of the method at work.
    void restart();
    template <class Archive> void exchange(Archive& archive) { archive("n_changes", n_changes_); }

private:
    RunState<S>& run_;
    const method::MethodInfo* at_work_; // the one chosen now; null where nothing is to choose
    int n_changes_ = 0;
};

extern template class MethodChoice<double>;
extern template class MethodChoice<Quad>;

} // namespace vessiot
