// Evaluates a kernel on truncated power series (taylor_plan.hpp), order after order: for series that are known step by
// step, as those of the solution of a differential equation, and for any scalar type.
//
// Coefficient k of value v of a loop is at v (P + 1) + k, P the highest order, where there is one instance; of several,
// blocks of 8 lie one after the other, and in a block the 8 instances beside each other: all that a block needs is
// near, and its instances are lanes of vectors. Cost of order k: O(k) a value. Memory: (P + 1) times that of the
// values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/interpreter/block_functions.hpp"
#include "expr/interpreter/simd.hpp"
#include "expr/kernel/aligned.hpp"
#include "expr/series/taylor_native.hpp"
#include "expr/series/taylor_plan.hpp"

namespace vessiot::expr {

template <class S> class Taylor {
public:
    // Series up to order max_order >= 0.
    Taylor(TaylorPlan plan, int max_order, Simd widest = simd());
    Taylor(const Taylor&) = delete;
    Taylor& operator=(const Taylor&) = delete;
    Taylor(Taylor&&) = default;
    Taylor& operator=(Taylor&&) = default;

    int max_order() const { return max_order_; }
    const TaylorPlan& plan() const { return plan_; }

    // A flat input is read where the caller has it, from now on.
    void bind(std::uint32_t buffer, const S* values) { buffers_[buffer] = const_cast<S*>(values); } // only read
    // Coefficient k of a buffer. Those of inputs are set before order k is evaluated; of a flat buffer there is 0 only.
    S* coefficient(std::uint32_t buffer, int k) {
        return buffers_[buffer] + static_cast<std::size_t>(k) * sizes_[buffer];
    }

    // Where the curve goes from here, which decides about abs, min and max at their kinks: to s > 0, or to s < 0.
    void set_forward(bool is_forward) { is_forward_ = is_forward; }

    // Native code for orders above 0, from now on; it gives the same bits. False where there is none to be had, and
    // why.
    bool make_native(std::string& error);
    // The same, as soon as it pays.
    void expect_native() { patience_ = 1e6; }
    bool is_native() const { return native_ != nullptr; }

    // Coefficient k of all values and outputs; those below have been evaluated. Neither of them allocates.
    void evaluate(int k) { run(k, false); }
    // The same of what depends on late inputs, after their coefficient k was set.
    void reevaluate(int k) { run(k, true); }

private:
    template <class T, int B> friend struct TaylorExecutor;

    struct LoopMemory {
        std::int64_t n = 0;       // instances
        std::size_t lane = 0;     // from one coefficient to the next: 1, or 8
        std::size_t length = 0;   // from one value to the next: (P + 1) lane
        std::size_t block = 0;    // from one block to the next
        AlignedVector<S> values;  // of all steps
        AlignedVector<S> partial; // sums of reductions

        std::int64_t n_blocks() const { return n == 1 ? 1 : (n + 7) / 8; }
        int count(std::int64_t b) const { return n == 1 ? 1 : static_cast<int>(n - 8 * b < 8 ? n - 8 * b : 8); }
        // Coefficient k of a value in an instance.
        S& at(std::uint32_t v, int k, std::int64_t i) {
            const auto number = static_cast<std::size_t>(i);
            return values[(number >> 3U) * block + v * length + static_cast<std::size_t>(k) * lane + (number & 7U)];
        }
    };

    void run(int k, bool is_late);
    void run_steps(const TaylorLoop& loop, LoopMemory& memory, int k, bool is_late);
    void run_native(std::size_t l, int k, bool is_late);
    void spend();
    static void rule_for_native(void* context, std::uint64_t loop, std::uint64_t step, std::int64_t k,
                                std::int64_t first);
    void set_constants(const TaylorLoop& loop, LoopMemory& memory) const;
    void begin_value(const TaylorStep& step, const LoopMemory& memory, S* values, int count) const;
    void gather(const TaylorLoop& loop, LoopMemory& memory, const TaylorStep& step, int k) const;
    void store(const TaylorLoop& loop, LoopMemory& memory, std::size_t s, int k);

    TaylorPlan plan_;
    int max_order_;
    bool is_forward_ = true;
    double patience_ = 0; // values still to be interpreted before native code is made; 0: none is
    std::unique_ptr<NativeTaylor> native_;
    const BlockFunctions<S>* functions_;
    std::vector<LoopMemory> loops_;
    std::vector<AlignedVector<S>> memory_; // of the buffers that are not bound
    std::vector<S*> buffers_;
    std::vector<std::size_t> sizes_;
    using Executor = void (*)(const Taylor&, const LoopMemory&, const TaylorStep&, int k, S* values, int count);
    Executor rule_ = nullptr, rule_of_block_ = nullptr; // for one instance, and for a block
};

extern template class Taylor<double>;
extern template class Taylor<Quad>;

} // namespace vessiot::expr
