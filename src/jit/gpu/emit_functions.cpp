#include "jit/gpu/emit_functions.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "expr/functions/device/angle_kernel.hpp"

namespace vessiot::jit {

namespace elementary = expr::elementary;

namespace {

using expr::Op;
using llvm::Value;

class Condition {
public:
    Condition(llvm::IRBuilder<>& ir, Value* value) : ir_(&ir), value_(value) {}
    friend Condition operator&(const Condition& a, const Condition& b) {
        return {*a.ir_, a.ir_->CreateAnd(a.value_, b.value_)};
    }
    friend Condition operator|(const Condition& a, const Condition& b) {
        return {*a.ir_, a.ir_->CreateOr(a.value_, b.value_)};
    }
    friend Condition operator!(const Condition& a) { return {*a.ir_, a.ir_->CreateNot(a.value_)}; }
    Value* value() const { return value_; }

private:
    llvm::IRBuilder<>* ir_;
    Value* value_;
};

// A number of the formulas in elementary_kernel.hpp.
class Number {
public:
    Number(llvm::IRBuilder<>& ir, Value* value) : ir_(&ir), value_(value) {}
    Number like(double x) const { return {*ir_, llvm::ConstantFP::get(ir_->getDoubleTy(), x)}; }

    friend Number operator+(const Number& a, const Number& b) { return a.with(a.ir_->CreateFAdd(a.value_, b.value_)); }
    friend Number operator-(const Number& a, const Number& b) { return a.with(a.ir_->CreateFSub(a.value_, b.value_)); }
    friend Number operator*(const Number& a, const Number& b) { return a.with(a.ir_->CreateFMul(a.value_, b.value_)); }
    friend Number operator/(const Number& a, const Number& b) { return a.with(a.ir_->CreateFDiv(a.value_, b.value_)); }
    friend Number operator+(const Number& a, double b) { return a + a.like(b); }
    friend Number operator-(const Number& a, double b) { return a - a.like(b); }
    friend Number operator*(const Number& a, double b) { return a * a.like(b); }
    friend Number operator-(const Number& a) { return a.with(a.ir_->CreateFNeg(a.value_)); }
    friend Condition operator<(const Number& a, const Number& b) {
        return {*a.ir_, a.ir_->CreateFCmpOLT(a.value_, b.value_)};
    }
    friend Condition operator==(const Number& a, const Number& b) {
        return {*a.ir_, a.ir_->CreateFCmpOEQ(a.value_, b.value_)};
    }
    friend Condition operator<(const Number& a, double b) { return a < a.like(b); }
    friend Condition operator==(const Number& a, double b) { return a == a.like(b); }

    friend Number select(const Condition& c, const Number& a, const Number& b) {
        return a.with(a.ir_->CreateSelect(c.value(), a.value_, b.value_));
    }
    friend Number sqrt(const Number& a) { return a.by(llvm::Intrinsic::sqrt); }
    friend Number abs(const Number& a) { return a.by(llvm::Intrinsic::fabs); }
    friend Number nearest(const Number& a) { return a.by(llvm::Intrinsic::rint); }
    friend Number cut(const Number& a) { return a.by(llvm::Intrinsic::trunc); }
    friend Number down(const Number& a) { return a.by(llvm::Intrinsic::floor); }

    friend Number upper(const Number& a) { return a.of(a.ir_->CreateAnd(a.bits(), ~((std::uint64_t{1} << 27) - 1))); }
    friend Number times_sign(const Number& a, const Number& b) {
        return a.of(a.ir_->CreateXor(a.bits(), a.ir_->CreateAnd(b.bits(), sign)));
    }
    friend Condition is_negative(const Number& a) {
        return {*a.ir_, a.ir_->CreateICmpSLT(a.bits(), a.ir_->getInt64(0))};
    }
    // As those of expr/kernel/bit_ops.hpp.
    friend Number exponent(const Number& a) {
        Value* const field = a.ir_->CreateOr(a.ir_->CreateLShr(a.bits(), 52), std::uint64_t{0x4330000000000000});
        return a.of(field) - 4503599627371519.0;
    }
    friend Number power_of_two(const Number& a) { return a.of(a.ir_->CreateShl((a + 6755399441056767.0).bits(), 52)); }
    friend Number without_exponent(const Number& a, const Number& n) {
        return a.of(a.ir_->CreateSub(a.bits(), a.ir_->CreateShl((n + 6755399441055744.0).bits(), 52)));
    }
    Value* value() const { return value_; }

private:
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    Number with(Value* value) const { return {*ir_, value}; }
    Number by(llvm::Intrinsic::ID intrinsic) const { return with(ir_->CreateUnaryIntrinsic(intrinsic, value_)); }
    Value* bits() const { return ir_->CreateBitCast(value_, ir_->getInt64Ty()); }
    Number of(Value* bits) const { return with(ir_->CreateBitCast(bits, ir_->getDoubleTy())); }

    llvm::IRBuilder<>* ir_;
    Value* value_;
};

Number result(Op op, const Number& a, const Number& b) {
    switch (op) {
    case Op::tan: return elementary::tan(a);
    case Op::asin: return elementary::asin(a);
    case Op::acos: return elementary::acos(a);
    case Op::atan: return elementary::atan(a);
    case Op::sinh: return elementary::sinh(a);
    case Op::cosh: return elementary::cosh(a);
    case Op::tanh: return elementary::tanh(a);
    case Op::asinh: return elementary::asinh(a);
    case Op::acosh: return elementary::acosh(a);
    case Op::atanh: return elementary::atanh(a);
    case Op::exp: return elementary::exp(a);
    case Op::log: return elementary::log(a);
    case Op::log10: return elementary::log10(a);
    case Op::cbrt: return elementary::cbrt(a);
    case Op::erf: return elementary::erf(a);
    case Op::atan2: return elementary::atan2(a, b);
    case Op::hypot: return elementary::hypot(a, b);
    default: return elementary::pow(a, b);
    }
}

} // namespace

bool EmittedFunctions::has(Op op) {
    return op >= Op::tan && op <= Op::pow;
}

llvm::Value* EmittedFunctions::call(llvm::IRBuilder<>& ir, Op op, Value* a, Value* b) {
    llvm::Function*& function = functions_[static_cast<std::size_t>(op)];
    if (!function) function = make(op);
    return b ? ir.CreateCall(function, {a, b}) : ir.CreateCall(function, {a});
}

llvm::Function* EmittedFunctions::make(Op op) const {
    llvm::LLVMContext& context = module_.getContext();
    llvm::Type* const number = llvm::Type::getDoubleTy(context);
    const llvm::SmallVector<llvm::Type*, 2> arguments(static_cast<std::size_t>(expr::arity(op)), number);
    auto* const function =
        llvm::Function::Create(llvm::FunctionType::get(number, arguments, false), llvm::Function::InternalLinkage,
                               "vessiot_" + std::to_string(static_cast<int>(op)), module_);
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context, "", function));
    const Number a(ir, function->getArg(0)), b(ir, arguments.size() > 1 ? function->getArg(1) : nullptr);
    ir.CreateRet(result(op, a, b).value());
    return function;
}

} // namespace vessiot::jit
