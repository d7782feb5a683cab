// The third entry of the plug-in: a list as a text for graphics processors (PTX), which the driver of the machine
// compiles. Every operation is rounded as on the processor: no contraction, divisions and roots correctly rounded.
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "expr/kernel/kernel.hpp"
#include "expr/kernel/repeated/jit_gpu_abi.h"
#include "jit/emit_value.hpp"
#include "jit/engine.hpp"
#include "jit/gpu/emit_functions.hpp"
#include "jit/gpu/emit_trig.hpp"

extern "C" {
void LLVMInitializeNVPTXTargetInfo(void);
void LLVMInitializeNVPTXTarget(void);
void LLVMInitializeNVPTXTargetMC(void);
void LLVMInitializeNVPTXAsmPrinter(void);
}

namespace vessiot::jit {
namespace {

using llvm::Value;

// NOTE: the oldest that has all we need: drivers translate for whatever processor there is.
constexpr const char *triple = "nvptx64-nvidia-cuda", *processor = "sm_60";
constexpr unsigned global = 1; // address space
constexpr unsigned threads_a_block = 64;

std::string check(const vessiot_jit_gpu_program& program) {
    if (program.kernel->n_loops != 1 || !program.kernel->loops[0].is_straight_line) return "it is no list";
    const vessiot_jit_loop& loop = program.kernel->loops[0];
    for (std::uint32_t v = 0; v < loop.n_body; ++v)
        if (const Op op = op_of(loop.body[v]);
            expr::is_elementary(op) && op != Op::sin && op != Op::cos && !EmittedFunctions::has(op))
            return "it reads tables, which there is no code for on graphics processors";
    return {};
}

// The function: numbers of the state are in variables of the loop.
class GpuEmitter {
public:
    GpuEmitter(const vessiot_jit_gpu_program& program, llvm::Module& module)
        : program_(program), loop_(program.kernel->loops[0]), module_(module), ir_(module.getContext()),
          emitter_(ir_, *program.kernel, 1), values_(loop_.n_body, nullptr) {}

    void emit() {
        declare();
        llvm::LLVMContext& context = module_.getContext();
        auto* const entry = llvm::BasicBlock::Create(context, "", function_);
        auto* const begin = llvm::BasicBlock::Create(context, "", function_);
        round_ = llvm::BasicBlock::Create(context, "", function_);
        auto* const end = llvm::BasicBlock::Create(context, "", function_);
        auto* const done = llvm::BasicBlock::Create(context, "", function_);
        ir_.SetInsertPoint(entry);
        Value* const thread = thread_number();
        ir_.CreateCondBr(ir_.CreateICmpULT(thread, function_->getArg(4)), begin, done);
        ir_.SetInsertPoint(begin);
        Value* const number = ir_.CreateInBoundsGEP(ir_.getInt32Ty(), function_->getArg(2), thread);
        member_ = ir_.CreateZExt(ir_.CreateLoad(ir_.getInt32Ty(), number), ir_.getInt64Ty());
        std::vector<Value*> first;
        for (std::uint32_t k = 0; k < program_.n_state; ++k) first.push_back(load(0, k));
        for (std::uint32_t k = 0; k < program_.n_fixed; ++k) fixed_.push_back(load(1, k));
        ir_.CreateBr(round_);
        emit_round(begin, first, end);
        ir_.SetInsertPoint(end);
        for (const std::uint32_t k : changing_) ir_.CreateStore(next_[k], place(0, k));
        ir_.CreateBr(done);
        ir_.SetInsertPoint(done);
        ir_.CreateRetVoid();
    }

private:
    void declare() {
        llvm::Type *const memory = llvm::PointerType::get(module_.getContext(), global), *const count =
                                                                                             ir_.getInt64Ty();
        auto* const type =
            llvm::FunctionType::get(ir_.getVoidTy(), {memory, memory, memory, count, count, count}, false);
        function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, program_.name, module_);
        function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
        for (const unsigned k : {0U, 1U, 2U}) function_->addParamAttr(k, llvm::Attribute::NoAlias);
        for (const unsigned k : {1U, 2U}) function_->addParamAttr(k, llvm::Attribute::ReadOnly);
        // a limit of the threads in a block lets the compiler use registers
        llvm::NamedMDNode* const notes = module_.getOrInsertNamedMetadata("nvvm.annotations");
        const auto note = [&](const char* word, std::uint32_t n) {
            notes->addOperand(
                llvm::MDNode::get(module_.getContext(), {llvm::ValueAsMetadata::get(function_),
                                                         llvm::MDString::get(module_.getContext(), word),
                                                         llvm::ConstantAsMetadata::get(ir_.getInt32(n))}));
        };
        note("kernel", 1);
        note("maxntidx", threads_a_block);
    }

    Value* thread_number() {
        const auto special = [&](llvm::Intrinsic::ID id) {
            return ir_.CreateZExt(ir_.CreateIntrinsic(id, {}, {}), ir_.getInt64Ty());
        };
        Value* const first = ir_.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                                           special(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x));
        return ir_.CreateAdd(first, special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
    }

    Value* place(unsigned argument, std::uint32_t k) {
        Value* const at = ir_.CreateAdd(ir_.CreateMul(function_->getArg(3), ir_.getInt64(k)), member_);
        return ir_.CreateInBoundsGEP(ir_.getDoubleTy(), function_->getArg(argument), at);
    }
    Value* load(unsigned argument, std::uint32_t k) { return ir_.CreateLoad(ir_.getDoubleTy(), place(argument, k)); }

