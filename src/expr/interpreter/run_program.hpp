// Executes a loop that is written out (flat_program.hpp) as runs of equal operations: the kind of operation is decided
// on once for each run, and a run reads nothing but the places of its operands, since its results lie one after
// another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "expr/interpreter/flat_program.hpp"
#include "expr/interpreter/simd.hpp"
#include "expr/kernel/aligned.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// Memory of one evaluation. `values` begins with the constants of the kernel (and a zero), which are set once.
template <class S> struct RunMemory {
    AlignedVector<S> values;
    AlignedVector<S> operands; // of a run of elementary functions, brought together
    // of functions of the user
    std::vector<double> arguments{}, results{};
    std::vector<std::unique_ptr<External::Memory>> externals{};
};

template <class S> class RunProgram {
public:
    RunProgram(const Kernel& kernel, const Loop& loop, int lanes, Simd widest);

    void operator()(S* const* buffers, RunMemory<S>& memory) const { execute_(*this, buffers, memory); }

    // Enlarges the memory to what this program needs.
    void reserve(const Kernel& kernel, RunMemory<S>& memory) const;

    std::size_t n_runs() const { return runs_.size(); }

private:
    template <class T, int lanes> friend struct RunExecutor;

    // Places are multiplied by the number of lanes: ready to be added to a pointer.
    struct Run {
        Op op;                    // or read
        std::uint32_t buffer = 0; // of reads and stores
        std::uint32_t result = 0; // place of the first result
        std::uint32_t count = 0;
        std::uint32_t operands = 0; // where they begin in places_
        bool is_contiguous = false; // reads of successive elements
    };

    // One evaluation of a function of the user, for all results of it that are needed.
    struct Call {
        const External* function = nullptr;
        std::uint32_t external = 0;             // its number
        std::vector<std::uint32_t> arguments{}; // places
        struct Result {
            std::uint32_t number = 0, place = 0;
        };
        std::vector<Result> results{};
    };

    std::uint32_t place(std::uint64_t number) const;
    void add_calls(const Kernel& kernel, const FlatProgram& flat, std::span<const std::uint32_t> instructions);
    void add_leaves(const FlatProgram& flat);
    void add_runs(const Kernel& kernel, const FlatProgram& flat);
    void add_stores(const FlatProgram& flat);
    void choose_executor(Simd widest);

    int lanes_;
    std::vector<Run> runs_;
    std::vector<Run> stores_; // op: read for assign, add for add
    std::vector<Call> calls_; // a run of them: `operands` is the first
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> place_of_; // of the values of the flat program; only while it is being made
    std::uint32_t n_values_ = 0;
    std::uint32_t longest_elementary_ = 0;
    void (*execute_)(const RunProgram&, S* const*, RunMemory<S>&) = nullptr;
};

extern template class RunProgram<double>;
extern template class RunProgram<Quad>;

} // namespace vessiot::expr
