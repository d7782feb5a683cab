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
    default: break;
    }
    if (expr::is_of_bits(op)) return of_bits(op, a);
    return arity(op) == 2 ? call(op, {a, b}) : call(op, {a});
}

// As bit_ops.hpp has them.
Value* ValueEmitter::of_bits(Op op, Value* a) {
    // NOTE: a number by itself would go to the integer registers and back, which takes longer than the operation
    if (!a->getType()->isVectorTy() && call_width_ > 1) {
        Value* const pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(a->getType(), 2));
        return ir_.CreateExtractElement(of_bits(op, ir_.CreateInsertElement(pair, a, std::uint64_t{0})),
                                        std::uint64_t{0});
    }
    Type* const type = a->getType();
    Type* const integer = type->getWithNewType(ir_.getInt64Ty());
    const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(integer, n); };
    const auto real = [&](double x) { return llvm::ConstantFP::get(type, x); };
    if (op == expr::power_of_two_op) {
        Value* const rounded = ir_.CreateFAdd(a, real(expr::bits::round_with_bias));
        return ir_.CreateBitCast(ir_.CreateShl(ir_.CreateBitCast(rounded, integer), number(52)), type);
    }
    Value* const word = ir_.CreateBitCast(a, integer);
    if (op == expr::word_op)
        return ir_.CreateBitCast(ir_.CreateOr(ir_.CreateLShr(word, number(12)), number(expr::bits::of_two_to_52)),
                                 type);
    if (op == expr::of_word_op) return ir_.CreateBitCast(ir_.CreateShl(word, number(12)), type);
    if (op == expr::mantissa_op)
        return ir_.CreateBitCast(
            ir_.CreateOr(ir_.CreateAnd(word, number(expr::bits::of_fraction)), number(expr::bits::of_one)), type);
    Value* const e = ir_.CreateOr(ir_.CreateLShr(word, number(52)), number(expr::bits::of_two_to_52));
    return ir_.CreateFSub(ir_.CreateBitCast(e, type), real(expr::bits::bias));
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
    llvm::SmallVector<Value*, 2> low, high;
    for (Value* operand : operands) {
        const auto [first, second] = halves(operand);
        low.push_back(first);
        high.push_back(second);
    }
    Value* const first = call(op, low);
    return joined(first, call(op, high));
}

std::pair<Value*, Value*> ValueEmitter::halves(Value* vector) {
    const auto half = static_cast<int>(n_elements(vector) / 2);
    if (half == 1)
        return {ir_.CreateExtractElement(vector, std::uint64_t{0}), ir_.CreateExtractElement(vector, std::uint64_t{1})};
    return {ir_.CreateShuffleVector(vector, consecutive(0, half)),
            ir_.CreateShuffleVector(vector, consecutive(half, half))};
}

Value* ValueEmitter::joined(Value* low, Value* high) {
    const auto half = static_cast<int>(n_elements(low));
    if (half > 1) return ir_.CreateShuffleVector(low, high, consecutive(0, 2 * half));
    Value* const pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(low->getType(), 2));
    return ir_.CreateInsertElement(ir_.CreateInsertElement(pair, low, std::uint64_t{0}), high, std::uint64_t{1});
}

// The results pass through memory: two vectors are more than registers bring back.
ValueEmitter::SineCosine ValueEmitter::sine_cosine(Value* a) {
    const vessiot_jit_function& function = *kernel_.sine_cosine;
    const unsigned n = n_elements(a);
    void* const address = n == 1               ? function.width1
                          : n > width(Op::sin) ? nullptr
                          : n == 2             ? function.width2
                          : n == 4             ? function.width4
                                               : function.width8;
    if (!address) {
        const auto [low, high] = halves(a);
        const SineCosine first = sine_cosine(low), second = sine_cosine(high);
        return {joined(first.sine, second.sine), joined(first.cosine, second.cosine)};
    }
    llvm::BasicBlock& entry = ir_.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.begin());
    llvm::AllocaInst* const out = at_entry.CreateAlloca(a->getType(), at_entry.getInt32(2));
    Value* const f = ir_.CreateIntToPtr(ir_.getInt64(reinterpret_cast<std::uint64_t>(address)), ir_.getPtrTy());
    llvm::CallInst* const call =
        ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), {a->getType(), ir_.getPtrTy()}, false), f, {a, out});
    call->setDoesNotThrow();
    call->setOnlyAccessesArgMemory();
    call->addParamAttr(1, llvm::Attribute::NoCapture);
    call->addParamAttr(1, llvm::Attribute::WriteOnly);
    Value* const sine = ir_.CreateLoad(a->getType(), out);
    return {sine, ir_.CreateLoad(a->getType(), ir_.CreateConstInBoundsGEP1_64(a->getType(), out, 1))};
}

// Idle elements repeat the first number: whatever it costs is paid anyway.
Value* ValueEmitter::gathered(llvm::ArrayRef<Value*> numbers) {
    const std::size_t n = numbers.size();
    const unsigned elements = n > 4 ? 8 : n > 2 ? 4 : 2;
    Value* vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(numbers[0]->getType(), elements));
    for (std::uint64_t e = 0; e < elements; ++e) vector = ir_.CreateInsertElement(vector, numbers[e < n ? e : 0], e);
    return vector;
}

void ValueEmitter::sines_cosines(llvm::ArrayRef<Value*> operands, llvm::MutableArrayRef<Value*> results) {
    const std::size_t n = operands.size();
    const SineCosine both = sine_cosine(n == 1 ? operands[0] : gathered(operands));
    for (std::uint64_t e = 0; e < n; ++e) {
        results[e] = n == 1 ? both.sine : ir_.CreateExtractElement(both.sine, e);
        results[n + e] = n == 1 ? both.cosine : ir_.CreateExtractElement(both.cosine, e);
    }
}

void ValueEmitter::calls(Op op, llvm::ArrayRef<Value*> operands, llvm::MutableArrayRef<Value*> results) {
    const std::size_t n = results.size();
    const std::size_t n_operands = operands.size() / n;
    if (n == 1) {
        results[0] = call(op, operands);
        return;
    }
    llvm::SmallVector<Value*, 2> vectors;
    for (std::size_t k = 0; k < n_operands; ++k) vectors.push_back(gathered(operands.slice(k * n, n)));
    Value* const result = call(op, vectors);
    for (std::uint64_t e = 0; e < n; ++e) results[e] = ir_.CreateExtractElement(result, e);
}

} // namespace vessiot::jit
