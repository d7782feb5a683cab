// From LLVM modules to code in memory: the machine we run on, code generation, and the pages the code lives in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class LLVMContext;
class Module;
class TargetMachine;
class Type;
} // namespace llvm

namespace vessiot::jit {

enum class Level {
    quick, // instruction selection on the DAG without optimisation, local register allocation
    full,  // scheduling, global register allocation
    best,  // and scheduling after it: a quarter more of the time, for code that runs by far the longest
};

// Pages with code and its constants; unmapped when destroyed.
class Mapping {
public:
    Mapping(void* address, std::size_t size) : address_(address), size_(size) {}
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&&) = delete;
    ~Mapping();

private:
    void* address_;
    std::size_t size_;
};

// What `release` frees.
struct Image {
    std::vector<Mapping> mappings;
    std::uint64_t code_size = 0;
};

void release(void* image);

// Makes a new context ready for code generation, whose errors are added to `error`.
void prepare(llvm::LLVMContext& context, std::string& error);

// What `compile` ends with where there is no code: the reason goes to `error`, of error_size bytes. Returns 1.
int refuse(const std::string& reason, char* error, std::uint64_t error_size);

// One code generator for each level, made on first use. Not shared between threads.
class CodeGenerator {
public:
    CodeGenerator();
    ~CodeGenerator();

    // Empty, or why there is no code for this machine.
    static std::string problem();
    // The widest vector of doubles that can be passed to a function on this machine: 8, 4 or 2.
    static unsigned call_width();

    // Prepares an empty module for this machine.
    void set_target(llvm::Module& module, Level level);
    // A function without result, with the attributes all our functions have: whole vectors may be used, nothing
    // unwinds.
    static llvm::Function* declare(llvm::Module& module, const std::string& name,
                                   const std::vector<llvm::Type*>& parameters);

    // Generates code for the module and adds it to `image`. Returns the addresses of the functions named, or an empty
    // list and the reason in `error`.
    std::vector<std::uint64_t> add(llvm::Module& module, Level level, const std::vector<std::string>& functions,
                                   Image& image, std::string& error);

    llvm::TargetMachine& machine(Level level);

private:
    std::unique_ptr<llvm::TargetMachine> quick_, full_, best_;
};

} // namespace vessiot::jit
