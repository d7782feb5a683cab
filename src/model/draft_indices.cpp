// Formulas of indices, and conditions.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "expr/functions/vmath.hpp"
#include "lang/syntax/number_text.hpp"
#include "model/draft.hpp"

namespace vessiot {

using expr::Op;

namespace {

constexpr int max_index_depth = 200;

} // namespace

// ---- indices ----

Index Draft::combine(DraftIndex::Kind kind, const Index& a, const Index& b) {
    using Kind = DraftIndex::Kind;
    const auto draft = common(a.draft_, b.draft_);
    const auto constant = [&](const Index& i) -> const std::int64_t* {
        if (!i.draft_) return &i.constant_;
        const DraftIndex& n = draft->index_nodes_[i.id_];
        return n.kind == Kind::constant ? &n.value : nullptr;
    };
    const std::int64_t *x = constant(a), *y = constant(b);
    if ((kind == Kind::modulo || kind == Kind::quotient) && y && *y == 0) {
        throw InvalidInput(fmt::format("{} of an index divides by zero", kind == Kind::modulo ? "mod" : "quotient"));
    }
    if (x && y) {
        std::int64_t result = 0;
        bool overflows = false;
        switch (kind) {
        case Kind::add: overflows = __builtin_add_overflow(*x, *y, &result); break;
        case Kind::subtract: overflows = __builtin_sub_overflow(*x, *y, &result); break;
        case Kind::multiply: overflows = __builtin_mul_overflow(*x, *y, &result); break;
        default:
            if (*y == -1) {
                overflows = kind == Kind::quotient && __builtin_sub_overflow(std::int64_t{0}, *x, &result);
            } else {
                const std::int64_t q = *x / *y - (*x % *y != 0 && (*x % *y < 0) != (*y < 0) ? 1 : 0);
                result = kind == Kind::quotient ? q : *x - *y * q;
            }
        }
        if (overflows) throw InvalidInput(fmt::format("an index made from {} and {} is too large", *x, *y));
        return result;
    }
    // (i + c) + d = i + (c + d), so that stepping an index in a loop of C++ stays shallow
    if ((kind == Kind::add || kind == Kind::subtract) && y) {
        const DraftIndex n = draft->index_nodes_[a.id_];
        if (n.kind == Kind::add && draft->index_nodes_[n.b].kind == Kind::constant) {
            const Index inner(draft, n.a), shift = draft->index_nodes_[n.b].value;
            return combine(Kind::add, inner, combine(kind, shift, *y));
        }
        if (kind == Kind::subtract) return combine(Kind::add, a, combine(kind, 0, *y));
        if (*y == 0) return a;
    }
    DraftIndex n{.kind = kind, .a = draft->id(a), .b = draft->id(b)};
    const DraftIndex &left = draft->index_nodes_[n.a], &right = draft->index_nodes_[n.b];
    n.depth = static_cast<std::uint16_t>(std::max(left.depth, right.depth) + 1);
    n.free = draft->sets_.join(left.free, right.free);
    if (n.depth > max_index_depth) {
        throw InvalidInput(
            fmt::format("{}: a formula of indices is nested more than {} deep", draft->model_name_, max_index_depth));
    }
    return {draft, draft->add_index(n)};
}

Index Draft::integer(const Expr& element) {
    if (!element.draft_) {
        const double x = element.constant_;
        if (std::abs(x) <= 9e15 && x == std::floor(x)) return static_cast<std::int64_t>(x);
        throw InvalidInput(fmt::format("an index must be an integer, but it is {}", lang::number_text(x)));
    }
    Draft& draft = *element.draft_;
    const DraftNode& n = draft.nodes_[element.id_];
    if (n.kind == DraftKind::index_value) return {element.draft_, n.a};
    if (n.kind != DraftKind::read || draft.arrays_[n.a].kind != DraftArrayKind::parameter) {
        throw InvalidInput("integer(…) makes an index from an element of a parameter, but this is none");
    }
    std::uint16_t depth = 0;
    for (std::uint32_t k = 0; k < n.c; ++k)
        depth = std::max(depth, draft.index_nodes_[draft.element_index(n, k)].depth);
    return {element.draft_, draft.add_index({.kind = DraftIndex::Kind::lookup,
                                             .depth = static_cast<std::uint16_t>(depth + 1),
                                             .a = element.id_,
                                             .free = n.free})};
}

// ---- conditions ----

Condition Draft::compare(Op op, const Expr& a, const Expr& b) {
    const auto draft = common(a.draft_, b.draft_);
    if (!draft) return {nullptr, expr::apply<double>(op, a.constant_, b.constant_) != 0 ? 1U : 0U};
    const std::uint32_t left = draft->id(a), right = draft->id(b);
    return {draft, draft->operation(op, left, right)};
}

Condition Draft::compare(Op op, const Index& a, const Index& b) {
    const auto draft = common(a.draft_, b.draft_);
    if (!draft) {
        const bool holds = op == Op::less ? a.constant_ < b.constant_ : a.constant_ == b.constant_;
        return {nullptr, holds ? 1U : 0U};
    }
    DraftNode n{.kind = DraftKind::comparison, .op = op, .is_index_condition = true, .has_index_condition = true};
    n.a = draft->id(a);
    n.b = draft->id(b);
    n.free = draft->sets_.join(draft->index_nodes_[n.a].free, draft->index_nodes_[n.b].free);
    return {draft, draft->add(n)};
}

Condition Draft::join(Op op, const Condition& a, const Condition& b) {
    const auto draft = common(a.draft_, b.draft_);
    const std::uint32_t neutral = op == Op::logical_and ? 1 : 0; // true and c = c, false or c = c
    if (!a.draft_) return a.id_ == neutral ? b : a;
    if (!b.draft_) return b.id_ == neutral ? a : b;
    const std::uint32_t n = draft->operation(op, a.id_, b.id_);
    draft->nodes_[n].is_index_condition =
        draft->nodes_[a.id_].is_index_condition && draft->nodes_[b.id_].is_index_condition;
    return {draft, n};
}

Condition Draft::complement(const Condition& a) {
    if (!a.draft_) return {nullptr, 1 - a.id_};
    const std::uint32_t n = a.draft_->operation(Op::logical_not, a.id_);
    a.draft_->nodes_[n].is_index_condition = a.draft_->nodes_[a.id_].is_index_condition;
    return {a.draft_, n};
}

Expr Draft::choose(const Condition& condition, const Expr& a, const Expr& b) {
    const auto draft = common(condition.draft_, common(a.draft_, b.draft_));
    if (!condition.draft_) return condition.id_ != 0 ? a : b;
    const std::uint32_t first = draft->id(a), second = draft->id(b);
    const std::uint32_t n = draft->operation(Op::select, condition.id_, first, second);
    // a condition inside of a value is that value's own matter
    const bool has_index = draft->nodes_[condition.id_].has_index_condition;
    draft->nodes_[n].has_index_condition = false;
    if (has_index) draft->nodes_[n].kind = DraftKind::choice;
    return {draft, n};
}

} // namespace vessiot
