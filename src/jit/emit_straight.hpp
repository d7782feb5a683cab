// Straight-line code: a loop of one instance, cut into pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "jit/emit_value.hpp"

namespace vessiot::jit {

// Everything LLVM does with a block of code costs more than linear time, so the body is cut into functions of some
// hundred operations; values that live across the cuts pass through the scratch array.
//
// Calls of one elementary function that do not depend on each other are done together: eight sines in one vector call
// cost about as much as one. So are sin and cos of the same argument, which are one function. So the order of the body
// is changed first, inside windows of some thousand operations:
//   depth of an operation = the largest number of calls on a path from the leaves to it (its own not counted),
//   level of a call = its depth; level of another operation = the lowest level of the calls that need it, or the last.
// Emitted level after level: first the operations in the order of the body, then the calls function by function.
class StraightLine {
public:
    StraightLine(const vessiot_jit_kernel& kernel, const vessiot_jit_loop& loop, unsigned call_width);

    std::uint32_t n_pieces() const { return static_cast<std::uint32_t>(pieces_.size()); }
    std::uint32_t n_operations(std::uint32_t piece) const { return pieces_[piece].n_operations; }
    // Numbers of scratch that the pieces need.
    std::uint64_t scratch() const { return std::uint64_t{n_slots_} * kernel_.lanes; }

    // Fills `function`, whose arguments are those of the entry.
    void emit(std::uint32_t piece, llvm::Function& function);

    // A step is one operation, or several calls to be done together: order()[first .. first+n-1]. Of pairs, first the
    // sines and then the cosines of the same arguments.
    struct Step {
        std::uint32_t first, n;
        bool are_pairs = false;
    };
    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<std::uint32_t>& order() const { return order_; }

private:
    struct Piece {
        std::uint32_t first_step, end_step, n_operations;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void find_live();
    void sort_stores();
    void schedule_window(std::uint32_t first, std::uint32_t end);
    void append_calls(std::vector<std::uint32_t>& calls);
    void append_pairs(std::vector<std::uint32_t>& calls); // and takes them out of the list
    std::size_t widest(const vessiot_jit_function& function) const;
    void cut();
    void assign_slots();

    class PieceEmitter;

    const vessiot_jit_kernel& kernel_;
    const vessiot_jit_loop& loop_;
    unsigned call_width_;
    std::vector<char> is_live_;
    // The stores in mode assign by value: assigns_[first_assign_[v] .. first_assign_[v+1]-1]; and the others, which are
    // done at the very end in their own order.
    std::vector<std::uint32_t> assigns_, first_assign_, others_;
    std::vector<std::uint32_t> order_;
    std::vector<Step> steps_;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> slot_;  // of a value that lives across pieces, else none
    std::vector<llvm::Value*> values_; // in the piece at work
    std::uint32_t n_slots_ = 0;
};

} // namespace vessiot::jit
