#include "jit/emit_value.hpp"

#include <numeric>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace vessiot::jit {

using llvm::Type;
using llvm::Value;

namespace {

unsigned n_elements(const Value* value) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    return vector ? vector->getNumElements() : 1;
}

} // namespace

llvm::SmallVector<int, 8> consecutive(int first, int n) {
    llvm::SmallVector<int, 8> mask(static_cast<std::size_t>(n));
    std::iota(mask.begin(), mask.end(), first);
    return mask;
}

ValueEmitter::ValueEmitter(llvm::IRBuilder<>& builder, const vessiot_jit_kernel& kernel, unsigned call_width)
    : ir_(builder), kernel_(kernel), call_width_(call_width) {
    llvm::FastMathFlags flags;
    flags.setAllowContract(kernel.contraction != 0);
    ir_.setFastMathFlags(flags);
}

Value* ValueEmitter::constant(std::uint32_t number, Type* type) const {
    return llvm::ConstantFP::get(type, kernel_.constants[number]);
}

Value* ValueEmitter::truth(Value* condition, Type* type) {
    return ir_.CreateSelect(condition, llvm::ConstantFP::get(type, 1.0), llvm::ConstantFP::get(type, 0.0));
}

// number != 0, and true for NaN. The result of a comparison gives its condition back.
Value* ValueEmitter::is_true(Value* number) {
    Value* const zero = llvm::ConstantFP::get(number->getType(), 0.0);
    Value* const one = llvm::ConstantFP::get(number->getType(), 1.0);
    if (auto* made = llvm::dyn_cast<llvm::SelectInst>(number))
        if (made->getTrueValue() == one && made->getFalseValue() == zero) return made->getCondition();
    return ir_.CreateFCmpUNE(number, zero);
}

Value* ValueEmitter::operation(Op op, Value* a, Value* b, Value* c) {
    Type* const type = a->getType();
    switch (op) {
    case Op::add: return ir_.CreateFAdd(a, b);
    case Op::sub: return ir_.CreateFSub(a, b);
    case Op::mul: return ir_.CreateFMul(a, b);
    case Op::div: return ir_.CreateFDiv(a, b);
    case Op::neg: return ir_.CreateFNeg(a);
    case Op::sqrt: return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Op::abs: return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    case Op::floor: return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
    case Op::ceil: return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a);
    case Op::sign: {
        Value* const zero = llvm::ConstantFP::get(type, 0.0);
        return ir_.CreateFSub(truth(ir_.CreateFCmpOGT(a, zero), type), truth(ir_.CreateFCmpOLT(a, zero), type));
    }
    // NOTE: written as select, which x86 has as one instruction with exactly this meaning for NaN and for zeros.
    case Op::min: return ir_.CreateSelect(ir_.CreateFCmpOLT(a, b), a, b);
    case Op::max: return ir_.CreateSelect(ir_.CreateFCmpOGT(a, b), a, b);
    case Op::less: return truth(ir_.CreateFCmpOLT(a, b), type);
    case Op::less_equal: return truth(ir_.CreateFCmpOLE(a, b), type);
    case Op::equal: return truth(ir_.CreateFCmpOEQ(a, b), type);
    case Op::not_equal: return truth(ir_.CreateFCmpUNE(a, b), type);
    case Op::logical_and: return truth(ir_.CreateAnd(is_true(a), is_true(b)), type);
    case Op::logical_or: return truth(ir_.CreateOr(is_true(a), is_true(b)), type);
    case Op::logical_not: return truth(ir_.CreateNot(is_true(a)), type);
    case Op::select: return ir_.CreateSelect(is_true(a), b, c);
    default: return arity(op) == 2 ? call(op, {a, b}) : call(op, {a});
    }
}

unsigned ValueEmitter::width(Op op) const {
    const vessiot_jit_function& function = kernel_.functions[static_cast<int>(op)];
    if (call_width_ >= 8 && function.width8) return 8;
    if (call_width_ >= 4 && function.width4) return 4;
    if (call_width_ >= 2 && function.width2) return 2;
    return 1;
}

Value* ValueEmitter::call_address(void* address, llvm::ArrayRef<Value*> operands) {
    Type* const type = operands[0]->getType();
    const llvm::SmallVector<Type*, 2> types(operands.size(), type);
    Value* const number = ir_.getInt64(reinterpret_cast<std::uint64_t>(address));
    llvm::CallInst* const result = ir_.CreateCall(llvm::FunctionType::get(type, types, false),
                                                  ir_.CreateIntToPtr(number, ir_.getPtrTy()), operands);
    result->setDoesNotThrow();
    result->setDoesNotAccessMemory();
    return result;
}

// One call if there is a function of this width, else two of half the width.
Value* ValueEmitter::call(Op op, llvm::ArrayRef<Value*> operands) {
    const vessiot_jit_function& function = kernel_.functions[static_cast<int>(op)];
    const unsigned n = n_elements(operands[0]);
    const unsigned widest = width(op);
    if (n == 1) return call_address(function.width1, operands);
    if (n <= widest) {
        void* const address = n == 2 ? function.width2 : n == 4 ? function.width4 : function.width8;
        if (address) return call_address(address, operands);
    }
    const auto half = static_cast<int>(n / 2);
    llvm::SmallVector<Value*, 2> low, high;
    for (Value* operand : operands) {
        if (half == 1) {
            low.push_back(ir_.CreateExtractElement(operand, std::uint64_t{0}));
            high.push_back(ir_.CreateExtractElement(operand, std::uint64_t{1}));
        } else {
            low.push_back(ir_.CreateShuffleVector(operand, consecutive(0, half)));
            high.push_back(ir_.CreateShuffleVector(operand, consecutive(half, half)));
        }
    }
    Value* const first = call(op, low);
    Value* const second = call(op, high);
    if (half > 1) return ir_.CreateShuffleVector(first, second, consecutive(0, 2 * half));
    Value* const pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(first->getType(), 2));
    return ir_.CreateInsertElement(ir_.CreateInsertElement(pair, first, std::uint64_t{0}), second, std::uint64_t{1});
}

void ValueEmitter::calls(Op op, llvm::ArrayRef<Value*> operands, llvm::MutableArrayRef<Value*> results) {
    const std::size_t n = results.size();
    const std::size_t n_operands = operands.size() / n;
    if (n == 1) {
        results[0] = call(op, operands);
        return;
    }
    const unsigned elements = n > 4 ? 8 : n > 2 ? 4 : 2;
    auto* const type = llvm::FixedVectorType::get(operands[0]->getType(), elements);
    llvm::SmallVector<Value*, 2> vectors;
    for (std::size_t k = 0; k < n_operands; ++k) {
        Value* vector = llvm::PoisonValue::get(type);
        // Idle elements repeat the first argument: whatever it costs is paid anyway.
        for (std::uint64_t e = 0; e < elements; ++e)
            vector = ir_.CreateInsertElement(vector, operands[k * n + (e < n ? e : 0)], e);
        vectors.push_back(vector);
    }
    Value* const result = call(op, vectors);
    for (std::uint64_t e = 0; e < n; ++e) results[e] = ir_.CreateExtractElement(result, e);
}

} // namespace vessiot::jit
