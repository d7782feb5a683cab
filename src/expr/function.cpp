#include "expr/function.hpp"

#include <algorithm>
#include <type_traits>

namespace vessiot::expr {

template <class S>
Function<S>::Function(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
                      const EvaluatorOptions& options, const LowerOptions& lowering)
    : lowered_(lower(g, inputs, outputs, lowering)), n_inputs_(inputs.size()), inputs_(inputs.size()) {
    if (lowered_.prologue) {
        prologue_.emplace(lowered_.prologue, options.lanes);
        prologue_workspace_.emplace(prologue_->make_workspace());
        const auto size = lowered_.kernel->buffers[n_inputs_].size * options.lanes;
        hoisted_.resize(static_cast<std::size_t>(size));
        inputs_.push_back(hoisted_.data());
    }
    if constexpr (std::is_same_v<S, double>) {
        evaluator_.emplace(lowered_.kernel, options);
    } else {
        interpreter_.emplace(lowered_.kernel, options.lanes);
        workspace_.emplace(interpreter_->make_workspace());
    }
    buffers_.resize(std::max(lowered_.kernel->buffers.size(),
                             lowered_.prologue ? lowered_.prologue->buffers.size() : std::size_t{0}));
}

template <class S> void Function<S>::prepare(const S* const* inputs) {
    if (!prologue_) return;
    std::fill(buffers_.begin(), buffers_.end(), nullptr);
    // the interpreter never writes to input buffers
    for (std::size_t k = 0; k < n_inputs_; ++k) buffers_[k] = const_cast<S*>(inputs[k]);
    buffers_[n_inputs_] = hoisted_.data();
    (*prologue_)(buffers_.data(), *prologue_workspace_);
}

template <class S> void Function<S>::operator()(const S* const* inputs, S* const* outputs) {
    std::copy_n(inputs, n_inputs_, inputs_.begin());
    if constexpr (std::is_same_v<S, double>) {
        (*evaluator_)(inputs_.data(), outputs);
    } else {
        std::fill(buffers_.begin(), buffers_.end(), nullptr);
        for (std::size_t k = 0; k < inputs_.size(); ++k) buffers_[k] = const_cast<S*>(inputs_[k]);
        std::size_t k = inputs_.size();
        for (; k < lowered_.kernel->buffers.size() && lowered_.kernel->buffers[k].role == BufferRole::output; ++k)
            buffers_[k] = *outputs++;
        (*interpreter_)(buffers_.data(), *workspace_);
    }
}

template class Function<double>;
template class Function<Quad>;

} // namespace vessiot::expr
