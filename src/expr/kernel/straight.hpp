// Straight-line kernels made operation by operation, below the algebra of the graph: what is written is what every tier
// executes, in that order of operands. Equal operations are made once.
//
// Products and quotients are arranged by when their operands are known: of three factors the two that are known first
// are multiplied first, and a late number is multiplied with the inverse of an early one instead of being divided by
// it. Everything waits for the longest chain of operations.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/interpreter/flat_program.hpp"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

class StraightBuilder {
public:
    using Value = std::uint32_t;

    // All inputs first, then the outputs; the number of the buffer.
    std::uint32_t input(const std::string& name, std::int64_t size);
    std::uint32_t output(const std::string& name, std::int64_t size);

    Value constant(Quad number);
    Value read(std::uint32_t buffer, std::int64_t element);
    // This element always is that number: reads of it are constants.
    void fix(std::uint32_t buffer, std::int64_t element, double number);
    Value apply(Op op, Value a, Value b = 0, Value c = 0);
    Value add(Value a, Value b) { return apply(Op::add, a, b); }
    Value sub(Value a, Value b) { return apply(Op::sub, a, b); }
    Value mul(Value a, Value b) { return apply(Op::mul, a, b); }
    Value div(Value a, Value b) { return apply(Op::div, a, b); }
    Value abs(Value a) { return apply(Op::abs, a); }
    Value max(Value a, Value b) { return apply(Op::max, a, b); }
    // a sum of any number of values, by halves: the shortest chain. Zero where there are none.
    Value sum(std::vector<Value> terms);
    // The operation as it stands, whatever is known when.
    Value exactly(Op op, Value a, Value b = 0, Value c = 0) { return intern({op, a, b, c}); }
    void store(std::uint32_t buffer, std::int64_t element, Value value);
    // From here on quotients by roots are taken apart, a / (p sqrt(u)) as sqrt(u) (a / (p u)), where that is known
    // earlier: the root and the quotient wait for u only, not for each other.
    void split_roots(bool is_on) { splits_roots_ = is_on; }
    // What follows is arranged as in a list of its own, which reads these values.
    void begin_block(const std::vector<Value>& values);

    // Operations so far, reads and constants apart.
    std::int64_t n_operations() const { return n_operations_; }
    std::shared_ptr<const Kernel> kernel() const;

private:
    struct Hash {
        std::size_t operator()(const Instruction& i) const;
    };
    struct Equal {
        bool operator()(const Instruction& x, const Instruction& y) const {
            return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c;
        }
    };
    Value intern(const Instruction& i);
    int delay(Op op) const;
    Value product(Value a, Value b);
    Value quotient(Value a, Value b);
    std::optional<Value> split(Value a, Value b);
    std::uint32_t buffer(const std::string& name, BufferRole role, std::int64_t size);
    std::uint32_t address(std::uint32_t buffer, std::int64_t element);

    Kernel kernel_;
    Loop loop_{.addresses = {}, .body = {}, .stores = {}, .lengths = {1}, .starts = {}, .tables = {}};
    std::unordered_map<Instruction, Value, Hash, Equal> known_;
    std::unordered_map<std::uint64_t, std::uint32_t> addresses_; // by buffer and element, of reads
    std::unordered_map<std::uint64_t, double> fixed_;            // likewise
    std::vector<int> ready_; // by value: about how many cycles after the inputs it is known
    std::int64_t n_operations_ = 0;
    bool splits_roots_ = false;
};

// A kernel written out, so that it can be put into others.
class StraightFormula {
public:
    using Value = StraightBuilder::Value;
    // The value of an element of an input of the kernel.
    using Reader = std::function<Value(std::uint32_t buffer, std::int64_t element)>;

    explicit StraightFormula(const Kernel& kernel);

    bool has_calls() const { return has_calls_; }
    std::int64_t n_operations() const { return n_operations_; }
    // The outputs, buffer by buffer. `exactly`: operations as they stand, so that the numbers are those of the kernel
    // itself to the last bit; else arranged as the builder does.
    std::vector<std::vector<Value>> put(StraightBuilder& to, const Reader& read, bool exactly = false) const;

private:
    const Kernel& kernel_;
    std::vector<FlatProgram> loops_;
    bool has_calls_ = false;
    std::int64_t n_operations_ = 0;
};

} // namespace vessiot::expr
