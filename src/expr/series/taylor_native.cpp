#include "expr/series/taylor_native.hpp"

#include <array>

#include <dlfcn.h>
#include <fmt/format.h>

#include "expr/kernel/native.hpp"

namespace vessiot::expr {

namespace {

// Null where the plug-in has no power series, or is not there.
const vessiot_jit_taylor_api* find_api() {
    if (!plugin().available()) return nullptr;
    void* const library = dlopen(plugin().path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) return nullptr;
    const auto symbol = reinterpret_cast<vessiot_jit_taylor_symbol>(dlsym(library, "vessiot_jit_taylor"));
    const vessiot_jit_taylor_api* const api = symbol ? symbol() : nullptr;
    return api && api->abi_version == VESSIOT_JIT_TAYLOR_ABI_VERSION ? api : nullptr;
}

// A plan in the form the plug-in takes.
struct LoopRecord {
    std::vector<vessiot_jit_taylor_step> steps;
    std::vector<vessiot_jit_taylor_access> reads, stores;
    vessiot_jit_taylor_loop record{};

    LoopRecord(const TaylorPlan& plan, const TaylorLoop& loop, const TaylorLayout& layout) {
        for (std::uint32_t s = 0; s < loop.steps.size(); ++s) add_step(plan, loop, layout, s);
        if (layout.is_single) add_stores(plan, loop);
        record.n_steps = static_cast<std::uint32_t>(steps.size());
        record.n_reads = static_cast<std::uint32_t>(reads.size());
        record.n_stores = static_cast<std::uint32_t>(stores.size());
        record.is_single = layout.is_single;
        record.lane = layout.lane;
        record.length = layout.length;
        record.block = layout.block;
    }

    void finish() {
        record.steps = steps.data();
        record.reads = reads.data();
        record.stores = stores.data();
    }

private:
    // Of a loop of one instance.
    static vessiot_jit_taylor_access access(const TaylorPlan& plan, const TaylorLoop& loop, std::uint32_t address) {
        const Address& a = loop.loop->addresses[address];
        const std::int64_t element =
            a.table < 0 ? loop.loop->starts[address] : loop.loop->tables[static_cast<std::size_t>(a.table)][0];
        return {0, a.buffer, 0, 0, plan.kernel->buffers[a.buffer].size, element};
    }

    void add_step(const TaylorPlan& plan, const TaylorLoop& loop, const TaylorLayout& layout, std::uint32_t number) {
        const TaylorStep& s = loop.steps[number];
        if (s.rule == Rule::flat) return;
        if (s.rule != Rule::read) {
            steps.push_back({static_cast<std::uint32_t>(s.rule), number, s.out, s.a, s.b, s.c, s.x, s.q, s.is_late,
                             static_cast<double>(s.factor)});
        } else if (layout.is_single) {
            reads.push_back(access(plan, loop, s.a));
            reads.back().value = s.out;
            reads.back().is_late = s.is_late;
        }
    }

    void add_stores(const TaylorPlan& plan, const TaylorLoop& loop) {
        for (std::size_t s = 0; s < loop.loop->stores.size(); ++s) {
            const Store& store = loop.loop->stores[s];
            vessiot_jit_taylor_access a = access(plan, loop, store.address);
            if (plan.has_order_0_only(a.buffer)) continue;
            a.value = store.value;
            a.is_late = static_cast<std::uint32_t>(loop.is_late[s]);
            a.adds = store.mode != StoreMode::assign;
            stores.push_back(a);
        }
    }
};

} // namespace

std::unique_ptr<NativeTaylor> NativeTaylor::compile(const TaylorPlan& plan, const std::vector<TaylorLayout>& layout,
                                                    vessiot_jit_taylor_rule rule, std::string& error) {
    static const vessiot_jit_taylor_api* const api = find_api();
    if (!api) {
        error = plugin().available()
                    ? "the plug-in makes no native code for power series; the interpreter does the work"
                    : plugin().reason();
        return nullptr;
    }
    std::vector<LoopRecord> parts;
    for (std::size_t l = 0; l < plan.loops.size(); ++l) parts.emplace_back(plan, plan.loops[l], layout[l]);
    std::vector<vessiot_jit_taylor_loop> loops;
    for (LoopRecord& part : parts) {
        part.finish();
        loops.push_back(part.record);
    }
    const vessiot_jit_taylor_program program{loops.data(), static_cast<std::uint32_t>(loops.size()), rule};
    std::unique_ptr<NativeTaylor> result(new NativeTaylor(*api));
    result->entries_.resize(2 * loops.size());
    std::array<char, 1000> text{};
    if (api->compile(&program, result->entries_.data(), &result->handle_, &result->code_size_, text.data(),
                     text.size()) == 0)
        return result;
    error = fmt::format("no native code for power series: {}; the interpreter does the work", text.data());
    return nullptr;
}

NativeTaylor::~NativeTaylor() {
    if (handle_) api_.release(handle_);
}

} // namespace vessiot::expr
