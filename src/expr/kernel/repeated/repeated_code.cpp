#include "expr/kernel/repeated/repeated_code.hpp"

#include <array>
#include <utility>

#include <dlfcn.h>

#include "expr/kernel/code_cache_entries.hpp"
#include "expr/kernel/kernel_for_plugin.hpp"
#include "expr/kernel/same_kernel.hpp"

namespace vessiot::expr {

namespace {

// Null where the plug-in has no such code, or is not there.
const vessiot_jit_rounds_api* find_rounds_api() {
    if (!plugin().available()) return nullptr;
    void* const library = dlopen(plugin().path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) return nullptr;
    const auto symbol = reinterpret_cast<vessiot_jit_rounds_symbol>(dlsym(library, "vessiot_jit_rounds"));
    const vessiot_jit_rounds_api* const api = symbol ? symbol() : nullptr;
    return api && api->abi_version == VESSIOT_JIT_ROUNDS_ABI_VERSION ? api : nullptr;
}

const vessiot_jit_rounds_api* rounds_api() {
    static const vessiot_jit_rounds_api* const api = find_rounds_api();
    return api;
}

} // namespace

RepeatedCode::~RepeatedCode() {
    if (handle_) rounds_api()->release(handle_);
}

std::shared_ptr<RepeatedCode> RepeatedCode::find(RepeatedProgram program, bool is_at_once) {
    auto made = std::make_shared<RepeatedCode>(std::move(program));
    if (const std::shared_ptr<CodeCache> cache = CodeCache::current()) {
        CodeCache::Entries& entries = cache->entries();
        const std::lock_guard lock(entries.mutex);
        for (const auto& known : entries.repeated)
            if (are_same(*known->program_.kernel, *made->program_.kernel)) return known;
        entries.repeated.push_back(made);
    }
    if (is_at_once)
        made->run();
    else
        do_in_background(made);
    return made;
}

void RepeatedCode::run() {
    if (is_given_up_.load() || !rounds_api()) return;
    const KernelForPlugin kernel(*program_.kernel, {.lanes = 1, .contraction = false, .optimise = true});
    const RepeatedList& list = program_.list;
    std::vector<vessiot_jit_gpu_read> reads;
    for (const RepeatedList::Read& r : list.reads) reads.push_back({r.place, r.is_fixed});
    std::vector<vessiot_jit_stream> streams;
    for (const RepeatedProgram::Stream& s : program_.streams)
        streams.push_back({s.numbers.data(), static_cast<std::uint32_t>(s.numbers.size()), s.stride});
    const vessiot_jit_rounds_program record{
        kernel.record(), reads.data(),    list.stores.data(), list.n_state,
        list.outcome,    program_.counts, streams.data(),     static_cast<std::uint32_t>(streams.size())};
    std::array<char, 1000> problem{};
    vessiot_jit_rounds_entry entry = nullptr;
    if (rounds_api()->compile(&record, &entry, &handle_, problem.data(), problem.size()) == 0)
        entry_.store(entry, std::memory_order_release);
}

} // namespace vessiot::expr
