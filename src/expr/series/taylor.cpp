#include "expr/series/taylor.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "expr/functions/vmath.hpp"

namespace vessiot::expr {

// The rules for up to B instances at once. B = 1: the coefficients of a value are neighbours.
template <class S, int B> struct TaylorExecutor {
    using Memory = typename Taylor<S>::LoopMemory;

    const Memory& memory;
    const TaylorStep& step;
    const int k;
    const int m; // instances of this block, <= B
    const bool is_forward;
    S* const values;                    // of the block
    static constexpr std::size_t s = B; // distance of coefficients

    S* value(std::uint32_t v) const { return values + v * memory.length; }

    template <class F> VESSIOT_INLINE void for_lanes(F f) const {
        if constexpr (B == 1) {
            f(0);
        } else {
            if (m == B) { // known to the compiler
                for (int i = 0; i < B; ++i) f(i);
            } else {
                for (int i = 0; i < m; ++i) f(i);
            }
        }
    }

    // sum_{j=1..k-1} w_j a_j b_{k-j}, w_j = 1 or j. Of one instance: 8 interleaved sums, j to number (j - 1) mod 8,
    // added as those of reductions are (kernel.hpp); of several: in the order of j. Native code sums in the same way.
    template <bool is_weighted> VESSIOT_INLINE void middle(const S* a, const S* b, S* __restrict sum) const {
        if constexpr (B == 1) {
            S p[8] = {};
            int j = 1;
            for (; j + 8 <= k; j += 8) {
                const S *x = a + j, *y = b + (k - j);
                for (int l = 0; l < 8; ++l) p[l] += is_weighted ? (S(j + l) * x[l]) * y[-l] : x[l] * y[-l];
            }
            for (int l = 0; j + l < k; ++l)
                p[l] += is_weighted ? (S(j + l) * a[j + l]) * b[k - j - l] : a[j + l] * b[k - j - l];
            sum[0] = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        } else {
            for_lanes([&](int i) __attribute__((always_inline)) { sum[i] = 0; });
            for (int j = 1; j < k; ++j) {
                const S* __restrict x = a + static_cast<std::size_t>(j) * s;
                const S* __restrict y = b + static_cast<std::size_t>(k - j) * s;
                const S w = S(j);
                for_lanes([&](int i) __attribute__((always_inline)) {
                    sum[i] += is_weighted ? (w * x[i]) * y[i] : x[i] * y[i];
                });
            }
        }
    }

    // The sign of the first coefficient that is not 0, on the side where the curve goes.
    template <class Coefficient> int leading_sign(Coefficient coefficient) const {
        for (int j = 0; j <= k; ++j) {
            const S x = coefficient(j);
            if (x == S(0)) continue;
            return (x > S(0)) == (is_forward || j % 2 == 0) ? 1 : -1;
        }
        return 1;
    }

    // c = a^p where a_0 = 0, for whole p >= 1: a = s^v g, g_0 != 0, c = s^(v p) g^p. Other powers have no series there.
    S power_at_zero(const S* a, S p, const S* c, int i) const {
        const auto x = [&](const S* y, int j) {
            return y[static_cast<std::size_t>(j) * s + static_cast<std::size_t>(i)];
        };
        if (p == S(0)) return S(0);
        int v = 1;
        while (v <= k && x(a, v) == S(0)) ++v;
        const bool is_whole = p >= S(1) && apply<S>(Op::floor, p) == p;
        if (!is_whole) return v > k && p > S(0) ? S(0) : S(0) / S(0);
        if (v > k || S(v) * p > S(k)) return S(0);
        const int start = v * static_cast<int>(p), n = k - start;
        const S g0 = x(a, v);
        if (n == 0) return apply<S>(Op::pow, g0, p);
        S sum = 0;
        for (int j = 1; j <= n; ++j) sum += ((p + 1) * S(j) - S(n)) * x(a, v + j) * x(c, start + n - j);
        return sum / (S(n) * g0);
    }

    VESSIOT_INLINE void run() const {
        const std::size_t at = static_cast<std::size_t>(k) * s;
        S* const c = value(step.out);
        S* const out = c + at;
        const S* const a = value(step.a);
        const S* const b = value(step.b);
        S sum[B], other[B];
        const S factor = static_cast<S>(step.factor), order = S(k);
        switch (step.rule) {
        case Rule::flat:
        case Rule::read: return;
        case Rule::add: return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = a[at + i] + b[at + i]; });
        case Rule::sub: return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = a[at + i] - b[at + i]; });
        case Rule::neg: return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = -a[at + i]; });
        case Rule::scale: return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = a[i] * b[at + i]; });
        case Rule::ratio: return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = a[at + i] / b[i]; });
        case Rule::mul:
            middle<false>(a, b, sum);
            return for_lanes(
                [&](int i) __attribute__((always_inline)) { out[i] = (a[i] * b[at + i] + a[at + i] * b[i]) + sum[i]; });
        case Rule::square:
            middle<false>(a, a, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = 2 * (a[i] * a[at + i]) + sum[i]; });
        case Rule::div:
            middle<false>(b, c, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) {
                out[i] = (a[at + i] - (b[at + i] * c[i] + sum[i])) / b[i];
            });
        case Rule::root: {
            const S* const x = value(step.x);
            middle<false>(c, c, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = (x[at + i] - sum[i]) / (2 * c[i]); });
        }
        case Rule::chain: {
            const S* const x = value(step.x);
            const S* const q = value(step.q);
            middle<true>(x, q, sum);
            return for_lanes(
                [&](int i) __attribute__((always_inline)) { out[i] = factor * (x[at + i] * q[i] + sum[i] / order); });
        }
        case Rule::quotient: {
            const S* const x = value(step.x);
            const S* const q = value(step.q);
            middle<true>(c, q, sum);
            return for_lanes(
                [&](int i) __attribute__((always_inline)) { out[i] = (factor * x[at + i] - sum[i] / order) / q[i]; });
        }
        case Rule::angle: {
            const S* const q = value(step.q);
            S third[B];
            middle<true>(a, b, sum);
            middle<true>(b, a, other);
            middle<true>(c, q, third);
            return for_lanes([&](int i) __attribute__((always_inline)) {
                out[i] = ((a[at + i] * b[i] - b[at + i] * a[i]) + ((sum[i] - other[i]) - third[i]) / order) / q[i];
            });
        }
        case Rule::power:
            middle<true>(a, c, sum);
            middle<false>(a, c, other);
            return for_lanes([&](int i) __attribute__((always_inline)) {
                out[i] = a[i] == S(0) ? power_at_zero(a, b[i], c, i)
                                      : (b[i] * (a[at + i] * c[i]) + ((b[i] + 1) * (sum[i] / order) - other[i])) / a[i];
            });
        default: return branch(a, b, out, at);
        }
    }

    void branch(const S* a, const S* b, S* out, std::size_t at) const {
        const auto coefficient = [&](const S* x, int j, int i) {
            return x[static_cast<std::size_t>(j) * s + static_cast<std::size_t>(i)];
        };
        for (int i = 0; i < m; ++i) {
            const auto difference = [&](int j) { return coefficient(a, j, i) - coefficient(b, j, i); };
            switch (step.rule) {
            case Rule::abs: {
                const int sign = leading_sign([&](int j) { return coefficient(a, j, i); });
                out[i] = sign > 0 ? a[at + i] : -a[at + i];
                break;
            }
            case Rule::min: out[i] = leading_sign(difference) < 0 ? a[at + i] : b[at + i]; break;
            case Rule::max: out[i] = leading_sign(difference) > 0 ? a[at + i] : b[at + i]; break;
            default: out[i] = a[i] != S(0) ? b[at + i] : value(step.c)[at + i]; // select
            }
        }
    }

    static VESSIOT_INLINE void execute(const Taylor<S>& t, const Memory& memory, const TaylorStep& step, int k,
                                       S* values, int count) {
        TaylorExecutor{memory, step, k, count, t.is_forward_, values}.run();
    }
    static void baseline(const Taylor<S>& t, const Memory& m, const TaylorStep& s, int k, S* v, int n) {
        execute(t, m, s, k, v, n);
    }
    VESSIOT_FOR_AVX2 static void avx2(const Taylor<S>& t, const Memory& m, const TaylorStep& s, int k, S* v, int n) {
        execute(t, m, s, k, v, n);
    }
    VESSIOT_FOR_AVX512 static void avx512(const Taylor<S>& t, const Memory& m, const TaylorStep& s, int k, S* v,
                                          int n) {
        execute(t, m, s, k, v, n);
    }
};

