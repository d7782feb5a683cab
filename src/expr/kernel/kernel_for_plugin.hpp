// A kernel in the form the plug-in takes.
#pragma once

#include <vector>

#include "expr/functions/vmath.hpp"
#include "expr/kernel/native.hpp"

namespace vessiot::expr {

// The kernel must outlive it.
class KernelForPlugin {
public:
    KernelForPlugin(const Kernel& kernel, const NativeOptions& options) {
        for (const Quad c : kernel.constants) constants_.push_back(static_cast<double>(c));
        // NOTE: the records point into the vectors, so all of these are made before.
        parts_.resize(kernel.loops.size());
        for (std::size_t l = 0; l < kernel.loops.size(); ++l) add_loop(kernel.loops[l], parts_[l]);
        const auto functions = vmath_functions();
        record_.loops = loops_.data();
        record_.n_loops = static_cast<std::uint32_t>(loops_.size());
        record_.constants = constants_.data();
        record_.n_constants = static_cast<std::uint32_t>(constants_.size());
        record_.functions = functions.data();
        record_.n_functions = static_cast<std::uint32_t>(functions.size());
        record_.sine_cosine = &sine_cosine_functions();
        record_.lanes = static_cast<std::uint32_t>(options.lanes);
        record_.contraction = options.contraction;
        record_.optimise = options.optimise;
    }

    const vessiot_jit_kernel* record() const { return &record_; }

private:
    struct Parts {
        std::vector<vessiot_jit_instruction> body;
        std::vector<vessiot_jit_address> addresses;
        std::vector<vessiot_jit_store> stores;
        std::vector<std::int64_t> starts;
    };

    void add_loop(const Loop& loop, Parts& parts) {
        for (const Instruction& i : loop.body) parts.body.push_back({static_cast<std::uint32_t>(i.op), i.a, i.b, i.c});
        for (std::size_t k = 0; k < loop.addresses.size(); ++k) {
            const Address& address = loop.addresses[k];
            parts.addresses.push_back({address.buffer, address.table, address.stride});
            if (!loop.is_straight_line()) continue;
            // The one entry of a table is as good as a start.
            parts.starts.push_back(address.table < 0 ? loop.starts[k] : loop.tables[address.table][0]);
            parts.addresses.back().table = -1;
        }
        for (const Store& store : loop.stores)
            parts.stores.push_back({store.value, store.address, static_cast<std::uint32_t>(store.mode)});
        vessiot_jit_loop record{};
        record.body = parts.body.data();
        record.n_body = static_cast<std::uint32_t>(parts.body.size());
        record.addresses = parts.addresses.data();
        record.n_addresses = static_cast<std::uint32_t>(parts.addresses.size());
        record.stores = parts.stores.data();
        record.n_stores = static_cast<std::uint32_t>(parts.stores.size());
        record.is_straight_line = loop.is_straight_line();
        record.straight_starts = loop.is_straight_line() ? parts.starts.data() : nullptr;
        loops_.push_back(record);
    }

    std::vector<double> constants_;
    std::vector<Parts> parts_;
    std::vector<vessiot_jit_loop> loops_;
    vessiot_jit_kernel record_{};
};

} // namespace vessiot::expr
