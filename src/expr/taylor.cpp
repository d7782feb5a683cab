#include "expr/taylor.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "expr/vmath.hpp"

namespace vessiot::expr {

// The rules for up to B instances at once. B = 1: the coefficients of a value are neighbours.
template <class S, int B> struct TaylorExecutor {
    using Memory = typename Taylor<S>::LoopMemory;

    const Memory& memory;
    const TaylorStep& step;
    const int k;
    const std::size_t s; // distance of coefficients
    const std::size_t first;
    const int m; // instances of this block, <= B
    const bool is_forward;
    S* const values;

    S* value(std::uint32_t v) const { return values + v * memory.length + first; }

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

    static VESSIOT_INLINE void all(Taylor<S>& t, const Memory& memory, const TaylorStep& step, int k) {
        const auto n = static_cast<std::size_t>(memory.n);
        for (std::size_t first = 0; first < n; first += B)
            TaylorExecutor{memory,
                           step,
                           k,
                           memory.lane,
                           first,
                           static_cast<int>(std::min<std::size_t>(B, n - first)),
                           t.is_forward_,
                           const_cast<S*>(memory.values.data())}
                .run();
    }

    static void baseline(Taylor<S>& t, const Memory& m, const TaylorStep& s, int k) { all(t, m, s, k); }
    VESSIOT_FOR_AVX2 static void avx2(Taylor<S>& t, const Memory& m, const TaylorStep& s, int k) { all(t, m, s, k); }
    VESSIOT_FOR_AVX512 static void avx512(Taylor<S>& t, const Memory& m, const TaylorStep& s, int k) {
        all(t, m, s, k);
    }
};

namespace {

constexpr int block = 32; // lanes whose sums stay in registers or nearby

} // namespace

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
        memory.lane = memory.n == 1 ? 1 : static_cast<std::size_t>((memory.n + 7) / 8 * 8);
        memory.length = n_orders * memory.lane;
        memory.values.assign(loop.n_values * memory.length, S(0));
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
    rule_of_lanes_ = choose(static_cast<TaylorExecutor<S, block>*>(nullptr));
}

template <class S> void Taylor<S>::set_constants(const TaylorLoop& loop, LoopMemory& memory) const {
    for (const TaylorStep& step : loop.steps)
        if (step.op == Op::constant)
            std::fill_n(memory.values.begin() + static_cast<std::ptrdiff_t>(step.out * memory.length), memory.n,
                        static_cast<S>(plan_.constants[step.a]));
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
            for (const TaylorStep& step : loop.steps)
                if (!is_late || step.is_late) run_step(loop, memory, step, k);
        if (native_ && k > 0 && memory.n == 1) continue; // stored
        for (std::size_t s = 0; s < loop.loop->stores.size(); ++s)
            if (!is_late || loop.is_late[s]) store(loop, memory, s, k);
    }
}

template <class S> void Taylor<S>::run_step(const TaylorLoop& loop, LoopMemory& memory, const TaylorStep& step, int k) {
    if (k == 0)
        begin_value(loop, memory, step);
    else if (step.rule == Rule::read)
        gather(loop, memory, step.a, k,
               memory.values.data() + step.out * memory.length + static_cast<std::size_t>(k) * memory.lane);
    else if (step.rule != Rule::flat)
        (memory.n == 1 ? rule_ : rule_of_lanes_)(*this, memory, step, k);
}

// What native code does not do: to read and to store elements of families.
template <class S> void Taylor<S>::run_native(std::size_t l, int k, bool is_late) {
    if constexpr (std::is_same_v<S, double>) {
        const TaylorLoop& loop = plan_.loops[l];
        LoopMemory& memory = loops_[l];
        if (memory.n > 1)
            for (const TaylorStep& step : loop.steps)
                if (step.rule == Rule::read && (!is_late || step.is_late)) run_step(loop, memory, step, k);
        native_->entry(l, is_late)(memory.values.data(), buffers_.data(), k, memory.n, this);
    }
}

