#include "expr/function.hpp"

#include <algorithm>
#include <type_traits>

namespace vessiot::expr {

template <class S>
Function<S>::Function(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
                      const EvaluatorOptions& options, const LowerOptions& lowering)
    : lowered_(lower(g, inputs, outputs, lowering)), n_inputs_(inputs.size()),
      n_bound_(inputs.size() + (lowered_.prologue ? 1 : 0)) {
    if (lowered_.prologue) {
        prologue_.emplace(lowered_.prologue, options.lanes);
        prologue_workspace_.emplace(prologue_->make_workspace());
        const auto size = lowered_.kernel->buffers[n_inputs_].size * options.lanes;
        hoisted_.resize(static_cast<std::size_t>(size));
    }
    if constexpr (std::is_same_v<S, double>) {
        evaluator_.emplace(lowered_.kernel, options);
    } else {
        interpreter_.emplace(lowered_.kernel, options.lanes);
        workspace_.emplace(interpreter_->make_workspace());
    }
    buffers_.resize(lowered_.kernel->buffers.size());
    if constexpr (std::is_same_v<S, double>)
        slots_ = evaluator_->slots();
    else
        slots_ = buffers_.data();
    if (lowered_.prologue) slots_[n_inputs_] = hoisted_.data();
}

template <class S> void Function<S>::prepare(const S* const* inputs) {
    if (!prologue_) return;
    std::vector<S*> buffers(lowered_.prologue->buffers.size(), nullptr);
    // the interpreter never writes to input buffers
    for (std::size_t k = 0; k < n_inputs_; ++k) buffers[k] = const_cast<S*>(inputs[k]);
    buffers[n_inputs_] = hoisted_.data();
    (*prologue_)(buffers.data(), *prologue_workspace_);
}

template <class S> void Function<S>::operator()(const S* const* inputs, S* const* outputs) {
    for (std::size_t k = 0; k < n_inputs_; ++k) slots_[k] = const_cast<S*>(inputs[k]); // only read
    S** place = output_slots();
    for (std::size_t k = n_bound_;
         k < lowered_.kernel->buffers.size() && lowered_.kernel->buffers[k].role == BufferRole::output; ++k)
        *place++ = *outputs++;
    run();
}

template class Function<double>;
template class Function<Quad>;

} // namespace vessiot::expr