template <class S>
Taylor<S>::Taylor(TaylorPlan plan, int max_order, [[maybe_unused]] Simd widest)
    : plan_(std::move(plan)), max_order_(max_order), functions_(&block_functions<S>(widest)) {
    const Kernel& kernel = *plan_.kernel;
    const auto n_orders = static_cast<std::size_t>(max_order) + 1;
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
        const Buffer& buffer = kernel.buffers[b];
        const auto size = static_cast<std::size_t>(buffer.size);
        AlignedVector<S>& memory = memory_.emplace_back();
        if (buffer.role == BufferRole::literal)
            for (const Quad x : kernel.literals[static_cast<std::size_t>(buffer.literal)])
                memory.push_back(static_cast<S>(x));
        else if (buffer.role != BufferRole::input || !plan_.is_flat[b])
            memory.assign(plan_.has_order_0_only(static_cast<std::uint32_t>(b)) ? size : n_orders * size, S(0));
        buffers_.push_back(memory.data());
        sizes_.push_back(size);
    }
    for (const TaylorLoop& loop : plan_.loops) {
        LoopMemory& memory = loops_.emplace_back();
        memory.n = loop.loop->n_instances();
        memory.lane = memory.n == 1 ? 1 : 8;
        memory.length = n_orders * memory.lane;
        memory.block = loop.n_values * memory.length;
        memory.values.assign(static_cast<std::size_t>(memory.n_blocks()) * memory.block, S(0));
        memory.partial.assign(reduction_width, S(0));
        set_constants(loop, memory);
    }
    const auto choose = [&]<int B>(TaylorExecutor<S, B>*) {
        using E = TaylorExecutor<S, B>;
        if constexpr (!std::is_same_v<S, double>)
            return E::baseline;
        else
            return widest == Simd::avx512 ? E::avx512 : widest == Simd::avx2 ? E::avx2 : E::baseline;
    };
    rule_ = choose(static_cast<TaylorExecutor<S, 1>*>(nullptr));
    rule_of_block_ = choose(static_cast<TaylorExecutor<S, 8>*>(nullptr));
}

