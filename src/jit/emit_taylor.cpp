#include "jit/emit_taylor.hpp"

#include <array>
#include <map>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include "expr/series/taylor_plan.hpp"
#include "jit/control_flow.hpp"
#include "jit/emit_value.hpp"

namespace vessiot::jit {

namespace {

using expr::Rule;
using llvm::Value;

constexpr int width = 8;

class TaylorEmitter {
public:
    TaylorEmitter(const TaylorPiece& piece, llvm::Function& function)
        : piece_(piece), loop_(piece.program.loops[piece.loop]), function_(function),
          ir_(llvm::BasicBlock::Create(function.getContext(), "", &function)), number_(ir_.getDoubleTy()),
          vector_(llvm::FixedVectorType::get(number_, width)) {}

    void emit() {
        k_ = function_.getArg(2);
        order_ = ir_.CreateSIToFP(k_, number_);
        at_k_ = ir_.CreateMul(k_, integer(loop_.lane));
        if (loop_.is_single) {
            type_ = number_;
            first_ = block_ = integer(0);
            emit_steps();
        } else {
            type_ = vector_;
            order_ = ir_.CreateVectorSplat(width, order_);
            Carried nothing;
            counted_loop(ir_, integer(0), function_.getArg(3), width, nothing, [&](Value* first) {
                first_ = first;
                block_ = ir_.CreateMul(ir_.CreateLShr(first, 3), integer(loop_.block));
                emit_steps();
            });
        }
        ir_.CreateRetVoid();
    }

private:
    llvm::ConstantInt* integer(std::uint64_t n) { return ir_.getInt64(n); }
    Value* splat(double x) { return llvm::ConstantFP::get(type_, x); }

    Value* load(Value* pointer) { return ir_.CreateAlignedLoad(type_, pointer, llvm::Align(8)); }
    void store(Value* value, Value* pointer) { ir_.CreateAlignedStore(value, pointer, llvm::Align(8)); }
    Value* step_pointer(Value* pointer, Value* n) { return ir_.CreateGEP(number_, pointer, n); }

    // Coefficient 0 of a value, in the current block; those of one loop do not change.
    Value* base(std::uint32_t v) {
        return step_pointer(ir_.CreateConstGEP1_64(number_, function_.getArg(0), v * loop_.length), block_);
    }
    Value* at_0(std::uint32_t v) { return load(base(v)); }
    Value* at_k(std::uint32_t v) {
        const auto known = current_.find(v);
        return known != current_.end() ? known->second : load(step_pointer(base(v), at_k_));
    }
    void set(std::uint32_t v, Value* value) {
        store(value, step_pointer(base(v), at_k_));
        current_[v] = value;
    }

    // sum_{j=1..k-1} (j) a_j b_{k-j}
    Value* middle(std::uint32_t a, std::uint32_t b, bool is_weighted) {
        return loop_.is_single ? middle_of_one(base(a), base(b), is_weighted)
                               : middle_of_block(base(a), base(b), is_weighted);
    }

    Value* middle_of_block(Value* a, Value* b, bool is_weighted) {
        Carried carried{splat(0)};
        if (is_weighted) carried.push_back(splat(1));
        counted_loop(ir_, integer(1), k_, 1, carried, [&](Value* j) {
            Value* const lane = integer(loop_.lane);
            Value* x = load(step_pointer(a, ir_.CreateMul(j, lane)));
            Value* const y = load(step_pointer(b, ir_.CreateMul(ir_.CreateSub(k_, j), lane)));
            if (is_weighted) {
                x = ir_.CreateFMul(carried[1], x);
                carried[1] = ir_.CreateFAdd(carried[1], splat(1));
            }
            carried[0] = ir_.CreateFAdd(carried[0], ir_.CreateFMul(x, y));
        });
        return carried[0];
    }

