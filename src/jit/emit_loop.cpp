#include "jit/emit_loop.hpp"

#include <array>
#include <unordered_map>

#include <llvm/IR/Constants.h>

#include "jit/loop_emitter.hpp"

namespace vessiot::jit {

using expr::StoreMode;
using llvm::BasicBlock;
using llvm::Value;

void LoopEmitter::find_uniform() {
    is_live_.assign(loop_.n_body, 0);
    is_uniform_.assign(loop_.n_body, 0);
    stores_of_.resize(loop_.n_body);
    for (std::uint32_t k = 0; k < loop_.n_stores; ++k) {
        is_live_[loop_.stores[k].value] = 1;
        stores_of_[loop_.stores[k].value].push_back(k);
        reduction_of_.push_back(static_cast<std::uint32_t>(reductions_.size()));
        if (mode_of(loop_.stores[k]) == StoreMode::reduce) reductions_.push_back(k);
    }
    const auto operands = [&](std::uint32_t v, auto visit) {
        const int n = expr::arity(op_of(loop_.body[v]));
        if (n > 0) visit(loop_.body[v].a);
        if (n > 1) visit(loop_.body[v].b);
        if (n > 2) visit(loop_.body[v].c);
    };
    for (std::uint32_t v = loop_.n_body; v-- > 0;)
        if (is_live_[v]) operands(v, [&](std::uint32_t u) { is_live_[u] = 1; });
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        is_uniform_[v] = 1;
        if (op_of(loop_.body[v]) == Op::read) {
            const vessiot_jit_address& address = loop_.addresses[loop_.body[v].a];
            is_uniform_[v] = address.table < 0 && address.stride == 0;
        }
        operands(v, [&](std::uint32_t u) { is_uniform_[v] = is_uniform_[v] && is_uniform_[u]; });
    }
}

void LoopEmitter::find_twins() {
    twin_.assign(loop_.n_body, none);
    std::unordered_map<std::uint32_t, std::uint32_t> sine, cosine; // by argument
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        const Op op = op_of(loop_.body[v]);
        if (!is_live_[v] || is_uniform_[v] || (op != Op::sin && op != Op::cos)) continue;
        (op == Op::sin ? sine : cosine).emplace(loop_.body[v].a, v);
    }
    for (const auto& [argument, v] : sine)
        if (const auto other = cosine.find(argument); other != cosine.end()) {
            twin_[v] = other->second;
            twin_[other->second] = v;
        }
}

void LoopEmitter::emit() {
    find_uniform();
    find_twins();
    load_tables();
    Carried carried{ir_.getInt64(0)}; // the number of the segment's first instance, counted over all segments
    counted_loop(ir_, ir_.getInt64(0), n_segments_, 1, carried, [&](Value* segment) {
        segment_ = segment;
        first_instance_ = carried[0];
        begin_segment();
        emit_uniform();
        if (has_lanes())
            emit_instances();
        else
            emit_blocks();
        end_segment();
        carried[0] = ir_.CreateAdd(first_instance_, length_);
    });
    ir_.CreateRetVoid();
}

void LoopEmitter::load_tables() {
    llvm::Type* const pointer = ir_.getPtrTy();
    llvm::Type* const record = llvm::StructType::get(ir_.getInt64Ty(), pointer, pointer, pointer);
    Value* const tables = ir_.CreateConstInBoundsGEP1_64(record, function_.getArg(1), number_);
    const auto field = [&](unsigned k, llvm::Type* type) { return load(type, ir_.CreateStructGEP(record, tables, k)); };
    n_segments_ = field(0, ir_.getInt64Ty());
    lengths_ = field(1, pointer);
    starts_ = field(2, pointer);
    Value* list = nullptr;
    std::vector<Value*> buffers;
    for (std::uint32_t k = 0; k < loop_.n_addresses; ++k) {
        const vessiot_jit_address& address = loop_.addresses[k];
        if (buffers.size() <= address.buffer) buffers.resize(address.buffer + 1);
        Value*& buffer = buffers[address.buffer];
        if (!buffer)
            buffer = load(pointer, ir_.CreateConstInBoundsGEP1_64(pointer, function_.getArg(0), address.buffer));
        buffers_.push_back(buffer);
        if (address.table >= 0 && !list) list = field(3, pointer);
        tables_.push_back(address.table < 0 ? nullptr
                                            : load(pointer, ir_.CreateConstInBoundsGEP1_64(
                                                                pointer, list, static_cast<unsigned>(address.table))));
    }
}