template <class S> void Taylor<S>::set_constants(const TaylorLoop& loop, LoopMemory& memory) const {
    for (const TaylorStep& step : loop.steps)
        for (std::int64_t i = 0; step.op == Op::constant && i < memory.n; ++i)
            memory.at(step.out, 0, i) = static_cast<S>(plan_.constants[step.a]);
}

template <class S> void Taylor<S>::run(int k, bool is_late) {
    if (patience_ > 0 && k > 0) spend();
    for (std::size_t l = 0; l < plan_.loops.size(); ++l) {
        const TaylorLoop& loop = plan_.loops[l];
        if (is_late && !loop.has_late) continue;
        LoopMemory& memory = loops_[l];
        if (native_ && k > 0)
            run_native(l, k, is_late);
        else
            run_steps(loop, memory, k, is_late);
        if (native_ && k > 0 && memory.n == 1) continue; // stored
        for (std::size_t s = 0; s < loop.loop->stores.size(); ++s)
            if (!is_late || loop.is_late[s]) store(loop, memory, s, k);
    }
}

template <class S> void Taylor<S>::run_steps(const TaylorLoop& loop, LoopMemory& memory, int k, bool is_late) {
    for (const TaylorStep& step : loop.steps)
        if (step.op == Op::read && (k == 0 || step.rule == Rule::read) && (!is_late || step.is_late))
            gather(loop, memory, step, k);
    const Executor rule = memory.n == 1 ? rule_ : rule_of_block_;
    for (std::int64_t b = 0; b < memory.n_blocks(); ++b) {
        S* const values = memory.values.data() + static_cast<std::size_t>(b) * memory.block;
        const int count = memory.count(b);
        for (const TaylorStep& step : loop.steps) {
            if (step.op == Op::read || step.op == Op::constant || (is_late && !step.is_late)) continue;
            if (k == 0)
                begin_value(step, memory, values, count);
            else if (step.rule != Rule::flat)
                rule(*this, memory, step, k, values, count);
        }
    }
}

// What native code does not do: to read and to store elements of families.
template <class S> void Taylor<S>::run_native(std::size_t l, int k, bool is_late) {
    if constexpr (std::is_same_v<S, double>) {
        const TaylorLoop& loop = plan_.loops[l];
        LoopMemory& memory = loops_[l];
        if (memory.n > 1)
            for (const TaylorStep& step : loop.steps)
                if (step.rule == Rule::read && (!is_late || step.is_late)) gather(loop, memory, step, k);
        native_->entry(l, is_late)(memory.values.data(), buffers_.data(), k, memory.n, this);
    }
}

template <class S> bool Taylor<S>::make_native(std::string& error) {
    patience_ = 0;
    if constexpr (std::is_same_v<S, double>) {
        std::vector<TaylorLayout> layout;
        for (const LoopMemory& m : loops_) layout.push_back({m.n == 1, m.lane, m.length, m.block});
        native_ = NativeTaylor::compile(plan_, layout, &Taylor::rule_for_native, error);
        return native_ != nullptr;
    } else {
        error = "native code computes in double";
        return false;
    }
}

