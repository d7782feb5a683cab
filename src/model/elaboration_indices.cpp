// Indices, conditions on them, and if_.
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "lang/syntax/number_text.hpp"
#include "model/elaboration_scope.hpp"

namespace vessiot {

using expr::CondId;
using expr::FormId;
using expr::NodeId;
using expr::Op;

namespace {

constexpr int max_condition_depth = 1000;

std::string in_brackets(const std::string& where) {
    return where.empty() ? "" : fmt::format(" (for {})", where);
}

} // namespace

// ---- indices ----

// Keeps all integers of a form within what later arithmetic can hold.
FormId Elaboration::checked(FormId form) {
    if (frame_->nest.magnitude(form) > lang::max_index_magnitude) throw InvalidInput("an index becomes too large");
    return form;
}

FormId Elaboration::form(std::uint32_t index) {
    using Kind = DraftIndex::Kind;
    const DraftIndex& n = draft_.index(index);
    if (n.kind == Kind::constant) return checked(index_.constant(n.value));
    if (n.kind == Kind::lookup) return lookup(draft_.node(n.a));
    if (n.kind == Kind::variable) {
        const auto open = frame_->open.find(n.a);
        if (open == frame_->open.end()) {
            throw InvalidInput(
                fmt::format("the index '{0}' stands outside of its loop; give it to the statement, such as "
                            "equation({0}, …), or write sum({0}, …)",
                            draft_.loop(n.a).name));
        }
        return index_.var(open->second);
    }
    const FormId a = form(n.a), b = form(n.b);
    switch (n.kind) {
    case Kind::add: return checked(index_.add(a, b));
    case Kind::subtract: return checked(index_.subtract(a, b));
    case Kind::multiply:
        if (frame_->nest.magnitude(a) * frame_->nest.magnitude(b) > lang::Wide{lang::max_index_magnitude}) {
            throw InvalidInput("an index becomes too large");
        }
        return checked(index_.multiply(a, b));
    default: break;
    }
    if (const auto zero = frame_->nest.find_zero(b)) {
        throw InvalidInput(fmt::format("{} of an index divides by zero{}", n.kind == Kind::modulo ? "mod" : "quotient",
                                       in_brackets(zero->where)));
    }
    return checked(n.kind == Kind::modulo ? index_.modulo(a, b) : index_.quotient(a, b));
}

// The indices of an element, checked against the shape of its array.
std::vector<FormId> Elaboration::element_forms(const DraftNode& read) {
    const DraftArray& x = draft_.array(read.a);
    std::vector<FormId> forms;
    for (std::uint32_t k = 0; k < read.c; ++k) {
        forms.push_back(form(draft_.element_index(read, k)));
        const std::int64_t lo = x.first[k], hi = x.first[k] + x.extent[k] - 1;
        if (const auto bad = frame_->nest.find_outside(forms.back(), lo, hi)) {
            throw InvalidInput(fmt::format("index {} of '{}' is outside {}..{}{}", bad->value, x.name, lo, hi,
                                           in_brackets(bad->where)));
        }
    }
    return forms;
}

// An element of a parameter as an index.
FormId Elaboration::lookup(const DraftNode& read) {
    used_.insert(read.a);
    structural_.insert(read.a);
    const expr::TableId values = table(read.a);
    if (read.c == 0) return checked(index_.constant(index_.table(values).values.front()));
    return checked(index_.lookup(values, index_.list(element_forms(read))));
}

expr::TableId Elaboration::table(std::uint32_t array) {
    if (const auto known = tables_.find(array); known != tables_.end()) return known->second;
    const DraftArray& x = draft_.array(array);
    expr::IndexTable table{x.name, x.extent, {}};
    for (std::size_t k = 0; k < x.values.size(); ++k) {
        const auto value = static_cast<double>(x.values[k]);
        if (value != std::floor(value) || std::abs(value) > static_cast<double>(lang::max_loop_bound)) {
            std::string place;
            for (std::size_t d = x.extent.size(), rest = k; d-- > 0;) {
                const auto extent = static_cast<std::size_t>(x.extent[d]);
                place = fmt::format("{}{}{}", rest % extent + 1, place.empty() ? "" : ",", place);
                rest /= extent;
            }
            if (!place.empty()) place = fmt::format("[{}]", place);
            throw InvalidInput(
                fmt::format("an index must be an integer, but {}{} = {}", x.name, place, lang::number_text(value)));
        }
        table.values.push_back(static_cast<std::int64_t>(value));
    }
    return tables_[array] = index_.table(std::move(table));
}

// ---- conditions ----

// Of a condition that only loop indices decide.
CondId Elaboration::index_condition(std::uint32_t condition) {
    const Nesting nesting(depth_);
    if (depth_ > max_condition_depth) {
        throw InvalidInput(fmt::format("conditions are nested more than {} deep", max_condition_depth));
    }
    const DraftNode& n = draft_.node(condition);
    if (n.kind == DraftKind::number) return draft_.number(n) != 0 ? index_.always() : index_.never();
    if (n.kind == DraftKind::comparison) {
        const FormId a = form(n.a), b = form(n.b);
        return n.op == Op::less ? index_.less(a, b) : index_.equal(a, b);
    }
    if (n.op == Op::logical_not) return index_.complement(index_condition(n.a));
    const CondId a = index_condition(n.a), b = index_condition(n.b);
    return n.op == Op::logical_and ? index_.both(a, b) : index_.either(a, b);
}

// What is known of the indices where a condition holds.
CondId Elaboration::known_where_true(std::uint32_t condition) {
    const DraftNode& n = draft_.node(condition);
    if (n.is_index_condition) return index_condition(condition);
    if (n.kind != DraftKind::operation || n.op != Op::logical_and) return index_.always();
    const Nesting nesting(depth_);
    if (depth_ > max_condition_depth) return index_.always();
    return index_.both(known_where_true(n.a), known_where_true(n.b));
}

NodeId Elaboration::choice(const DraftNode& n) {
    const bool is_decided_by_indices = draft_.node(n.a).is_index_condition;
    const CondId when_true = known_where_true(n.a);
    const NodeId condition = is_decided_by_indices ? graph_.condition(when_true) : evaluate(n.a);
    if (graph_.is_constant(condition)) return evaluate(graph_.value(condition) != 0 ? n.b : n.c);
    // each branch needs to make sense only where it is taken
    const auto branch = [&](std::uint32_t formula, CondId known) {
        const Scope scope(*this);
        if (known != index_.always()) frame_->nest.add_condition(known);
        return evaluate(formula);
    };
    const NodeId a = branch(n.b, when_true);
    const NodeId b = branch(n.c, is_decided_by_indices ? index_.complement(when_true) : index_.always());
    const NodeId chosen = graph_.select(condition, a, b);
    if (is_decided_by_indices || when_true == index_.always()) return chosen;
    // NOTE: a family is cut where a condition on indices alone changes, so that elements which are not there are never
    // read: such a condition must stand by itself.
    return graph_.select(graph_.condition(when_true), chosen, b);
}

} // namespace vessiot
