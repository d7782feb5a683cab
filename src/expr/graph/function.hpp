// A function of the arrays of a graph, ready to be evaluated: lowered, with its parameter expressions computed once.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "expr/kernel/evaluator.hpp"
#include "expr/kernel/lower.hpp"

namespace vessiot::expr {

// What of a function depends on parameters alone: computed when they are set, and read by every evaluation.
template <class S> class Prologue {
public:
    // The kernel writes one buffer of so many numbers, after its inputs.
    Prologue(std::shared_ptr<const Kernel> kernel, int lanes, std::size_t n_inputs, std::int64_t size);

    std::size_t n_inputs() const { return n_inputs_; }
    S* values() { return values_.data(); }
    // Only inputs that hold parameters are read, others may be null.
    void operator()(const S* const* inputs);

private:
    Interpreter<S> interpreter_;
    Workspace<S> workspace_;
    std::size_t n_inputs_;
    std::vector<S*> buffers_;
    std::vector<S> values_;
};

// S is double (interpreter and native code) or Quad (interpreter). For one thread at a time.
template <class S> class Function {
public:
    Function(Graph& g, const std::vector<BufferSpec>& inputs, const std::vector<BufferSpec>& outputs,
             const EvaluatorOptions& options = {}, const LowerOptions& lowering = {});

    // Computes what depends on parameters alone; call it before the first evaluation and after parameters change.
    // Inputs in the order of the constructor; only those that hold parameters are read, others may be null.
    void prepare(const S* const* inputs) {
        if (prologue_) (*prologue_)(inputs);
    }
    // For whoever sets parameters again and again; null where nothing depends on them alone.
    const std::shared_ptr<Prologue<S>>& prologue() const { return prologue_; }
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
    std::vector<S*> buffers_;
    S** slots_ = nullptr;
    std::optional<Evaluator> evaluator_;        // double
    std::optional<Interpreter<S>> interpreter_; // Quad
    std::optional<Workspace<S>> workspace_;
    std::shared_ptr<Prologue<S>> prologue_;
};

extern template class Prologue<double>;
extern template class Prologue<Quad>;
extern template class Function<double>;
extern template class Function<Quad>;

} // namespace vessiot::expr
