// A function of the arrays of a graph, ready to be evaluated: lowered, with its parameter expressions computed once.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "expr/evaluator.hpp"
#include "expr/lower.hpp"

namespace vessiot::expr {

// S is double (interpreter and native code) or Quad (interpreter). For one thread at a time.
template <class S> class Function {
public:
    Function(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
             const EvaluatorOptions& options = {}, const LowerOptions& lowering = {});

    // Computes what depends on parameters alone; call it before the first evaluation and after parameters change.
    // Inputs in the order of the constructor; only those that hold parameters are read, others may be null.
    void prepare(const S* const* inputs);
    void operator()(const S* const* inputs, S* const* outputs);
    // The same without copying pointers, for functions of a few operations: set the slots of all inputs (they may be
    // const: inputs are only read) and outputs, then run(). Slots stay set from one run to the next.
    S** slots() { return slots_; }                   // inputs in the order of the constructor
    S** output_slots() { return slots_ + n_bound_; } // outputs
    void run() {
        if constexpr (std::is_same_v<S, double>)
            evaluator_->run();
        else
            (*interpreter_)(buffers_.data(), *workspace_);
    }

    const Kernel& kernel() const { return *lowered_.kernel; }
    const Lowered& lowered() const { return lowered_; }
    // Native code: double only.
    Evaluator& evaluator() { return *evaluator_; }

private:
    Lowered lowered_;
    std::size_t n_inputs_;
    std::size_t n_bound_; // inputs of the caller, and the hoisted one
    std::vector<S> hoisted_;
    std::vector<S*> buffers_;
    S** slots_ = nullptr;
    std::optional<Evaluator> evaluator_;        // double
    std::optional<Interpreter<S>> interpreter_; // Quad
    std::optional<Workspace<S>> workspace_;
    std::optional<Interpreter<S>> prologue_;
    std::optional<Workspace<S>> prologue_workspace_;
};

extern template class Function<double>;
extern template class Function<Quad>;

} // namespace vessiot::expr
