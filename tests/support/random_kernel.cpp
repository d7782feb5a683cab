#include "support/random_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "support/random_body.hpp"

namespace vessiot::test {

using expr::Address;
using expr::Buffer;
using expr::BufferRole;
using expr::Kernel;
using expr::Loop;
using expr::Op;
using expr::Store;
using expr::StoreMode;

namespace {

class KernelMaker {
public:
    KernelMaker(Random& random, const RandomKernelOptions& options) : random_(random), options_(options) {}

    Kernel make() {
        make_buffers();
        make_constants();
        const int n_loops = between(1, options_.max_loops);
        operations_left_ = std::max(1, static_cast<int>(options_.max_operations * std::pow(real(), 2)));
        for (int l = 0; l < n_loops; ++l) make_loop(operations_left_ / (n_loops - l));
        for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) finish_buffer(b);
        return std::move(kernel_);
    }

private:
    // --- random choices ---
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    double real() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    bool chance(double p) { return real() < p; }
    template <class T> const T& any(const std::vector<T>& list) {
        return list[between(0, static_cast<int>(list.size()) - 1)];
    }

    // --- buffers and constants ---
    void make_buffers() {
        add_buffers("x", BufferRole::input, between(1, 3));
        add_buffers("f", BufferRole::output, between(1, 3));
        add_buffers("w", BufferRole::scratch, between(0, 3));
        add_buffers("number", BufferRole::literal, between(0, 1));
        has_value_.resize(kernel_.buffers.size());
        is_added_to_.resize(kernel_.buffers.size());
    }

    void add_buffers(const char* name, BufferRole role, int n) {
        for (int i = 0; i < n; ++i) kernel_.buffers.push_back({fmt::format("{}{}", name, i), role, 0, -1});
    }

    void make_constants() {
        const int n = between(1, 8);
        for (int i = 0; i < n; ++i) kernel_.constants.push_back(options_.is_benign ? 0.5 + 1.5 * real() : constant());
    }

    Quad constant() {
        static const std::vector<double> common{0, 1, -1, 0.5, 2, 3, 10};
        return chance(0.5) ? Quad(any(common)) : Quad(4 * real() - 2) / 3; // the latter is no double: it gets rounded
    }

    // The size is known in the end only: addresses were given out as needed.
    void finish_buffer(std::size_t b) {
        Buffer& buffer = kernel_.buffers[b];
        buffer.size += between(0, 2);
        if (buffer.role != BufferRole::literal) return;
        buffer.literal = static_cast<std::int32_t>(kernel_.literals.size());
        kernel_.literals.emplace_back();
        for (std::int64_t i = 0; i < buffer.size; ++i) kernel_.literals.back().push_back(Quad(i + 1));
    }

    std::vector<std::uint32_t> buffers_with(BufferRole role) const {
        std::vector<std::uint32_t> result;
        for (std::uint32_t b = 0; b < kernel_.buffers.size(); ++b)
            if (kernel_.buffers[b].role == role) result.push_back(b);
        return result;
    }

    void grow(std::uint32_t buffer, std::int64_t last) {
        auto& size = kernel_.buffers[buffer].size;
        size = std::max(size, last + 1);
    }

    // --- loops ---
    void make_loop(int n_operations) {
        Loop loop;
        make_segments(loop);
        std::fill(is_added_to_.begin(), is_added_to_.end(), false);
        std::vector<std::pair<std::uint32_t, StoreMode>> targets; // address and mode
        const int n_stores = between(1, 4);
        for (int s = 0; s < n_stores; ++s) add_target(loop, targets);
        const std::size_t first_read = loop.addresses.size();
        const int n_reads = between(1, 6);
        for (int r = 0; r < n_reads; ++r) add_read_address(loop);
        make_body(random_, options_.has_elementary, options_.is_benign, n_operations,
                  static_cast<std::uint32_t>(first_read), kernel_, loop);
        operations_left_ -= n_operations;
        for (auto [address, mode] : targets) {
            // NOTE: the last value most often, so that the whole body matters.
            const int last = static_cast<int>(loop.body.size()) - 1;
            const int value = chance(0.5) ? last : between(std::max(0, last - 20), last);
            loop.stores.push_back({static_cast<std::uint32_t>(value), address, mode});
        }
        for (const Store& store : loop.stores) mark_assigned(loop, store);
        kernel_.loops.push_back(std::move(loop));
    }

    void make_segments(Loop& loop) {
        if (options_.only_straight_line || chance(0.3)) {
            loop.lengths = {1};
            return;
        }
        const int n = between(2, std::max(2, options_.max_instances));
        const int longest = chance(0.5) ? n : between(1, 20); // one segment, or several short ones
        for (int left = n; left > 0;) {
            const int length = std::min(left, chance(0.3) ? longest : between(1, longest));
            loop.lengths.push_back(length);
            left -= length;
        }
    }

