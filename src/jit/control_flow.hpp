// Loops and conditions of the code that is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace vessiot::jit {

// Values that change inside a loop or condition: the body finds the present ones here and leaves the new ones.
using Carried = std::vector<llvm::Value*>;

// Goes on in `after`, which is reached from two blocks with the values that each has.
inline void join(llvm::IRBuilder<>& ir, llvm::BasicBlock* first, const Carried& initial, llvm::BasicBlock* second,
                 Carried& carried, llvm::BasicBlock* after) {
    after->moveAfter(second);
    ir.SetInsertPoint(after);
    for (std::size_t k = 0; k < carried.size(); ++k) {
        llvm::PHINode* const phi = ir.CreatePHI(carried[k]->getType(), 2);
        phi->addIncoming(initial[k], first);
        phi->addIncoming(carried[k], second);
        carried[k] = phi;
    }
}

// A loop over i = begin, begin+step, ... < end; body(i) may change `carried`.
template <class Body>
void counted_loop(llvm::IRBuilder<>& ir, llvm::Value* begin, llvm::Value* end, std::int64_t step, Carried& carried,
                  Body body) {
    llvm::BasicBlock* const before = ir.GetInsertBlock();
    llvm::BasicBlock* const head = llvm::BasicBlock::Create(ir.getContext(), "", before->getParent());
    llvm::BasicBlock* const after = llvm::BasicBlock::Create(ir.getContext(), "", before->getParent());
    ir.CreateCondBr(ir.CreateICmpSLT(begin, end), head, after);
    ir.SetInsertPoint(head);
    llvm::PHINode* const i = ir.CreatePHI(ir.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    const Carried initial = carried;
    std::vector<llvm::PHINode*> phis;
    for (llvm::Value*& value : carried) {
        phis.push_back(ir.CreatePHI(value->getType(), 2));
        phis.back()->addIncoming(value, before);
        value = phis.back();
    }
    body(i);
    llvm::BasicBlock* const last = ir.GetInsertBlock();
    llvm::Value* const next = ir.CreateAdd(i, ir.getInt64(static_cast<std::uint64_t>(step)), "", true, true);
    i->addIncoming(next, last);
    for (std::size_t k = 0; k < carried.size(); ++k) phis[k]->addIncoming(carried[k], last);
    ir.CreateCondBr(ir.CreateICmpSLT(next, end), head, after);
    join(ir, before, initial, last, carried, after);
}

// Runs body(), which may change `carried`, if the condition holds.
template <class Body> void conditionally(llvm::IRBuilder<>& ir, llvm::Value* condition, Carried& carried, Body body) {
    llvm::BasicBlock* const before = ir.GetInsertBlock();
    llvm::BasicBlock* const inside = llvm::BasicBlock::Create(ir.getContext(), "", before->getParent());
    llvm::BasicBlock* const after = llvm::BasicBlock::Create(ir.getContext(), "", before->getParent());
    const Carried initial = carried;
    ir.CreateCondBr(condition, inside, after);
    ir.SetInsertPoint(inside);
    body();
    llvm::BasicBlock* const last = ir.GetInsertBlock();
    ir.CreateBr(after);
    join(ir, before, initial, last, carried, after);
}

} // namespace vessiot::jit
