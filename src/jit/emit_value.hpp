// One operation on numbers or vectors of numbers: the part that straight-line code and loops share.
#pragma once

#include <utility>

#include <llvm/IR/IRBuilder.h>

#include "expr/graph/op.hpp"
#include "expr/kernel/bit_ops.hpp"
#include "expr/kernel/jit_abi.h"

namespace vessiot::jit {

using expr::Op;

inline Op op_of(const vessiot_jit_instruction& instruction) {
    return static_cast<Op>(instruction.op);
}

// The operands of an instruction that are values; leaves have none.
template <class Visit> void for_each_operand(const vessiot_jit_instruction& instruction, const Visit& visit) {
    const int n = expr::arity(op_of(instruction));
    if (n > 0) visit(instruction.a);
    if (n > 1) visit(instruction.b);
    if (n > 2) visit(instruction.c);
}

class ValueEmitter {
public:
    ValueEmitter(llvm::IRBuilder<>& builder, const vessiot_jit_kernel& kernel, unsigned call_width);

    // A number, or a vector with the number in every element.
    llvm::Value* constant(std::uint32_t number, llvm::Type* type) const;
    // All operations but the leaves; the operands have one type, which is also that of the result.
    llvm::Value* operation(Op op, llvm::Value* a, llvm::Value* b, llvm::Value* c);

    // The same function of several independent scalar arguments, done together in a vector call.
    // `operands` holds the first operands, then the second ones for functions of two.
    void calls(Op op, llvm::ArrayRef<llvm::Value*> operands, llvm::MutableArrayRef<llvm::Value*> results);
    // sin and cos of one argument, a number or a vector, by one call.
    struct SineCosine {
        llvm::Value *sine, *cosine;
    };
    SineCosine sine_cosine(llvm::Value* a);
    // The same of several independent scalar arguments: all sines, then all cosines.
    void sines_cosines(llvm::ArrayRef<llvm::Value*> operands, llvm::MutableArrayRef<llvm::Value*> results);
    // The widest vector call of this function that the machine has: 8, 4, 2 or 1.
    unsigned width(Op op) const;
    // The condition that a number stands for.
    llvm::Value* is_true(llvm::Value* number);

private:
    llvm::Value* truth(llvm::Value* condition, llvm::Type* type);
    llvm::Value* of_bits(Op op, llvm::Value* a);
    llvm::Value* call(Op op, llvm::ArrayRef<llvm::Value*> operands);
    llvm::Value* gathered(llvm::ArrayRef<llvm::Value*> numbers);
    std::pair<llvm::Value*, llvm::Value*> halves(llvm::Value* vector);
    llvm::Value* joined(llvm::Value* low, llvm::Value* high);
    llvm::Value* call_address(void* address, llvm::ArrayRef<llvm::Value*> operands);

    llvm::IRBuilder<>& ir_;
    const vessiot_jit_kernel& kernel_;
    unsigned call_width_;
};

// The shuffle mask first, first+1, ... of n entries.
llvm::SmallVector<int, 8> consecutive(int first, int n);

} // namespace vessiot::jit