void LoopEmitter::begin_segment() {
    length_ = load(ir_.getInt64Ty(), step_pointer(ir_.getInt64Ty(), lengths_, segment_));
    Value* const row = ir_.CreateMul(segment_, ir_.getInt64(loop_.n_addresses));
    Value* const starts = step_pointer(ir_.getInt64Ty(), starts_, row);
    bases_.assign(loop_.n_addresses, nullptr);
    for (std::uint32_t k = 0; k < loop_.n_addresses; ++k) {
        if (tables_[k]) {
            bases_[k] = step_pointer(ir_.getInt32Ty(), tables_[k], first_instance_);
            continue;
        }
        Value* const start = load(ir_.getInt64Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), starts, k));
        bases_[k] = step_pointer(uniform_type(), buffers_[k], start);
    }
    auto* const zero = llvm::ConstantFP::get(vector_type_, 0.0);
    sums_.clear();
    for (std::uint32_t r = 0; r < reductions_.size(); ++r) {
        if (!has_lanes()) {
            sums_.push_back(zero);
            continue;
        }
        // Eight sums for each lane: which one comes next depends on the instance, so they are in memory.
        sums_.push_back(on_stack(llvm::ArrayType::get(vector_type_, width)));
        for (std::uint32_t p = 0; p < width; ++p)
            store(zero, ir_.CreateConstInBoundsGEP1_64(vector_type_, sums_[r], p));
    }
}

void LoopEmitter::emit_uniform() {
    uniform_.assign(loop_.n_body, nullptr);
    varying_.assign(loop_.n_body, nullptr);
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!is_live_[v] || !is_uniform_[v]) continue;
        const vessiot_jit_instruction& i = loop_.body[v];
        if (op_of(i) == Op::constant) {
            uniform_[v] = emitter_.constant(i.a, uniform_type());
            varying_[v] = emitter_.constant(i.a, vector_type_);
            continue;
        }
        if (op_of(i) == Op::read) {
            uniform_[v] = load(uniform_type(), bases_[i.a]);
        } else {
            const int n = expr::arity(op_of(i));
            uniform_[v] = emitter_.operation(op_of(i), uniform_[i.a], n > 1 ? uniform_[i.b] : nullptr,
                                             n > 2 ? uniform_[i.c] : nullptr);
        }
        if (has_lanes()) varying_[v] = uniform_[v];
    }
    if (has_lanes()) return;
    // Spread over vectors what the instances need, once.
    const auto spread = [&](std::uint32_t v) {
        if (is_uniform_[v] && !varying_[v]) varying_[v] = ir_.CreateVectorSplat(width, uniform_[v]);
    };
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!is_live_[v]) continue;
        const int n = is_uniform_[v] ? 0 : expr::arity(op_of(loop_.body[v]));
        if (n > 0) spread(loop_.body[v].a);
        if (n > 1) spread(loop_.body[v].b);
        if (n > 2) spread(loop_.body[v].c);
        if (!stores_of_[v].empty()) spread(v);
    }
}

void LoopEmitter::emit_instances() {
    Carried nothing; // the sums are in memory
    counted_loop(ir_, ir_.getInt64(0), length_, 1, nothing, [&](Value* i) { emit_body({i, nullptr, nullptr}); });
}

