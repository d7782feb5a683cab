// Rounds (expr/kernel/repeated/jit_rounds_abi.h): a list as the body of a loop, whose numbers stay in registers.
#pragma once

#include "expr/kernel/repeated/jit_rounds_abi.h"
#include "jit/emit_straight.hpp"

namespace vessiot::jit {

// Fills `function`, whose arguments are those of the entry. `code`: the order of the list.
void emit_rounds(const vessiot_jit_rounds_program& program, const StraightLine& code, unsigned call_width,
                 llvm::Function& function);

} // namespace vessiot::jit
