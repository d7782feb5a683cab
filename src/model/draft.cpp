#include "model/draft.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "expr/functions/vmath.hpp"
#include "lang/syntax/limits.hpp"

namespace vessiot {

using expr::Op;

namespace {

std::string indices_text(std::size_t n) {
    return n == 1 ? "1 index" : fmt::format("{} indices", n);
}

} // namespace

// ---- sets ----

std::uint32_t IndexSets::intern(std::vector<std::uint32_t> set) {
    const auto [entry, is_new] = ids_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(entry->first);
    return entry->second;
}

std::uint32_t IndexSets::join(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    const auto [entry, is_new] = joined_.try_emplace(std::minmax(a, b), 0);
    if (is_new) {
        std::vector<std::uint32_t> both;
        std::ranges::set_union(sets_[a], sets_[b], std::back_inserter(both));
        entry->second = intern(std::move(both));
    }
    return entry->second;
}

std::uint32_t IndexSets::without(std::uint32_t set, std::uint32_t index) {
    std::vector<std::uint32_t> rest = sets_[set];
    std::erase(rest, index);
    return intern(std::move(rest));
}

// ---- handles ----

std::shared_ptr<Draft> Draft::common(const std::shared_ptr<Draft>& a, const std::shared_ptr<Draft>& b) {
    if (a && b && a != b) {
        throw InvalidInput(
            fmt::format("a formula mixes names of two models, '{}' and '{}'; declare what it needs in one of "
                        "them",
                        a->model_name_, b->model_name_));
    }
    return a ? a : b;
}

std::uint32_t Draft::id(const Expr& e) {
    if (!e.draft_) return number_node(e.constant_);
    common(shared_from_this(), e.draft_);
    return e.id_;
}

std::uint32_t Draft::id(const Index& index) {
    if (!index.draft_) return constant_index(index.constant_);
    common(shared_from_this(), index.draft_);
    return index.id_;
}

std::uint32_t Draft::id(const Condition& condition) {
    if (!condition.draft_) return number_node(condition.id_);
    common(shared_from_this(), condition.draft_);
    return condition.id_;
}

std::uint32_t Draft::id(const Array& a) {
    common(shared_from_this(), a.draft_);
    return a.id_;
}

std::uint32_t Draft::loop(const Index& index) {
    if (!index.draft_) {
        throw InvalidInput(
            fmt::format("a loop needs an index, made by index(\"i\", from, to), but {} is a number", index.constant_));
    }
    const DraftIndex& node = index_nodes_[id(index)];
    if (node.kind != DraftIndex::Kind::variable) {
        throw InvalidInput("a loop needs an index, made by index(\"i\", from, to), but this is a formula of indices");
    }
    return node.a;
}

// ---- notes ----

std::uint32_t Draft::add(DraftNode node) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Draft::add_index(DraftIndex node) {
    index_nodes_.push_back(node);
    return static_cast<std::uint32_t>(index_nodes_.size() - 1);
}

std::uint32_t Draft::number_node(double value) {
    if (!std::isfinite(value)) {
        throw InvalidInput(
            fmt::format("{}: a formula contains the number {}, but numbers must be finite", model_name_, value));
    }
    const auto [entry, is_new] = number_ids_.try_emplace(std::bit_cast<std::uint64_t>(value), 0);
    if (is_new) {
        numbers_.push_back(value);
        entry->second = add({.kind = DraftKind::number, .a = static_cast<std::uint32_t>(numbers_.size() - 1)});
    }
    return entry->second;
}

std::uint32_t Draft::constant_index(std::int64_t value) {
    const auto [entry, is_new] = constant_ids_.try_emplace(value, 0);
    if (is_new) entry->second = add_index({.kind = DraftIndex::Kind::constant, .value = value});
    return entry->second;
}

std::uint32_t Draft::operation(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    DraftNode n{.kind = DraftKind::operation, .op = op, .a = a, .b = b, .c = c};
    for (const std::uint32_t operand : {a, b, c}) {
        if (operand == none) continue;
        DraftNode& x = nodes_[operand];
        ++x.n_uses;
        n.has_multiplier |= x.has_multiplier;
        n.has_index_condition |= x.has_index_condition;
        n.free = sets_.join(n.free, x.free);
    }
    return add(n);
}

// ---- numbers ----

Expr Draft::apply(Op op, const Expr& a) {
    if (!a.draft_) return expr::apply<double>(op, a.constant_);
    return {a.draft_, a.draft_->operation(op, a.id_)};
}

Expr Draft::apply(Op op, const Expr& a, const Expr& b) {
    const auto draft = common(a.draft_, b.draft_);
    if (!draft) return expr::apply<double>(op, a.constant_, b.constant_);
    const std::uint32_t left = draft->id(a), right = draft->id(b);
    return {draft, draft->operation(op, left, right)};
}

// a - b floor(a/b)
Expr Draft::mod(const Expr& a, const Expr& b) {
    return apply(Op::sub, a, apply(Op::mul, b, apply(Op::floor, apply(Op::div, a, b))));
}

Expr Draft::value_of(const Index& index) {
    if (!index.draft_) return index.constant_;
    Draft& draft = *index.draft_;
    return {index.draft_,
            draft.add({.kind = DraftKind::index_value, .a = index.id_, .free = draft.index_nodes_[index.id_].free})};
}

Expr Draft::der(const Expr& e, int order) {
    constexpr int most = lang::limits::derivative_order;
    if (order < 0 || order > most) {
        throw InvalidInput(fmt::format("der(…, {}): the order of a derivative must be from 0 to {}", order, most));
    }
    if (!e.draft_) return order == 0 ? e : Expr(0);
    if (order == 0) return e;
    Draft& draft = *e.draft_;
    DraftNode n = draft.nodes_[e.id_];
    const int inner = n.kind == DraftKind::der ? static_cast<int>(n.b) : 0;
    if (inner + order > most) {
        throw InvalidInput(
            fmt::format("der: this is a derivative of order {}; at most {} is allowed", inner + order, most));
    }
    n.a = inner > 0 ? n.a : e.id_;
    n.b = static_cast<std::uint32_t>(inner + order);
    n.kind = DraftKind::der;
    n.n_uses = 0;
    ++draft.nodes_[n.a].n_uses;
    return {e.draft_, draft.add(n)};
}

Expr Draft::diff(const Expr& e, const Expr& x) {
    const auto draft = common(e.draft_, x.draft_);
    const DraftNode* by = x.draft_ ? &draft->nodes_[x.id_] : nullptr;
    const DraftNode* base = by && by->kind == DraftKind::der ? &draft->nodes_[by->a] : by;
    const bool is_name = base && base->kind == DraftKind::read && draft->arrays_[base->a].kind != DraftArrayKind::let &&
                         (base == by || draft->arrays_[base->a].kind == DraftArrayKind::unknown ||
                          draft->arrays_[base->a].kind == DraftArrayKind::multipliers);
    if (!is_name) {
        throw InvalidInput(
            "diff differentiates by an unknown, a derivative of one, a parameter or the independent variable, "
            "but its second argument is none of them");
    }
    const std::uint32_t of = draft->id(e);
    const std::uint32_t n = draft->operation(Op::add, of, x.id_);
    draft->nodes_[n].kind = DraftKind::diff;
    return {draft, n};
}

Expr Draft::reduce(DraftKind kind, const Index& index, const Condition* condition, const Expr& body) {
    auto draft = common(index.draft_, body.draft_);
    if (condition) draft = common(draft, condition->draft_);
    if (!draft) draft = std::make_shared<Draft>("");
    const std::uint32_t loop = draft->loop(index);
    const std::uint32_t of = draft->id(body);
    const std::uint32_t when = condition ? draft->id(*condition) : none;
    const std::string_view name = kind == DraftKind::sum ? "sum" : "product";
    if (when != none && condition->draft_ && !draft->nodes_[when].is_index_condition) {
        throw InvalidInput(
            fmt::format("{0}: the condition of a {0} can contain loop indices only; for other conditions write "
                        "{0}(i, if_(condition, …, {1}))",
                        name, kind == DraftKind::sum ? 0 : 1));
    }
    DraftNode n{.kind = kind, .a = loop, .b = when, .c = of};
    const DraftNode& inner = draft->nodes_[of];
    n.has_multiplier = inner.has_multiplier;
    n.free = inner.free;
    if (when != none) n.free = draft->sets_.join(n.free, draft->nodes_[when].free);
    n.free = draft->sets_.without(n.free, loop);
    const DraftLoop& range = draft->loops_[loop];
    n.free = draft->sets_.join(n.free, draft->index_nodes_[range.from].free);
    n.free = draft->sets_.join(n.free, draft->index_nodes_[range.to].free);
    ++draft->nodes_[of].n_uses;
    return {draft, draft->add(n)};
}

// ---- elements ----

Expr Draft::element(const Array& array, const std::vector<Index>& indices) {
    Draft& draft = *array.draft_;
    const DraftArray& x = draft.arrays_[array.id_];
    const bool has_shape = x.kind != DraftArrayKind::multipliers;
    const std::size_t n_indices = has_shape ? x.extent.size() : 1;
    if (indices.size() != n_indices) {
        throw InvalidInput(fmt::format("{}: '{}' has {}, but {} {} given", draft.model_name_, x.name,
                                       indices_text(n_indices), indices.size(), indices.size() == 1 ? "is" : "are"));
    }
    DraftNode n{.kind = DraftKind::read,
                .has_multiplier = !has_shape,
                .a = array.id_,
                .b = static_cast<std::uint32_t>(draft.element_indices_.size()),
                .c = static_cast<std::uint32_t>(indices.size())};
    std::vector<std::uint32_t> ids;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        ids.push_back(draft.id(indices[k]));
        const DraftIndex& at = draft.index_nodes_[ids.back()];
        n.free = draft.sets_.join(n.free, at.free);
        if (at.kind != DraftIndex::Kind::constant || !has_shape) continue;
        const std::int64_t lo = x.first[k], hi = x.first[k] + x.extent[k] - 1;
        if (at.value < lo || at.value > hi) {
            throw InvalidInput(
                fmt::format("{}: index {} of '{}' is outside {}..{}", draft.model_name_, at.value, x.name, lo, hi));
        }
    }
    draft.element_indices_.insert(draft.element_indices_.end(), ids.begin(), ids.end());
    return {array.draft_, draft.add(n)};
}