    void emit_round(llvm::BasicBlock* before, const std::vector<Value*>& first, llvm::BasicBlock* after) {
        ir_.SetInsertPoint(round_);
        llvm::PHINode* const left = ir_.CreatePHI(ir_.getInt64Ty(), 2);
        state_ = first;
        next_.assign(program_.n_state, nullptr);
        find_changing();
        std::vector<llvm::PHINode*> variables;
        for (const std::uint32_t k : changing_) {
            variables.push_back(ir_.CreatePHI(ir_.getDoubleTy(), 2));
            state_[k] = variables.back();
        }
        for (std::uint32_t v = 0; v < loop_.n_body; ++v) values_[v] = value(loop_.body[v]);
        for (std::uint32_t k = 0; k < loop_.n_stores; ++k) next_[program_.stores[k]] = values_[loop_.stores[k].value];
        Value* const fewer = ir_.CreateSub(left, ir_.getInt64(1));
        Value* const goes_on =
            ir_.CreateAnd(ir_.CreateFCmpOEQ(next_[program_.outcome], llvm::ConstantFP::get(ir_.getDoubleTy(), 0.0)),
                          ir_.CreateICmpNE(fewer, ir_.getInt64(0)));
        ir_.CreateCondBr(goes_on, round_, after);
        left->addIncoming(function_->getArg(5), before);
        left->addIncoming(fewer, round_);
        for (std::size_t k = 0; k < variables.size(); ++k) {
            variables[k]->addIncoming(first[changing_[k]], before);
            variables[k]->addIncoming(next_[changing_[k]], round_);
        }
    }

    void find_changing() {
        for (std::uint32_t k = 0; k < loop_.n_stores; ++k) changing_.push_back(program_.stores[k]);
    }

    Value* value(const vessiot_jit_instruction& i) {
        if (op_of(i) == Op::constant) return emitter_.constant(i.a, ir_.getDoubleTy());
        if (op_of(i) == Op::read) {
            const vessiot_jit_gpu_read& read = program_.reads[i.a];
            return read.is_fixed ? fixed_[read.place] : state_[read.place];
        }
        if (op_of(i) == Op::sin || op_of(i) == Op::cos) {
            const auto [known, is_new] = trig_.try_emplace(i.a);
            if (is_new) known->second = emit_trig(ir_, values_[i.a]);
            return op_of(i) == Op::sin ? known->second.sine : known->second.cosine;
        }
        const int n = expr::arity(op_of(i));
        if (EmittedFunctions::has(op_of(i)))
            return functions_.call(ir_, op_of(i), values_[i.a], n > 1 ? values_[i.b] : nullptr);
        return emitter_.operation(op_of(i), values_[i.a], n > 1 ? values_[i.b] : nullptr,
                                  n > 2 ? values_[i.c] : nullptr);
    }

    const vessiot_jit_gpu_program& program_;
    const vessiot_jit_loop& loop_;
    llvm::Module& module_;
    llvm::IRBuilder<> ir_;
    ValueEmitter emitter_;
    llvm::Function* function_ = nullptr;
    llvm::BasicBlock* round_ = nullptr;
    Value* member_ = nullptr;
    std::vector<Value*> values_, state_, next_, fixed_;
    std::vector<std::uint32_t> changing_;
    std::unordered_map<std::uint32_t, SineAndCosine> trig_; // by argument
    EmittedFunctions functions_{module_};
};

const llvm::Target* find_target(std::string& problem) {
    static const bool is_ready = [] {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        return true;
    }();
    static_cast<void>(is_ready);
    return llvm::TargetRegistry::lookupTarget(triple, problem);
}

std::string text_of(const vessiot_jit_gpu_program& program, std::string& problem) {
    const llvm::Target* const target = find_target(problem);
    if (!target) return {};
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    const std::unique_ptr<llvm::TargetMachine> machine(
        target->createTargetMachine(triple, processor, "", options, std::nullopt));
    llvm::LLVMContext context;
    prepare(context, problem);
    llvm::Module module("list", context);
    module.setTargetTriple(triple);
    module.setDataLayout(machine->createDataLayout());
    GpuEmitter(program, module).emit();
    llvm::raw_string_ostream broken(problem);
    if (llvm::verifyModule(module, &broken)) return {};
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
        problem = "no texts for graphics processors";
        return {};
    }
    passes.run(module);
    return {text.data(), text.size()};
}

int make_ptx(const vessiot_jit_gpu_program* program, char** text, char* error, std::uint64_t error_size) {
    std::string problem = check(*program);
    if (!problem.empty()) return refuse(problem, error, error_size);
    const std::string made = text_of(*program, problem);
    if (made.empty() || !problem.empty()) return refuse(problem.empty() ? "unknown error" : problem, error, error_size);
    *text = strdup(made.c_str());
    return *text ? 0 : refuse("no memory", error, error_size);
}

void release_text(char* text) {
    std::free(text);
}

} // namespace
} // namespace vessiot::jit

extern "C" __attribute__((visibility("default"))) const vessiot_jit_gpu_api* vessiot_jit_gpu(void) {
    static const vessiot_jit_gpu_api api{VESSIOT_JIT_GPU_ABI_VERSION, vessiot::jit::make_ptx,
                                         vessiot::jit::release_text};
    return &api;
}
