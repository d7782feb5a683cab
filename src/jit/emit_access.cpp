// Elements of buffers in family loops: where they are, reading and storing them.
#include <llvm/IR/Constants.h>

#include "jit/loop_emitter.hpp"

namespace vessiot::jit {

using expr::StoreMode;
using llvm::Value;

// NOTE: the offset of the element in the block is kept apart from that of the block: it is a constant of the code.
Value* LoopEmitter::element_in_block(std::uint32_t address, const Block& block, std::uint32_t k) {
    const vessiot_jit_address& a = loop_.addresses[address];
    if (a.table >= 0) {
        Value* const entry = step_pointer(ir_.getInt32Ty(), bases_[address], block.first);
        Value* const number = load(ir_.getInt32Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt32Ty(), entry, k));
        return step_pointer(number_type_, buffers_[address], ir_.CreateSExt(number, ir_.getInt64Ty()));
    }
    const auto stride = static_cast<std::uint64_t>(a.stride);
    Value* const first = step_pointer(number_type_, bases_[address], ir_.CreateMul(block.first, ir_.getInt64(stride)));
    return ir_.CreateConstInBoundsGEP1_64(number_type_, first, stride * k);
}

Value* LoopEmitter::element(std::uint32_t address, Value* instance) {
    const vessiot_jit_address& a = loop_.addresses[address];
    if (a.table >= 0) {
        Value* const number = load(ir_.getInt32Ty(), step_pointer(ir_.getInt32Ty(), bases_[address], instance));
        return step_pointer(uniform_type(), buffers_[address], ir_.CreateSExt(number, ir_.getInt64Ty()));
    }
    Value* const offset = ir_.CreateMul(instance, ir_.getInt64(static_cast<std::uint64_t>(a.stride)));
    return step_pointer(uniform_type(), bases_[address], offset);
}

Value* LoopEmitter::read(std::uint32_t address, const Block& block) {
    if (has_lanes()) return load(vector_type_, element(address, block.first));
    if (!is_scattered(address)) {
        Value* const place = step_pointer(number_type_, bases_[address], block.first);
        if (!block.mask) return load(vector_type_, place);
        return ir_.CreateMaskedLoad(vector_type_, place, llvm::Align(8), block.mask,
                                    llvm::ConstantFP::get(vector_type_, 0.0));
    }
    if (block.mask) return load(vector_type_, gathered_[address], false);
    Value* result = llvm::PoisonValue::get(vector_type_);
    for (std::uint32_t k = 0; k < width; ++k)
        result = ir_.CreateInsertElement(result, load(number_type_, element_in_block(address, block, k)), k);
    return result;
}

void LoopEmitter::emit_store(std::uint32_t number, const Block& block, Value* value) {
    const vessiot_jit_store& s = loop_.stores[number];
    const bool adds = mode_of(s) == StoreMode::add;
    if (mode_of(s) == StoreMode::reduce) {
        Value*& sums = sums_[reduction_of_[number]];
        if (has_lanes()) {
            Value* const place = step_pointer(vector_type_, sums, ir_.CreateAnd(block.first, ir_.getInt64(width - 1)));
            store(ir_.CreateFAdd(load(vector_type_, place, false), value), place);
        } else {
            Value* const sum = ir_.CreateFAdd(sums, value);
            sums = block.mask ? ir_.CreateSelect(block.mask, sum, sums) : sum;
        }
    } else if (has_lanes()) {
        Value* const place = element(s.address, block.first);
        store(adds ? ir_.CreateFAdd(load(vector_type_, place, false), value) : value, place);
    } else if (is_scattered(s.address)) {
        if (block.mask) {
            store(value, scattered_[number]); // written when all values of the block are known
            return;
        }
        for (std::uint32_t k = 0; k < width; ++k) {
            Value* const place = element_in_block(s.address, block, k);
            Value* const term = ir_.CreateExtractElement(value, std::uint64_t{k});
            store(adds ? ir_.CreateFAdd(load(number_type_, place, false), term) : term, place);
        }
    } else {
        Value* const place = step_pointer(number_type_, bases_[s.address], block.first);
        if (block.mask) {
            if (adds) {
                auto* const zero = llvm::ConstantFP::get(vector_type_, 0.0);
                Value* const before = ir_.CreateMaskedLoad(vector_type_, place, llvm::Align(8), block.mask, zero);
                value = ir_.CreateFAdd(before, value);
            }
            ir_.CreateMaskedStore(value, place, llvm::Align(8), block.mask);
        } else {
            store(adds ? ir_.CreateFAdd(load(vector_type_, place, false), value) : value, place);
        }
    }
}

} // namespace vessiot::jit
