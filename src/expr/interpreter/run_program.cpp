#include "expr/interpreter/run_program.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "expr/interpreter/arithmetic.hpp"

#include "expr/functions/vmath.hpp"

namespace vessiot::expr {

// The loops; L = 0 stands for a number of lanes known at run time only.
template <class S, int L> struct RunExecutor {
    using Program = RunProgram<S>;
    using Run = typename Program::Run;

    template <class F> static VESSIOT_INLINE void for_lanes(std::size_t lanes, F f) {
        if constexpr (L > 0) {
            for (std::size_t l = 0; l < L; ++l) f(l);
        } else {
            // NOTE: no loop for the rest: the compiler would prepare it for many lanes, which costs more than it saves.
            std::size_t l = 0;
            for (; l + 4 <= lanes; l += 4) f(l), f(l + 1), f(l + 2), f(l + 3);
            if (lanes & 2) f(l), f(l + 1), l += 2;
            if (lanes & 1) f(l);
        }
    }

    // NOTE: a run may use its own results as operands (a long sum is one run), so the compiler must not assume that
    // results and operands lie apart; only the lanes of one operation are independent.
    template <class F>
    static VESSIOT_INLINE void arithmetic_run(F f, const Run& run, const std::uint32_t* places, S* values,
                                              std::size_t lanes) {
        const std::size_t n = L > 0 ? L : lanes;
        S* out = values + run.result;
        const S zero = 0;
        for (std::size_t k = 0; k < run.count; ++k, out += n) {
            if constexpr (requires { f(zero); }) {
                one(f, values + places[k], out, n);
            } else if constexpr (requires { f(zero, zero); }) {
                one(f, values + places[2 * k], values + places[2 * k + 1], out, n);
            } else {
                one(f, values + places[3 * k], values + places[3 * k + 1], values + places[3 * k + 2], out, n);
            }
        }
    }

    template <class F> static VESSIOT_INLINE void one(F f, const S* __restrict a, S* __restrict out, std::size_t n) {
        for_lanes(n, [&](std::size_t l) __attribute__((always_inline)) { out[l] = f(a[l]); });
    }
    template <class F>
    static VESSIOT_INLINE void one(F f, const S* __restrict a, const S* __restrict b, S* __restrict out,
                                   std::size_t n) {
        for_lanes(n, [&](std::size_t l) __attribute__((always_inline)) { out[l] = f(a[l], b[l]); });
    }
    template <class F>
    static VESSIOT_INLINE void one(F f, const S* __restrict a, const S* __restrict b, const S* __restrict c,
                                   S* __restrict out, std::size_t n) {
        for_lanes(n, [&](std::size_t l) __attribute__((always_inline)) { out[l] = f(a[l], b[l], c[l]); });
    }

    static VESSIOT_INLINE void copy(const S* __restrict from, S* __restrict to, std::size_t lanes) {
        for_lanes(lanes, [&](std::size_t l) __attribute__((always_inline)) { to[l] = from[l]; });
    }

    static VESSIOT_INLINE void elementary_run(const Run& run, const std::uint32_t* places, S* values, S* operands,
                                              std::size_t lanes) {
        const std::size_t n = L > 0 ? L : lanes;
        if (arity(run.op) == 1) {
            for (std::size_t k = 0; k < run.count; ++k) copy(values + places[k], operands + k * n, n);
            apply_block(run.op, operands, nullptr, values + run.result, run.count * n);
        } else {
            S* second = operands + run.count * n;
            for (std::size_t k = 0; k < run.count; ++k) {
                copy(values + places[2 * k], operands + k * n, n);
                copy(values + places[2 * k + 1], second + k * n, n);
            }
            apply_block(run.op, operands, second, values + run.result, run.count * n);
        }
    }

    static VESSIOT_INLINE void read_run(const Run& run, const std::uint32_t* places, const S* buffer, S* values,
                                        std::size_t lanes) {
        const std::size_t n = L > 0 ? L : lanes;
        S* out = values + run.result;
        if (run.is_contiguous)
            std::memcpy(out, buffer + places[0], run.count * n * sizeof(S));
        else
            for (std::size_t k = 0; k < run.count; ++k) copy(buffer + places[k], out + k * n, n);
    }

    static VESSIOT_INLINE void store_run(const Run& run, const std::uint32_t* places, const S* values, S* buffer,
                                         std::size_t lanes) {
        if (run.op == Op::add)
            for (std::size_t k = 0; k < run.count; ++k) {
                const S* __restrict from = values + places[2 * k];
                S* __restrict to = buffer + places[2 * k + 1];
                for_lanes(lanes, [&](std::size_t l) __attribute__((always_inline)) { to[l] += from[l]; });
            }
        else
            for (std::size_t k = 0; k < run.count; ++k) copy(values + places[2 * k], buffer + places[2 * k + 1], lanes);
    }

    static void call_run(const Program& program, const Run& run, S* values, RunMemory<S>& memory, std::size_t lanes) {
        for (std::size_t k = run.operands; k < run.operands + run.count; ++k) {
            const auto& call = program.calls_[k];
            for (std::size_t l = 0; l < lanes; ++l) {
                for (std::size_t a = 0; a < call.arguments.size(); ++a)
                    memory.arguments[a] = static_cast<double>(values[call.arguments[a] + l]);
                (*call.function)(memory.arguments.data(), memory.results.data(), memory.externals[call.external].get());
                for (const auto& r : call.results) values[r.place + l] = S(memory.results[r.number]);
            }
        }
    }

    static VESSIOT_INLINE void execute(const Program& program, S* const* buffers, RunMemory<S>& memory) {
        const std::size_t lanes = L > 0 ? L : program.lanes_;
        S* const values = memory.values.data();
        for (const Run& run : program.runs_) {
            const std::uint32_t* places = program.places_.data() + run.operands; // not of calls
            if (run.op == Op::read)
                read_run(run, places, buffers[run.buffer], values, lanes);
            else if (is_elementary(run.op))
                elementary_run(run, places, values, memory.operands.data(), lanes);
            else
                arithmetic::dispatch(
                    run.op,
                    [&](auto f) __attribute__((always_inline)) { arithmetic_run(f, run, places, values, lanes); },
                    [&] {
                        if (run.op == Op::call) call_run(program, run, values, memory, lanes);
                    });
        }
        for (const Run& run : program.stores_)
            store_run(run, program.places_.data() + run.operands, values, buffers[run.buffer], lanes);
    }

    static void baseline(const Program& p, S* const* b, RunMemory<S>& m) { execute(p, b, m); }
    VESSIOT_FOR_AVX2 static void avx2(const Program& p, S* const* b, RunMemory<S>& m) { execute(p, b, m); }
    VESSIOT_FOR_AVX512 static void avx512(const Program& p, S* const* b, RunMemory<S>& m) { execute(p, b, m); }
};

template <class S>
RunProgram<S>::RunProgram(const Kernel& kernel, const Loop& loop, int lanes, Simd widest) : lanes_(lanes) {
    const FlatProgram flat = flatten(kernel, loop);
    place_of_.assign(flat.body.size(), 0);
    n_values_ = static_cast<std::uint32_t>(kernel.constants.size() + 1);
    add_leaves(flat);
    add_runs(kernel, flat);
    add_stores(flat);
    place(n_values_);
    place_of_ = {};
    choose_executor(widest);
}

template <class S> std::uint32_t RunProgram<S>::place(std::uint64_t number) const {
    const std::uint64_t result = number * static_cast<std::uint64_t>(lanes_);
    if (result > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a kernel without families has too many values; use families or fewer lanes");
    return static_cast<std::uint32_t>(result);
}

// Constants have their place from the start; reads are copied there, sorted, so that neighbours are copied together.
template <class S> void RunProgram<S>::add_leaves(const FlatProgram& flat) {
    std::vector<std::uint32_t> reads;
    for (std::uint32_t k = 0; k < flat.body.size(); ++k) {
        if (flat.body[k].op == Op::constant) place_of_[k] = place(flat.body[k].a);
        if (flat.body[k].op == Op::read) reads.push_back(k);
    }
    const auto element = [&](std::uint32_t k) { return flat.reads[flat.body[k].a]; };
    std::sort(reads.begin(), reads.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto x = element(a), y = element(b);
        return x.buffer != y.buffer ? x.buffer < y.buffer : x.index < y.index;
    });
    for (std::size_t r = 0; r < reads.size(); ++r) {
        const auto e = element(reads[r]);
        if (r == 0 || e.buffer != runs_.back().buffer)
            runs_.push_back(
                {Op::read, e.buffer, place(n_values_), 0, static_cast<std::uint32_t>(places_.size()), true});
        else if (e.index != element(reads[r - 1]).index + 1)
            runs_.back().is_contiguous = false;
        ++runs_.back().count;
        places_.push_back(place(e.index));
        place_of_[reads[r]] = place(n_values_++);
    }
}

template <class S> void RunProgram<S>::add_runs(const Kernel& kernel, const FlatProgram& flat) {
    const RunSchedule schedule = schedule_runs(flat.body);
    for (const auto& r : schedule.runs) {
        if (r.op == Op::argument) continue; // calls look for what is in a list themselves
        if (r.op == Op::call) {
            add_calls(kernel, flat, std::span(schedule.order).subspan(r.first, r.count));
            continue;
        }
        runs_.push_back({r.op, 0, place(n_values_), r.count, static_cast<std::uint32_t>(places_.size()), false});
        for (auto n = r.first; n < r.first + r.count; ++n) {
            const Instruction& i = flat.body[schedule.order[n]];
            const std::uint32_t operands[] = {i.a, i.b, i.c};
            for (int o = 0; o < arity(r.op); ++o) places_.push_back(place_of_[operands[o]]);
            place_of_[schedule.order[n]] = place(n_values_++);
        }
        if (is_elementary(r.op)) longest_elementary_ = std::max(longest_elementary_, r.count);
    }
}

// Results of one function at the same arguments are those of one evaluation.
template <class S>
void RunProgram<S>::add_calls(const Kernel& kernel, const FlatProgram& flat,
                              std::span<const std::uint32_t> instructions) {
    const auto first = static_cast<std::uint32_t>(calls_.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known; // by function and list
    for (const std::uint32_t k : instructions) {
        const Instruction& i = flat.body[k];
        const auto [at, is_new] = known.try_emplace({i.b, i.a}, calls_.size());
        if (is_new) {
            Call& call = calls_.emplace_back(kernel.externals[i.b].get(), i.b);
            call.arguments.resize(static_cast<std::size_t>(call.function->n_arguments()));
            std::uint32_t list = i.a;
            for (std::size_t a = call.arguments.size(); a-- > 1; list = flat.body[list].a)
                call.arguments[a] = place_of_[flat.body[list].b];
            call.arguments[0] = place_of_[list];
        }
        place_of_[k] = place(n_values_++);
        calls_[at->second].results.push_back({i.c, place_of_[k]});
    }
    runs_.push_back({Op::call, 0, 0, static_cast<std::uint32_t>(calls_.size()) - first, first, false});
}

template <class S> void RunProgram<S>::add_stores(const FlatProgram& flat) {
    // NOTE: two stores may add to one element: within a buffer their order is kept.
    std::vector<std::uint32_t> order(flat.stores.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t s) {
        return 2 * std::uint64_t(flat.stores[s].to.buffer) + flat.stores[s].is_add;
    };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    for (std::size_t n = 0; n < order.size(); ++n) {
        const FlatProgram::Store& store = flat.stores[order[n]];
        if (n == 0 || key(order[n]) != key(order[n - 1]))
            stores_.push_back({store.is_add ? Op::add : Op::read, store.to.buffer, 0, 0,
                               static_cast<std::uint32_t>(places_.size()), false});
        ++stores_.back().count;
        places_.push_back(place_of_[store.value]);
        places_.push_back(place(store.to.index));
    }
}

template <class S> void RunProgram<S>::choose_executor([[maybe_unused]] Simd widest) {
    const auto choose = [&]<int L>(RunExecutor<S, L>) {
        using E = RunExecutor<S, L>;
        // NOTE: one lane has nothing to vectorise, and 128-bit floats have no vector unit.
        if constexpr (L == 1 || !std::is_same_v<S, double>)
            return E::baseline;
        else
            return widest == Simd::avx512 ? E::avx512 : widest == Simd::avx2 ? E::avx2 : E::baseline;
    };
    execute_ = lanes_ == 1   ? choose(RunExecutor<S, 1>{})
               : lanes_ == 4 ? choose(RunExecutor<S, 4>{})
               : lanes_ == 8 ? choose(RunExecutor<S, 8>{})
                             : choose(RunExecutor<S, 0>{});
}

template <class S> void RunProgram<S>::reserve(const Kernel& kernel, RunMemory<S>& memory) const {
    const std::size_t lanes = lanes_;
    if (memory.values.size() < n_values_ * lanes) memory.values.resize(n_values_ * lanes, S(0));
    for (std::size_t c = 0; c < kernel.constants.size(); ++c)
        std::fill_n(memory.values.begin() + c * lanes, lanes, static_cast<S>(kernel.constants[c]));
    const std::size_t operands = 2 * lanes * longest_elementary_;
    if (memory.operands.size() < operands) memory.operands.resize(operands);
    for (const Call& call : calls_) {
        const auto n = static_cast<std::size_t>(call.function->n_results());
        if (memory.arguments.size() < call.arguments.size()) memory.arguments.resize(call.arguments.size());
        if (memory.results.size() < n) memory.results.resize(n);
        if (memory.externals.empty())
            for (const auto& function : kernel.externals) memory.externals.push_back(function->make_memory());
    }
}

template class RunProgram<double>;
template class RunProgram<Quad>;

} // namespace vessiot::expr
