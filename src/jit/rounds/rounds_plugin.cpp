// The fourth entry of the plug-in: a list that is executed again and again in one call.
#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "jit/engine.hpp"
#include "jit/rounds/emit_rounds.hpp"
#include "jit/rounds/pair_up.hpp"

namespace vessiot::jit {
namespace {

constexpr const char* rounds_name = "rounds";

std::string problem_of(const vessiot_jit_rounds_program& program) {
    if (program.kernel->n_loops != 1 || !program.kernel->loops[0].is_straight_line || program.kernel->lanes != 1)
        return "it is no list";
    const vessiot_jit_loop& loop = program.kernel->loops[0];
    bool has_outcome = false, counts = false;
    for (std::uint32_t k = 0; k < loop.n_stores; ++k) {
        if (program.stores[k] >= program.n_state) return "a number of the state is missing";
        has_outcome |= program.stores[k] == program.outcome;
        counts |= program.stores[k] == program.counts;
    }
    return has_outcome && counts ? "" : "nothing says when it ends";
}

std::unique_ptr<Image> compile_rounds(const vessiot_jit_rounds_program& program, vessiot_jit_rounds_entry* entry,
                                      std::string& problem) {
    llvm::LLVMContext context;
    prepare(context, problem);
    llvm::Module module("rounds", context);
    CodeGenerator generator;
    constexpr Level level = Level::best;
    generator.set_target(module, level);
    llvm::Type* const pointer = llvm::PointerType::get(context, 0);
    llvm::Function* const function = CodeGenerator::declare(module, rounds_name, {pointer, pointer, pointer});
    for (const unsigned k : {0U, 1U, 2U}) function->addParamAttr(k, llvm::Attribute::NoAlias);
    const StraightLine code(*program.kernel, program.kernel->loops[0], CodeGenerator::call_width());
    emit_rounds(program, code, CodeGenerator::call_width(), *function);
    pair_up(module, generator.machine(level));
    auto image = std::make_unique<Image>();
    const std::vector<std::uint64_t> addresses = generator.add(module, level, {rounds_name}, *image, problem);
    if (addresses.empty() || addresses[0] == 0) return nullptr;
    *entry = reinterpret_cast<vessiot_jit_rounds_entry>(addresses[0]);
    return image;
}

int compile_program(const vessiot_jit_rounds_program* program, vessiot_jit_rounds_entry* entry, void** handle,
                    char* error, std::uint64_t error_size) {
    std::string problem = CodeGenerator::problem();
    if (problem.empty()) problem = problem_of(*program);
    if (problem.empty())
        if (std::unique_ptr<Image> image = compile_rounds(*program, entry, problem)) {
            *handle = image.release();
            return 0;
        }
    return refuse(problem.empty() ? "unknown error" : problem, error, error_size);
}

} // namespace
} // namespace vessiot::jit

extern "C" __attribute__((visibility("default"))) const vessiot_jit_rounds_api* vessiot_jit_rounds(void) {
    static const vessiot_jit_rounds_api api{VESSIOT_JIT_ROUNDS_ABI_VERSION, vessiot::jit::compile_program,
                                            vessiot::jit::release};
    return &api;
}
