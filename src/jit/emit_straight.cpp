#include "jit/emit_straight.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <llvm/IR/Constants.h>

#include "expr/kernel/kernel.hpp"

namespace vessiot::jit {

using expr::StoreMode;
using llvm::Value;

namespace {

// Operations; below it the cost per function shows, above it that per block. Good code has longer pieces: what lives
// across them passes through memory.
constexpr std::uint32_t piece_size = 300, long_piece = 2400;
constexpr std::uint32_t window_size = 2400; // operations among which calls are brought together

} // namespace

StraightLine::StraightLine(const vessiot_jit_kernel& kernel, const vessiot_jit_loop& loop, unsigned call_width)
    : kernel_(kernel), loop_(loop), call_width_(call_width) {
    find_live();
    sort_stores();
    for (std::uint32_t first = 0; first < loop.n_body; first += window_size)
        schedule_window(first, std::min(first + window_size, loop.n_body));
    cut();
    assign_slots();
    values_.assign(loop.n_body, nullptr);
}

void StraightLine::find_live() {
    is_live_.assign(loop_.n_body, 0);
    for (std::uint32_t k = 0; k < loop_.n_stores; ++k) is_live_[loop_.stores[k].value] = 1;
    for (std::uint32_t v = loop_.n_body; v-- > 0;)
        if (is_live_[v]) for_each_operand(loop_.body[v], [&](std::uint32_t u) { is_live_[u] = 1; });
}

void StraightLine::sort_stores() {
    first_assign_.assign(loop_.n_body + 1, 0);
    for (std::uint32_t k = 0; k < loop_.n_stores; ++k) {
        if (loop_.stores[k].mode != static_cast<std::uint32_t>(StoreMode::assign))
            others_.push_back(k);
        else
            assigns_.push_back(k), ++first_assign_[loop_.stores[k].value + 1];
    }
    std::stable_sort(assigns_.begin(), assigns_.end(),
                     [&](auto k, auto l) { return loop_.stores[k].value < loop_.stores[l].value; });
    for (std::uint32_t v = 0; v < loop_.n_body; ++v) first_assign_[v + 1] += first_assign_[v];
}

void StraightLine::schedule_window(std::uint32_t first, std::uint32_t end) {
    const bool merges = kernel_.lanes == 1;
    std::uint32_t n_levels = 0;
    std::vector<std::uint32_t> depth(end - first, 0), level(end - first, none);
    for (std::uint32_t v = first; v < end; ++v) {
        const Op op = op_of(loop_.body[v]);
        for_each_operand(loop_.body[v], [&](std::uint32_t u) {
            if (u < first) return; // done in an earlier window
            const std::uint32_t passed = depth[u - first] + (merges && expr::is_elementary(op_of(loop_.body[u])));
            depth[v - first] = std::max(depth[v - first], passed);
        });
        if (merges && is_live_[v] && expr::is_elementary(op)) n_levels = std::max(n_levels, depth[v - first] + 1);
    }
    for (std::uint32_t v = end; v-- > first;) {
        if (!is_live_[v]) continue;
        if (merges && expr::is_elementary(op_of(loop_.body[v]))) level[v - first] = depth[v - first];
        for_each_operand(loop_.body[v], [&](std::uint32_t u) {
            if (u >= first) level[u - first] = std::min(level[u - first], level[v - first]);
        });
    }
    std::vector<std::vector<std::uint32_t>> plain(n_levels + 1), calls(n_levels);
    for (std::uint32_t v = first; v < end; ++v) {
        if (!is_live_[v]) continue;
        const Op op = op_of(loop_.body[v]);
        if (expr::is_leaf(op) && first_assign_[v] == first_assign_[v + 1]) continue; // made where it is used
        if (merges && expr::is_elementary(op))
            calls[level[v - first]].push_back(v);
        else
            plain[std::min(level[v - first], n_levels)].push_back(v);
    }
    for (std::uint32_t l = 0; l <= n_levels; ++l) {
        for (std::uint32_t v : plain[l]) {
            steps_.push_back({static_cast<std::uint32_t>(order_.size()), 1});
            order_.push_back(v);
        }
        if (l < n_levels) append_calls(calls[l]);
    }
}

std::size_t StraightLine::widest(const vessiot_jit_function& function) const {
    if (call_width_ >= 8 && function.width8) return 8;
    if (call_width_ >= 4 && function.width4) return 4;
    return call_width_ >= 2 && function.width2 ? 2 : 1;
}

void StraightLine::append_pairs(std::vector<std::uint32_t>& calls) {
    std::unordered_map<std::uint32_t, std::uint32_t> cosine; // by argument
    for (const std::uint32_t v : calls)
        if (op_of(loop_.body[v]) == Op::cos) cosine.emplace(loop_.body[v].a, v);
    std::vector<std::uint32_t> sines, cosines;
    for (const std::uint32_t v : calls) {
        if (op_of(loop_.body[v]) != Op::sin) continue;
        const auto twin = cosine.find(loop_.body[v].a);
        if (twin == cosine.end()) continue;
        sines.push_back(v);
        cosines.push_back(twin->second);
        cosine.erase(twin);
    }
    const std::size_t width = widest(*kernel_.sine_cosine);
    for (std::size_t i = 0; i < sines.size(); i += width) {
        const std::size_t n = std::min(width, sines.size() - i);
        steps_.push_back({static_cast<std::uint32_t>(order_.size()), static_cast<std::uint32_t>(2 * n), true});
        for (const auto* list : {&sines, &cosines})
            for (std::size_t k = i; k < i + n; ++k) order_.push_back((*list)[k]);
    }
    sines.insert(sines.end(), cosines.begin(), cosines.end());
    std::ranges::sort(sines);
    std::erase_if(calls, [&](std::uint32_t v) { return std::ranges::binary_search(sines, v); });
}

void StraightLine::append_calls(std::vector<std::uint32_t>& calls) {
    append_pairs(calls);
    std::stable_sort(calls.begin(), calls.end(), [&](auto u, auto v) { return loop_.body[u].op < loop_.body[v].op; });
    for (std::size_t i = 0; i < calls.size();) {
        const std::uint32_t op = loop_.body[calls[i]].op;
        const std::size_t width = widest(kernel_.functions[op]);
        std::size_t end = i + 1;
        while (end < calls.size() && end - i < width && loop_.body[calls[end]].op == op) ++end;
        steps_.push_back({static_cast<std::uint32_t>(order_.size()), static_cast<std::uint32_t>(end - i)});
        for (; i < end; ++i) order_.push_back(calls[i]);
    }
}

void StraightLine::cut() {
    Piece piece{0, 0, 0};
    // Equal shares: the last piece is not a stub.
    const auto n = static_cast<std::uint32_t>(order_.size());
    const std::uint32_t most = kernel_.optimise ? long_piece : piece_size;
    const std::uint32_t n_pieces = std::max(1u, (n + most - 1) / most);
    const std::uint32_t share = (n + n_pieces - 1) / n_pieces;
    for (std::uint32_t s = 0; s < steps_.size(); ++s) {
        piece.n_operations += steps_[s].n;
        piece.end_step = s + 1;
        if (piece.n_operations < share) continue;
        pieces_.push_back(piece);
        piece = {s + 1, s + 1, 0};
    }
    if (piece.n_operations > 0 || pieces_.empty()) pieces_.push_back(piece);
}

void StraightLine::assign_slots() {
    slot_.assign(loop_.n_body, none);
    std::vector<std::uint32_t> made(loop_.n_body, none), last_use(loop_.n_body, 0);
    const auto use = [&](std::uint32_t v, std::uint32_t piece) { last_use[v] = std::max(last_use[v], piece); };
    for (std::uint32_t p = 0; p < n_pieces(); ++p)
        for (std::uint32_t s = pieces_[p].first_step; s < pieces_[p].end_step; ++s)
            for (std::uint32_t k = 0; k < steps_[s].n; ++k) {
                const std::uint32_t v = order_[steps_[s].first + k];
                if (!expr::is_leaf(op_of(loop_.body[v]))) made[v] = p;
                for_each_operand(loop_.body[v], [&](std::uint32_t u) { use(u, p); });
            }
    for (std::uint32_t k : others_) use(loop_.stores[k].value, n_pieces() - 1);

    // A slot is free again after the piece that uses it last.
    std::vector<std::uint32_t> free;
    std::vector<std::vector<std::uint32_t>> ends(n_pieces());
    for (std::uint32_t p = 0; p < n_pieces(); ++p) {
        for (std::uint32_t s = pieces_[p].first_step; s < pieces_[p].end_step; ++s)
            for (std::uint32_t k = 0; k < steps_[s].n; ++k) {
                const std::uint32_t v = order_[steps_[s].first + k];
                if (made[v] == none || last_use[v] <= p) continue;
                if (free.empty()) free.push_back(n_slots_++);
                slot_[v] = free.back();
                free.pop_back();
                ends[last_use[v]].push_back(slot_[v]);
            }
        free.insert(free.end(), ends[p].rbegin(), ends[p].rend());
    }
}

class StraightLine::PieceEmitter {
public:
    PieceEmitter(StraightLine& code, llvm::Function& function)
        : code_(code), loop_(code.loop_), ir_(llvm::BasicBlock::Create(function.getContext(), "", &function)),
          emitter_(ir_, code.kernel_, code.call_width_), buffers_(function.getArg(0)), scratch_(function.getArg(2)) {
        llvm::Type* const number = ir_.getDoubleTy();
        type_ = code.kernel_.lanes == 1 ? number : llvm::FixedVectorType::get(number, code.kernel_.lanes);
        invariant_ = llvm::MDNode::get(function.getContext(), {});
    }

