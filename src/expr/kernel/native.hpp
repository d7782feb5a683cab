// Native code for kernels, made by the plug-in `vessiot_jit.so`. The plug-in is loaded when it is first needed and may
// be missing: everything then runs on the interpreter, with the same results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/kernel/jit_abi.h"
#include "expr/kernel/kernel.hpp"

namespace vessiot::expr {

struct NativeOptions {
    int lanes = 1;            // 1, or 8: eight systems at once, element e of lane l at buffer[8*e + l]
    bool contraction = false; // multiply-adds may be fused: up to 12 % faster, results differ from the interpreter
    bool optimise = false;    // straight-line code: up to a third faster, three to ten times the compile time
};

// Machine code of one kernel, with the tables it reads at run time.
class NativeCode {
public:
    NativeCode(const NativeCode&) = delete;
    NativeCode& operator=(const NativeCode&) = delete;
    ~NativeCode();

    // `buffers` are all buffers of the kernel, `scratch` has scratch_size() numbers at an address that is a multiple
    // of 64. Re-entrant: different threads use different scratch.
    void operator()(double* const* buffers, double* scratch) const { code_.entry(buffers, tables_.data(), scratch); }

    std::size_t scratch_size() const { return code_.scratch; }
    std::size_t code_size() const { return code_.code_size; } // bytes
    double seconds() const { return code_.seconds; }          // spent compiling

private:
    friend class Plugin;
    NativeCode(const vessiot_jit_api& api, std::shared_ptr<const Kernel> kernel);

    const vessiot_jit_api& api_;
    std::shared_ptr<const Kernel> kernel_; // the tables below point into it
    std::vector<vessiot_jit_tables> tables_;
    std::vector<std::vector<const std::int32_t*>> lists_;
    vessiot_jit_code code_{};
};

// The plug-in, or why there is none.
class Plugin {
public:
    // Looks in this order: the environment variable VESSIOT_JIT (a path; `off` or `none`: no native code), beside the
    // module that has this code, ../lib/vessiot next to the folder of the program, the build and installation folders.
    Plugin();

    bool available() const { return api_ != nullptr; }
    // A sentence for the user when it is not available, else empty.
    const std::string& reason() const { return reason_; }
    const std::string& path() const { return path_; }
    std::string llvm_version() const { return api_ ? api_->llvm_version : ""; }

    // Null and a text in `error` if it fails. Safe to call from several threads.
    std::unique_ptr<NativeCode> compile(std::shared_ptr<const Kernel> kernel, const NativeOptions& options,
                                        std::string& error) const;

private:
    void load(const std::string& path);

    const vessiot_jit_api* api_ = nullptr;
    std::string path_, reason_;
};

// The one of this process, loaded by the first call (some 20 ms).
const Plugin& plugin();

} // namespace vessiot::expr
