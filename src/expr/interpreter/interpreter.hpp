// Evaluates a kernel without compiling anything: always there, any machine, double or 128-bit floats, one system or
// several at once. The oracle for native code, which must agree with it bit for bit.
//
// Lanes: L independent systems are evaluated together; element e of lane l of a buffer is at buffer[e * L + l], in all
// buffers of the kernel. Any L >= 1; 1, 4 and 8 are fast.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "expr/interpreter/block_program.hpp"
#include "expr/interpreter/run_program.hpp"
#include "expr/kernel/aligned.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

template <class S> class Interpreter;

// What an evaluation writes to besides the outputs. One for each thread; made by Interpreter::make_workspace for that
// interpreter alone. It can be moved but not copied.
template <class S> class Workspace {
public:
    Workspace(Workspace&&) = default;
    Workspace& operator=(Workspace&&) = default;

private:
    friend class Interpreter<S>;
    Workspace() = default;

    RunMemory<S> run;
    std::vector<BlockMemory<S>> blocks; // for each block program
    std::vector<AlignedVector<S>> scratch;
    std::vector<S*> own;     // by buffer: scratch and literals, else null
    std::vector<S*> buffers; // of the current evaluation
};

// Immutable: several threads may use one interpreter, each with its own workspace. S is double or Quad.
template <class S> class Interpreter {
public:
    // Narrower vectors than the machine has give the same results; tests ask for them.
    explicit Interpreter(std::shared_ptr<const Kernel> kernel, int lanes = 1, Simd widest = simd());

    // Buffers by number in Kernel::buffers. Those of scratch and literals may be null: the workspace has its own.
    // Does not allocate.
    void operator()(S* const* buffers, Workspace<S>& workspace) const;

    Workspace<S> make_workspace() const;

    const Kernel& kernel() const { return *kernel_; }
    int lanes() const { return lanes_; }

private:
    struct BlockLoop {
        BlockProgram<S> program;
        std::size_t memory; // number in Workspace::blocks
    };

    std::shared_ptr<const Kernel> kernel_;
    int lanes_;
    std::vector<std::variant<RunProgram<S>, BlockLoop>> loops_;
    std::vector<AlignedVector<S>> literals_; // with all lanes
};

extern template class Interpreter<double>;
extern template class Interpreter<Quad>;

} // namespace vessiot::expr
