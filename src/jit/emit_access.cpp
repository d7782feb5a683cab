// Elements of buffers in family loops: where they are, reading and storing them.
#include <llvm/IR/Constants.h>

#include "jit/loop_emitter.hpp"

namespace vessiot::jit {

using expr::StoreMode;
using llvm::Value;

Value* LoopEmitter::read(std::uint32_t address, const Block& block) {
    if (has_lanes()) return memory_.load(memory_.vector_type(), memory_.element(address, block.first));
    if (!memory_.is_scattered(address)) {
        Value* const place = memory_.step_pointer(memory_.number_type(), memory_.base(address), block.first);
        if (!block.mask) return memory_.load(memory_.vector_type(), place);
        return ir_.CreateMaskedLoad(memory_.vector_type(), place, llvm::Align(8), block.mask,
                                    llvm::ConstantFP::get(memory_.vector_type(), 0.0));
    }
    if (block.mask) return memory_.load(memory_.vector_type(), gathered_[address], false);
    Value* result = llvm::PoisonValue::get(memory_.vector_type());
    for (std::uint32_t k = 0; k < width; ++k)
        result = ir_.CreateInsertElement(
            result, memory_.load(memory_.number_type(), memory_.element_in_block(address, block.first, k)), k);
    return result;
}

void LoopEmitter::emit_store(std::uint32_t number, const Block& block, Value* value) {
    const vessiot_jit_store& s = loop_.stores[number];
    const bool adds = mode_of(s) == StoreMode::add;
    if (mode_of(s) == StoreMode::reduce) {
        Value*& sums = sums_[plan_.reduction_of[number]];
        if (has_lanes()) {
            Value* const place =
                memory_.step_pointer(memory_.vector_type(), sums, ir_.CreateAnd(block.first, ir_.getInt64(width - 1)));
            memory_.store(ir_.CreateFAdd(memory_.load(memory_.vector_type(), place, false), value), place);
        } else {
            Value* const sum = ir_.CreateFAdd(sums, value);
            sums = block.mask ? ir_.CreateSelect(block.mask, sum, sums) : sum;
        }
    } else if (has_lanes()) {
        Value* const place = memory_.element(s.address, block.first);
        memory_.store(adds ? ir_.CreateFAdd(memory_.load(memory_.vector_type(), place, false), value) : value, place);
    } else if (memory_.is_scattered(s.address)) {
        if (block.mask) {
            memory_.store(value, scattered_[number]); // written when all values of the block are known
            return;
        }
        for (std::uint32_t k = 0; k < width; ++k) {
            Value* const place = memory_.element_in_block(s.address, block.first, k);
            Value* const term = ir_.CreateExtractElement(value, std::uint64_t{k});
            memory_.store(adds ? ir_.CreateFAdd(memory_.load(memory_.number_type(), place, false), term) : term, place);
        }
    } else {
        Value* const place = memory_.step_pointer(memory_.number_type(), memory_.base(s.address), block.first);
        if (block.mask) {
            if (adds) {
                auto* const zero = llvm::ConstantFP::get(memory_.vector_type(), 0.0);
                Value* const before =
                    ir_.CreateMaskedLoad(memory_.vector_type(), place, llvm::Align(8), block.mask, zero);
                value = ir_.CreateFAdd(before, value);
            }
            ir_.CreateMaskedStore(value, place, llvm::Align(8), block.mask);
        } else {
            memory_.store(adds ? ir_.CreateFAdd(memory_.load(memory_.vector_type(), place, false), value) : value,
                          place);
        }
    }
}

} // namespace vessiot::jit
