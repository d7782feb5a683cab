#include "jit/engine.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/RTDyldMemoryManager.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/Memory.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

namespace vessiot::jit {
namespace {

// The host as LLVM names it, found once.
struct Host {
    const llvm::Target* target = nullptr;
    std::string triple, cpu, features, problem;
    unsigned call_width = 2;

    Host() {
        find();
        if (!target) return;
        const std::unique_ptr<llvm::MCSubtargetInfo> machine(target->createMCSubtargetInfo(triple, cpu, features));
        if (machine && llvm::Triple(triple).isX86())
            call_width = machine->checkFeatures("+avx512f") ? 8 : machine->checkFeatures("+avx") ? 4 : 2;
    }

private:
    void find() {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        triple = llvm::sys::getProcessTriple();
        target = llvm::TargetRegistry::lookupTarget(triple, problem);
        // Lets tests see the code for lesser machines.
        if (const char* name = std::getenv("VESSIOT_JIT_CPU"); name && *name) {
            cpu = name;
            return;
        }
        cpu = llvm::sys::getHostCPUName().str();
        for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
            if (!features.empty()) features += ',';
            features += feature.getValue() ? '+' : '-';
            features += feature.getKey();
        }
    }
};

const Host& host() {
    static const Host the_host;
    return the_host;
}

// Puts all sections of one object into one mapping, so that code reaches its constants by 32-bit offsets.
class ImageMemory final : public llvm::RTDyldMemoryManager {
public:
    explicit ImageMemory(Image& image) : image_(image) {}

    bool needsToReserveAllocationSpace() override { return true; }

    void reserveAllocationSpace(std::uintptr_t code, llvm::Align code_align, std::uintptr_t constants,
                                llvm::Align constants_align, std::uintptr_t variables,
                                llvm::Align variables_align) override {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const auto round_up = [page](std::size_t n) { return (n + page - 1) / page * page; };
        code_bytes_ = round_up(code + code_align.value());
        const std::size_t size =
            code_bytes_ + round_up(constants + constants_align.value() + variables + variables_align.value());
        void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (address == MAP_FAILED) return;
        image_.mappings.emplace_back(address, size);
        base_ = static_cast<std::uint8_t*>(address);
        next_code_ = base_;
        next_data_ = base_ + code_bytes_;
        end_ = base_ + size;
    }

    std::uint8_t* allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned, llvm::StringRef) override {
        image_.code_size += size;
        return take(next_code_, base_ + code_bytes_, size, alignment);
    }

    std::uint8_t* allocateDataSection(std::uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                                      bool) override {
        return take(next_data_, end_, size, alignment);
    }

    bool has_memory() const { return base_ != nullptr; }

    bool finalizeMemory(std::string* error) override {
        if (mprotect(base_, code_bytes_, PROT_READ | PROT_EXEC) == 0) {
            llvm::sys::Memory::InvalidateInstructionCache(base_, code_bytes_);
            return false;
        }
        *error = std::string("the system does not let memory become executable: ") + std::strerror(errno);
        return true;
    }

    // Nothing unwinds through our code.
    void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}
    void deregisterEHFrames() override {}

    // The library functions that code generation may fall back to on machines without the instruction.
    std::uint64_t getSymbolAddress(const std::string& name) override {
        if (name == "floor") return reinterpret_cast<std::uint64_t>(static_cast<double (*)(double)>(std::floor));
        if (name == "ceil") return reinterpret_cast<std::uint64_t>(static_cast<double (*)(double)>(std::ceil));
        if (name == "fma")
            return reinterpret_cast<std::uint64_t>(static_cast<double (*)(double, double, double)>(std::fma));
        if (name == "memset") return reinterpret_cast<std::uint64_t>(&std::memset);
        if (name == "memcpy") return reinterpret_cast<std::uint64_t>(&std::memcpy);
        return 0;
    }

private:
    static std::uint8_t* take(std::uint8_t*& next, std::uint8_t* end, std::size_t size, std::size_t alignment) {
        if (!next) return nullptr;
        if (alignment == 0) alignment = 1;
        auto address = (reinterpret_cast<std::uintptr_t>(next) + alignment - 1) / alignment * alignment;
        auto* start = reinterpret_cast<std::uint8_t*>(address);
        if (start + size > end) return nullptr;
        next = start + size;
        return start;
    }

    Image& image_;
    std::uint8_t *base_ = nullptr, *next_code_ = nullptr, *next_data_ = nullptr, *end_ = nullptr;
    std::size_t code_bytes_ = 0;
};

} // namespace

