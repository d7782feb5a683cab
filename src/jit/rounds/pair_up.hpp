// Straight-line code: equal operations on numbers that are known at the same time become operations on vectors. No bit
// changes, since no sum is arranged anew.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace vessiot::jit {

void pair_up(llvm::Module& module, llvm::TargetMachine& machine);

} // namespace vessiot::jit
