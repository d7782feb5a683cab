// Native code against the interpreter, bit for bit.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/interpreter/interpreter.hpp"
#include "expr/kernel/native.hpp"
#include "support/random_kernel.hpp"
#include "support/skip.hpp"

namespace vessiot::test {

// Scratch for native code, aligned as it wants.
class NativeScratch {
public:
    explicit NativeScratch(const expr::NativeCode& code)
        : memory_(std::aligned_alloc(64, (code.scratch_size() * sizeof(double) + 127) / 64 * 64)) {}
    NativeScratch(const NativeScratch&) = delete;
    NativeScratch& operator=(const NativeScratch&) = delete;
    ~NativeScratch() { std::free(memory_); }
    double* data() { return static_cast<double*>(memory_); }

private:
    void* memory_;
};

inline void run_native(const expr::NativeCode& code, KernelData<double>& data) {
    NativeScratch scratch(code);
    const std::vector<double*> buffers = data.pointers();
    code(buffers.data(), scratch.data());
}

// The first element in which two results differ, or an empty string.
inline std::string difference(const expr::Kernel& kernel, const KernelData<double>& a, const KernelData<double>& b,
                              int lanes) {
    for (std::size_t k = 0; k < kernel.buffers.size(); ++k)
        for (std::size_t i = 0; i < a.buffers[k].size(); ++i)
            if (!is_same(a.buffers[k][i], b.buffers[k][i]))
                return fmt::format("{}[{}] lane {}: native {} ({:a}), interpreter {} ({:a})", kernel.buffers[k].name,
                                   i / lanes, i % lanes, a.buffers[k][i], a.buffers[k][i], b.buffers[k][i],
                                   b.buffers[k][i]);
    return {};
}

// Compiles the kernel, runs both on the same data, and says what is wrong, if anything is.
inline std::string compare_with_interpreter(const std::shared_ptr<const expr::Kernel>& kernel,
                                            const expr::NativeOptions& options, const KernelData<double>& data) {
    std::string error;
    const auto code = expr::plugin().compile(kernel, options, error);
    if (!code) return error;
    KernelData<double> native = data, interpreted = data;
    run_native(*code, native);
    const expr::Interpreter<double> interpreter(kernel, options.lanes);
    auto workspace = interpreter.make_workspace();
    interpreter(interpreted.pointers().data(), workspace);
    return difference(*kernel, native, interpreted, options.lanes);
}

} // namespace vessiot::test
