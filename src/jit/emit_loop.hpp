// Family loops: one function whose size does not depend on the number of instances.
//
//   for every segment
//       what is the same for all instances (addresses of stride 0 and what follows from them)
//       one system:    blocks of 8 instances as vectors, then one masked block for the rest
//       eight systems: instance after instance, every value a vector of the eight
//       sums over the segment
//
// Elements with stride 1 are loaded and stored as vectors. Others are loaded one by one and inserted: on the machines
// we measured that is no slower than gather instructions and is the same on all. The masked block reads and writes such
// elements in a small loop over its instances, through arrays on the stack, so that it touches no other address.
#pragma once

#include <cstdint>

#include "jit/emit_value.hpp"

namespace vessiot::jit {

// Fills `function`, whose arguments are those of the entry, with loop `number` of the kernel.
// block_size > 0: a new basic block after so many operations, for large bodies at the quick level.
void emit_loop(const vessiot_jit_kernel& kernel, std::uint32_t number, unsigned call_width, std::uint32_t block_size,
               llvm::Function& function);

} // namespace vessiot::jit
