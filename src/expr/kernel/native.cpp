#include "expr/kernel/native.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "expr/kernel/kernel_for_plugin.hpp"
#if __has_include("vessiot_config.hpp")
#include "vessiot_config.hpp"
#define VESSIOT_JIT_BUILD_PATH vessiot::config::jit_build_path
#define VESSIOT_JIT_INSTALL_PATH vessiot::config::jit_install_path
#endif

namespace vessiot::expr {

namespace {

// Beside the file that holds this code, where that is a module of another program: of a Python package.
std::string path_by_library() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&path_by_library), &info) == 0 || !info.dli_fname) return {};
    return std::filesystem::path(info.dli_fname).replace_filename("vessiot_jit.so").string();
}

// Beside the running program, as installed: <prefix>/bin/program and <prefix>/lib/vessiot/vessiot_jit.so.
std::string path_by_program() {
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    return (program.parent_path().parent_path() / "lib" / "vessiot" / "vessiot_jit.so").string();
}

} // namespace

NativeCode::NativeCode(const vessiot_jit_api& api, std::shared_ptr<const Kernel> kernel)
    : api_(api), kernel_(std::move(kernel)) {
    lists_.resize(kernel_->loops.size());
    for (std::size_t l = 0; l < kernel_->loops.size(); ++l) {
        const Loop& loop = kernel_->loops[l];
        for (const auto& table : loop.tables) lists_[l].push_back(table.data());
        tables_.push_back({static_cast<std::int64_t>(loop.lengths.size()), loop.lengths.data(), loop.starts.data(),
                           lists_[l].data()});
    }
}

NativeCode::~NativeCode() {
    if (code_.handle) api_.release(code_.handle);
}

Plugin::Plugin() {
    const char* const setting = std::getenv("VESSIOT_JIT");
    if (setting && *setting) {
        const std::string_view word = setting;
        if (word == "off" || word == "none")
            reason_ = fmt::format("native code is off: VESSIOT_JIT={}; the interpreter does the work", word);
        else
            load(setting);
        return;
    }
    std::vector<std::string> paths{path_by_library(), path_by_program()};
#ifdef VESSIOT_JIT_BUILD_PATH
    paths.emplace_back(VESSIOT_JIT_BUILD_PATH);
#endif
#ifdef VESSIOT_JIT_INSTALL_PATH
    paths.emplace_back(VESSIOT_JIT_INSTALL_PATH);
#endif
    std::error_code ignored;
    for (const std::string& path : paths)
        if (!path.empty() && std::filesystem::exists(path, ignored)) {
            load(path);
            return;
        }
    reason_ = fmt::format("native code is off: there is no {}; the interpreter does the work "
                          "(VESSIOT_JIT names another place of the plug-in)",
                          paths.back());
}

void Plugin::load(const std::string& path) {
    path_ = path;
    const auto fail = [&](std::string_view what, std::string_view remedy) {
        reason_ = fmt::format("native code is off: cannot load {}: {}; the interpreter does the work ({})", path, what,
                              remedy);
    };
    // NOTE: never closed. LLVM registers functions to be called at exit.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::string_view what = dlerror();
        if (what.starts_with(path + ": ")) what.remove_prefix(path.size() + 2);
        return fail(what, "install libllvm19, or set VESSIOT_JIT to the path of vessiot_jit.so");
    }
    const auto symbol = reinterpret_cast<vessiot_jit_symbol>(dlsym(library, "vessiot_jit"));
    if (!symbol) return fail("it is not a plug-in of Vessiot", "set VESSIOT_JIT to the path of vessiot_jit.so");
    const vessiot_jit_api* const api = symbol();
    if (api->abi_version != VESSIOT_JIT_ABI_VERSION)
        return fail(
            fmt::format("its interface has version {}, needed is {}", api->abi_version, VESSIOT_JIT_ABI_VERSION),
            "install the library and the plug-in of one release");
    api_ = api;
}

std::unique_ptr<NativeCode> Plugin::compile(std::shared_ptr<const Kernel> kernel, const NativeOptions& options,
                                            std::string& error) const {
    if (!api_) {
        error = reason_;
        return nullptr;
    }
    const KernelForPlugin input(*kernel, options);
    std::unique_ptr<NativeCode> result(new NativeCode(*api_, std::move(kernel)));
    std::array<char, 1000> text{};
    if (api_->compile(input.record(), &result->code_, text.data(), text.size()) == 0) return result;
    error = fmt::format("no native code: {}; the interpreter does the work", text.data());
    return nullptr;
}

const Plugin& plugin() {
    // NOTE: never destroyed, since the worker thread of the evaluators may use it until the very end.
    static const Plugin& the_plugin = *new Plugin;
    return the_plugin;
}

} // namespace vessiot::expr