Mapping::Mapping(Mapping&& other) noexcept : address_(other.address_), size_(other.size_) {
    other.address_ = nullptr;
}

Mapping::~Mapping() {
    if (address_) munmap(address_, size_);
}

void release(void* image) {
    delete static_cast<Image*>(image);
}

void prepare(llvm::LLVMContext& context, std::string& error) {
    context.setDiscardValueNames(true);
    // NOTE: without this an error in code generation ends the process.
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* text) {
            if (info->getSeverity() != llvm::DS_Error) return;
            llvm::raw_string_ostream stream(*static_cast<std::string*>(text));
            llvm::DiagnosticPrinterRawOStream printer(stream);
            info->print(printer);
        },
        &error);
}

int refuse(const std::string& reason, char* error, std::uint64_t error_size) {
    if (error && error_size > 0) std::snprintf(error, error_size, "%s", reason.c_str());
    return 1;
}

CodeGenerator::CodeGenerator() = default;
CodeGenerator::~CodeGenerator() = default;

std::string CodeGenerator::problem() {
    return host().problem;
}

unsigned CodeGenerator::call_width() {
    return host().call_width;
}

llvm::TargetMachine& CodeGenerator::machine(Level level) {
    auto& machine = level == Level::quick ? quick_ : level == Level::full ? full_ : best_;
    if (machine) return *machine;
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fuses only operations that carry the `contract` flag
    const auto codegen = level == Level::quick  ? llvm::CodeGenOptLevel::None
                         : level == Level::full ? llvm::CodeGenOptLevel::Less
                                                : llvm::CodeGenOptLevel::Default;
    machine.reset(host().target->createTargetMachine(host().triple, host().cpu, host().features, options,
                                                     llvm::Reloc::PIC_, llvm::CodeModel::Small, codegen, true));
    // At level None LLVM would take FastISel: quicker by a third, but the code is a quarter slower.
    machine->setO0WantsFastISel(false);
    return *machine;
}

void CodeGenerator::set_target(llvm::Module& module, Level level) {
    module.setTargetTriple(host().triple);
    module.setDataLayout(machine(level).createDataLayout());
}

llvm::Function* CodeGenerator::declare(llvm::Module& module, const std::string& name,
                                       const std::vector<llvm::Type*>& parameters) {
    auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), parameters, false);
    auto* const function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function->setDSOLocal(true);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr("prefer-vector-width", "512");
    function->addFnAttr("min-legal-vector-width", "512");
    return function;
}

std::vector<std::uint64_t> CodeGenerator::add(llvm::Module& module, Level level,
                                              const std::vector<std::string>& functions, Image& image,
                                              std::string& error) {
#ifndef NDEBUG
    llvm::raw_string_ostream broken(error);
    if (llvm::verifyModule(module, &broken)) return {};
#endif
    llvm::SmallVector<char, 0> object;
    {
        llvm::raw_svector_ostream stream(object);
        llvm::legacy::PassManager passes;
        llvm::MCContext* context = nullptr;
        if (machine(level).addPassesToEmitMC(passes, context, stream, true)) {
            error = "no code generation for this machine: " + host().triple;
            return {};
        }
        passes.run(module);
    }
    if (!error.empty()) return {}; // reported through the context's diagnostics

    auto file = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "kernel"));
    if (!file) {
        error = llvm::toString(file.takeError());
        return {};
    }
    ImageMemory memory(image);
    llvm::RuntimeDyld linker(memory, memory);
    linker.loadObject(**file);
    if (!memory.has_memory()) {
        error = "no memory for the code";
        return {};
    }
    if (!linker.hasError()) linker.resolveRelocations();
    if (linker.hasError()) {
        error = linker.getErrorString().str();
        return {};
    }
    if (memory.finalizeMemory(&error)) return {};
    std::vector<std::uint64_t> addresses;
    for (const std::string& name : functions) addresses.push_back(linker.getSymbol(name).getAddress());
    return addresses;
}

} // namespace vessiot::jit
