#include "jit/emit_loop.hpp"

#include <array>

#include <llvm/IR/Constants.h>

#include "jit/loop_emitter.hpp"

namespace vessiot::jit {

using expr::StoreMode;
using llvm::BasicBlock;
using llvm::Value;

void LoopEmitter::emit() {
    memory_.load_tables();
    Carried carried{ir_.getInt64(0)}; // the number of the segment's first instance, counted over all segments
    counted_loop(ir_, ir_.getInt64(0), memory_.n_segments(), 1, carried, [&](Value* segment) {
        Value* const first_instance = carried[0];
        length_ = memory_.begin_segment(segment, first_instance);
        begin_sums();
        emit_uniform();
        if (has_lanes())
            emit_instances();
        else
            emit_blocks();
        end_segment();
        carried[0] = ir_.CreateAdd(first_instance, length_);
    });
    ir_.CreateRetVoid();
}

void LoopEmitter::begin_sums() {
    auto* const zero = llvm::ConstantFP::get(memory_.vector_type(), 0.0);
    sums_.clear();
    for (std::uint32_t r = 0; r < plan_.reductions.size(); ++r) {
        if (!has_lanes()) {
            sums_.push_back(zero);
            continue;
        }
        // Eight sums for each lane: which one comes next depends on the instance, so they are in memory.
        sums_.push_back(memory_.on_stack(llvm::ArrayType::get(memory_.vector_type(), width)));
        for (std::uint32_t p = 0; p < width; ++p)
            memory_.store(zero, ir_.CreateConstInBoundsGEP1_64(memory_.vector_type(), sums_[r], p));
    }
}

void LoopEmitter::emit_uniform() {
    uniform_.assign(loop_.n_body, nullptr);
    varying_.assign(loop_.n_body, nullptr);
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!plan_.is_live[v] || !plan_.is_uniform[v]) continue;
        const vessiot_jit_instruction& i = loop_.body[v];
        if (op_of(i) == Op::constant) {
            uniform_[v] = emitter_.constant(i.a, memory_.uniform_type());
            varying_[v] = emitter_.constant(i.a, memory_.vector_type());
            continue;
        }
        if (op_of(i) == Op::read) {
            uniform_[v] = memory_.load(memory_.uniform_type(), memory_.base(i.a));
        } else {
            const int n = expr::arity(op_of(i));
            uniform_[v] = emitter_.operation(op_of(i), uniform_[i.a], n > 1 ? uniform_[i.b] : nullptr,
                                             n > 2 ? uniform_[i.c] : nullptr);
        }
        if (has_lanes()) varying_[v] = uniform_[v];
    }
    if (!has_lanes()) spread_uniform();
}

// Over vectors, what the instances need, once.
void LoopEmitter::spread_uniform() {
    const auto spread = [&](std::uint32_t v) {
        if (plan_.is_uniform[v] && !varying_[v]) varying_[v] = ir_.CreateVectorSplat(width, uniform_[v]);
    };
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!plan_.is_live[v]) continue;
        const int n = plan_.is_uniform[v] ? 0 : expr::arity(op_of(loop_.body[v]));
        if (n > 0) spread(loop_.body[v].a);
        if (n > 1) spread(loop_.body[v].b);
        if (n > 2) spread(loop_.body[v].c);
        if (!plan_.stores_of[v].empty()) spread(v);
    }
}

void LoopEmitter::emit_instances() {
    Carried nothing; // the sums are in memory
    counted_loop(ir_, ir_.getInt64(0), length_, 1, nothing, [&](Value* i) { emit_body({i, nullptr, nullptr}); });
}

void LoopEmitter::emit_blocks() {
    Value* const n_full = ir_.CreateAnd(length_, ir_.getInt64(~std::uint64_t{width - 1}));
    const std::vector<Value*> before = varying_;
    counted_loop(ir_, ir_.getInt64(0), n_full, width, sums_, [&](Value* i) { emit_body({i, nullptr, nullptr}); });
    varying_ = before;
    Value* const count = ir_.CreateSub(length_, n_full);
    conditionally(ir_, ir_.CreateICmpNE(count, ir_.getInt64(0)), sums_, [&] {
        std::array<llvm::Constant*, width> numbers{};
        for (std::uint32_t k = 0; k < width; ++k) numbers[k] = ir_.getInt64(k);
        Value* const mask = ir_.CreateICmpSLT(llvm::ConstantVector::get(numbers), ir_.CreateVectorSplat(width, count));
        emit_rest({n_full, count, mask});
    });
}

std::vector<std::uint32_t> LoopEmitter::make_gathered() {
    gathered_.resize(loop_.n_addresses);
    std::vector<std::uint32_t> reads;
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!plan_.is_live[v] || plan_.is_uniform[v] || op_of(loop_.body[v]) != Op::read) continue;
        const std::uint32_t address = loop_.body[v].a;
        if (!memory_.is_scattered(address) || gathered_[address]) continue;
        gathered_[address] = memory_.on_stack(memory_.vector_type());
        memory_.store(llvm::ConstantFP::get(memory_.vector_type(), 0.0), gathered_[address]);
        reads.push_back(address);
    }
    return reads;
}

