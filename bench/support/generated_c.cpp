#include "support/generated_c.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <dlfcn.h>
#include <fmt/format.h>

namespace vessiot::bench {

using namespace expr;

namespace {

std::string operation(const Instruction& i, const Kernel& kernel, const Loop& loop) {
    const auto infix = [&](const char* symbol) { return fmt::format("v{} {} v{}", i.a, symbol, i.b); };
    switch (i.op) {
    case Op::constant: return fmt::format("{:a}", static_cast<double>(kernel.constants[i.a]));
    case Op::read: return fmt::format("b{}[{}]", loop.addresses[i.a].buffer, loop.starts[i.a]);
    case Op::add: return infix("+");
    case Op::sub: return infix("-");
    case Op::mul: return infix("*");
    case Op::div: return infix("/");
    case Op::neg: return fmt::format("-v{}", i.a);
    case Op::abs: return fmt::format("fabs(v{})", i.a);
    case Op::less: return infix("<");
    case Op::select: return fmt::format("v{} != 0 ? v{} : v{}", i.a, i.b, i.c);
    default:
        if (arity(i.op) == 1) return fmt::format("{}(v{})", name(i.op), i.a);
        if (arity(i.op) == 2 && is_elementary(i.op)) return fmt::format("{}(v{}, v{})", name(i.op), i.a, i.b);
        throw std::runtime_error(fmt::format("generated C: no '{}'", name(i.op)));
    }
}

std::string source(const Kernel& kernel) {
    std::string c = "#include <math.h>\nvoid entry(double* const* b) {\n";
    for (std::size_t k = 0; k < kernel.buffers.size(); ++k)
        c += fmt::format("  {}double* restrict b{} = b[{}];\n",
                         kernel.buffers[k].role == BufferRole::input ? "const " : "", k, k);
    for (const Loop& loop : kernel.loops) {
        if (!loop.is_straight_line()) throw std::runtime_error("generated C: straight-line kernels only");
        c += "  {\n";
        for (std::size_t k = 0; k < loop.body.size(); ++k)
            c += fmt::format("  const double v{} = {};\n", k, operation(loop.body[k], kernel, loop));
        for (const Store& s : loop.stores)
            c += fmt::format("  b{}[{}] = v{};\n", loop.addresses[s.address].buffer, loop.starts[s.address], s.value);
        c += "  }\n";
    }
    return c + "}\n";
}

} // namespace

GeneratedC::GeneratedC(const Kernel& kernel) {
    std::string folder = (std::filesystem::temp_directory_path() / "vessiot-bench-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw std::runtime_error("generated C: no temporary folder");
    folder_ = folder;
    std::ofstream(folder_ + "/kernel.c") << source(kernel);
    const auto begin = std::chrono::steady_clock::now();
    const std::string command =
        fmt::format("cc -O3 -march=native -shared -fPIC -o {0}/kernel.so {0}/kernel.c -lm", folder_);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("generated C: the compiler failed");
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    library_ = dlopen((folder_ + "/kernel.so").c_str(), RTLD_NOW);
    if (!library_) throw std::runtime_error(dlerror());
    entry_ = reinterpret_cast<void (*)(double* const*)>(dlsym(library_, "entry"));
}

GeneratedC::~GeneratedC() {
    if (library_) dlclose(library_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

} // namespace vessiot::bench
