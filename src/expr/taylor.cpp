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

    // sum_{j=from..to} w_j a_j b_{k-j}, w_j = 1 or j
    template <bool is_weighted>
    VESSIOT_INLINE void convolve(const S* __restrict a, const S* __restrict b, int from, int to,
                                 S* __restrict sum) const {
        const auto weight = [](int j) __attribute__((always_inline)) { return is_weighted ? S(j) : S(1); };
        if constexpr (B == 1) {
            // NOTE: four sums, which do not wait for each other.
            S p0 = 0, p1 = 0, p2 = 0, p3 = 0;
            const S* back = b + (k - from);
            int j = from;
            for (; j + 3 <= to; j += 4, back -= 4) {
                if constexpr (is_weighted) {
                    p0 += (weight(j) * a[j]) * back[0];
                    p1 += (weight(j + 1) * a[j + 1]) * back[-1];
                    p2 += (weight(j + 2) * a[j + 2]) * back[-2];
                    p3 += (weight(j + 3) * a[j + 3]) * back[-3];
                } else {
                    p0 += a[j] * back[0];
                    p1 += a[j + 1] * back[-1];
                    p2 += a[j + 2] * back[-2];
                    p3 += a[j + 3] * back[-3];
                }
            }
            for (; j <= to; ++j, --back) p0 += is_weighted ? (weight(j) * a[j]) * back[0] : a[j] * back[0];
            sum[0] = (p0 + p1) + (p2 + p3);
        } else {
            for_lanes([&](int i) __attribute__((always_inline)) { sum[i] = 0; });
            for (int j = from; j <= to; ++j) {
                const S* __restrict x = a + static_cast<std::size_t>(j) * s;
                const S* __restrict y = b + static_cast<std::size_t>(k - j) * s;
                const S w = weight(j);
                for_lanes([&](int i) __attribute__((always_inline)) {
                    sum[i] += is_weighted ? (w * x[i]) * y[i] : x[i] * y[i];
                });
            }
        }
    }

    // sum_{j=from..k-from} a_j a_{k-j}: each product once
    VESSIOT_INLINE void square(const S* a, int from, S* sum) const {
        convolve<false>(a, a, from, (k - 1) / 2, sum);
        const S* middle = a + static_cast<std::size_t>(k / 2) * s;
        const bool has_middle = k % 2 == 0 && k / 2 >= from;
        for_lanes([&](int i) __attribute__((always_inline)) {
            sum[i] = has_middle ? 2 * sum[i] + middle[i] * middle[i] : 2 * sum[i];
        });
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
            convolve<false>(a, b, 0, k, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = sum[i]; });
        case Rule::square:
            square(a, 0, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = sum[i]; });
        case Rule::div:
            convolve<false>(b, c, 1, k, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = (a[at + i] - sum[i]) / b[i]; });
        case Rule::root: {
            const S* const x = value(step.x);
            square(c, 1, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = (x[at + i] - sum[i]) / (2 * c[i]); });
        }
        case Rule::chain:
            convolve<true>(value(step.x), value(step.q), 1, k, sum);
            return for_lanes([&](int i) __attribute__((always_inline)) { out[i] = factor * sum[i] / order; });
        case Rule::quotient: {
            const S* const x = value(step.x);
            const S* const q = value(step.q);
            convolve<true>(c, q, 1, k - 1, sum);
            return for_lanes(
                [&](int i) __attribute__((always_inline)) { out[i] = (factor * x[at + i] - sum[i] / order) / q[i]; });
        }
        case Rule::angle: {
            const S* const q = value(step.q);
            S third[B];
            convolve<true>(a, b, 1, k, sum);
            convolve<true>(b, a, 1, k, other);
            convolve<true>(c, q, 1, k - 1, third);
            return for_lanes([&](int i) __attribute__((always_inline)) {
                out[i] = ((sum[i] - other[i]) - third[i]) / (order * q[i]);
            });
        }
        case Rule::power:
            convolve<true>(a, c, 1, k, sum);
            convolve<false>(a, c, 1, k, other);
            return for_lanes([&](int i) __attribute__((always_inline)) {
                out[i] = a[i] == S(0) ? power_at_zero(a, b[i], c, i)
                                      : ((b[i] + 1) * sum[i] - order * other[i]) / (order * a[i]);
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
            memory.assign(buffer.role == BufferRole::scratch && plan_.is_flat[b] ? size : n_orders * size, S(0));
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
        if constexpr (B == 1 || !std::is_same_v<S, double>)
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
    for (std::size_t l = 0; l < plan_.loops.size(); ++l) {
        const TaylorLoop& loop = plan_.loops[l];
        if (is_late && !loop.has_late) continue;
        LoopMemory& memory = loops_[l];
        const auto rule = memory.n == 1 ? rule_ : rule_of_lanes_;
        for (const TaylorStep& step : loop.steps) {
            if (is_late && !step.is_late) continue;
            if (k == 0)
                begin_value(loop, memory, step);
            else if (step.rule == Rule::read)
                gather(loop, memory, step.a, k,
                       memory.values.data() + step.out * memory.length + static_cast<std::size_t>(k) * memory.lane);
            else if (step.rule != Rule::flat)
                rule(*this, memory, step, k);
        }
        for (std::size_t s = 0; s < loop.loop->stores.size(); ++s)
            if (!is_late || loop.is_late[s]) store(loop, memory, s, k);
    }
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
    if (k > 0 && plan_.is_flat[a.buffer] && plan_.kernel->buffers[a.buffer].role == BufferRole::scratch) return;
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