    // An address whose element at instance i of a segment is starts(segment) + stride * i.
    template <class Start>
    std::uint32_t add_affine(Loop& loop, std::uint32_t buffer, std::int64_t stride, Start start) {
        const std::size_t n = loop.addresses.size();
        std::vector<std::int64_t> starts;
        for (std::size_t s = 0; s < loop.lengths.size(); ++s) {
            starts.insert(starts.end(), loop.starts.begin() + s * n, loop.starts.begin() + (s + 1) * n);
            starts.push_back(start(loop.lengths[s]));
            grow(buffer, starts.back() + std::max<std::int64_t>(0, stride * (loop.lengths[s] - 1)));
        }
        loop.starts = std::move(starts);
        loop.addresses.push_back({buffer, -1, stride});
        return static_cast<std::uint32_t>(n);
    }

    std::uint32_t add_table(Loop& loop, std::uint32_t buffer, std::vector<std::int32_t> table) {
        for (auto e : table) grow(buffer, e);
        const std::uint32_t k = add_affine(loop, buffer, 0, [](auto) { return 0; });
        loop.addresses[k].table = static_cast<std::int32_t>(loop.tables.size());
        loop.tables.push_back(std::move(table));
        return k;
    }

    // --- what a loop writes ---
    void add_target(Loop& loop, std::vector<std::pair<std::uint32_t, StoreMode>>& targets) {
        auto writable = buffers_with(BufferRole::output);
        const auto scratch = buffers_with(BufferRole::scratch);
        writable.insert(writable.end(), scratch.begin(), scratch.end());
        const std::uint32_t buffer = any(writable);
        // NOTE: one loop either assigns new elements of a buffer or does something to the old ones, once.
        const bool is_assigned_to = std::any_of(targets.begin(), targets.end(), [&](const auto& t) {
            return loop.addresses[t.first].buffer == buffer && t.second == StoreMode::assign;
        });
        const bool can_add = !is_assigned_to && !is_added_to_[buffer] && n_values(buffer) > 0;
        if (can_add && chance(0.5)) {
            is_added_to_[buffer] = true;
            if (chance(0.1)) // over what an earlier loop may have left
                targets.emplace_back(assign_address(loop, buffer, 0), StoreMode::assign);
            else if (chance(0.5))
                targets.emplace_back(reduce_address(loop, buffer), StoreMode::reduce);
            else
                targets.emplace_back(add_address(loop, buffer), StoreMode::add);
        } else if (!is_added_to_[buffer]) {
            targets.emplace_back(assign_address(loop, buffer, kernel_.buffers[buffer].size), StoreMode::assign);
        }
    }

    bool is_scratch(std::uint32_t buffer) const { return kernel_.buffers[buffer].role == BufferRole::scratch; }

    // Elements that may be read or added to: of scratch those assigned by earlier loops, else all.
    std::int64_t n_values(std::uint32_t buffer) const {
        return is_scratch(buffer) ? static_cast<std::int64_t>(has_value_[buffer].size()) : 40;
    }

    std::int32_t any_value(std::uint32_t buffer) {
        return is_scratch(buffer) ? any(has_value_[buffer]) : between(0, static_cast<int>(n_values(buffer)) - 1);
    }

    std::uint32_t reduce_address(Loop& loop, std::uint32_t buffer) {
        return add_affine(loop, buffer, 0, [&](auto) { return any_value(buffer); });
    }

    std::uint32_t add_address(Loop& loop, std::uint32_t buffer) {
        if (chance(0.5)) return old_affine(loop, buffer);
        return old_table(loop, buffer);
    }

    // Elements of which none comes twice, from `next` on.
    std::uint32_t assign_address(Loop& loop, std::uint32_t buffer, std::int64_t next) {
        if (chance(0.25)) {
            std::vector<std::int32_t> table(loop.n_instances());
            std::iota(table.begin(), table.end(), static_cast<std::int32_t>(next));
            std::shuffle(table.begin(), table.end(), random_);
            return add_table(loop, buffer, std::move(table));
        }
        const std::int64_t stride = any(std::vector<std::int64_t>{1, 1, 1, -1, -2, 2, 3});
        return add_affine(loop, buffer, stride, [&](std::int64_t length) {
            const std::int64_t first = next, last = first + std::abs(stride) * (length - 1);
            next = last + 1;
            grow(buffer, last);
            return stride > 0 ? first : last;
        });
    }

