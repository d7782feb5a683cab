#include "expr/interpreter/block_program_maker.hpp"

#include <algorithm>
#include <limits>

namespace vessiot::expr {

namespace {

// The slots of a block should stay in the first-level cache next to the data they are made of.
constexpr std::size_t slots_bytes = 24576;
constexpr std::int64_t largest_block = 256;
// Segments shorter than this get their addresses written out: a table is read faster than many short pieces are set up.
constexpr std::int64_t short_segment = 16;

} // namespace

template <class S> void BlockProgramMaker<S>::make() {
    program_.n_instances_ = loop_.n_instances();
    program_.slot_of_.assign(loop_.body.size(), BlockProgram<S>::no_slot);
    make_accesses();
    find_live();
    find_uniform();
    make_steps();
    choose_block_size();
}

template <class S> void BlockProgramMaker<S>::make_accesses() {
    program_.tables_.reserve(loop_.addresses.size());
    for (std::uint32_t k = 0; k < loop_.addresses.size(); ++k) {
        program_.accesses_.push_back(make_access(k));
        program_.needs_pieces_ |= program_.accesses_.back().rule == Access::Rule::pieces;
    }
}

template <class S> auto BlockProgramMaker<S>::make_access(std::uint32_t k) -> Access {
    const Address& address = loop_.addresses[k];
    Access access{Access::Rule::table, address.buffer, k, 0, address.stride, nullptr};
    if (address.table >= 0) {
        access.table = loop_.tables[address.table].data();
        return access;
    }
    const std::size_t n = loop_.addresses.size();
    // Often a segment goes on where the last one ended, as the rows of a matrix do.
    bool is_affine = true;
    std::int64_t instance = 0;
    for (std::size_t s = 0; s < loop_.lengths.size() && is_affine; instance += loop_.lengths[s++])
        is_affine = loop_.starts[s * n + k] == loop_.starts[k] + address.stride * instance;
    if (is_affine) {
        access.rule = Access::Rule::affine;
        access.start = loop_.starts[k];
        return access;
    }
    const auto n_segments = static_cast<std::int64_t>(loop_.lengths.size());
    if (program_.n_instances_ >= short_segment * n_segments ||
        kernel_.buffers[address.buffer].size > std::numeric_limits<std::int32_t>::max()) {
        access.rule = Access::Rule::pieces;
        return access;
    }
    program_.tables_.push_back(written_out(k));
    access.table = program_.tables_.back().data();
    return access;
}

template <class S> std::vector<std::int32_t> BlockProgramMaker<S>::written_out(std::uint32_t k) const {
    std::vector<std::int32_t> table;
    table.reserve(program_.n_instances_);
    for (std::size_t s = 0; s < loop_.lengths.size(); ++s)
        for (std::int64_t i = 0; i < loop_.lengths[s]; ++i)
            table.push_back(static_cast<std::int32_t>(loop_.starts[s * loop_.addresses.size() + k] +
                                                      loop_.addresses[k].stride * i));
    return table;
}

template <class S> void BlockProgramMaker<S>::find_live() {
    live_.assign(loop_.body.size(), false);
    last_use_.assign(loop_.body.size(), 0);
    stores_of_.resize(loop_.body.size());
    for (std::uint32_t s = 0; s < loop_.stores.size(); ++s) {
        const Store& store = loop_.stores[s];
        live_[store.value] = true;
        stores_of_[store.value].push_back(s);
        reduction_of_.push_back(static_cast<std::uint32_t>(program_.reductions_.size()));
        if (store.mode == StoreMode::reduce) program_.reductions_.push_back(store.address);
    }
    program_.needs_pieces_ |= !program_.reductions_.empty();
    for (auto v = static_cast<std::uint32_t>(loop_.body.size()); v-- > 0;)
        if (live_[v])
            for_operands(v, [&](std::uint32_t o) {
                live_[o] = true;
                last_use_[o] = std::max(last_use_[o], v);
            });
}

template <class S> void BlockProgramMaker<S>::find_uniform() {
    uniform_.assign(loop_.body.size(), false);
    for (std::uint32_t v = 0; v < loop_.body.size(); ++v) {
        const Instruction& i = loop_.body[v];
        if (i.op == Op::constant) {
            uniform_[v] = true;
        } else if (i.op == Op::read) {
            const Access& access = program_.accesses_[i.a];
            uniform_[v] = access.rule == Access::Rule::affine && access.stride == 0;
        } else {
            bool all = true;
            for_operands(v, [&](std::uint32_t o) { all = all && uniform_[o]; });
            uniform_[v] = all;
        }
    }
}

// NOTE: uniform values come first and keep their slots; the other slots are used again once a value has had its last
// use.
template <class S> void BlockProgramMaker<S>::make_steps() {
    for (const bool is_prologue : {true, false})
        for (std::uint32_t v = 0; v < loop_.body.size(); ++v) {
            if (live_[v] && uniform_[v] == is_prologue) add_value(v);
            if (live_[v] && !is_prologue) free_operands(v);
        }
}

template <class S> void BlockProgramMaker<S>::add_value(std::uint32_t v) {
    const Instruction& i = loop_.body[v];
    Step step;
    step.op = i.op;
    step.out = v;
    step.a = i.a, step.b = arity(i.op) > 1 ? i.b : i.a, step.c = arity(i.op) > 2 ? i.c : i.a;
    bool is_in_buffer = false;
    if (i.op == Op::read) {
        const Access& access = program_.accesses_[i.a];
        is_in_buffer = access.rule == Access::Rule::affine && access.stride == 1;
        step.kind = Step::Kind::read;
        step.access = i.a;
    } else if (i.op != Op::constant && !uniform_[v] && has_direct_store(v)) {
        is_in_buffer = step.is_direct = true;
        step.access = loop_.stores[stores_of_[v].front()].address;
    }
    if (!is_in_buffer) program_.slot_of_[v] = step.slot = new_slot();
    if (i.op == Op::constant)
        program_.constants_.emplace_back(v, i.a);
    else
        (uniform_[v] ? program_.prologue_ : program_.steps_).push_back(step);
    add_stores_of(v, step.is_direct);
}

template <class S> bool BlockProgramMaker<S>::has_direct_store(std::uint32_t v) const {
    if (stores_of_[v].empty()) return false;
    const Store& store = loop_.stores[stores_of_[v].front()];
    const Access& access = program_.accesses_[store.address];
    return store.mode == StoreMode::assign && access.rule == Access::Rule::affine && access.stride == 1;
}

// NOTE: stored at once, so that the slot is soon free again; nothing in a loop reads what the loop writes.
template <class S> void BlockProgramMaker<S>::add_stores_of(std::uint32_t v, bool first_is_direct) {
    for (std::size_t n = first_is_direct ? 1 : 0; n < stores_of_[v].size(); ++n) {
        const std::uint32_t s = stores_of_[v][n];
        const Store& store = loop_.stores[s];
        Step step;
        step.kind = store.mode == StoreMode::assign ? Step::Kind::assign
                    : store.mode == StoreMode::add  ? Step::Kind::add
                                                    : Step::Kind::reduce;
        step.a = v;
        step.access = store.address;
        step.out = reduction_of_[s];
        program_.steps_.push_back(step);
    }
}

template <class S> std::uint32_t BlockProgramMaker<S>::new_slot() {
    if (free_slots_.empty()) return program_.n_slots_++;
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
}

// After the result got its slot, so that an operation never writes where it reads.
template <class S> void BlockProgramMaker<S>::free_operands(std::uint32_t v) {
    const auto release = [&](std::uint32_t o) {
        if (uniform_[o] || program_.slot_of_[o] == BlockProgram<S>::no_slot) return;
        if (std::find(free_slots_.begin(), free_slots_.end(), program_.slot_of_[o]) == free_slots_.end())
            free_slots_.push_back(program_.slot_of_[o]);
    };
    for_operands(v, [&](std::uint32_t o) {
        if (last_use_[o] == v) release(o);
    });
    if (last_use_[v] == 0) release(v); // used by stores only, and these are done
}

template <class S> void BlockProgramMaker<S>::choose_block_size() {
    const std::size_t instance_bytes = std::max<std::size_t>(1, program_.n_slots_) * program_.lanes_ * sizeof(S);
    const auto fitting = static_cast<std::int64_t>(slots_bytes / instance_bytes) / reduction_width * reduction_width;
    const std::int64_t all = (program_.n_instances_ + reduction_width - 1) / reduction_width * reduction_width;
    program_.block_size_ = std::min(all, std::clamp<std::int64_t>(fitting, reduction_width, largest_block));
    // NOTE: a cache line between the slots keeps them from competing for the same places in the cache.
    program_.slot_size_ = program_.block_size_ * program_.lanes_ + 64 / sizeof(S);
}

template class BlockProgramMaker<double>;
template class BlockProgramMaker<Quad>;

} // namespace vessiot::expr
