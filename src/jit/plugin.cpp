// The entry of the plug-in: checks what it is given, cuts it into functions, and puts them together.
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Module.h>

#include "expr/kernel/bit_ops.hpp"
#include "expr/kernel/kernel.hpp"
#include "jit/emit_loop.hpp"
#include "jit/emit_straight.hpp"
#include "jit/engine.hpp"

namespace vessiot::jit {
namespace {

constexpr std::uint32_t module_size = 5000; // operations in a module: bounds the memory in use
constexpr std::uint32_t large_body = 1000;  // operations of a loop from which full optimisation takes too long
constexpr std::uint32_t block_size = 300;   // operations in a basic block of such a loop
constexpr std::uint32_t tiny_kernel = 60;   // operations up to which full optimisation costs nothing

// What lies outside the rules of kernel.hpp so far that code made from it would be nonsense.
std::string check(const vessiot_jit_kernel& kernel) {
    if (kernel.lanes != 1 && kernel.lanes != 8) return "lanes must be 1 or 8";
    for (std::uint32_t l = 0; l < kernel.n_loops; ++l) {
        const vessiot_jit_loop& loop = kernel.loops[l];
        const std::string where = " in loop " + std::to_string(l);
        if (loop.is_straight_line && !loop.straight_starts && loop.n_addresses > 0)
            return "no addresses for the straight-line code" + where;
        for (std::uint32_t v = 0; v < loop.n_body; ++v) {
            const vessiot_jit_instruction& i = loop.body[v];
            const bool is_known = i.op < expr::n_ops || expr::is_of_list(static_cast<Op>(i.op)) ||
                                  expr::is_of_bits(static_cast<Op>(i.op));
            if (!is_known || static_cast<Op>(i.op) == Op::index_value)
                return "unknown operation " + std::to_string(i.op) + where;
            const Op op = static_cast<Op>(i.op);
            const std::uint32_t operands[] = {i.a, i.b, i.c};
            for (int k = 0; k < expr::arity(op); ++k)
                if (operands[k] >= v) return "an operand comes after its use" + where;
            if (op == Op::constant && i.a >= kernel.n_constants) return "a constant is missing" + where;
            if (op == Op::read && i.a >= loop.n_addresses) return "an address is missing" + where;
            if (expr::is_elementary(op) && (i.op >= kernel.n_functions || !kernel.functions[i.op].width1))
                return "no function for operation " + std::to_string(i.op) + where;
        }
        for (std::uint32_t k = 0; k < loop.n_stores; ++k) {
            const vessiot_jit_store& store = loop.stores[k];
            if (store.value >= loop.n_body || store.address >= loop.n_addresses ||
                store.mode > static_cast<std::uint32_t>(expr::StoreMode::reduce))
                return "a store is broken" + where;
            const vessiot_jit_address& address = loop.addresses[store.address];
            if (store.mode == static_cast<std::uint32_t>(expr::StoreMode::reduce) && !loop.is_straight_line &&
                (address.table >= 0 || address.stride != 0))
                return "a reduction whose address changes" + where;
        }
        for (std::uint32_t k = 0; k < loop.n_addresses; ++k)
            if (loop.is_straight_line && loop.addresses[k].table >= 0) return "a table in straight-line code" + where;
    }
    return {};
}

std::uint32_t n_operations(const vessiot_jit_loop& loop) {
    std::uint32_t n = 0;
    for (std::uint32_t v = 0; v < loop.n_body; ++v) n += !expr::is_leaf(static_cast<Op>(loop.body[v].op));
    return n;
}

// One function of the kernel: a piece of straight-line code or a loop.
struct Unit {
    std::uint32_t loop = 0;
    StraightLine* straight = nullptr;
    std::uint32_t piece = 0;
    std::uint32_t n_operations = 0;
    Level level = Level::full;
    std::uint64_t address = 0; // when it has been compiled
};

class Compiler {
public:
    explicit Compiler(const vessiot_jit_kernel& kernel) : kernel_(kernel), call_width_(CodeGenerator::call_width()) {
        list_units();
    }

    std::unique_ptr<Image> compile(std::uint64_t& entry, std::string& error);
    std::uint64_t scratch() const { return scratch_; }

private:
    void list_units();
    // Compiles the units listed into one module; the last one has the entry as well.
    bool compile_module(const std::vector<std::size_t>& members, bool is_last);
    llvm::Function* declare(llvm::Module& module, const std::string& name) const;
    void emit_entry(llvm::Module& module, const std::vector<llvm::Function*>& functions);

