#include "jit/gpu/emit_trig.hpp"

#include <limits>

#include <llvm/IR/Intrinsics.h>

namespace vessiot::jit {

namespace {

using llvm::Value;

// A number of the formulas in trig_kernel.hpp.
class Real {
public:
    Real(llvm::IRBuilder<>& ir, Value* value) : ir_(&ir), value_(value) {}
    Real(llvm::IRBuilder<>& ir, double x) : ir_(&ir), value_(llvm::ConstantFP::get(ir.getDoubleTy(), x)) {}

    friend Real operator+(const Real& a, const Real& b) { return {*a.ir_, a.ir_->CreateFAdd(a.value_, b.value_)}; }
    friend Real operator-(const Real& a, const Real& b) { return {*a.ir_, a.ir_->CreateFSub(a.value_, b.value_)}; }
    friend Real operator*(const Real& a, const Real& b) { return {*a.ir_, a.ir_->CreateFMul(a.value_, b.value_)}; }
    friend Real operator+(const Real& a, double b) { return a + Real(*a.ir_, b); }
    friend Real operator*(const Real& a, double b) { return a * Real(*a.ir_, b); }
    friend Real operator-(const Real& a, double b) { return a - Real(*a.ir_, b); }
    friend Real operator+(double a, const Real& b) { return Real(*b.ir_, a) + b; }
    friend Real operator-(double a, const Real& b) { return Real(*b.ir_, a) - b; }
    friend Real operator*(double a, const Real& b) { return Real(*b.ir_, a) * b; }

    Value* value() const { return value_; }
    Value* bits() const { return ir_->CreateBitCast(value_, ir_->getInt64Ty()); }

private:
    llvm::IRBuilder<>* ir_;
    Value* value_;
};

} // namespace

SineAndCosine emit_trig(llvm::IRBuilder<>& ir, Value* argument) {
    constexpr double magic = 0x1.8p52;
    constexpr double half_pi_1 = 1.57079632673412561417e+00, half_pi_2 = 6.07710050630396597660e-11,
                     half_pi_3 = 2.02226624871116645580e-21, half_pi_4 = 8.47842766036889956997e-32;
    const Real x(ir, argument);
    const Real shifted = x * 6.36619772367581382433e-01 + magic, n = shifted - magic;
    Value* const quadrant = shifted.bits();
    const Real r = x - n * half_pi_1, p_2 = n * half_pi_2, p_3 = n * half_pi_3;
    const Real s = r - p_2, b = s - r, error_1 = (r - (s - b)) - (p_2 + b);
    const Real u = s - p_3, c = u - s, error_2 = (s - (u - c)) - (p_3 + c);
    const Real rest = n * half_pi_4 - (error_1 + error_2);
    const Real y = u - rest, y_1 = (u - y) - rest;

    const Real z = y * y, zz = z * z, cube = z * y;
    const Real p = (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)) +
                   z * zz * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
    const Real sin_y = y - ((z * (0.5 * y_1 - cube * p) - y_1) - cube * -1.66666666666666324348e-01);
    const Real q =
        z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
        zz * zz * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    const Real half = 0.5 * z, one = 1.0 - half;
    const Real cos_y = one + (((1.0 - one) - half) + (z * q - y * y_1));

    const auto number = [&](std::uint64_t k) { return ir.getInt64(k); };
    Value* const is_odd = ir.CreateICmpNE(ir.CreateAnd(quadrant, number(1)), number(0));
    const auto sign = [&](Value* k) { return ir.CreateShl(ir.CreateAnd(k, number(2)), number(62)); };
    Value* const limit = llvm::ConstantFP::get(ir.getDoubleTy(), 0x1p20);
    Value* const is_inside = ir.CreateFCmpOLE(ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, argument), limit);
    Value* const none = llvm::ConstantFP::get(ir.getDoubleTy(), std::numeric_limits<double>::quiet_NaN());
    const auto chosen = [&](const Real& even, const Real& odd, Value* k) {
        Value* const word = ir.CreateXor(ir.CreateSelect(is_odd, odd.bits(), even.bits()), sign(k));
        return ir.CreateSelect(is_inside, ir.CreateBitCast(word, ir.getDoubleTy()), none);
    };
    return {chosen(sin_y, cos_y, quadrant), chosen(cos_y, sin_y, ir.CreateAdd(quadrant, number(1)))};
}

} // namespace vessiot::jit