    void emit(const Piece& piece, bool is_last) {
        for (std::uint32_t s = piece.first_step; s < piece.end_step; ++s) step(code_.steps_[s]);
        if (is_last)
            for (std::uint32_t k : code_.others_) accumulate(loop_.stores[k]);
        ir_.CreateRetVoid();
        for (std::uint32_t v : touched_) code_.values_[v] = nullptr;
    }

private:
    void step(const Step& step) {
        const std::uint32_t* const members = &code_.order_[step.first];
        const Op op = op_of(loop_.body[members[0]]);
        if (step.n == 1) {
            const vessiot_jit_instruction& i = loop_.body[members[0]];
            const int n = expr::arity(op);
            if (n > 0) {
                // In this order, whatever order the compiler likes for arguments: the code is the same everywhere.
                Value* const a = value(i.a);
                Value* const b = n > 1 ? value(i.b) : nullptr;
                Value* const c = n > 2 ? value(i.c) : nullptr;
                keep(members[0], emitter_.operation(op, a, b, c));
            }
            finish(members[0]);
            return;
        }
        llvm::SmallVector<Value*, 16> operands;
        const std::uint32_t n_arguments = step.are_pairs ? step.n / 2 : step.n;
        for (std::uint32_t k = 0; k < n_arguments; ++k) operands.push_back(value(loop_.body[members[k]].a));
        if (expr::arity(op) == 2)
            for (std::uint32_t k = 0; k < step.n; ++k) operands.push_back(value(loop_.body[members[k]].b));
        std::array<Value*, 16> results{};
        const llvm::MutableArrayRef<Value*> all(results.data(), step.n);
        if (step.are_pairs)
            emitter_.sines_cosines(operands, all);
        else
            emitter_.calls(op, operands, all);
        for (std::uint32_t k = 0; k < step.n; ++k) keep(members[k], results[k]);
        for (std::uint32_t k = 0; k < step.n; ++k) finish(members[k]);
    }

