#include "jit/rounds/emit_rounds.hpp"

#include <array>

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

#include "jit/rounds/two_sides.hpp"

namespace vessiot::jit {

using llvm::Value;

namespace {

// The blocks of the function:
//
//   entry   loads the state
//   round   variables of the loop; what is computed before it is known whether the round counts
//   yes     the round counts: the rest, written down; on to `round`, or to `end`
//   no      it does not: the rest; the same
//   end     stores the state
class RoundsEmitter {
public:
    RoundsEmitter(const vessiot_jit_rounds_program& program, const StraightLine& code, unsigned call_width,
                  llvm::Function& function)
        : program_(program), loop_(program.kernel->loops[0]), code_(code), function_(function),
          ir_(function.getContext()), emitter_(ir_, *program.kernel, call_width), guard_(stored_as(program.counts)),
          sides_(*program.kernel, loop_, guard_), values_(loop_.n_body, nullptr), of_side_(loop_.n_body, nullptr),
          invariant_(llvm::MDNode::get(function.getContext(), {})) {
        for (const StraightLine::Step& s : code.steps())
            is_apart_.push_back(s.n > 1 && !sides_.bring_together(&code.order()[s.first], s.n));
    }

    void emit() {
        entry_ = block();
        round_ = block();
        const std::array<llvm::BasicBlock*, 2> sides{block(), block()};
        end_ = block();
        ir_.SetInsertPoint(entry_);
        begin();
        ir_.CreateBr(round_);
        ir_.SetInsertPoint(end_);
        for (std::size_t k = 0; k < changing_.size(); ++k) last_.push_back(ir_.CreatePHI(ir_.getDoubleTy(), 2));
        for (std::size_t k = 0; k < changing_.size(); ++k)
            ir_.CreateAlignedStore(last_[k], place(0, changing_[k]), llvm::Align(8));
        ir_.CreateRetVoid();
        ir_.SetInsertPoint(round_);
        emit_part(TwoSides::Part::before);
        ir_.CreateCondBr(emitter_.is_true(value(guard_)), sides[1], sides[0], likely_);
        for (const int side : {1, 0}) {
            ir_.SetInsertPoint(sides[static_cast<std::size_t>(side)]);
            emit_side(side);
        }
    }

private:
    static constexpr int before = -1;

    llvm::BasicBlock* block() { return llvm::BasicBlock::Create(function_.getContext(), "", &function_); }

    std::uint32_t stored_as(std::uint32_t number) const {
        for (std::uint32_t k = 0; k < loop_.n_stores; ++k)
            if (program_.stores[k] == number) return loop_.stores[k].value;
        return 0; // check() has looked
    }

    Value* place(unsigned argument, std::uint64_t k) {
        return ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), function_.getArg(argument), k);
    }

