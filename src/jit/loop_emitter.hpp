// The emitter of family loops: see emit_loop.hpp for what it makes. emit_loop.cpp has the structure of the code,
// emit_access.cpp what reads and writes elements.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/kernel/kernel.hpp"
#include "jit/control_flow.hpp"
#include "jit/emit_value.hpp"
#include "jit/loop_memory.hpp"
#include "jit/loop_plan.hpp"

namespace vessiot::jit {

class LoopEmitter {
public:
    LoopEmitter(const vessiot_jit_kernel& kernel, std::uint32_t number, unsigned call_width, std::uint32_t block_size,
                llvm::Function& function)
        : loop_(kernel.loops[number]), plan_(loop_), block_size_(block_size), function_(function),
          ir_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)), emitter_(ir_, kernel, call_width),
          memory_(kernel, number, function, ir_) {}

    void emit();

private:
    static constexpr std::uint32_t width = LoopMemory::width;

    // A block of instances: `first` is the number of the first one; a masked block has `count` < 8 of them.
    struct Block {
        llvm::Value* first = nullptr;
        llvm::Value* count = nullptr;
        llvm::Value* mask = nullptr;
    };

    bool has_lanes() const { return memory_.has_lanes(); }
    void begin_sums();
    void emit_uniform();
    void spread_uniform();
    void emit_blocks();
    void emit_rest(const Block& rest);
    void emit_instances();
    void emit_body(const Block& block);
    void emit_operation(std::uint32_t v, const Block& block); // into varying_[v]
    void emit_store(std::uint32_t store, const Block& block, llvm::Value* value);
    void end_segment();
    llvm::Value* read(std::uint32_t address, const Block& block);
    std::vector<std::uint32_t> make_gathered();  // arrays of scattered addresses that are read; which those are
    std::vector<std::uint32_t> make_scattered(); // of stores

    const vessiot_jit_loop& loop_;
    LoopPlan plan_;
    std::uint32_t block_size_;
    llvm::Function& function_;
    llvm::IRBuilder<> ir_;
    ValueEmitter emitter_;
    LoopMemory memory_;
    llvm::Value* length_ = nullptr;                  // of the segment
    std::vector<llvm::Value*> uniform_, varying_;    // values before and inside the inner loop
    Carried sums_;                                   // partial sums, by reduction
    std::vector<llvm::Value*> gathered_, scattered_; // arrays for the masked block, by address and by store
};

} // namespace vessiot::jit
