// The emitter of family loops: see emit_loop.hpp for what it makes. emit_loop.cpp has the structure of the code,
// emit_access.cpp what reads and writes elements.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/kernel/kernel.hpp"
#include "jit/control_flow.hpp"
#include "jit/emit_value.hpp"

namespace vessiot::jit {

class LoopEmitter {
public:
    LoopEmitter(const vessiot_jit_kernel& kernel, std::uint32_t number, unsigned call_width, std::uint32_t block_size,
                llvm::Function& function)
        : kernel_(kernel), loop_(kernel.loops[number]), number_(number), block_size_(block_size), function_(function),
          context_(function.getContext()), ir_(llvm::BasicBlock::Create(context_, "entry", &function)),
          emitter_(ir_, kernel, call_width) {
        number_type_ = ir_.getDoubleTy();
        vector_type_ = llvm::FixedVectorType::get(number_type_, width);
        invariant_ = llvm::MDNode::get(context_, {});
    }

    void emit();

private:
    static constexpr std::uint32_t width = expr::reduction_width;
    static expr::StoreMode mode_of(const vessiot_jit_store& store) { return static_cast<expr::StoreMode>(store.mode); }

    // A block of instances: `first` is the number of the first one; a masked block has `count` < 8 of them.
    struct Block {
        llvm::Value* first = nullptr;
        llvm::Value* count = nullptr;
        llvm::Value* mask = nullptr;
    };

    bool has_lanes() const { return kernel_.lanes > 1; }
    llvm::Type* uniform_type() const { return has_lanes() ? vector_type_ : number_type_; }
    bool is_contiguous(const vessiot_jit_address& address) const {
        return address.table < 0 && (has_lanes() || address.stride == 1);
    }
    // Whether the masked block must go to the elements of this address one by one.
    bool is_scattered(std::uint32_t address) const { return !is_contiguous(loop_.addresses[address]); }

    void find_uniform();
    void find_twins();
    void load_tables();
    void begin_segment();
    void emit_uniform();
    void emit_blocks();
    void emit_instances();
    void emit_body(const Block& block);
    void emit_operation(std::uint32_t v, const Block& block); // into varying_[v]
    void emit_store(std::uint32_t store, const Block& block, llvm::Value* value);
    void end_segment();

    llvm::Value* load(llvm::Type* type, llvm::Value* pointer, bool is_invariant = true) {
        llvm::LoadInst* const result = ir_.CreateAlignedLoad(type, pointer, llvm::Align(type->isIntegerTy(32) ? 4 : 8));
        if (is_invariant) result->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant_);
        return result;
    }
    void store(llvm::Value* value, llvm::Value* pointer) { ir_.CreateAlignedStore(value, pointer, llvm::Align(8)); }
    llvm::Value* step_pointer(llvm::Type* type, llvm::Value* base, llvm::Value* index) {
        return ir_.CreateInBoundsGEP(type, base, index);
    }

    // The place of one element; `instance` counts from the start of the segment.
    llvm::Value* element(std::uint32_t address, llvm::Value* instance);
    llvm::Value* element_in_block(std::uint32_t address, const Block& block, std::uint32_t k);
    llvm::Value* read(std::uint32_t address, const Block& block);

    // Stack space is taken in the entry block, so that it is there once.
    llvm::Value* on_stack(llvm::Type* type) {
        llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
        llvm::AllocaInst* const place = entry.CreateAlloca(type);
        place->setAlignment(llvm::Align(64));
        return place;
    }

    const vessiot_jit_kernel& kernel_;
    const vessiot_jit_loop& loop_;
    std::uint32_t number_, block_size_;
    llvm::Function& function_;
    llvm::LLVMContext& context_;
    llvm::IRBuilder<> ir_;
    ValueEmitter emitter_;
    llvm::Type *number_type_, *vector_type_;
    llvm::MDNode* invariant_;

    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<char> is_live_, is_uniform_;
    std::vector<std::uint32_t> twin_; // of sin and cos: the other of the same argument, if there is one
    std::vector<std::vector<std::uint32_t>> stores_of_;    // by value
    std::vector<std::uint32_t> reductions_, reduction_of_; // stores that reduce, and the number of a store among them
    llvm::Value *n_segments_ = nullptr, *lengths_ = nullptr, *starts_ = nullptr;
    std::vector<llvm::Value*> buffers_; // base of the buffer of an address
    std::vector<llvm::Value*> tables_;  // first entry of the table of an address
    llvm::Value *segment_ = nullptr, *length_ = nullptr, *first_instance_ = nullptr;
    std::vector<llvm::Value*> bases_;             // place of instance 0 of the segment (tables: its entry in the table)
    std::vector<llvm::Value*> uniform_, varying_; // values before and inside the inner loop
    Carried sums_;                                // partial sums, by reduction
    std::vector<llvm::Value*> gathered_, scattered_; // arrays for the masked block, by address and by store
};

} // namespace vessiot::jit