    Value* middle_of_one(Value* a, Value* b, bool is_weighted) {
        std::array<llvm::Constant*, width> numbers{}, weights{};
        llvm::SmallVector<int, width> backwards;
        for (int l = 0; l < width; ++l) {
            numbers[static_cast<std::size_t>(l)] = integer(static_cast<std::uint64_t>(l));
            weights[static_cast<std::size_t>(l)] = llvm::ConstantFP::get(number_, l + 1.0);
            backwards.push_back(width - 1 - l);
        }
        auto* const zero = llvm::ConstantFP::get(vector_, 0.0);
        Carried carried{zero};
        if (is_weighted) carried.push_back(llvm::ConstantVector::get(weights));
        counted_loop(ir_, integer(1), k_, width, carried, [&](Value* j) {
            Value* const rest = ir_.CreateVectorSplat(width, ir_.CreateSub(k_, j));
            Value* const mask = ir_.CreateICmpSLT(llvm::ConstantVector::get(numbers), rest);
            Value* x = ir_.CreateMaskedLoad(vector_, step_pointer(a, j), llvm::Align(8), mask, zero);
            Value* const end = ir_.CreateSub(ir_.CreateSub(k_, j), integer(width - 1));
            Value* const y =
                ir_.CreateShuffleVector(ir_.CreateMaskedLoad(vector_, step_pointer(b, end), llvm::Align(8),
                                                             ir_.CreateShuffleVector(mask, backwards), zero),
                                        backwards);
            if (is_weighted) {
                x = ir_.CreateFMul(carried[1], x);
                carried[1] = ir_.CreateFAdd(carried[1], llvm::ConstantFP::get(vector_, width));
            }
            carried[0] = ir_.CreateFAdd(carried[0], ir_.CreateFMul(x, y));
        });
        const auto half = [&](Value* v, int n) {
            return ir_.CreateFAdd(ir_.CreateShuffleVector(v, consecutive(0, n)),
                                  ir_.CreateShuffleVector(v, consecutive(n, n)));
        };
        Value* const pair = half(half(carried[0], 4), 2); // ((p0+p4)+(p2+p6), (p1+p5)+(p3+p7))
        return ir_.CreateFAdd(ir_.CreateExtractElement(pair, std::uint64_t{0}),
                              ir_.CreateExtractElement(pair, std::uint64_t{1}));
    }

    void emit_steps() {
        current_.clear();
        if (loop_.is_single && piece_.is_first)
            for (std::uint32_t r = 0; r < loop_.n_reads; ++r)
                if (const vessiot_jit_taylor_access& x = loop_.reads[r]; !piece_.is_late || x.is_late)
                    set(x.value, load(element(x)));
        for (std::uint32_t s = piece_.first; s < piece_.end; ++s)
            if (!piece_.is_late || loop_.steps[s].is_late) emit_step(loop_.steps[s]);
        if (loop_.is_single && piece_.is_last)
            for (std::uint32_t w = 0; w < loop_.n_stores; ++w) {
                const vessiot_jit_taylor_access& x = loop_.stores[w];
                if (piece_.is_late && !x.is_late) continue;
                Value* const place = element(x);
                store(x.adds ? ir_.CreateFAdd(load(place), at_k(x.value)) : at_k(x.value), place);
            }
    }

    Value* element(const vessiot_jit_taylor_access& x) {
        llvm::Type* const pointer = ir_.getPtrTy();
        Value* const buffer = ir_.CreateAlignedLoad(
            pointer, ir_.CreateConstGEP1_64(pointer, function_.getArg(1), x.buffer), llvm::Align(8));
        Value* const k = ir_.CreateMul(k_, integer(static_cast<std::uint64_t>(x.size)));
        return step_pointer(buffer, ir_.CreateAdd(k, integer(static_cast<std::uint64_t>(x.element))));
    }

