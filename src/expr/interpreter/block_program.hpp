// Executes a family loop in blocks of instances: one operation after another, each on the whole block, so that the
// decision what to do is paid once for a block and the work is done in vectors.
//
// A block may cover several segments (nested loops with short inner ones), the parts of which are called pieces. A
// segment that does not fit is cut at a multiple of 8 instances, which keeps the partial sums of reductions aligned.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/interpreter/block_functions.hpp"
#include "expr/kernel/aligned.hpp"

#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

// Memory of one evaluation of one loop.
template <class S> struct BlockMemory {
    struct Piece {
        std::size_t segment = 0;
        std::int64_t first = 0; // instance within the segment
        std::int64_t count = 0;
        std::int64_t offset = 0; // within the block
        bool is_last = false;    // of its segment
    };
    AlignedVector<S> slots;    // values of a block
    std::vector<S*> values;    // where value v lies: in a slot, or directly in a buffer
    std::vector<Piece> pieces; // of the current block
    std::size_t n_pieces = 0;
    AlignedVector<S> partials; // of reductions: [reduction][8][lane]
    AlignedVector<S> sums;     // [reduction][piece][lane]
};

template <class S> class BlockProgram {
public:
    // The kernel must outlive the program.
    BlockProgram(const Kernel& kernel, const Loop& loop, int lanes, Simd widest);
    BlockProgram(BlockProgram&&) = default; // NOTE: no copies: accesses point into tables
    BlockProgram& operator=(BlockProgram&&) = default;

    void operator()(S* const* buffers, BlockMemory<S>& memory) const { execute_(*this, buffers, memory); }

    BlockMemory<S> make_memory(const Kernel& kernel) const;

    std::int64_t block_size() const { return block_size_; }

private:
    template <class T, int lanes> friend struct BlockExecutor;
    template <class T> friend class BlockProgramMaker;

    // How to find the element of an instance.
    struct Access {
        enum class Rule { affine, table, pieces };
        Rule rule = Rule::affine;
        std::uint32_t buffer = 0;
        std::uint32_t address = 0;          // in the loop
        std::int64_t start = 0, stride = 0; // affine in the instance counted over all segments; pieces: stride only
        const std::int32_t* table = nullptr;
    };
    struct Step {
        enum class Kind { operation, read, assign, add, reduce };
        Kind kind = Kind::operation;
        Op op = Op::read;
        bool is_direct = false; // operation: the result goes straight to where `access` says
        std::uint32_t out = 0;  // value; reduce: number of the reduction
        std::uint32_t a = 0, b = 0, c = 0;
        std::uint32_t access = 0;
        std::uint32_t slot = 0; // read: where to copy to if it cannot be used in place
    };

    const Loop* loop_;
    int lanes_;
    const BlockFunctions<S>* functions_;

    std::int64_t block_size_ = 0, n_instances_ = 0;
    std::size_t slot_size_ = 0; // numbers from one slot to the next
    std::uint32_t n_slots_ = 0;
    std::vector<std::uint32_t> slot_of_;                             // of values; no_slot: lies in a buffer
    std::vector<std::pair<std::uint32_t, std::uint32_t>> constants_; // value, number of the constant
    std::vector<Access> accesses_;                                   // one for each address
    std::vector<std::vector<std::int32_t>> tables_;                  // made here from short segments
    std::vector<Step> prologue_; // what is the same for all instances: once for an evaluation
    std::vector<Step> steps_;
    std::vector<std::uint32_t> reductions_; // addresses, in the order of the stores
    bool needs_pieces_ = false;
    void (*execute_)(const BlockProgram&, S* const*, BlockMemory<S>&) = nullptr;

    static constexpr std::uint32_t no_slot = 0xffffffffU;
};

extern template class BlockProgram<double>;
extern template class BlockProgram<Quad>;

} // namespace vessiot::expr