    const vessiot_jit_kernel& kernel_;
    unsigned call_width_;
    std::vector<std::unique_ptr<StraightLine>> straight_;
    std::vector<Unit> units_;
    CodeGenerator generator_;
    std::unique_ptr<Image> image_ = std::make_unique<Image>();
    std::uint64_t entry_ = 0, scratch_ = 0;
    std::string error_;
};

void Compiler::list_units() {
    std::uint32_t total = 0;
    for (std::uint32_t l = 0; l < kernel_.n_loops; ++l) total += n_operations(kernel_.loops[l]);
    const Level straight_level = kernel_.optimise || total <= tiny_kernel ? Level::full : Level::quick;
    for (std::uint32_t l = 0; l < kernel_.n_loops; ++l) {
        if (!kernel_.loops[l].is_straight_line) {
            const std::uint32_t n = n_operations(kernel_.loops[l]);
            units_.push_back({l, nullptr, 0, n, n > large_body ? Level::quick : Level::full, 0});
            continue;
        }
        straight_.push_back(std::make_unique<StraightLine>(kernel_, kernel_.loops[l], call_width_));
        StraightLine& code = *straight_.back();
        scratch_ = std::max(scratch_, code.scratch());
        for (std::uint32_t p = 0; p < code.n_pieces(); ++p)
            units_.push_back({l, &code, p, code.n_operations(p), straight_level, 0});
    }
}

std::unique_ptr<Image> Compiler::compile(std::uint64_t& entry, std::string& error) {
    std::vector<std::vector<std::size_t>> modules;
    for (const Level level : {Level::quick, Level::full}) {
        std::uint32_t size = module_size;
        for (std::size_t u = 0; u < units_.size(); ++u) {
            if (units_[u].level != level) continue;
            if (size >= module_size) modules.emplace_back(), size = 0;
            modules.back().push_back(u);
            size += units_[u].n_operations;
        }
    }
    if (modules.empty()) modules.emplace_back();
    for (std::size_t m = 0; m < modules.size(); ++m)
        if (!compile_module(modules[m], m + 1 == modules.size())) {
            error = error_.empty() ? "unknown error" : error_;
            return nullptr;
        }
    entry = entry_;
    return std::move(image_);
}

llvm::Function* Compiler::declare(llvm::Module& module, const std::string& name) const {
    llvm::Type* const pointer = llvm::PointerType::get(module.getContext(), 0);
    return CodeGenerator::declare(module, name, {pointer, pointer, pointer});
}

bool Compiler::compile_module(const std::vector<std::size_t>& members, bool is_last) {
    llvm::LLVMContext context;
    prepare(context, error_);
    llvm::Module module("kernel", context);
    const Level level = members.empty() ? Level::quick : units_[members[0]].level;
    generator_.set_target(module, level);

    std::vector<llvm::Function*> functions(units_.size());
    std::vector<std::string> names;
    // A kernel of one unit needs no separate entry.
    const bool is_single = units_.size() == 1;
    for (std::size_t u : members) {
        names.push_back(is_single ? "entry" : "unit" + std::to_string(u));
        functions[u] = declare(module, names.back());
        const Unit& unit = units_[u];
        // The quick register allocator would spill vectors across cache lines, at half the speed.
        if (kernel_.lanes > 1 || !unit.straight)
            functions[u]->addFnAttr(llvm::Attribute::getWithStackAlignment(context, llvm::Align(64)));
        if (unit.straight)
            unit.straight->emit(unit.piece, *functions[u]);
        else
            emit_loop(kernel_, unit.loop, call_width_, unit.level == Level::quick ? block_size : 0, *functions[u]);
    }
    if (is_last && !is_single) {
        emit_entry(module, functions);
        names.emplace_back("entry");
    }
    const std::vector<std::uint64_t> addresses = generator_.add(module, level, names, *image_, error_);
    if (addresses.empty()) return false;
    for (std::size_t k = 0; k < members.size(); ++k) units_[members[k]].address = addresses[k];
    if (is_last) entry_ = addresses.back();
    return entry_ != 0 || !is_last;
}

void Compiler::emit_entry(llvm::Module& module, const std::vector<llvm::Function*>& functions) {
    llvm::Function* const entry = declare(module, "entry");
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(module.getContext(), "", entry));
    for (std::size_t u = 0; u < units_.size(); ++u) {
        llvm::Value* callee = functions[u];
        if (!callee) callee = ir.CreateIntToPtr(ir.getInt64(units_[u].address), ir.getPtrTy());
        ir.CreateCall(entry->getFunctionType(), callee, {entry->getArg(0), entry->getArg(1), entry->getArg(2)});
    }
    ir.CreateRetVoid();
}

int compile(const vessiot_jit_kernel* kernel, vessiot_jit_code* code, char* error, std::uint64_t error_size) {
    const auto start = std::chrono::steady_clock::now();
    std::string problem = CodeGenerator::problem();
    if (problem.empty()) problem = check(*kernel);
    if (problem.empty()) {
        Compiler compiler(*kernel);
        std::uint64_t entry = 0;
        if (std::unique_ptr<Image> image = compiler.compile(entry, problem)) {
            code->entry = reinterpret_cast<vessiot_jit_entry>(entry);
            code->scratch = compiler.scratch();
            code->code_size = image->code_size;
            code->handle = image.release();
            code->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            return 0;
        }
    }
    return refuse(problem, error, error_size);
}

} // namespace
} // namespace vessiot::jit

extern "C" __attribute__((visibility("default"))) const vessiot_jit_api* vessiot_jit(void) {
    static const vessiot_jit_api api{VESSIOT_JIT_ABI_VERSION, LLVM_VERSION_STRING, vessiot::jit::compile,
                                     vessiot::jit::release};
    return &api;
}