void LoopEmitter::emit_blocks() {
    Value* const n_full = ir_.CreateAnd(length_, ir_.getInt64(~std::uint64_t{width - 1}));
    const std::vector<Value*> before = varying_;
    Carried nothing;
    counted_loop(ir_, ir_.getInt64(0), n_full, width, sums_, [&](Value* i) { emit_body({i, nullptr, nullptr}); });
    varying_ = before;
    Value* const count = ir_.CreateSub(length_, n_full);
    conditionally(ir_, ir_.CreateICmpNE(count, ir_.getInt64(0)), sums_, [&] {
        std::array<llvm::Constant*, width> numbers{};
        for (std::uint32_t k = 0; k < width; ++k) numbers[k] = ir_.getInt64(k);
        Value* const mask = ir_.CreateICmpSLT(llvm::ConstantVector::get(numbers), ir_.CreateVectorSplat(width, count));
        const Block rest{n_full, count, mask};

        gathered_.resize(loop_.n_addresses);
        scattered_.resize(loop_.n_stores);
        std::vector<std::uint32_t> reads, stores;
        for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
            if (!is_live_[v] || is_uniform_[v] || op_of(loop_.body[v]) != Op::read) continue;
            const std::uint32_t address = loop_.body[v].a;
            if (!is_scattered(address) || gathered_[address]) continue;
            gathered_[address] = on_stack(vector_type_);
            store(llvm::ConstantFP::get(vector_type_, 0.0), gathered_[address]);
            reads.push_back(address);
        }
        for (std::uint32_t k = 0; k < loop_.n_stores; ++k)
            if (mode_of(loop_.stores[k]) != StoreMode::reduce && is_scattered(loop_.stores[k].address)) {
                scattered_[k] = on_stack(vector_type_);
                stores.push_back(k);
            }

        if (!reads.empty())
            counted_loop(ir_, ir_.getInt64(0), count, 1, nothing, [&](Value* k) {
                Value* const instance = ir_.CreateAdd(n_full, k);
                for (std::uint32_t address : reads)
                    store(load(number_type_, element(address, instance)),
                          step_pointer(number_type_, gathered_[address], k));
            });
        emit_body(rest);
        if (!stores.empty())
            counted_loop(ir_, ir_.getInt64(0), count, 1, nothing, [&](Value* k) {
                Value* const instance = ir_.CreateAdd(n_full, k);
                for (std::uint32_t s : stores) {
                    Value* const target = element(loop_.stores[s].address, instance);
                    Value* value = load(number_type_, step_pointer(number_type_, scattered_[s], k), false);
                    if (mode_of(loop_.stores[s]) == StoreMode::add)
                        value = ir_.CreateFAdd(load(number_type_, target, false), value);
                    store(value, target);
                }
            });
    });
}

void LoopEmitter::emit_operation(std::uint32_t v, const Block& block) {
    const vessiot_jit_instruction& i = loop_.body[v];
    if (op_of(i) == Op::read) {
        varying_[v] = read(i.a, block);
    } else if (twin_[v] != none) { // the first of the two makes both
        if (twin_[v] < v) return;
        const ValueEmitter::SineCosine both = emitter_.sine_cosine(varying_[i.a]);
        const bool is_sine = op_of(i) == Op::sin;
        varying_[v] = is_sine ? both.sine : both.cosine;
        varying_[twin_[v]] = is_sine ? both.cosine : both.sine;
    } else {
        const int n = expr::arity(op_of(i));
        varying_[v] = emitter_.operation(op_of(i), varying_[i.a], n > 1 ? varying_[i.b] : nullptr,
                                         n > 2 ? varying_[i.c] : nullptr);
    }
}

void LoopEmitter::emit_body(const Block& block) {
    std::uint32_t n_in_block = 0;
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) {
        if (!is_live_[v]) continue;
        if (!is_uniform_[v]) {
            emit_operation(v, block);
            if (block_size_ > 0 && ++n_in_block % block_size_ == 0) {
                BasicBlock* const next = BasicBlock::Create(context_, "", &function_);
                ir_.CreateBr(next);
                ir_.SetInsertPoint(next);
            }
        }
        for (std::uint32_t k : stores_of_[v]) emit_store(k, block, varying_[v]);
    }
}

void LoopEmitter::end_segment() {
    for (std::uint32_t r = 0; r < reductions_.size(); ++r) {
        std::array<Value*, width> p{};
        for (std::uint32_t i = 0; i < width; ++i)
            p[i] = has_lanes() ? load(vector_type_, ir_.CreateConstInBoundsGEP1_64(vector_type_, sums_[r], i), false)
                               : ir_.CreateExtractElement(sums_[r], std::uint64_t{i});
        const auto add = [&](Value* a, Value* b) { return ir_.CreateFAdd(a, b); };
        Value* const even = add(add(p[0], p[4]), add(p[2], p[6]));
        Value* const odd = add(add(p[1], p[5]), add(p[3], p[7]));
        Value* const place = bases_[loop_.stores[reductions_[r]].address];
        store(add(load(uniform_type(), place, false), add(even, odd)), place);
    }
}

void emit_loop(const vessiot_jit_kernel& kernel, std::uint32_t number, unsigned call_width, std::uint32_t block_size,
               llvm::Function& function) {
    LoopEmitter(kernel, number, call_width, block_size, function).emit();
}

} // namespace vessiot::jit
