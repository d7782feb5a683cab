// sin and cos as operations of a function, with the bits of expr/functions/trig_kernel.hpp: for machines that cannot
// call functions of the library. Not a number where |x| is above 2^20, where the library has other means.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace vessiot::jit {

struct SineAndCosine {
    llvm::Value *sine, *cosine;
};

SineAndCosine emit_trig(llvm::IRBuilder<>& ir, llvm::Value* x);

} // namespace vessiot::jit
