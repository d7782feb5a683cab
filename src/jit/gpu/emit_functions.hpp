// The elementary functions as functions of a module, with the bits of expr/functions/vmath.hpp: for machines that
// cannot call functions of the library.
#pragma once

#include <array>

#include <llvm/IR/IRBuilder.h>

#include "expr/graph/op.hpp"

namespace vessiot::jit {

class EmittedFunctions {
public:
    explicit EmittedFunctions(llvm::Module& module) : module_(module) {}

    // All but sin and cos (emit_trig.hpp), and functions of lists.
    static bool has(expr::Op op);
    // The second operand is null for functions of one.
    llvm::Value* call(llvm::IRBuilder<>& ir, expr::Op op, llvm::Value* a, llvm::Value* b);

private:
    llvm::Function* make(expr::Op op) const;

    llvm::Module& module_;
    std::array<llvm::Function*, expr::n_all_ops> functions_{}; // those that are called
};

} // namespace vessiot::jit
