#include "expr/interpreter/block_program.hpp"

#include <algorithm>
#include <cstring>

#include "expr/functions/vmath.hpp"
#include "expr/interpreter/block_program_maker.hpp"
#include "expr/interpreter/simd.hpp"

namespace vessiot::expr {

// Executes the steps; L = 0 stands for a number of lanes known at run time only.
template <class S, int L> struct BlockExecutor {
    using Program = BlockProgram<S>;
    using Memory = BlockMemory<S>;
    using Piece = typename Memory::Piece;
    using Step = typename Program::Step;
    using Access = typename Program::Access;

    const Program& program;
    S* const* buffers;
    Memory& memory;
    const BlockFunctions<S>& functions;
    const std::int64_t lanes;
    // the current block
    std::int64_t instance = 0; // its first, counted over all segments
    std::int64_t count = 0;

    static void execute(const Program& program, S* const* buffers, Memory& memory) {
        BlockExecutor e{program, buffers, memory, *program.functions_, L > 0 ? L : program.lanes_};
        e.run();
    }

    void run() {
        count = std::min(program.block_size_, program.n_instances_);
        for (const Step& step : program.prologue_) run_step(step);
        std::size_t segment = 0;
        for (std::int64_t i = 0; instance < program.n_instances_; instance += count) {
            if (program.needs_pieces_)
                take_pieces(segment, i);
            else
                count = std::min(program.block_size_, program.n_instances_ - instance);
            for (const Step& step : program.steps_) run_step(step);
            if (!program.reductions_.empty()) add_reductions();
        }
    }

    // The next block, from instance i of a segment on; moves both on.
    void take_pieces(std::size_t& segment, std::int64_t& i) {
        const auto& lengths = program.loop_->lengths;
        memory.n_pieces = 0;
        count = 0;
        while (segment < lengths.size()) {
            const std::int64_t room = program.block_size_ - count, left = lengths[segment] - i;
            std::int64_t take = std::min(left, room);
            if (take < left) {
                take = take / reduction_width * reduction_width;
                // A long segment is better served by blocks of its own, unless this one would be nearly empty.
                if (take == 0 || (count >= program.block_size_ / 2 && left >= program.block_size_)) break;
            }
            memory.pieces[memory.n_pieces++] = {segment, i, take, count, take == left};
            count += take;
            i += take;
            if (take == left) {
                ++segment;
                i = 0;
            }
        }
    }

    std::size_t n_numbers() const { return static_cast<std::size_t>(count * lanes); }

    VESSIOT_INLINE void run_step(const Step& step) {
        switch (step.kind) {
        case Step::Kind::operation: return operate(step);
        case Step::Kind::read: return read(step);
        case Step::Kind::assign: return store<false>(program.accesses_[step.access], memory.values[step.a]);
        case Step::Kind::add: return store<true>(program.accesses_[step.access], memory.values[step.a]);
        case Step::Kind::reduce: return reduce(step.out, memory.values[step.a]);
        }
    }

    VESSIOT_INLINE void operate(const Step& step) {
        S* const* values = memory.values.data();
        if (step.is_direct) memory.values[step.out] = element(program.accesses_[step.access], instance);
        if (is_elementary(step.op))
            apply_block(step.op, values[step.a], values[step.b], values[step.out], n_numbers());
        else
            functions.apply(step.op, values[step.a], values[step.b], values[step.c], values[step.out], n_numbers());
    }

    // --- addresses ---

    // Of an affine access: at an instance counted over all segments.
    S* element(const Access& access, std::int64_t n) const {
        return buffers[access.buffer] + (access.start + access.stride * n) * lanes;
    }

    S* element(const Access& access, const Piece& piece) const {
        const Loop& loop = *program.loop_;
        const std::int64_t start = loop.starts[piece.segment * loop.addresses.size() + access.address];
        return buffers[access.buffer] + (start + access.stride * piece.first) * lanes;
    }

    template <class F> VESSIOT_INLINE void for_lanes(F f) const {
        const std::int64_t n = L > 0 ? L : lanes;
        for (std::int64_t l = 0; l < n; ++l) f(l);
    }

    // --- reads ---

    void read(const Step& step) {
        const Access& access = program.accesses_[step.access];
        S*& value = memory.values[step.out];
        switch (access.rule) {
        case Access::Rule::affine:
            if (access.stride == 1)
                value = element(access, instance);
            else
                gather(element(access, instance), access.stride, value, count);
            return;
        case Access::Rule::table: return gather(buffers[access.buffer], access.table + instance, value);
        case Access::Rule::pieces:
            if (memory.n_pieces == 1 && access.stride == 1) {
                value = element(access, memory.pieces[0]);
                return;
            }
            value = memory.slots.data() + step.slot * program.slot_size_;
            for (std::size_t p = 0; p < memory.n_pieces; ++p) {
                const Piece& piece = memory.pieces[p];
                gather(element(access, piece), access.stride, value + piece.offset * lanes, piece.count);
            }
        }
    }

    void gather(const S* __restrict from, std::int64_t stride, S* __restrict to, std::int64_t n) const {
        if (stride == 1) {
            std::memcpy(to, from, n * lanes * sizeof(S));
            return;
        }
        const std::int64_t step = stride * (L > 0 ? L : lanes), width = L > 0 ? L : lanes;
        for (std::int64_t i = 0; i < n; ++i)
            for_lanes([&](std::int64_t l) __attribute__((always_inline)) { to[i * width + l] = from[i * step + l]; });
    }

    void gather(const S* __restrict from, const std::int32_t* table, S* __restrict to) const {
        const std::int64_t width = L > 0 ? L : lanes;
        for (std::int64_t i = 0; i < count; ++i) {
            const S* place = from + table[i] * width;
            for_lanes([&](std::int64_t l) __attribute__((always_inline)) { to[i * width + l] = place[l]; });
        }
    }

    // --- stores ---

    template <bool is_add> void store(const Access& access, const S* value) const {
        switch (access.rule) {
        case Access::Rule::affine: return scatter<is_add>(value, element(access, instance), access.stride, count);
        case Access::Rule::table: return scatter<is_add>(value, buffers[access.buffer], access.table + instance);
        case Access::Rule::pieces:
            for (std::size_t p = 0; p < memory.n_pieces; ++p) {
                const Piece& piece = memory.pieces[p];
                scatter<is_add>(value + piece.offset * lanes, element(access, piece), access.stride, piece.count);
            }
        }
    }

    template <bool is_add> static VESSIOT_INLINE void put(S& to, const S& value) {
        if constexpr (is_add)
            to += value;
        else
            to = value;
    }

    template <bool is_add> void scatter(const S* from, S* to, std::int64_t stride, std::int64_t n) const {
        if (stride == 1) {
            if constexpr (is_add)
                functions.add(from, to, n * lanes);
            else
                std::memcpy(to, from, n * lanes * sizeof(S));
            return;
        }
        const std::int64_t step = stride * (L > 0 ? L : lanes), width = L > 0 ? L : lanes;
        for (std::int64_t i = 0; i < n; ++i)
            for_lanes([&](std::int64_t l)
                          __attribute__((always_inline)) { put<is_add>(to[i * step + l], from[i * width + l]); });
    }

    template <bool is_add> void scatter(const S* from, S* to, const std::int32_t* table) const {
        const std::int64_t width = L > 0 ? L : lanes;
        for (std::int64_t i = 0; i < count; ++i) {
            S* place = to + table[i] * width;
            for_lanes([&](std::int64_t l)
                          __attribute__((always_inline)) { put<is_add>(place[l], from[i * width + l]); });
        }
    }

    // --- reductions ---

    void reduce(std::uint32_t r, const S* value) const {
        const std::int64_t width = reduction_width * lanes;
        S* partials = memory.partials.data() + r * width;
        for (std::size_t p = 0; p < memory.n_pieces; ++p) {
            const Piece& piece = memory.pieces[p];
            if (piece.first == 0) std::fill_n(partials, width, S(0));
            const S* from = value + piece.offset * lanes;
            const std::int64_t n_groups = piece.count / reduction_width;
            if (n_groups > 0) functions.accumulate(partials, from, n_groups, width);
            for (std::int64_t j = n_groups * width; j < piece.count * lanes; ++j)
                partials[j - n_groups * width] += from[j];
            if (piece.is_last) sum_up(partials, memory.sums.data() + (r * memory.pieces.size() + p) * lanes);
        }
    }

    void sum_up(const S* partials, S* sum) const {
        for (std::int64_t l = 0; l < lanes; ++l) {
            const auto p = [&](int j) { return partials[j * lanes + l]; };
            sum[l] = ((p(0) + p(4)) + (p(2) + p(6))) + ((p(1) + p(5)) + (p(3) + p(7)));
        }
    }

    // Segment after segment, and within it store after store: two reductions may go to the same element.
    void add_reductions() const {
        const Loop& loop = *program.loop_;
        for (std::size_t p = 0; p < memory.n_pieces; ++p) {
            const Piece& piece = memory.pieces[p];
            if (!piece.is_last) continue;
            for (std::size_t r = 0; r < program.reductions_.size(); ++r) {
                const std::uint32_t k = program.reductions_[r];
                S* to =
                    buffers[loop.addresses[k].buffer] + loop.starts[piece.segment * loop.addresses.size() + k] * lanes;
                const S* sum = memory.sums.data() + (r * memory.pieces.size() + p) * lanes;
                for (std::int64_t l = 0; l < lanes; ++l) to[l] += sum[l];
            }
        }
    }
};

template <class S>
BlockProgram<S>::BlockProgram(const Kernel& kernel, const Loop& loop, int lanes, Simd widest)
    : loop_(&loop), lanes_(lanes), functions_(&block_functions<S>(widest)) {
    BlockProgramMaker<S>(kernel, loop, *this).make();
    execute_ = lanes == 1   ? BlockExecutor<S, 1>::execute
               : lanes == 4 ? BlockExecutor<S, 4>::execute
               : lanes == 8 ? BlockExecutor<S, 8>::execute
                            : BlockExecutor<S, 0>::execute;
}

template <class S> BlockMemory<S> BlockProgram<S>::make_memory(const Kernel& kernel) const {
    BlockMemory<S> memory;
    memory.slots.assign(n_slots_ * slot_size_, S(0));
    for (const std::uint32_t slot : slot_of_)
        memory.values.push_back(slot == no_slot ? nullptr : memory.slots.data() + slot * slot_size_);
    for (const auto& [value, constant] : constants_)
        std::fill_n(memory.values[value], block_size_ * lanes_, static_cast<S>(kernel.constants[constant]));
    if (needs_pieces_) memory.pieces.resize(block_size_);
    memory.partials.resize(reductions_.size() * reduction_width * lanes_);
    memory.sums.resize(reductions_.size() * memory.pieces.size() * lanes_);
    return memory;
}

template class BlockProgram<double>;
template class BlockProgram<Quad>;

} // namespace vessiot::expr