// ---- functions of C++, and tables ----

DraftNode Draft::with_arguments(DraftKind kind, std::uint32_t function, const std::vector<Expr>& arguments) {
    DraftNode n{.kind = kind, .a = function, .b = static_cast<std::uint32_t>(lists_.size())};
    std::vector<std::uint32_t> list;
    for (const Expr& argument : arguments) {
        list.push_back(id(argument));
        DraftNode& x = nodes_[list.back()];
        ++x.n_uses;
        n.has_multiplier |= x.has_multiplier;
        n.has_index_condition |= x.has_index_condition;
        n.free = sets_.join(n.free, x.free);
    }
    lists_.push_back(std::move(list));
    return n;
}

std::vector<Expr> Draft::call(const External& function, const std::vector<Expr>& arguments) {
    const std::shared_ptr<Draft>& draft = function.draft_;
    const expr::External& f = *draft->externals_[function.id_];
    if (static_cast<std::int64_t>(arguments.size()) != f.n_arguments())
        throw InvalidInput(fmt::format("{}: the function '{}' has {}, but {} {} given", draft->model_name_, f.name(),
                                       plural(static_cast<std::size_t>(f.n_arguments()), "argument"), arguments.size(),
                                       arguments.size() == 1 ? "is" : "are"));
    DraftNode n = draft->with_arguments(DraftKind::call, function.id_, arguments);
    std::vector<Expr> results;
    for (std::int64_t k = 0; k < f.n_results(); ++k) {
        n.c = static_cast<std::uint32_t>(k);
        results.push_back({draft, draft->add(n)});
    }
    return results;
}

