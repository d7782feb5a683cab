#include "jit/loop_memory.hpp"

#include <llvm/IR/Constants.h>

namespace vessiot::jit {

using llvm::Value;

LoopMemory::LoopMemory(const vessiot_jit_kernel& kernel, std::uint32_t number, llvm::Function& function,
                       llvm::IRBuilder<>& ir)
    : loop_(kernel.loops[number]), number_(number), has_lanes_(kernel.lanes > 1), function_(function), ir_(ir),
      number_type_(ir.getDoubleTy()), vector_type_(llvm::FixedVectorType::get(number_type_, width)),
      invariant_(llvm::MDNode::get(function.getContext(), {})) {}

bool LoopMemory::is_scattered(std::uint32_t address) const {
    const vessiot_jit_address& a = loop_.addresses[address];
    const bool is_contiguous = a.table < 0 && (has_lanes_ || a.stride == 1);
    return !is_contiguous;
}

void LoopMemory::load_tables() {
    llvm::Type* const pointer = ir_.getPtrTy();
    llvm::Type* const record = llvm::StructType::get(ir_.getInt64Ty(), pointer, pointer, pointer);
    Value* const tables = ir_.CreateConstInBoundsGEP1_64(record, function_.getArg(1), number_);
    const auto field = [&](unsigned k, llvm::Type* type) { return load(type, ir_.CreateStructGEP(record, tables, k)); };
    n_segments_ = field(0, ir_.getInt64Ty());
    lengths_ = field(1, pointer);
    starts_ = field(2, pointer);
    Value* list = nullptr;
    std::vector<Value*> buffers;
    for (std::uint32_t k = 0; k < loop_.n_addresses; ++k) {
        const vessiot_jit_address& address = loop_.addresses[k];
        if (buffers.size() <= address.buffer) buffers.resize(address.buffer + 1);
        Value*& buffer = buffers[address.buffer];
        if (!buffer)
            buffer = load(pointer, ir_.CreateConstInBoundsGEP1_64(pointer, function_.getArg(0), address.buffer));
        buffers_.push_back(buffer);
        if (address.table >= 0 && !list) list = field(3, pointer);
        tables_.push_back(address.table < 0 ? nullptr
                                            : load(pointer, ir_.CreateConstInBoundsGEP1_64(
                                                                pointer, list, static_cast<unsigned>(address.table))));
    }
}

Value* LoopMemory::begin_segment(Value* segment, Value* first_instance) {
    Value* const length = load(ir_.getInt64Ty(), step_pointer(ir_.getInt64Ty(), lengths_, segment));
    Value* const row = ir_.CreateMul(segment, ir_.getInt64(loop_.n_addresses));
    Value* const starts = step_pointer(ir_.getInt64Ty(), starts_, row);
    bases_.assign(loop_.n_addresses, nullptr);
    for (std::uint32_t k = 0; k < loop_.n_addresses; ++k) {
        if (tables_[k]) {
            bases_[k] = step_pointer(ir_.getInt32Ty(), tables_[k], first_instance);
            continue;
        }
        Value* const start = load(ir_.getInt64Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), starts, k));
        bases_[k] = step_pointer(uniform_type(), buffers_[k], start);
    }
    return length;
}

// NOTE: the offset of the element in the block is kept apart from that of the block: it is a constant of the code.
Value* LoopMemory::element_in_block(std::uint32_t address, Value* first, std::uint32_t k) {
    const vessiot_jit_address& a = loop_.addresses[address];
    if (a.table >= 0) {
        Value* const entry = step_pointer(ir_.getInt32Ty(), bases_[address], first);
        Value* const number = load(ir_.getInt32Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt32Ty(), entry, k));
        return step_pointer(number_type_, buffers_[address], ir_.CreateSExt(number, ir_.getInt64Ty()));
    }
    const auto stride = static_cast<std::uint64_t>(a.stride);
    Value* const begin = step_pointer(number_type_, bases_[address], ir_.CreateMul(first, ir_.getInt64(stride)));
    return ir_.CreateConstInBoundsGEP1_64(number_type_, begin, stride * k);
}

Value* LoopMemory::element(std::uint32_t address, Value* instance) {
    const vessiot_jit_address& a = loop_.addresses[address];
    if (a.table >= 0) {
        Value* const number = load(ir_.getInt32Ty(), step_pointer(ir_.getInt32Ty(), bases_[address], instance));
        return step_pointer(uniform_type(), buffers_[address], ir_.CreateSExt(number, ir_.getInt64Ty()));
    }
    Value* const offset = ir_.CreateMul(instance, ir_.getInt64(static_cast<std::uint64_t>(a.stride)));
    return step_pointer(uniform_type(), bases_[address], offset);
}

Value* LoopMemory::load(llvm::Type* type, Value* pointer, bool is_invariant) {
    llvm::LoadInst* const result = ir_.CreateAlignedLoad(type, pointer, llvm::Align(type->isIntegerTy(32) ? 4 : 8));
    if (is_invariant) result->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant_);
    return result;
}

Value* LoopMemory::on_stack(llvm::Type* type) {
    llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    llvm::AllocaInst* const place = entry.CreateAlloca(type);
    place->setAlignment(llvm::Align(64));
    return place;
}

} // namespace vessiot::jit
