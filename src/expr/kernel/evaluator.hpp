// Evaluates a kernel by the best means at hand: at once on the interpreter, and on native code as soon as a thread in
// the background has made it. Both give the same bits, so the change shows in nothing but speed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expr/interpreter/interpreter.hpp"
#include "expr/kernel/kernel.hpp"
#include "expr/kernel/native.hpp"

namespace vessiot::expr {

enum class Backend : std::uint8_t {
    automatic,   // start on the interpreter, go over to native code if it can be had and pays
    interpreter, // nothing else
    jit,         // native code from the first evaluation; an error if it cannot be had
};

enum class CodeQuality : std::uint8_t {
    automatic, // `full` if at least a million evaluations are expected
    quick,
    full, // straight-line code up to a third faster, three to ten times the compile time
};

struct EvaluatorOptions {
    Backend backend = Backend::automatic;
    int lanes = 1;            // systems evaluated at once, >= 1; native code knows 1 and 8
    bool contraction = false; // fused multiply-adds: faster, results differ in the last bits. With `automatic` the
                              // constructor waits for native code, so that no run is half one and half the other
    CodeQuality quality = CodeQuality::automatic;
    double expected_evaluations = 0; // a guess; `automatic` compiles nothing that does not pay. 0: not known, compile
};

class Evaluator;

// What an evaluation writes to besides the outputs: one for each thread, made by Evaluator::make_workspace for that
// evaluator alone, which must outlive it.
class EvaluatorWorkspace {
public:
    EvaluatorWorkspace(EvaluatorWorkspace&&) = default;
    EvaluatorWorkspace& operator=(EvaluatorWorkspace&&) = default;

private:
    friend class Evaluator;
    EvaluatorWorkspace() = default;

    struct Free {
        void operator()(double* memory) const { std::free(memory); }
    };
    std::vector<double*> buffers_;              // all buffers of the kernel
    std::vector<AlignedVector<double>> memory_; // of the scratch buffers
    std::unique_ptr<double, Free> scratch_;     // of native code
    std::optional<Workspace<double>> interpreter_;
};

class Evaluator {
public:
    // Throws InvalidInput if the backend is `jit` and there is no native code to be had.
    explicit Evaluator(std::shared_ptr<const Kernel> kernel, const EvaluatorOptions& options = {});
    Evaluator(Evaluator&&) noexcept;
    Evaluator& operator=(Evaluator&&) noexcept;
    ~Evaluator();

    // Inputs and outputs in the order of Kernel::buffers; with L lanes element e of lane l is at [e * L + l].
    // Re-entrant with different workspaces; does not allocate. Any alignment will do; for 8 lanes multiples of 64 bytes
    // are a quarter faster.
    void operator()(const double* const* inputs, double* const* outputs, EvaluatorWorkspace& workspace) const;
    // With a workspace of its own: for one thread at a time.
    void operator()(const double* const* inputs, double* const* outputs);
    // The same without copying pointers, for functions of a few operations: slots()[k] is input k, and after the inputs
    // come the outputs; set them, then run().
    double** slots();
    void run() {
        if (code_) [[likely]]
            (*code_)(own_->buffers_.data(), own_->scratch_.get());
        else
            run_slowly();
    }

    EvaluatorWorkspace make_workspace() const;

    // Returns when native code is there, or is known not to come.
    void wait() const;

    bool is_native() const { return native() != nullptr; }
    double compile_seconds() const { return is_native() ? native()->seconds() : 0; }
    std::size_t code_size() const { return is_native() ? native()->code_size() : 0; } // bytes of machine code
    // Why there is no native code, if that is decided; else empty.
    std::string reason() const;

    const Kernel& kernel() const { return *kernel_; }
    int lanes() const { return options_.lanes; }

private:
    class Compilation;

    const NativeCode* native() const;
    void run_slowly(); // until native code is there

    std::shared_ptr<const Kernel> kernel_;
    EvaluatorOptions options_;
    std::size_t n_inputs_ = 0, n_outputs_ = 0;
    std::unique_ptr<const Interpreter<double>> interpreter_; // null where native code is there from the start
    std::vector<AlignedVector<double>> literals_;            // by buffer, with all lanes
    std::shared_ptr<Compilation> compilation_;               // shared with the thread that compiles
    std::optional<EvaluatorWorkspace> own_;
    const NativeCode* code_ = nullptr; // native(), once it is there
};

} // namespace vessiot::expr