template <class S> bool Taylor<S>::make_native(std::string& error) {
    patience_ = 0;
    if constexpr (std::is_same_v<S, double>) {
        std::vector<TaylorLayout> layout;
        for (const LoopMemory& m : loops_) layout.push_back({m.n == 1, m.lane, m.length});
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
        patience_ -= static_cast<double>(m.values.size() / m.length) * (m.n == 1 ? 1.0 : static_cast<double>(m.n) / 4);
    std::string error;
    if (patience_ <= 0) make_native(error);
}

template <class S>
void Taylor<S>::rule_for_native(void* context, std::uint64_t loop, std::uint64_t step, std::int64_t k,
                                std::int64_t first) {
    Taylor& t = *static_cast<Taylor*>(context);
    const LoopMemory& memory = t.loops_[loop];
    const TaylorStep& s = t.plan_.loops[loop].steps[step];
    S* const values = const_cast<S*>(memory.values.data());
    const auto count = static_cast<int>(std::min<std::int64_t>(8, memory.n - first));
    if (memory.n == 1)
        TaylorExecutor<S, 1>{memory, s, static_cast<int>(k), memory.lane, 0, 1, t.is_forward_, values}.run();
    else if (count > 0)
        TaylorExecutor<S, 8>{
            memory, s, static_cast<int>(k), memory.lane, static_cast<std::size_t>(first), count, t.is_forward_, values}
            .run();
}

// Order 0: the value itself.
template <class S> void Taylor<S>::begin_value(const TaylorLoop& loop, LoopMemory& memory, const TaylorStep& step) {
    if (step.op == Op::constant) return;
    S* const values = memory.values.data();
    S* const out = values + step.out * memory.length;
    if (step.op == Op::read) return gather(loop, memory, step.a, 0, out);
    const auto n = static_cast<std::size_t>(memory.n);
    const S *a = values + step.a * memory.length, *b = values + step.b * memory.length;
    if (is_elementary(step.op))
        apply_block(step.op, a, arity(step.op) > 1 ? b : nullptr, out, n);
    else
        functions_->apply(step.op, a, b, values + step.c * memory.length, out, n);
}

template <class S>
void Taylor<S>::gather(const TaylorLoop& loop, const LoopMemory& memory, std::uint32_t address, int k, S* out) const {
    const Loop& l = *loop.loop;
    const Address& a = l.addresses[address];
    const S* from = buffers_[a.buffer] + static_cast<std::size_t>(k) * sizes_[a.buffer];
    if (a.table >= 0) {
        const std::int32_t* table = l.tables[static_cast<std::size_t>(a.table)].data();
        for (std::int64_t i = 0; i < memory.n; ++i) out[i] = from[table[i]];
        return;
    }
    for (std::size_t g = 0; g < l.lengths.size(); ++g) {
        const S* x = from + l.starts[g * l.addresses.size() + address];
        const std::int64_t n = l.lengths[g];
        if (a.stride == 1)
            std::copy_n(x, n, out);
        else
            for (std::int64_t i = 0; i < n; ++i) out[i] = x[i * a.stride];
        out += n;
    }
}

// Stores are linear: coefficient k of what is stored is stored coefficient k.
template <class S> void Taylor<S>::store(const TaylorLoop& loop, LoopMemory& memory, std::size_t s, int k) {
    const Loop& l = *loop.loop;
    const Store& store = l.stores[s];
    const Address& a = l.addresses[store.address];
    if (k > 0 && plan_.has_order_0_only(a.buffer)) return;
    const S* x = memory.values.data() + store.value * memory.length + static_cast<std::size_t>(k) * memory.lane;
    S* const to = buffers_[a.buffer] + static_cast<std::size_t>(k) * sizes_[a.buffer];
    const bool is_add = store.mode == StoreMode::add;
    if (a.table >= 0) {
        const std::int32_t* table = l.tables[static_cast<std::size_t>(a.table)].data();
        for (std::int64_t i = 0; i < memory.n; ++i) to[table[i]] = is_add ? to[table[i]] + x[i] : x[i];
        return;
    }
    for (std::size_t g = 0; g < l.lengths.size(); ++g) {
        S* const y = to + l.starts[g * l.addresses.size() + store.address];
        const std::int64_t n = l.lengths[g];
        if (store.mode == StoreMode::reduce) {
            std::fill(memory.partial.begin(), memory.partial.end(), S(0));
            S* const p = memory.partial.data();
            for (std::int64_t i = 0; i < n; ++i) p[i % reduction_width] += x[i];
            *y += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
        } else if (is_add) {
            for (std::int64_t i = 0; i < n; ++i) y[i * a.stride] += x[i];
        } else {
            for (std::int64_t i = 0; i < n; ++i) y[i * a.stride] = x[i];
        }
        x += n;
    }
}

template class Taylor<double>;
template class Taylor<Quad>;

} // namespace vessiot::expr
