#include "expr/kernel/repeated/gpu_text.hpp"

#include <array>

#include <dlfcn.h>

#include "expr/kernel/kernel_for_plugin.hpp"
#include "expr/kernel/repeated/jit_gpu_abi.h"

namespace vessiot::expr {

namespace {

// Null where the plug-in has no texts for graphics processors, or is not there.
const vessiot_jit_gpu_api* find_api() {
    if (!plugin().available()) return nullptr;
    void* const library = dlopen(plugin().path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) return nullptr;
    const auto symbol = reinterpret_cast<vessiot_jit_gpu_symbol>(dlsym(library, "vessiot_jit_gpu"));
    const vessiot_jit_gpu_api* const api = symbol ? symbol() : nullptr;
    return api && api->abi_version == VESSIOT_JIT_GPU_ABI_VERSION ? api : nullptr;
}

} // namespace

std::string make_gpu_text(const RepeatedList& list, const std::string& name, std::string& error) {
    static const vessiot_jit_gpu_api* const api = find_api();
    if (!api) {
        error = plugin().available() ? "the plug-in " + plugin().path() + " makes no code for graphics processors"
                                     : plugin().reason();
        return {};
    }
    const KernelForPlugin kernel(*list.kernel, {});
    std::vector<vessiot_jit_gpu_read> reads;
    for (const RepeatedList::Read& r : list.reads) reads.push_back({r.place, r.is_fixed});
    const vessiot_jit_gpu_program program{kernel.record(), reads.data(), list.stores.data(), list.n_state,
                                          list.n_fixed,    list.outcome, name.c_str()};
    char* text = nullptr;
    std::array<char, 1000> problem{};
    if (api->make_ptx(&program, &text, problem.data(), problem.size()) != 0) {
        error = problem.data();
        return {};
    }
    std::string result = text;
    api->release(text);
    return result;
}

} // namespace vessiot::expr