    void mark_assigned(const Loop& loop, const Store& store) {
        const Address& address = loop.addresses[store.address];
        if (store.mode != StoreMode::assign || !is_scratch(address.buffer)) return;
        auto& list = has_value_[address.buffer];
        if (address.table >= 0)
            list.insert(list.end(), loop.tables[address.table].begin(), loop.tables[address.table].end());
        else
            for (std::size_t s = 0; s < loop.lengths.size(); ++s)
                for (std::int64_t i = 0; i < loop.lengths[s]; ++i)
                    list.push_back(static_cast<std::int32_t>(loop.starts[s * loop.addresses.size() + store.address] +
                                                             address.stride * i));
        std::sort(list.begin(), list.end());
    }

    // --- what a loop reads ---
    void add_read_address(Loop& loop) {
        std::vector<std::uint32_t> readable;
        for (std::uint32_t b = 0; b < kernel_.buffers.size(); ++b) {
            // NOTE: outputs are not read here although later loops may: elements would have to be told apart.
            if (kernel_.buffers[b].role == BufferRole::output || is_added_to_[b] || n_values(b) == 0) continue;
            readable.push_back(b);
        }
        const std::uint32_t buffer = any(readable);
        if (chance(0.8))
            old_affine(loop, buffer);
        else
            old_table(loop, buffer);
    }

    std::uint32_t old_table(Loop& loop, std::uint32_t buffer) {
        std::vector<std::int32_t> table(loop.n_instances());
        for (auto& e : table) e = any_value(buffer);
        return add_table(loop, buffer, std::move(table));
    }

    // Affine in elements that have values; where scratch has gaps a table serves instead.
    std::uint32_t old_affine(Loop& loop, std::uint32_t buffer) {
        const std::int64_t stride = any(std::vector<std::int64_t>{0, 0, 1, 1, 1, -1, -2, 2, 3});
        if (!is_scratch(buffer))
            return add_affine(loop, buffer, stride, [&](std::int64_t length) {
                return between(0, 3) - std::min<std::int64_t>(0, stride * (length - 1));
            });
        const auto& list = has_value_[buffer];
        std::vector<std::int64_t> starts;
        for (auto length : loop.lengths) {
            const std::int64_t start = any(list);
            for (std::int64_t i = 0; i < length; ++i)
                if (!std::binary_search(list.begin(), list.end(), start + stride * i)) return old_table(loop, buffer);
            starts.push_back(start);
        }
        std::size_t next = 0;
        return add_affine(loop, buffer, stride, [&](auto) { return starts[next++]; });
    }

    Random& random_;
    const RandomKernelOptions& options_;
    Kernel kernel_;
    int operations_left_ = 0;
    std::vector<std::vector<std::int32_t>> has_value_; // scratch: elements assigned by earlier loops, sorted
    std::vector<bool> is_added_to_;                    // by the loop in the making
};

double any_magnitude(Random& random) {
    static const double special[] = {0.0,
                                     -0.0,
                                     1.0,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::denorm_min(),
                                     1e300,
                                     -1e300};
    const double kind = std::uniform_real_distribution<double>(0, 1)(random);
    if (kind < 0.02) return special[std::uniform_int_distribution<std::size_t>(0, std::size(special) - 1)(random)];
    const double x = std::normal_distribution<double>()(random);
    return kind < 0.1 ? x * std::exp(20 * std::normal_distribution<double>()(random)) : x;
}

} // namespace

Kernel random_kernel(Random& random, const RandomKernelOptions& options) {
    return KernelMaker(random, options).make();
}

KernelData<double> make_data(Random& random, const Kernel& kernel, int lanes, bool is_benign) {
    KernelData<double> data;
    for (const Buffer& buffer : kernel.buffers) {
        std::vector<double> values;
        for (std::int64_t i = 0; i < buffer.size * lanes; ++i) {
            if (buffer.role == BufferRole::literal)
                values.push_back(static_cast<double>(kernel.literals[buffer.literal][i / lanes]));
            else if (buffer.role == BufferRole::scratch)
                values.push_back(std::numeric_limits<double>::quiet_NaN());
            else
                values.push_back(is_benign ? std::uniform_real_distribution<double>(0.5, 2)(random)
                                           : any_magnitude(random));
        }
        data.buffers.push_back(std::move(values));
    }
    return data;
}

KernelData<Quad> as_quad(const KernelData<double>& data, const Kernel& kernel, int lanes) {
    KernelData<Quad> result;
    for (std::size_t b = 0; b < data.buffers.size(); ++b) {
        std::vector<Quad> values(data.buffers[b].begin(), data.buffers[b].end());
        if (kernel.buffers[b].role == BufferRole::literal)
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = kernel.literals[kernel.buffers[b].literal][i / lanes];
        result.buffers.push_back(std::move(values));
    }
    return result;
}

bool is_same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool is_same(Quad a, Quad b) {
    return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

} // namespace vessiot::test