std::vector<std::uint32_t> LoopEmitter::make_scattered() {
    scattered_.resize(loop_.n_stores);
    std::vector<std::uint32_t> stores;
    for (std::uint32_t k = 0; k < loop_.n_stores; ++k)
        if (mode_of(loop_.stores[k]) != StoreMode::reduce && memory_.is_scattered(loop_.stores[k].address)) {
            scattered_[k] = memory_.on_stack(memory_.vector_type());
            stores.push_back(k);
        }
    return stores;
}

// The masked block.
void LoopEmitter::emit_rest(const Block& rest) {
    const std::vector<std::uint32_t> reads = make_gathered(), stores = make_scattered();
    Carried nothing;
    if (!reads.empty())
        counted_loop(ir_, ir_.getInt64(0), rest.count, 1, nothing, [&](Value* k) {
            Value* const instance = ir_.CreateAdd(rest.first, k);
            for (std::uint32_t address : reads)
                memory_.store(memory_.load(memory_.number_type(), memory_.element(address, instance)),
                              memory_.step_pointer(memory_.number_type(), gathered_[address], k));
        });
    emit_body(rest);
    if (stores.empty()) return;
    counted_loop(ir_, ir_.getInt64(0), rest.count, 1, nothing, [&](Value* k) {
        Value* const instance = ir_.CreateAdd(rest.first, k);
        for (std::uint32_t s : stores) {
            Value* const target = memory_.element(loop_.stores[s].address, instance);
            Value* value = memory_.load(memory_.number_type(),
                                        memory_.step_pointer(memory_.number_type(), scattered_[s], k), false);
            if (mode_of(loop_.stores[s]) == StoreMode::add)
                value = ir_.CreateFAdd(memory_.load(memory_.number_type(), target, false), value);
            memory_.store(value, target);
        }
    });
}

void LoopEmitter::emit_operation(std::uint32_t v, const Block& block) {
    const vessiot_jit_instruction& i = loop_.body[v];
    if (op_of(i) == Op::read) {
        varying_[v] = read(i.a, block);
    } else if (plan_.twin[v] != LoopPlan::none) { // the first of the two makes both
        if (plan_.twin[v] < v) return;
        const ValueEmitter::SineCosine both = emitter_.sine_cosine(varying_[i.a]);
        const bool is_sine = op_of(i) == Op::sin;
        varying_[v] = is_sine ? both.sine : both.cosine;
        varying_[plan_.twin[v]] = is_sine ? both.cosine : both.sine;
    } else {
        const int n = expr::arity(op_of(i));
        varying_[v] = emitter_.operation(op_of(i), varying_[i.a], n > 1 ? varying_[i.b] : nullptr,
                                         n > 2 ? varying_[i.c] : nullptr);
    }
}

void LoopEmitter::emit_body(const Block& block) {
    std::uint32_t n_in_block = 0;
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!plan_.is_live[v]) continue;
        if (!plan_.is_uniform[v]) {
            emit_operation(v, block);
            if (block_size_ > 0 && ++n_in_block % block_size_ == 0) {
                BasicBlock* const next = BasicBlock::Create(function_.getContext(), "", &function_);
                ir_.CreateBr(next);
                ir_.SetInsertPoint(next);
            }
        }
        for (std::uint32_t k : plan_.stores_of[v]) emit_store(k, block, varying_[v]);
    }
}

void LoopEmitter::end_segment() {
    for (std::uint32_t r = 0; r < plan_.reductions.size(); ++r) {
        std::array<Value*, width> p{};
        for (std::uint32_t i = 0; i < width; ++i)
            p[i] = has_lanes() ? memory_.load(memory_.vector_type(),
                                              ir_.CreateConstInBoundsGEP1_64(memory_.vector_type(), sums_[r], i), false)
                               : ir_.CreateExtractElement(sums_[r], std::uint64_t{i});
        const auto add = [&](Value* a, Value* b) { return ir_.CreateFAdd(a, b); };
        Value* const even = add(add(p[0], p[4]), add(p[2], p[6]));
        Value* const odd = add(add(p[1], p[5]), add(p[3], p[7]));
        Value* const place = memory_.base(loop_.stores[plan_.reductions[r]].address);
        memory_.store(add(memory_.load(memory_.uniform_type(), place, false), add(even, odd)), place);
    }
}

void emit_loop(const vessiot_jit_kernel& kernel, std::uint32_t number, unsigned call_width, std::uint32_t block_size,
               llvm::Function& function) {
    LoopEmitter(kernel, number, call_width, block_size, function).emit();
}

} // namespace vessiot::jit
