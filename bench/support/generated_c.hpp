// The peer of native code: a kernel written out as C, compiled by the system's compiler at -O3, loaded as a library.
#pragma once

#include <string>

#include "expr/kernel/kernel.hpp"

namespace vessiot::bench {

class GeneratedC {
public:
    // Straight-line kernels only. Throws std::runtime_error if there is no compiler or it fails.
    explicit GeneratedC(const expr::Kernel& kernel);
    ~GeneratedC();
    GeneratedC(const GeneratedC&) = delete;
    GeneratedC& operator=(const GeneratedC&) = delete;

    void operator()(double* const* buffers) const { entry_(buffers); }
    double seconds() const { return seconds_; } // of the compiler

private:
    std::string folder_;
    void* library_ = nullptr;
    void (*entry_)(double* const*) = nullptr;
    double seconds_ = 0;
};

} // namespace vessiot::bench
