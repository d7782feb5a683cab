// What the two files of Elaboration share.
#pragma once

#include "model/elaboration.hpp"

namespace vessiot {

// Goes back to the loops, conditions and formulas at the time of its making.
class Elaboration::Scope {
public:
    explicit Scope(Elaboration& owner) : frame_(*owner.frame_), mark_(frame_.nest.mark()), open_(frame_.open) {
        frame_.scopes.emplace_back();
    }
    ~Scope() {
        frame_.nest.reset(mark_);
        frame_.scopes.pop_back();
        frame_.open = std::move(open_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    const lang::LoopNest::Mark& mark() const { return mark_; }

private:
    Frame& frame_;
    lang::LoopNest::Mark mark_;
    std::map<std::uint32_t, expr::VarId> open_;
};

// Counts how deep a recursion is.
class Nesting {
public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    int& depth_;
};

} // namespace vessiot