    // The variables: numbers of the state that change, and where the streams are.
    void begin() {
        likely_ = llvm::MDBuilder(function_.getContext()).createBranchWeights(1000, 1);
        state_.assign(program_.n_state, nullptr);
        for (std::uint32_t k = 0; k < loop_.n_stores; ++k) changing_.push_back(program_.stores[k]);
        llvm::IRBuilder<> at_round(round_);
        for (const std::uint32_t k : changing_) {
            llvm::PHINode* const variable = at_round.CreatePHI(ir_.getDoubleTy(), 3);
            variable->addIncoming(ir_.CreateAlignedLoad(ir_.getDoubleTy(), place(0, k), llvm::Align(8)), entry_);
            variables_.push_back(variable);
            state_[k] = variable;
        }
        for (std::uint32_t s = 0; s < program_.n_streams; ++s) {
            Value* const at = ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), function_.getArg(2), s);
            llvm::PHINode* const variable = at_round.CreatePHI(ir_.getPtrTy(), 3);
            variable->addIncoming(ir_.CreateLoad(ir_.getPtrTy(), at), entry_);
            streams_.push_back(variable);
        }
    }

    void emit_part(TwoSides::Part part) {
        const std::vector<StraightLine::Step>& steps = code_.steps();
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const std::uint32_t* const members = &code_.order()[steps[s].first];
            if (steps[s].n > 1 && !is_apart_[s]) {
                if (is_of(members[0], part)) calls(steps[s], members);
                continue;
            }
            for (std::uint32_t k = 0; k < steps[s].n; ++k)
                if (is_of(members[k], part)) operation(members[k]);
        }
    }

    bool is_of(std::uint32_t v, TwoSides::Part part) const {
        return sides_.part(v) == part || (side_ != before && sides_.part(v) == TwoSides::Part::both);
    }

    void operation(std::uint32_t v) {
        const vessiot_jit_instruction& i = loop_.body[v];
        const int n = expr::arity(op_of(i));
        if (n == 0 || (side_ != before && sides_.stands_for(v, side_) != v)) return;
        Value* const a = value(i.a);
        Value* const b = n > 1 ? value(i.b) : nullptr;
        Value* const c = n > 2 ? value(i.c) : nullptr;
        keep(v, emitter_.operation(op_of(i), a, b, c));
    }

    void calls(const StraightLine::Step& step, const std::uint32_t* members) {
        const Op op = op_of(loop_.body[members[0]]);
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
    }

    void keep(std::uint32_t v, Value* made) { (side_ == before ? values_ : of_side_)[v] = made; }

    Value* value(std::uint32_t v) {
        if (side_ != before) {
            v = sides_.stands_for(v, side_);
            if (v == TwoSides::is_one) return llvm::ConstantFP::get(ir_.getDoubleTy(), 1.0);
            if (v == TwoSides::is_zero) return llvm::ConstantFP::get(ir_.getDoubleTy(), 0.0);
        }
        if (of_side_[v]) return of_side_[v];
        if (values_[v]) return values_[v];
        const vessiot_jit_instruction& i = loop_.body[v];
        if (op_of(i) == Op::constant) return emitter_.constant(i.a, ir_.getDoubleTy());
        const vessiot_jit_gpu_read& read = program_.reads[i.a];
        if (!read.is_fixed && state_[read.place]) return state_[read.place];
        llvm::LoadInst* const load =
            ir_.CreateAlignedLoad(ir_.getDoubleTy(), place(read.is_fixed ? 1 : 0, read.place), llvm::Align(8));
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant_); // what does not change
        keep(v, load);
        return load;
    }

    void emit_side(int side) {
        side_ = side;
        std::fill(of_side_.begin(), of_side_.end(), nullptr);
        emit_part(side == 1 ? TwoSides::Part::yes : TwoSides::Part::no);
        std::vector<Value*> next(program_.n_state, nullptr);
        for (std::uint32_t k = 0; k < loop_.n_stores; ++k) next[program_.stores[k]] = value(loop_.stores[k].value);
        llvm::BasicBlock* const here = ir_.GetInsertBlock();
        for (std::uint32_t s = 0; s < program_.n_streams; ++s) {
            const vessiot_jit_stream& stream = program_.streams[s];
            Value* at = streams_[s];
            if (side == 1) {
                for (std::uint32_t k = 0; k < stream.n; ++k)
                    ir_.CreateAlignedStore(next[stream.numbers[k]],
                                           ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), at, k), llvm::Align(8));
                at = ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), at, stream.stride);
            }
            streams_[s]->addIncoming(at, here);
        }
        for (std::size_t k = 0; k < changing_.size(); ++k) {
            variables_[k]->addIncoming(next[changing_[k]], here);
            last_[k]->addIncoming(next[changing_[k]], here);
        }
        ir_.CreateCondBr(is_zero(next[program_.outcome]), round_, end_, likely_);
    }

    // Is a number 0? One that a condition has chosen from two constants gives it back.
    Value* is_zero(Value* number) {
        Value* const zero = llvm::ConstantFP::get(ir_.getDoubleTy(), 0.0);
        if (auto* const made = llvm::dyn_cast<llvm::SelectInst>(number)) {
            const auto* const a = llvm::dyn_cast<llvm::ConstantFP>(made->getTrueValue());
            const auto* const b = llvm::dyn_cast<llvm::ConstantFP>(made->getFalseValue());
            if (a && b && a->isZero() && !b->isZero()) return made->getCondition();
        }
        return ir_.CreateFCmpOEQ(number, zero);
    }

    const vessiot_jit_rounds_program& program_;
    const vessiot_jit_loop& loop_;
    const StraightLine& code_;
    llvm::Function& function_;
    llvm::IRBuilder<> ir_;
    ValueEmitter emitter_;
    std::uint32_t guard_;
    TwoSides sides_;
    int side_ = before;
    std::vector<Value*> values_, of_side_; // by value of the list: those made before, and on the side at work
    llvm::MDNode *invariant_, *likely_ = nullptr;
    std::vector<bool> is_apart_;                             // by step: its calls are made one by one
    std::vector<std::uint32_t> changing_;                    // numbers of the state
    std::vector<Value*> state_;                              // by number: its variable; null where it does not change
    std::vector<llvm::PHINode*> variables_, streams_, last_; // of `changing_`; of the streams; at the end
    llvm::BasicBlock *entry_ = nullptr, *round_ = nullptr, *end_ = nullptr;
};

} // namespace

void emit_rounds(const vessiot_jit_rounds_program& program, const StraightLine& code, unsigned call_width,
                 llvm::Function& function) {
    RoundsEmitter(program, code, call_width, function).emit();
}

} // namespace vessiot::jit