Expr Draft::look_up(const TableFunction& table, const std::vector<Expr>& arguments) {
    const std::shared_ptr<Draft>& draft = table.draft_;
    const expr::Table& points = *draft->tables_[table.id_];
    if (arguments.size() != points.n_arguments())
        throw InvalidInput(fmt::format("{}: the table '{}' has {}, but {} {} given", draft->model_name_, points.name(),
                                       plural(points.n_arguments(), "argument"), arguments.size(),
                                       arguments.size() == 1 ? "is" : "are"));
    return {draft, draft->add(draft->with_arguments(DraftKind::look_up, table.id_, arguments))};
}

TableFunction Draft::add_table(std::shared_ptr<const expr::Table> table) {
    tables_.push_back(std::move(table));
    return {shared_from_this(), static_cast<std::uint32_t>(tables_.size() - 1)};
}

External Draft::add_external(std::shared_ptr<const expr::External> function) {
    externals_.push_back(std::move(function));
    return {shared_from_this(), static_cast<std::uint32_t>(externals_.size() - 1)};
}

// ---- names ----

std::uint32_t Draft::add_array(DraftArray array) {
    arrays_.push_back(std::move(array));
    return static_cast<std::uint32_t>(arrays_.size() - 1);
}

Expr Draft::scalar(std::uint32_t array) {
    return {shared_from_this(), add({.kind = DraftKind::read, .a = array})};
}

Index Draft::add_loop(const std::string& name, const Index& from, const Index& to) {
    const std::uint32_t lo = id(from), hi = id(to);
    loops_.push_back({name, lo, hi});
    const auto loop = static_cast<std::uint32_t>(loops_.size() - 1);
    return {shared_from_this(), add_index({.kind = DraftIndex::Kind::variable, .a = loop, .free = sets_.single(loop)})};
}

} // namespace vessiot
