// The second entry of the plug-in: native code for power series.
#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "expr/series/taylor_plan.hpp"
#include "jit/emit_taylor.hpp"
#include "jit/engine.hpp"

namespace vessiot::jit {
namespace {

constexpr std::uint32_t most_steps = 200; // steps of a function: code generation takes more than linear time

std::string check(const vessiot_jit_taylor_program& program) {
    for (std::uint32_t l = 0; l < program.n_loops; ++l) {
        const vessiot_jit_taylor_loop& loop = program.loops[l];
        if (loop.lane != (loop.is_single ? 1 : 8)) return "instances are not in blocks of 8";
        for (std::uint32_t s = 0; s < loop.n_steps; ++s)
            if (loop.steps[s].rule > static_cast<std::uint32_t>(expr::Rule::select)) return "an unknown rule";
    }
    return program.rule ? "" : "no function for rules";
}

class TaylorCompiler {
public:
    explicit TaylorCompiler(const vessiot_jit_taylor_program& program) : program_(program) {}

    std::unique_ptr<Image> compile(vessiot_jit_taylor_entry* entries, std::string& error) {
        llvm::LLVMContext context;
        prepare(context, error);
        llvm::Module module("taylor", context);
        generator_.set_target(module, Level::full);
        std::vector<std::string> names;
        for (std::uint32_t l = 0; l < program_.n_loops; ++l)
            for (const bool is_late : {false, true}) {
                names.push_back("loop" + std::to_string(names.size()));
                add_loop(module, l, is_late, names.back());
            }
        auto image = std::make_unique<Image>();
        const std::vector<std::uint64_t> addresses = generator_.add(module, Level::full, names, *image, error);
        if (addresses.size() != names.size()) {
            if (error.empty()) error = "unknown error";
            return nullptr;
        }
        for (std::size_t k = 0; k < addresses.size(); ++k)
            entries[k] = reinterpret_cast<vessiot_jit_taylor_entry>(addresses[k]);
        return image;
    }

private:
    static llvm::Function* declare(llvm::Module& module, const std::string& name) {
        llvm::LLVMContext& context = module.getContext();
        llvm::Type *const pointer = llvm::PointerType::get(context, 0), *const number = llvm::Type::getInt64Ty(context);
        llvm::Function* const function =
            CodeGenerator::declare(module, name, {pointer, pointer, number, number, pointer});
        function->addFnAttr(llvm::Attribute::getWithStackAlignment(context, llvm::Align(64)));
        return function;
    }

    // One function, or several pieces that the first one calls.
    void add_loop(llvm::Module& module, std::uint32_t l, bool is_late, const std::string& name) {
        const std::uint32_t n = program_.loops[l].n_steps;
        llvm::Function* const entry = declare(module, name);
        if (n <= most_steps) {
            emit_taylor({program_, l, 0, n, true, true, is_late}, *entry);
            return;
        }
        llvm::IRBuilder<> ir(llvm::BasicBlock::Create(module.getContext(), "", entry));
        for (std::uint32_t first = 0; first < n; first += most_steps) {
            llvm::Function* const piece = declare(module, name + "_" + std::to_string(first));
            const std::uint32_t end = std::min(n, first + most_steps);
            emit_taylor({program_, l, first, end, first == 0, end == n, is_late}, *piece);
            ir.CreateCall(piece,
                          {entry->getArg(0), entry->getArg(1), entry->getArg(2), entry->getArg(3), entry->getArg(4)});
        }
        ir.CreateRetVoid();
    }

    const vessiot_jit_taylor_program& program_;
    CodeGenerator generator_;
};

int compile(const vessiot_jit_taylor_program* program, vessiot_jit_taylor_entry* entries, void** handle,
            std::uint64_t* code_size, char* error, std::uint64_t error_size) {
    std::string problem = CodeGenerator::problem();
    if (problem.empty()) problem = check(*program);
    if (problem.empty())
        if (std::unique_ptr<Image> image = TaylorCompiler(*program).compile(entries, problem)) {
            *code_size = image->code_size;
            *handle = image.release();
            return 0;
        }
    return refuse(problem, error, error_size);
}

} // namespace
} // namespace vessiot::jit

extern "C" __attribute__((visibility("default"))) const vessiot_jit_taylor_api* vessiot_jit_taylor(void) {
    static const vessiot_jit_taylor_api api{VESSIOT_JIT_TAYLOR_ABI_VERSION, vessiot::jit::compile,
                                            vessiot::jit::release};
    return &api;
}
