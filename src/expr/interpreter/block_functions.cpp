#include "expr/interpreter/block_functions.hpp"

#include <type_traits>

#include "expr/interpreter/arithmetic.hpp"

namespace vessiot::expr {

namespace {

template <class S> struct Text {
    template <class F>
    static VESSIOT_INLINE void map(F f, const S* __restrict a, const S* __restrict b, const S* __restrict c,
                                   S* __restrict out, std::size_t n) {
        const S zero = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if constexpr (requires { f(zero); })
                out[i] = f(a[i]);
            else if constexpr (requires { f(zero, zero); })
                out[i] = f(a[i], b[i]);
            else
                out[i] = f(a[i], b[i], c[i]);
        }
    }

    static VESSIOT_INLINE void apply(Op op, const S* a, const S* b, const S* c, S* out, std::size_t n) {
        // NOTE: full blocks are multiples of 8: saying so spares the code for the odd ends.
        if (n % 8 == 0)
            arithmetic::dispatch(op, [&](auto f) __attribute__((always_inline)) { map(f, a, b, c, out, n / 8 * 8); });
        else
            arithmetic::dispatch(op, [&](auto f) __attribute__((always_inline)) { map(f, a, b, c, out, n); });
    }

    static VESSIOT_INLINE void accumulate(S* __restrict partials, const S* __restrict values, std::size_t n_groups,
                                          std::size_t width) {
        if (width == reduction_width) { // one lane: the sums stay in registers
            S p[reduction_width];
            for (std::size_t j = 0; j < reduction_width; ++j) p[j] = partials[j];
            for (std::size_t g = 0; g < n_groups; ++g)
                for (std::size_t j = 0; j < reduction_width; ++j) p[j] += values[g * reduction_width + j];
            for (std::size_t j = 0; j < reduction_width; ++j) partials[j] = p[j];
        } else {
            for (std::size_t g = 0; g < n_groups; ++g)
                for (std::size_t j = 0; j < width; ++j) partials[j] += values[g * width + j];
        }
    }

    static VESSIOT_INLINE void add(const S* __restrict from, S* __restrict to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
    }
};

// The same text for one kind of machine.
// NOLINTBEGIN(bugprone-macro-parentheses): an attribute in parentheses is none
#define VESSIOT_COMPILE_FOR(NAME, TARGET)                                                                              \
    template <class S> struct NAME {                                                                                   \
        TARGET static void apply(Op op, const S* a, const S* b, const S* c, S* out, std::size_t n) {                   \
            Text<S>::apply(op, a, b, c, out, n);                                                                       \
        }                                                                                                              \
        TARGET static void accumulate(S* partials, const S* values, std::size_t n_groups, std::size_t width) {         \
            Text<S>::accumulate(partials, values, n_groups, width);                                                    \
        }                                                                                                              \
        TARGET static void add(const S* from, S* to, std::size_t n) {                                                  \
            Text<S>::add(from, to, n);                                                                                 \
        }                                                                                                              \
        static constexpr BlockFunctions<S> functions{apply, accumulate, add};                                          \
    };

VESSIOT_COMPILE_FOR(Baseline, )
VESSIOT_COMPILE_FOR(Avx2, VESSIOT_FOR_AVX2)
VESSIOT_COMPILE_FOR(Avx512, VESSIOT_FOR_AVX512)
#undef VESSIOT_COMPILE_FOR
// NOLINTEND(bugprone-macro-parentheses)

} // namespace

template <class S> const BlockFunctions<S>& block_functions([[maybe_unused]] Simd widest) {
    if constexpr (std::is_same_v<S, double>) {
        if (widest == Simd::avx512) return Avx512<S>::functions;
        if (widest == Simd::avx2) return Avx2<S>::functions;
    }
    return Baseline<S>::functions;
}

template const BlockFunctions<double>& block_functions<double>(Simd);
template const BlockFunctions<Quad>& block_functions<Quad>(Simd);

} // namespace vessiot::expr
