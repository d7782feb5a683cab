#include "expr/kernel/kernel.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "expr/kernel/bit_ops.hpp"

namespace vessiot::expr {

namespace {

std::int64_t body_operations(const Loop& loop) {
    return std::count_if(loop.body.begin(), loop.body.end(), [](const Instruction& i) { return !is_leaf(i.op); });
}

// Walks through a kernel and stops at the first broken rule. Elements are followed one by one: what a scratch buffer
// holds, who assigned an element, and what the current loop writes.
class Checker {
public:
    explicit Checker(const Kernel& kernel) : kernel_(kernel) {}

    std::string run() {
        check_buffers();
        for (std::size_t l = 0; l < kernel_.loops.size() && error_.empty(); ++l) {
            loop_number_ = l;
            check_loop(kernel_.loops[l]);
        }
        return error_;
    }

private:
    template <class... Args> bool fail(fmt::format_string<Args...> text, Args&&... args) {
        if (error_.empty()) error_ = fmt::format(text, std::forward<Args>(args)...);
        return false;
    }

    template <class... Args> bool fail_in_loop(fmt::format_string<Args...> text, Args&&... args) {
        return fail("loop {}: {}", loop_number_, fmt::format(text, std::forward<Args>(args)...));
    }

    void check_buffers() {
        int kind = 0; // inputs, outputs, others
        for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
            const Buffer& buffer = kernel_.buffers[b];
            const int s = std::min(static_cast<int>(buffer.role), 2);
            if (s < kind) return void(fail("buffer {} ({}): inputs come first, then outputs", b, buffer.name));
            kind = s;
            if (buffer.size < 0) return void(fail("buffer {} ({}): negative size", b, buffer.name));
            if (buffer.role == BufferRole::literal) {
                if (buffer.literal < 0 || static_cast<std::size_t>(buffer.literal) >= kernel_.literals.size() ||
                    static_cast<std::int64_t>(kernel_.literals[buffer.literal].size()) != buffer.size)
                    return void(fail("buffer {} ({}): no literal of its size", b, buffer.name));
            } else if (buffer.literal != -1) {
                return void(fail("buffer {} ({}): only a literal buffer has literals", b, buffer.name));
            }
            const bool is_scratch = buffer.role == BufferRole::scratch;
            defined_.emplace_back(buffer.size, !is_scratch);
            assigned_.emplace_back(buffer.size, false);
            written_.emplace_back(buffer.size, no_store);
        }
    }

    void check_loop(const Loop& loop) {
        if (!check_body(loop) || !check_segments(loop) || !check_stores(loop)) return;
        for (std::uint32_t s = 0; s < loop.stores.size(); ++s)
            if (!follow_store(loop, s)) return;
        for (const Instruction& i : loop.body)
            if (i.op == Op::read && !follow_read(loop, i.a)) return;
        end_loop(loop);
    }

    bool check_body(const Loop& loop) {
        for (std::size_t k = 0; k < loop.body.size(); ++k) {
            const Instruction& i = loop.body[k];
            const std::uint32_t operands[] = {i.a, i.b, i.c};
            if (static_cast<int>(i.op) >= n_list_ops || i.op == Op::index_value)
                return fail_in_loop("body[{}]: operation {} does not occur in kernels", k, static_cast<int>(i.op));
            if (i.op == Op::constant && i.a >= kernel_.constants.size())
                return fail_in_loop("body[{}]: no constant {}", k, i.a);
            if (i.op == Op::call && i.b >= kernel_.externals.size())
                return fail_in_loop("body[{}]: no function {}", k, i.b);
            if (i.op == Op::read && i.a >= loop.addresses.size())
                return fail_in_loop("body[{}]: no address {}", k, i.a);
            for (int o = 0; o < arity(i.op); ++o)
                if (operands[o] >= k) return fail_in_loop("body[{}]: operand {} is not earlier", k, operands[o]);
        }
        return true;
    }

    bool check_segments(const Loop& loop) {
        if (loop.lengths.empty()) return fail_in_loop("no segment");
        for (auto length : loop.lengths)
            if (length <= 0) return fail_in_loop("a segment of length {}", length);
        if (loop.starts.size() != loop.lengths.size() * loop.addresses.size())
            return fail_in_loop("{} starts for {} segments and {} addresses", loop.starts.size(), loop.lengths.size(),
                                loop.addresses.size());
        for (const auto& table : loop.tables)
            if (static_cast<std::int64_t>(table.size()) != loop.n_instances())
                return fail_in_loop("a table of {} entries for {} instances", table.size(), loop.n_instances());
        for (std::size_t k = 0; k < loop.addresses.size(); ++k)
            if (!check_address(loop, k)) return false;
        return true;
    }

    bool check_address(const Loop& loop, std::size_t k) {
        const Address& address = loop.addresses[k];
        if (address.buffer >= kernel_.buffers.size()) return fail_in_loop("address {}: no such buffer", k);
        if (address.table < -1 || address.table >= static_cast<std::int32_t>(loop.tables.size()))
            return fail_in_loop("address {}: no table {}", k, address.table);
        if (address.table >= 0) {
            if (address.stride != 0) return fail_in_loop("address {}: a table and a stride", k);
            for (std::size_t s = 0; s < loop.lengths.size(); ++s)
                if (loop.starts[s * loop.addresses.size() + k] != 0)
                    return fail_in_loop("address {}: a table and a start", k);
        }
        const std::int64_t size = kernel_.buffers[address.buffer].size;
        return for_each_element(loop, static_cast<std::uint32_t>(k), [&](std::int64_t e) {
            return (e >= 0 && e < size) ||
                   fail_in_loop("address {}: element {} of {}, which has {}", k, e, buffer_name(address), size);
        });
    }

