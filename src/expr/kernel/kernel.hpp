// A kernel: what the evaluators run. Lowering (lower.hpp) makes it from expressions; the interpreter
// and native code execute it and agree bit for bit.
//
// A kernel is a list of loops over buffers of numbers. One loop is one template: its body is
// evaluated for every instance, an instance being one value of the loop indices. How large the
// families are appears only in the tables of addresses, never in the body: the same code serves
// every n. A system without families is a loop of one instance.
//
// Instances come in segments; inside a segment every address is affine in the instance number,
//   address = starts[segment][k] + stride[k] * i,   i = 0 .. lengths[segment]-1,
// so that 1..n is one segment, nested loops are one segment for each value of the outer indices,
// and `j != i` makes two. Addresses without such a rule (index tables) are listed one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/quad.hpp"
#include "expr/graph/external.hpp"
#include "expr/graph/op.hpp"

namespace vessiot::expr {

// Partial sums of a reduction: instance i of a segment is added to accumulator i mod 8, so that
// vectors of 8 need no shuffling; the order is part of the meaning and the same in every tier.
inline constexpr int reduction_width = 8;

// One operation of a body. Value k of an instance is the result of body[k].
//   constant: a = number in Kernel::constants;  read: a = number in Loop::addresses;
//   index_value does not occur (lowering turns it into a read of a literal buffer);
//   call: a = an earlier value, a list of arguments (op.hpp), b = number in Kernel::externals, c = number of the
//   result; others: a, b, c = earlier values.
struct Instruction {
    Op op;
    std::uint32_t a = 0, b = 0, c = 0;
};

struct Address {
    std::uint32_t buffer = 0; // number in Kernel::buffers
    std::int32_t table = -1;  // number in Loop::tables, or -1: affine
    std::int64_t stride = 0;  // affine only: step from one instance to the next, in elements
};

enum class StoreMode : std::uint8_t {
    assign, // out[address] = value; no two instances or stores of one loop share an address
    add,    // out[address] += value, instance after instance; one such store per buffer and loop
    reduce, // stride 0: the sum over a segment, with 8 interleaved partial sums p0..p7 that start at 0
            // (instance i of the segment goes to p[i mod 8]), is added to out[address] as
            // out + (((p0+p4)+(p2+p6)) + ((p1+p5)+(p3+p7)))
};

struct Store {
    std::uint32_t value = 0;   // in the body
    std::uint32_t address = 0; // in Loop::addresses
    StoreMode mode = StoreMode::assign;
};

// A loop never reads an element that it writes itself; loops run in order. Scratch has no value before it is assigned.
// Two stores of a loop meet in an element only if both reduce: then segment after segment, store after store.
struct Loop {
    std::vector<Address> addresses;
    std::vector<Instruction> body; // in an order in which operands come first
    std::vector<Store> stores;
    std::vector<std::int64_t> lengths;             // of the segments, all > 0
    std::vector<std::int64_t> starts;              // [segment * addresses.size() + k]; 0 for tables
    std::vector<std::vector<std::int32_t>> tables; // [table][instance, counted over all segments]

    bool is_straight_line() const { return lengths.size() == 1 && lengths[0] == 1; }
    std::int64_t n_instances() const {
        std::int64_t n = 0;
        for (auto l : lengths) n += l;
        return n;
    }
};

enum class BufferRole : std::uint8_t {
    input,   // given by the caller, only read
    output,  // given by the caller, written
    scratch, // made by the evaluator
    literal, // numbers fixed at lowering (loop indices as numbers), in Kernel::literals
};

struct Buffer {
    std::string name;
    BufferRole role = BufferRole::input;
    std::int64_t size = 0;
    std::int32_t literal = -1; // number in Kernel::literals
};

struct Kernel {
    std::vector<Buffer> buffers; // inputs first, then outputs, then the others
    std::vector<Quad> constants;
    std::vector<std::vector<Quad>> literals;
    std::vector<Loop> loops;
    std::vector<std::shared_ptr<const External>> externals{}; // functions of the user: only the interpreter calls them

    // Operations in the bodies (reads and constants apart): the size of the code.
    std::int64_t n_operations() const;
    // The same counted once for each instance: the work of one evaluation.
    std::int64_t n_evaluated() const;
};

// Checks the rules stated above; returns an empty string or what is broken. For tests.
std::string check(const Kernel& kernel);

} // namespace vessiot::expr