    // Stores of a value, and its copy for later pieces.
    void finish(std::uint32_t v) {
        for (std::uint32_t k = code_.first_assign_[v]; k < code_.first_assign_[v + 1]; ++k)
            ir_.CreateAlignedStore(value(v), pointer(loop_.stores[code_.assigns_[k]].address), llvm::Align(8));
        if (code_.slot_[v] != none) ir_.CreateAlignedStore(value(v), slot(v), slot_alignment());
    }

    void accumulate(const vessiot_jit_store& store) {
        Value* const target = pointer(store.address);
        Value* term = value(store.value);
        // A reduction of one instance: the partial sums are 0 + term and seven zeros.
        if (store.mode == static_cast<std::uint32_t>(StoreMode::reduce))
            term = ir_.CreateFAdd(llvm::ConstantFP::get(type_, 0.0), term);
        Value* const sum = ir_.CreateFAdd(ir_.CreateAlignedLoad(type_, target, llvm::Align(8)), term);
        ir_.CreateAlignedStore(sum, target, llvm::Align(8));
    }

    Value* value(std::uint32_t v) {
        if (code_.values_[v]) return code_.values_[v];
        const vessiot_jit_instruction& i = loop_.body[v];
        if (op_of(i) == Op::constant) return keep(v, emitter_.constant(i.a, type_));
        if (op_of(i) == Op::read) {
            llvm::LoadInst* const load = ir_.CreateAlignedLoad(type_, pointer(i.a), llvm::Align(8));
            load->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant_); // a loop never reads what it writes
            return keep(v, load);
        }
        return keep(v, ir_.CreateAlignedLoad(type_, slot(v), slot_alignment()));
    }

    Value* keep(std::uint32_t v, Value* value) {
        code_.values_[v] = value;
        touched_.push_back(v);
        return value;
    }

    Value* pointer(std::uint32_t address) {
        const std::uint32_t buffer = loop_.addresses[address].buffer;
        if (bases_.size() <= buffer) bases_.resize(buffer + 1);
        if (!bases_[buffer]) {
            Value* const place = ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), buffers_, buffer);
            llvm::LoadInst* const load = ir_.CreateLoad(ir_.getPtrTy(), place);
            load->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant_);
            bases_[buffer] = load;
        }
        return ir_.CreateConstInBoundsGEP1_64(type_, bases_[buffer],
                                              static_cast<std::uint64_t>(loop_.straight_starts[address]));
    }

    Value* slot(std::uint32_t v) { return ir_.CreateConstInBoundsGEP1_64(type_, scratch_, code_.slot_[v]); }
    llvm::Align slot_alignment() const { return llvm::Align(std::uint64_t{8} * code_.kernel_.lanes); }

    StraightLine& code_;
    const vessiot_jit_loop& loop_;
    llvm::IRBuilder<> ir_;
    ValueEmitter emitter_;
    Value *buffers_, *scratch_;
    llvm::Type* type_;
    llvm::MDNode* invariant_;
    std::vector<Value*> bases_;
    std::vector<std::uint32_t> touched_;
};

void StraightLine::emit(std::uint32_t piece, llvm::Function& function) {
    PieceEmitter(*this, function).emit(pieces_[piece], piece + 1 == n_pieces());
}

} // namespace vessiot::jit
