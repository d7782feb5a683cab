// sum and product.
#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/number_text.hpp"

namespace vessiot::lang {

using expr::CondId;
using expr::VarId;

namespace {

// A sum with numbers for bounds, such as that over the three coordinates of a point, is written out.
constexpr std::int64_t longest_unrolled_sum = 8;
constexpr int largest_unrolled_body = 60; // names
// There is no reduction for products: their factors are written out.
constexpr std::int64_t longest_product = 100'000;
constexpr std::int64_t largest_listed_term = 1000; // components of an array that is summed

} // namespace

expr::VarId Elaborator::open_variable(std::string_view name, FormId lo, FormId hi, Span span) {
    std::string problem;
    const auto var = nest_.open(name, lo, hi, problem);
    if (!var) fail(span, problem);
    return *var;
}

void Elaborator::open_loop(const Ident& index, ExprPtr lo, ExprPtr hi, Span span) {
    check_index_name(index);
    const Use use{Use::Kind::bound, index.name};
    const FormId first = form(lo, use), last = form(hi, use);
    const VarId var = open_variable(index.name, first, last, span);
    add_index(index, index_.var(var));
}

Value Elaborator::evaluate_reduction(const Reduction& reduction, Span span) {
    check_index_name(reduction.index);
    if (mode_ == Mode::constant) {
        const Use use{Use::Kind::bound, reduction.index.name};
        const std::int64_t lo = integer(reduction.lo, use), hi = integer(reduction.hi, use);
        if (hi - lo >= settings_.max_instances) {
            fail(join(reduction.index.span, reduction.hi->span),
                 fmt::format("this loop has {} instances; the limit is {}, which --max-instances raises",
                             number_text(static_cast<double>(hi - lo) + 1),
                             number_text(static_cast<double>(settings_.max_instances))));
        }
        return expand(reduction, lo, hi);
    }
    if (is_unrolled(reduction)) {
        const Use use{Use::Kind::bound, reduction.index.name};
        return expand(reduction, integer(reduction.lo, use), integer(reduction.hi, use));
    }
    return reduction.kind == ReductionKind::sum ? evaluate_sum_family(reduction, span)
                                                : evaluate_product_family(reduction);
}

bool Elaborator::is_unrolled(const Reduction& reduction) const {
    const Number* lo = as<Number>(reduction.lo);
    const Number* hi = as<Number>(reduction.hi);
    if (!lo || !hi || reduction.condition || as<Reduction>(reduction.body)) return false;
    if (hi->value - lo->value >= longest_unrolled_sum) return false;
    int n_names = 0;
    visit_names(reduction.body, [&](std::string_view, Span, bool) { ++n_names; });
    return n_names <= largest_unrolled_body;
}

// One term after the other, each with a number for the index.
Value Elaborator::expand(const Reduction& reduction, std::int64_t lo, std::int64_t hi) {
    std::vector<NodeId> terms;
    Value arrays;
    for (std::int64_t i = lo; i <= hi; ++i) {
        const Scope scope(*this);
        nest_.fix(reduction.index.name, i);
        add_index(reduction.index, index_.constant(i));
        if (reduction.condition) {
            const NodeId holds = condition_node(reduction.condition);
            if (!graph_.is_constant(holds)) fail(reduction.condition->span, "this condition has no value");
            if (graph_.value(holds) == 0) continue;
        }
        const Value term = evaluate(reduction.body);
        if (term.is_number()) {
            terms.push_back(term.number());
        } else if (reduction.kind == ReductionKind::product) {
            fail(reduction.body->span,
                 fmt::format("the factors of a product must be numbers, but this is {}", describe(term.dims())));
        } else {
            const auto add = [this](NodeId a, NodeId b) { return graph_.add(a, b); };
            arrays = arrays.is_number() ? listed(term) : zip(arrays, listed(term), add);
        }
    }
    if (!arrays.is_number()) return arrays;
    if (terms.size() > static_cast<std::size_t>(longest_unrolled_sum)) {
        return reduction.kind == ReductionKind::sum ? graph_.sum(terms) : product_of(std::move(terms));
    }
    const bool is_sum = reduction.kind == ReductionKind::sum;
    NodeId result = is_sum ? graph_.zero() : graph_.one();
    for (const NodeId term : terms) result = is_sum ? graph_.add(result, term) : graph_.mul(result, term);
    return result;
}

Value Elaborator::evaluate_sum_family(const Reduction& reduction, Span span) {
    const Scope scope(*this);
    // Sums of sums are one sum over several indices.
    const Reduction* inner = &reduction;
    while (true) {
        open_loop(inner->index, inner->lo, inner->hi, join(inner->index.span, inner->hi->span));
        if (inner->condition) {
            if (!is_index_condition(inner->condition)) {
                fail(
                    inner->condition->span,
                    "the condition of a sum can contain loop indices and integer parameters only; for other conditions "
                    "write sum(…, if(condition, …, 0))");
            }
            nest_.add_condition(index_condition(inner->condition));
        }
        const Reduction* next = as<Reduction>(inner->body);
        if (!next || next->kind != ReductionKind::sum || is_unrolled(*next)) break;
        inner = next;
    }
    const Value body = evaluate(inner->body);
    const auto total = [&](NodeId term) {
        if (nest_.is_empty()) return graph_.zero();
        return graph_.sum(nest_.domain_since(scope.mark(), graph_.node(term).levels), scope.mark().n_vars, term);
    };
    if (body.is_number()) return total(body.number());
    if (!body.is_listed() && body.size() > largest_listed_term) {
        fail(span, fmt::format("a sum of arrays with more than {} components is not supported; write it with an index",
                               largest_listed_term));
    }
    return map(listed(body), total);
}

Value Elaborator::evaluate_product_family(const Reduction& reduction) {
    const Scope scope(*this);
    const Span range_span = join(reduction.index.span, reduction.hi->span);
    open_loop(reduction.index, reduction.lo, reduction.hi, range_span);
    const VarId var = nest_.vars().back();
    const expr::LoopVar range = index_.loop_var(var);
    // Where a bound depends on an outer index, factors beyond it are 1.
    CondId condition = index_.always();
    if (reduction.condition) {
        if (!is_index_condition(reduction.condition)) {
            fail(
                reduction.condition->span,
                "the condition of a product can contain loop indices and integer parameters only; for other conditions "
                "write product(…, if(condition, …, 1))");
        }
        condition = index_condition(reduction.condition);
        nest_.add_condition(condition);
    }
    condition = index_.both(condition, index_.complement(index_.less(index_.var(var), range.lo)));
    condition = index_.both(condition, index_.complement(index_.less(range.hi, index_.var(var))));
    const Value body = evaluate(reduction.body);
    if (!body.is_number()) {
        fail(reduction.body->span,
             fmt::format("the factors of a product must be numbers, but this is {}", describe(body.dims())));
    }
    std::vector<std::int64_t> lo, hi;
    if (!index_.bounding_box(nest_.loops(), lo, hi)) return graph_.one();
    if (hi.back() - lo.back() >= longest_product) {
        fail(range_span, fmt::format("this product has {} factors; at most {} are allowed",
                                     number_text(static_cast<double>(hi.back() - lo.back() + 1)),
                                     number_text(static_cast<double>(longest_product))));
    }
    std::vector<NodeId> factors;
    for (std::int64_t i = lo.back(); i <= hi.back(); ++i) {
        const expr::VarMap at{{var, index_.constant(i)}};
        const CondId holds = index_.substitute_cond(condition, at);
        if (holds == index_.never()) continue;
        factors.push_back(graph_.select(graph_.condition(holds), graph_.substitute(body.number(), at), graph_.one()));
    }
    return product_of(std::move(factors));
}

// sum of term(k) for k = 1..n, written out where n is small
Elaborator::NodeId Elaborator::sum_over(std::int64_t n, Span span, const std::function<NodeId(FormId)>& term) {
    if (n <= longest_unrolled_sum || mode_ == Mode::constant) {
        std::vector<NodeId> terms;
        for (std::int64_t k = 1; k <= n; ++k) terms.push_back(term(index_.constant(k)));
        return graph_.sum(terms);
    }
    const Scope scope(*this);
    const VarId var = open_variable("", index_.constant(1), index_.constant(n), span);
    const NodeId body = term(index_.var(var));
    return graph_.sum(nest_.domain_since(scope.mark(), graph_.node(body).levels), scope.mark().n_vars, body);
}

} // namespace vessiot::lang
