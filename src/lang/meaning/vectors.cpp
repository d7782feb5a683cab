// Arrays: componentwise operations, vectors and matrices.
#include <algorithm>

#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"
#include "lang/syntax/number_text.hpp"

namespace vessiot::lang {

namespace {

constexpr std::int64_t largest_listed = 1'000'000;
constexpr std::int64_t longest_choice = 64; // components chosen from by a loop index

} // namespace

// A family that remembers its last element: v in v + v is made once.
Value Elaborator::family(Dims dims, Element element) {
    struct Memo {
        Forms forms;
        expr::DomainId domain = 0;
        NodeId node = expr::none;
    };
    return Value::family(std::move(dims),
                         [this, element = std::move(element), memo = std::make_shared<Memo>()](const Forms& forms) {
                             const expr::DomainId domain = nest_.domain();
                             if (memo->node == expr::none || memo->forms != forms || memo->domain != domain) {
                                 const NodeId node = element(forms);
                                 *memo = {forms, domain, node};
                             }
                             return memo->node;
                         });
}

Elaborator::Forms Elaborator::open_components(const Dims& dims, Span span) {
    Forms indices;
    for (const std::int64_t dim : dims)
        indices.push_back(index_.var(open_variable("", index_.constant(1), index_.constant(dim), span)));
    return indices;
}

void Elaborator::for_components(const Dims& dims, bool is_listed, Span span,
                                const std::function<void(const Forms&)>& visit) {
    if (!is_listed) {
        const Scope scope(*this);
        visit(open_components(dims, span));
        return;
    }
    if (std::ranges::find(dims, 0) != dims.end()) return; // a family without elements
    Dims at(dims.size(), 1);
    while (true) {
        Forms indices;
        for (const std::int64_t i : at) indices.push_back(index_.constant(i));
        visit(indices);
        std::size_t k = dims.size();
        while (k > 0 && at[k - 1] == dims[k - 1]) at[--k] = 1;
        if (k == 0) return;
        ++at[k - 1];
    }
}

Value Elaborator::listed(const Value& value) {
    if (value.is_number() || value.is_listed()) return value;
    if (value.size() > largest_listed) {
        fail(last_span_, fmt::format("all {} components would be written out here; at most {} can be",
                                     number_text(static_cast<double>(value.size())),
                                     number_text(static_cast<double>(largest_listed))));
    }
    std::vector<NodeId> elements;
    for_components(value.dims(), true, {}, [&](const Forms& at) { elements.push_back(value.element()(at)); });
    return Value::listed(value.dims(), std::move(elements));
}

// The indices are in range.
Elaborator::NodeId Elaborator::element(const Value& value, const Forms& indices, Span span) {
    if (!value.is_listed()) return value.element()(indices);
    FormId address = index_.constant(0);
    for (std::size_t k = 0; k < indices.size(); ++k) {
        address = index_.add(index_.scale(address, value.dims()[k]), index_.subtract(indices[k], index_.constant(1)));
    }
    const std::vector<NodeId>& elements = value.elements();
    if (const auto at = index_.constant_value(address)) {
        const bool is_inside = *at >= 0 && *at < static_cast<std::int64_t>(elements.size());
        return is_inside ? elements[static_cast<std::size_t>(*at)] : graph_.zero();
    }
    // Chosen by a loop index. Components that do not depend on the loop become an array of their own.
    if (std::ranges::all_of(elements, [&](NodeId n) { return graph_.node(n).levels == 0; })) {
        auto [known, is_new] = listed_arrays_.try_emplace(elements, expr::none);
        if (is_new) {
            std::vector<expr::Contribution> parts;
            for (std::size_t k = 0; k < elements.size(); ++k) {
                const FormId place = index_.constant(static_cast<std::int64_t>(k));
                parts.push_back({index_.scalar_domain(), index_.list({place}), elements[k]});
            }
            known->second =
                graph_.define("vector", {0}, {static_cast<std::int64_t>(elements.size())}, std::move(parts));
        }
        return graph_.read(known->second, index_.list({address}));
    }
    if (value.size() > longest_choice) {
        fail(span,
             fmt::format("a loop index cannot choose among more than {} components that depend on the loop themselves",
                         longest_choice));
    }
    NodeId result = elements.back();
    for (std::size_t k = elements.size() - 1; k-- > 0;) {
        const expr::CondId is_here = index_.equal(address, index_.constant(static_cast<std::int64_t>(k)));
        result = graph_.select(graph_.condition(is_here), elements[k], result);
    }
    return result;
}

Value Elaborator::map(const Value& value, std::function<NodeId(NodeId)> f) {
    if (value.is_number()) return f(value.number());
    if (value.is_listed()) {
        std::vector<NodeId> elements = value.elements();
        for (NodeId& e : elements) e = f(e);
        return Value::listed(value.dims(), std::move(elements));
    }
    return family(value.dims(), [value, f = std::move(f)](const Forms& at) { return f(value.element()(at)); });
}

// Of equal shapes.
Value Elaborator::zip(const Value& a, const Value& b, std::function<NodeId(NodeId, NodeId)> f) {
    if (a.is_number()) return f(a.number(), b.number());
    if (a.is_listed() || b.is_listed()) {
        const Value left = listed(a), right = listed(b);
        std::vector<NodeId> elements;
        for (std::size_t k = 0; k < left.elements().size(); ++k)
            elements.push_back(f(left.elements()[k], right.elements()[k]));
        return Value::listed(a.dims(), std::move(elements));
    }
    return family(a.dims(), [a, b, f = std::move(f)](const Forms& at) {
        const NodeId left = a.element()(at);
        return f(left, b.element()(at));
    });
}

// A zero stands for an array of zeros where the other side is an array.
void Elaborator::widen_zero(Value& zero, const Value& array) {
    if (array.is_number() || !zero.is_number() || !graph_.is_constant(zero.number(), 0)) return;
    zero = Value::family(array.dims(), [this](const Forms&) { return graph_.zero(); });
}

Value Elaborator::evaluate_vector(const Vector& vector, Span span) {
    std::vector<NodeId> elements;
    Dims inner;
    for (std::size_t k = 0; k < vector.elements.size(); ++k) {
        const Value value = listed(evaluate(vector.elements[k]));
        if (k == 0) inner = value.dims();
        if (value.dims() != inner) {
            fail(vector.elements[k]->span,
                 fmt::format("the elements of a vector must have the same shape, but this is {} and the first is {}",
                             describe(value.dims()), describe(inner)));
        }
        if (value.is_number()) {
            elements.push_back(value.number());
        } else {
            elements.insert(elements.end(), value.elements().begin(), value.elements().end());
        }
        if (elements.size() > static_cast<std::size_t>(largest_listed) + vector.elements.size()) {
            fail(span, fmt::format("this has more than {} components", largest_listed));
        }
    }
    Dims dims{static_cast<std::int64_t>(vector.elements.size())};
    dims.insert(dims.end(), inner.begin(), inner.end());
    return Value::listed(std::move(dims), std::move(elements));
}

// ---- products ----

Value Elaborator::multiply(const Value& a, const Value& b, Span span) {
    if (a.is_number() && b.is_number()) return graph_.mul(a.number(), b.number());
    if (a.is_number() || b.is_number()) {
        const NodeId factor = a.is_number() ? a.number() : b.number();
        return map(a.is_number() ? b : a, [this, factor](NodeId x) { return graph_.mul(factor, x); });
    }
    if (a.dims().size() == 1 && b.dims().size() == 1) {
        fail(span, "two vectors are multiplied with dot(a, b) or cross(a, b)");
    }
    return matrix_product(a, b, span);
}

Value Elaborator::matrix_product(const Value& a, const Value& b, Span span) {
    if (a.dims().size() != 2 || b.dims().size() > 2) {
        fail(span, fmt::format("{} cannot stand left of {} in a product{}", describe(a.dims()), describe(b.dims()),
                               a.dims().size() == 1 ? "; write transpose(A)*v" : ""));
    }
    const std::int64_t n = a.dims()[1];
    if (n != b.dims()[0]) {
        fail(span,
             fmt::format("{} cannot be multiplied with {}: it has {} columns, the other {} {}", describe(a.dims()),
                         describe(b.dims()), n, b.dims()[0], b.dims().size() == 2 ? "rows" : "components"));
    }
    const bool is_vector = b.dims().size() == 1;
    Dims dims = is_vector ? Dims{a.dims()[0]} : Dims{a.dims()[0], b.dims()[1]};
    const bool is_listed = a.is_listed() || b.is_listed();
    const Value left = is_listed ? listed(a) : a, right = is_listed ? listed(b) : b;
    const Value product = family(std::move(dims), [this, left, right, n, is_vector, span](const Forms& at) {
        return sum_over(n, span, [&](FormId k) {
            const NodeId x = element(left, {at[0], k}, span);
            return graph_.mul(x, element(right, is_vector ? Forms{k} : Forms{k, at[1]}, span));
        });
    });
    return is_listed ? listed(product) : product;
}

Elaborator::NodeId Elaborator::dot(const Value& a, const Value& b, Span span) {
    return sum_over(a.size(), span, [&](FormId k) {
        const NodeId x = element(a, {k}, span);
        return graph_.mul(x, element(b, {k}, span));
    });
}

} // namespace vessiot::lang
