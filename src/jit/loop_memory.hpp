// The elements of buffers that a family loop reads and writes: where they are, as code.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include "expr/kernel/kernel.hpp"
#include "jit/emit_value.hpp"

namespace vessiot::jit {

class LoopMemory {
public:
    static constexpr std::uint32_t width = expr::reduction_width;

    // Code is made by `ir`, in a function whose arguments are those of the entry.
    LoopMemory(const vessiot_jit_kernel& kernel, std::uint32_t number, llvm::Function& function, llvm::IRBuilder<>& ir);

    bool has_lanes() const { return has_lanes_; }
    llvm::Type* number_type() const { return number_type_; }
    llvm::Type* vector_type() const { return vector_type_; }
    llvm::Type* uniform_type() const { return has_lanes_ ? vector_type_ : number_type_; }
    // Whether the masked block must go to the elements of this address one by one.
    bool is_scattered(std::uint32_t address) const;

    // Before the loop over the segments.
    void load_tables();
    llvm::Value* n_segments() const { return n_segments_; }
    // In it; `first_instance`: the number of the segment's first one, counted over all segments. Gives its length.
    llvm::Value* begin_segment(llvm::Value* segment, llvm::Value* first_instance);

    // The place of instance 0 of the segment (tables: its entry in the table).
    llvm::Value* base(std::uint32_t address) const { return bases_[address]; }
    // The place of one element; `instance` counts from the start of the segment.
    llvm::Value* element(std::uint32_t address, llvm::Value* instance);
    // The k-th of a block that begins with the instance `first`.
    llvm::Value* element_in_block(std::uint32_t address, llvm::Value* first, std::uint32_t k);

    llvm::Value* load(llvm::Type* type, llvm::Value* pointer, bool is_invariant = true);
    void store(llvm::Value* value, llvm::Value* pointer) { ir_.CreateAlignedStore(value, pointer, llvm::Align(8)); }
    llvm::Value* step_pointer(llvm::Type* type, llvm::Value* base, llvm::Value* index) {
        return ir_.CreateInBoundsGEP(type, base, index);
    }
    // Stack space is taken in the entry block, so that it is there once.
    llvm::Value* on_stack(llvm::Type* type);

private:
    const vessiot_jit_loop& loop_;
    std::uint32_t number_;
    bool has_lanes_;
    llvm::Function& function_;
    llvm::IRBuilder<>& ir_;
    llvm::Type *number_type_, *vector_type_;
    llvm::MDNode* invariant_;
    llvm::Value *n_segments_ = nullptr, *lengths_ = nullptr, *starts_ = nullptr;
    std::vector<llvm::Value*> buffers_; // base of the buffer of an address
    std::vector<llvm::Value*> tables_;  // first entry of the table of an address
    std::vector<llvm::Value*> bases_;
};

} // namespace vessiot::jit