    bool check_stores(const Loop& loop) {
        for (std::size_t s = 0; s < loop.stores.size(); ++s) {
            const Store& store = loop.stores[s];
            if (store.value >= loop.body.size()) return fail_in_loop("store {}: no value {}", s, store.value);
            if (store.address >= loop.addresses.size()) return fail_in_loop("store {}: no address", s);
            const Address& address = loop.addresses[store.address];
            const BufferRole role = kernel_.buffers[address.buffer].role;
            if (role != BufferRole::output && role != BufferRole::scratch)
                return fail_in_loop("store {}: {} is not written to", s, buffer_name(address));
            if (store.mode == StoreMode::reduce && (address.table >= 0 || address.stride != 0))
                return fail_in_loop("store {}: a reduction needs stride 0", s);
            for (std::size_t r = 0; r < s && store.mode == StoreMode::add; ++r)
                if (loop.stores[r].mode == StoreMode::add &&
                    loop.addresses[loop.stores[r].address].buffer == address.buffer)
                    return fail_in_loop("stores {} and {} both add to {}", r, s, buffer_name(address));
        }
        return true;
    }

    // Two stores of a loop meet in an element only if both reduce: then segment after segment, store after store.
    bool follow_store(const Loop& loop, std::uint32_t s) {
        const Store& store = loop.stores[s];
        const Address& address = loop.addresses[store.address];
        auto& written = written_[address.buffer];
        return for_each_element(loop, store.address, [&](std::int64_t e) {
            const std::uint32_t other = written[e];
            if (other != no_store && other != s &&
                (store.mode != StoreMode::reduce || loop.stores[other].mode != StoreMode::reduce))
                return fail_in_loop("stores {} and {} share element {} of {}", other, s, e, buffer_name(address));
            written[e] = s;
            if (store.mode == StoreMode::assign) {
                if (assigned_[address.buffer][e])
                    return fail_in_loop("store {}: element {} of {} is assigned twice", s, e, buffer_name(address));
                assigned_[address.buffer][e] = true;
            } else if (!defined_[address.buffer][e]) {
                return fail_in_loop("store {}: adds to element {} of {}, which has no value", s, e,
                                    buffer_name(address));
            }
            return true;
        });
    }

    bool follow_read(const Loop& loop, std::uint32_t k) {
        const Address& address = loop.addresses[k];
        return for_each_element(loop, k, [&](std::int64_t e) {
            if (written_[address.buffer][e] != no_store)
                return fail_in_loop("address {}: reads element {} of {}, which the loop writes", k, e,
                                    buffer_name(address));
            return defined_[address.buffer][e] ||
                   fail_in_loop("address {}: element {} of {} has no value yet", k, e, buffer_name(address));
        });
    }

    void end_loop(const Loop& loop) {
        for (const Store& store : loop.stores) {
            const std::uint32_t buffer = loop.addresses[store.address].buffer;
            for_each_element(loop, store.address, [&](std::int64_t e) {
                written_[buffer][e] = no_store;
                assigned_[buffer][e] = false;
                defined_[buffer][e] = true;
                return true;
            });
        }
    }

    // Calls visit(element) for every instance until it returns false.
    template <class Visit> static bool for_each_element(const Loop& loop, std::uint32_t k, Visit visit) {
        const Address& address = loop.addresses[k];
        std::size_t instance = 0;
        for (std::size_t s = 0; s < loop.lengths.size(); ++s)
            for (std::int64_t i = 0; i < loop.lengths[s]; ++i, ++instance)
                if (!visit(address.table >= 0 ? loop.tables[address.table][instance]
                                              : loop.starts[s * loop.addresses.size() + k] + address.stride * i))
                    return false;
        return true;
    }

    const std::string& buffer_name(const Address& address) const { return kernel_.buffers[address.buffer].name; }

    static constexpr std::uint32_t no_store = std::numeric_limits<std::uint32_t>::max();

    const Kernel& kernel_;
    std::size_t loop_number_ = 0;
    std::vector<std::vector<bool>> defined_;          // has a value: scratch only after it was assigned
    std::vector<std::vector<bool>> assigned_;         // by a store of the current loop
    std::vector<std::vector<std::uint32_t>> written_; // by which store of the current loop
    std::string error_;
};

} // namespace

std::int64_t Kernel::n_operations() const {
    std::int64_t n = 0;
    for (const Loop& loop : loops) n += body_operations(loop);
    return n;
}

std::int64_t Kernel::n_evaluated() const {
    std::int64_t n = 0;
    for (const Loop& loop : loops) n += body_operations(loop) * loop.n_instances();
    return n;
}

std::string check(const Kernel& kernel) {
    return Checker(kernel).run();
}

} // namespace vessiot::expr
