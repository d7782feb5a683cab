#include "expr/interpreter/interpreter.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace vessiot::expr {

namespace {

// Families this short are written out and run as straight-line code: a block would be mostly overhead. So are those
// that call functions of the user, which take one instance at a time.
constexpr std::int64_t few_instances = 8;

bool is_run(const Loop& loop) {
    return loop.n_instances() <= few_instances ||
           std::ranges::any_of(loop.body, [](const Instruction& i) { return i.op == Op::call; });
}

} // namespace

template <class S>
Interpreter<S>::Interpreter(std::shared_ptr<const Kernel> kernel, int lanes, Simd widest)
    : kernel_(std::move(kernel)), lanes_(lanes) {
    if (lanes < 1) throw std::invalid_argument(fmt::format("an interpreter needs at least one lane, not {}", lanes));
    std::size_t n_blocks = 0;
    for (const Loop& loop : kernel_->loops) {
        if (is_run(loop))
            loops_.emplace_back(std::in_place_type<RunProgram<S>>, *kernel_, loop, lanes, widest);
        else
            loops_.emplace_back(BlockLoop{BlockProgram<S>(*kernel_, loop, lanes, widest), n_blocks++});
    }
    for (const auto& numbers : kernel_->literals) {
        literals_.emplace_back();
        for (const Quad x : numbers) literals_.back().insert(literals_.back().end(), lanes, static_cast<S>(x));
    }
}

template <class S> Workspace<S> Interpreter<S>::make_workspace() const {
    Workspace<S> w;
    for (const auto& loop : loops_) {
        if (const auto* run = std::get_if<RunProgram<S>>(&loop))
            run->reserve(*kernel_, w.run);
        else
            w.blocks.push_back(std::get<BlockLoop>(loop).program.make_memory(*kernel_));
    }
    for (const Buffer& buffer : kernel_->buffers) {
        S* own = nullptr;
        if (buffer.role == BufferRole::scratch) {
            w.scratch.emplace_back(buffer.size * lanes_, S(0));
            own = w.scratch.back().data();
        } else if (buffer.role == BufferRole::literal) {
            own = const_cast<S*>(literals_[buffer.literal].data()); // never written to: check() sees to that
        }
        w.own.push_back(own);
    }
    w.buffers.resize(w.own.size());
    return w;
}

template <class S> void Interpreter<S>::operator()(S* const* buffers, Workspace<S>& w) const {
    for (std::size_t b = 0; b < w.own.size(); ++b) w.buffers[b] = buffers[b] ? buffers[b] : w.own[b];
    for (const auto& loop : loops_) {
        if (const auto* run = std::get_if<RunProgram<S>>(&loop)) {
            (*run)(w.buffers.data(), w.run);
        } else {
            const auto& block = std::get<BlockLoop>(loop);
            block.program(w.buffers.data(), w.blocks[block.memory]);
        }
    }
}

template class Interpreter<double>;
template class Interpreter<Quad>;

} // namespace vessiot::expr