    void emit_step(const vessiot_jit_taylor_step& s) {
        const auto add = [&](Value* a, Value* b) { return ir_.CreateFAdd(a, b); };
        const auto sub = [&](Value* a, Value* b) { return ir_.CreateFSub(a, b); };
        const auto mul = [&](Value* a, Value* b) { return ir_.CreateFMul(a, b); };
        const auto div = [&](Value* a, Value* b) { return ir_.CreateFDiv(a, b); };
        switch (static_cast<Rule>(s.rule)) {
        case Rule::flat:
        case Rule::read: return;
        case Rule::add: return set(s.out, add(at_k(s.a), at_k(s.b)));
        case Rule::sub: return set(s.out, sub(at_k(s.a), at_k(s.b)));
        case Rule::neg: return set(s.out, ir_.CreateFNeg(at_k(s.a)));
        case Rule::scale: return set(s.out, mul(at_0(s.a), at_k(s.b)));
        case Rule::ratio: return set(s.out, div(at_k(s.a), at_0(s.b)));
        case Rule::mul: {
            Value* const sum = middle(s.a, s.b, false);
            return set(s.out, add(add(mul(at_0(s.a), at_k(s.b)), mul(at_k(s.a), at_0(s.b))), sum));
        }
        case Rule::square: {
            Value* const sum = middle(s.a, s.a, false);
            return set(s.out, add(mul(splat(2), mul(at_0(s.a), at_k(s.a))), sum));
        }
        case Rule::div: {
            Value* const sum = middle(s.b, s.out, false);
            return set(s.out, div(sub(at_k(s.a), add(mul(at_k(s.b), at_0(s.out)), sum)), at_0(s.b)));
        }
        case Rule::root: {
            Value* const sum = middle(s.out, s.out, false);
            return set(s.out, div(sub(at_k(s.x), sum), mul(splat(2), at_0(s.out))));
        }
        case Rule::chain: {
            Value* const sum = middle(s.x, s.q, true);
            return set(s.out, mul(splat(s.factor), add(mul(at_k(s.x), at_0(s.q)), div(sum, order_))));
        }
        case Rule::quotient: {
            Value* const sum = middle(s.out, s.q, true);
            return set(s.out, div(sub(mul(splat(s.factor), at_k(s.x)), div(sum, order_)), at_0(s.q)));
        }
        case Rule::angle: {
            Value *const first = middle(s.a, s.b, true), *const second = middle(s.b, s.a, true),
                         *const third = middle(s.out, s.q, true);
            Value* const ends = sub(mul(at_k(s.a), at_0(s.b)), mul(at_k(s.b), at_0(s.a)));
            return set(s.out, div(add(ends, div(sub(sub(first, second), third), order_)), at_0(s.q)));
        }
        case Rule::power: return emit_power(s);
        case Rule::select: {
            Value* const is_true = ir_.CreateFCmpUNE(at_0(s.a), splat(0));
            return set(s.out, ir_.CreateSelect(is_true, at_k(s.b), at_k(s.c)));
        }
        case Rule::abs:
        case Rule::min:
        case Rule::max: return leave(s);
        }
    }

    // By the library.
    void leave(const vessiot_jit_taylor_step& s) {
        const std::array<llvm::Type*, 5> types{ir_.getPtrTy(), ir_.getInt64Ty(), ir_.getInt64Ty(), ir_.getInt64Ty(),
                                               ir_.getInt64Ty()};
        auto* const type = llvm::FunctionType::get(ir_.getVoidTy(), types, false);
        Value* const address = integer(reinterpret_cast<std::uint64_t>(piece_.program.rule));
        ir_.CreateCall(type, ir_.CreateIntToPtr(address, ir_.getPtrTy()),
                       {function_.getArg(4), integer(piece_.loop), integer(s.number), k_, first_});
        current_.erase(s.out);
    }

    // a_0 = 0 is rare, and left to the library.
    void emit_power(const vessiot_jit_taylor_step& s) {
        Value* const weighted = middle(s.a, s.out, true);
        Value* const plain = middle(s.a, s.out, false);
        Value *const a0 = at_0(s.a), *const b0 = at_0(s.b);
        Value* const ends = ir_.CreateFMul(b0, ir_.CreateFMul(at_k(s.a), at_0(s.out)));
        Value* const sums =
            ir_.CreateFSub(ir_.CreateFMul(ir_.CreateFAdd(b0, splat(1)), ir_.CreateFDiv(weighted, order_)), plain);
        store(ir_.CreateFDiv(ir_.CreateFAdd(ends, sums), a0), step_pointer(base(s.out), at_k_));
        Value* is_zero = ir_.CreateFCmpOEQ(a0, splat(0));
        if (!loop_.is_single) is_zero = ir_.CreateOrReduce(is_zero);
        Carried nothing;
        conditionally(ir_, is_zero, nothing, [&] { leave(s); });
        current_.erase(s.out);
    }

    const TaylorPiece& piece_;
    const vessiot_jit_taylor_loop& loop_;
    llvm::Function& function_;
    llvm::IRBuilder<> ir_;
    llvm::Type *number_, *vector_, *type_ = nullptr;
    Value *k_ = nullptr, *order_ = nullptr, *at_k_ = nullptr, *first_ = nullptr, *block_ = nullptr;
    std::map<std::uint32_t, Value*> current_; // coefficients k that are at hand
};

} // namespace

void emit_taylor(const TaylorPiece& piece, llvm::Function& function) {
    TaylorEmitter(piece, function).emit();
}

} // namespace vessiot::jit