// Compiling costs about as much as has been spent by then.
template <class S> void Taylor<S>::spend() {
    for (const LoopMemory& m : loops_)
        patience_ -= static_cast<double>(m.values.size()) / static_cast<double>(m.length);
    std::string error;
    if (patience_ <= 0) make_native(error);
}

template <class S>
void Taylor<S>::rule_for_native(void* context, std::uint64_t loop, std::uint64_t step, std::int64_t k,
                                std::int64_t first) {
    Taylor& t = *static_cast<Taylor*>(context);
    LoopMemory& memory = t.loops_[loop];
    const std::int64_t block = first / 8;
    (memory.n == 1 ? t.rule_ : t.rule_of_block_)(t, memory, t.plan_.loops[loop].steps[step], static_cast<int>(k),
                                                 memory.values.data() + static_cast<std::size_t>(block) * memory.block,
                                                 memory.count(block));
}

// Order 0: the value itself.
template <class S>
void Taylor<S>::begin_value(const TaylorStep& step, const LoopMemory& memory, S* values, int count) const {
    S* const out = values + step.out * memory.length;
    const auto n = static_cast<std::size_t>(count);
    const S *a = values + step.a * memory.length, *b = values + step.b * memory.length;
    if (is_elementary(step.op))
        apply_block(step.op, a, arity(step.op) > 1 ? b : nullptr, out, n);
    else
        functions_->apply(step.op, a, b, values + step.c * memory.length, out, n);
}

namespace {

// Calls visit(first, n, element) for every segment: its first instance, their number, and the element of the first one.
template <class Visit> void for_segments(const Loop& loop, std::uint32_t address, Visit visit) {
    std::int64_t first = 0;
    for (std::size_t g = 0; g < loop.lengths.size(); first += loop.lengths[g++])
        visit(first, loop.lengths[g], loop.starts[g * loop.addresses.size() + address]);
}

} // namespace

template <class S>
void Taylor<S>::gather(const TaylorLoop& loop, LoopMemory& memory, const TaylorStep& step, int k) const {
    const Loop& l = *loop.loop;
    const Address& a = l.addresses[step.a];
    const S* const from = buffers_[a.buffer] + static_cast<std::size_t>(k) * sizes_[a.buffer];
    if (a.table >= 0) {
        const std::int32_t* table = l.tables[static_cast<std::size_t>(a.table)].data();
        for (std::int64_t i = 0; i < memory.n; ++i) memory.at(step.out, k, i) = from[table[i]];
        return;
    }
    for_segments(l, step.a, [&](std::int64_t first, std::int64_t n, std::int64_t element) {
        const S* const x = from + element;
        if (a.stride != 1) {
            for (std::int64_t i = 0; i < n; ++i) memory.at(step.out, k, first + i) = x[i * a.stride];
            return;
        }
        for (std::int64_t i = 0; i < n;) { // block by block
            const std::int64_t count = std::min(n - i, 8 - ((first + i) & 7));
            std::copy_n(x + i, count, &memory.at(step.out, k, first + i));
            i += count;
        }
    });
}

// Stores are linear: coefficient k of what is stored is stored coefficient k.
template <class S> void Taylor<S>::store(const TaylorLoop& loop, LoopMemory& memory, std::size_t s, int k) {
    const Loop& l = *loop.loop;
    const Store& store = l.stores[s];
    const Address& a = l.addresses[store.address];
    if (k > 0 && plan_.has_order_0_only(a.buffer)) return;
    S* const to = buffers_[a.buffer] + static_cast<std::size_t>(k) * sizes_[a.buffer];
    const bool is_add = store.mode == StoreMode::add;
    const auto put = [&](S& element, std::int64_t i) {
        const S x = memory.at(store.value, k, i);
        element = is_add ? element + x : x;
    };
    if (a.table >= 0) {
        const std::int32_t* table = l.tables[static_cast<std::size_t>(a.table)].data();
        for (std::int64_t i = 0; i < memory.n; ++i) put(to[table[i]], i);
        return;
    }
    for_segments(l, store.address, [&](std::int64_t first, std::int64_t n, std::int64_t element) {
        S* const y = to + element;
        if (store.mode == StoreMode::reduce) {
            std::fill(memory.partial.begin(), memory.partial.end(), S(0));
            S* const p = memory.partial.data();
            for (std::int64_t i = 0; i < n; ++i) p[i % reduction_width] += memory.at(store.value, k, first + i);
            *y += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        } else {
            for (std::int64_t i = 0; i < n; ++i) put(y[i * a.stride], first + i);
        }
    });
}

template class Taylor<double>;
template class Taylor<Quad>;

} // namespace vessiot::expr
