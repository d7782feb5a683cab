#include "expr/graph/function.hpp"

#include <algorithm>
#include <type_traits>

namespace vessiot::expr {

template <class S>
Prologue<S>::Prologue(std::shared_ptr<const Kernel> kernel, int lanes, std::size_t n_inputs, std::int64_t size)
    : interpreter_(kernel, lanes), workspace_(interpreter_.make_workspace()), n_inputs_(n_inputs),
      buffers_(kernel->buffers.size(), nullptr), values_(static_cast<std::size_t>(size)) {
    buffers_[n_inputs] = values_.data();
}

template <class S> void Prologue<S>::operator()(const S* const* inputs) {
    // the interpreter never writes to input buffers
    for (std::size_t k = 0; k < n_inputs_; ++k) buffers_[k] = const_cast<S*>(inputs[k]);
    interpreter_(buffers_.data(), workspace_);
}

template <class S>
Function<S>::Function(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
                      const EvaluatorOptions& options, const LowerOptions& lowering)
    : lowered_(lower(g, inputs, outputs, lowering)), n_inputs_(inputs.size()),
      n_bound_(inputs.size() + (lowered_.prologue ? 1 : 0)) {
    if (lowered_.prologue)
        prologue_ = std::make_shared<Prologue<S>>(lowered_.prologue, options.lanes, n_inputs_,
                                                  lowered_.kernel->buffers[n_inputs_].size * options.lanes);
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
    if (lowered_.prologue) slots_[n_inputs_] = prologue_->values();
}

template <class S> void Function<S>::operator()(const S* const* inputs, S* const* outputs) {
    for (std::size_t k = 0; k < n_inputs_; ++k) slots_[k] = const_cast<S*>(inputs[k]); // only read
    S** place = output_slots();
    for (std::size_t k = n_bound_;
         k < lowered_.kernel->buffers.size() && lowered_.kernel->buffers[k].role == BufferRole::output; ++k)
        *place++ = *outputs++;
    run();
}

template class Prologue<double>;
template class Prologue<Quad>;
template class Function<double>;
template class Function<Quad>;

} // namespace vessiot::expr
