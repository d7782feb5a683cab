// dot, cross, norm, and the functions of matrices.
#include <fmt/format.h>

#include "lang/meaning/elaborator.hpp"

namespace vessiot::lang {

using expr::Op;

namespace {

constexpr std::int64_t largest_cofactor_matrix = 4; // rows of a matrix that is inverted by cofactors

} // namespace

Value Elaborator::call_vector_function(const Call& call, Span span) {
    const std::string_view name = call.function.name;
    if (name == "identity") return identity(call.arguments[0]);
    if (name == "skew") return skew(call, span);
    if (name == "cross") return cross(call);
    const Value a = evaluate(call.arguments[0]);
    const auto needs = [&](ExprPtr argument, const Value& value, std::size_t n_dims, std::string_view what) {
        if (value.dims().size() == n_dims) return;
        fail(argument->span, fmt::format("'{}' needs {}, but this is {}", name, what, describe(value.dims())));
    };
    if (name == "norm") {
        needs(call.arguments[0], a, 1, "a vector");
        return graph_.apply(Op::sqrt, dot(a, a, span));
    }
    if (name == "dot") {
        const Value b = evaluate(call.arguments[1]);
        needs(call.arguments[0], a, 1, "two vectors");
        needs(call.arguments[1], b, 1, "two vectors");
        if (a.dims() != b.dims()) {
            fail(span, "'dot' needs two vectors of the same size, but " +
                           describe_mismatch("the first", a.dims(), "the second", b.dims()));
        }
        if (a.is_listed() || b.is_listed()) return dot(listed(a), listed(b), span);
        return dot(a, b, span);
    }
    needs(call.arguments[0], a, 2, "a matrix");
    if (name == "transpose") {
        const Value result = family({a.dims()[1], a.dims()[0]},
                                    [this, a, span](const Forms& at) { return element(a, {at[1], at[0]}, span); });
        return a.is_listed() ? listed(result) : result;
    }
    if (name == "trace") return trace(a, span);
    check_square(a, name, span, largest_cofactor_matrix);
    if (name == "inverse") return inverse(a);
    return determinant(listed(a).elements(), static_cast<std::size_t>(a.dims()[0]));
}

void Elaborator::check_square(const Value& matrix, std::string_view function, Span span, std::int64_t largest) {
    const auto& dims = matrix.dims();
    if (dims[0] != dims[1]) {
        fail(span, fmt::format("'{}' needs a square matrix, but this is {}", function, describe(dims)));
    }
    if (dims[0] > largest) {
        fail(span,
             fmt::format("'{0}' is available up to {1} x {1}, but this is {2}", function, largest, describe(dims)));
    }
}

Value Elaborator::cross(const Call& call) {
    std::vector<NodeId> v[2];
    for (std::size_t k = 0; k < 2; ++k) {
        const Value value = evaluate(call.arguments[k]);
        if (value.dims() != Dims{3}) {
            fail(call.arguments[k]->span,
                 fmt::format("'cross' needs two vectors with 3 components, but this is {}", describe(value.dims())));
        }
        v[k] = listed(value).elements();
    }
    const auto& [a, b] = v;
    std::vector<NodeId> result;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        result.push_back(graph_.sub(graph_.mul(a[i], b[j]), graph_.mul(a[j], b[i])));
    }
    return Value::listed({3}, std::move(result));
}

// The matrix with skew(a)*b = cross(a, b).
Value Elaborator::skew(const Call& call, Span span) {
    std::vector<NodeId> a;
    if (call.arguments.size() == 2) fail(span, "'skew' needs 1 or 3 arguments, but 2 are given");
    if (call.arguments.size() == 3) {
        for (ExprPtr argument : call.arguments) a.push_back(number(argument));
    } else {
        const Value value = evaluate(call.arguments[0]);
        if (value.dims() != Dims{3}) {
            fail(call.arguments[0]->span,
                 fmt::format("'skew' needs a vector with 3 components, but this is {}", describe(value.dims())));
        }
        a = listed(value).elements();
    }
    const NodeId zero = graph_.zero();
    return Value::listed({3, 3},
                         {zero, graph_.neg(a[2]), a[1], a[2], zero, graph_.neg(a[0]), graph_.neg(a[1]), a[0], zero});
}

// By the first row; n is at most 4.
Elaborator::NodeId Elaborator::determinant(const std::vector<NodeId>& entries, std::size_t n) {
    if (n == 0) return graph_.one();
    if (n == 1) return entries[0];
    std::vector<NodeId> terms;
    for (std::size_t column = 0; column < n; ++column) {
        std::vector<NodeId> minor;
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (j != column) minor.push_back(entries[i * n + j]);
        const NodeId term = graph_.mul(entries[column], determinant(minor, n - 1));
        terms.push_back(column % 2 == 0 ? term : graph_.neg(term));
    }
    NodeId result = terms.front();
    for (std::size_t k = 1; k < n; ++k) result = graph_.add(result, terms[k]);
    return result;
}

// Cofactors over the determinant.
Value Elaborator::inverse(const Value& matrix) {
    const std::vector<NodeId> a = listed(matrix).elements();
    const auto n = static_cast<std::size_t>(matrix.dims()[0]);
    const NodeId det = determinant(a, n);
    std::vector<NodeId> result;
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
            // entry (row, column) of the inverse: the cofactor of (column, row)
            std::vector<NodeId> minor;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    if (i != column && j != row) minor.push_back(a[i * n + j]);
            const NodeId cofactor = n == 1 ? graph_.one() : determinant(minor, n - 1);
            result.push_back(graph_.div((row + column) % 2 == 0 ? cofactor : graph_.neg(cofactor), det));
        }
    }
    return Value::listed(matrix.dims(), std::move(result));
}

Elaborator::NodeId Elaborator::trace(const Value& matrix, Span span) {
    check_square(matrix, "trace", span, max_loop_bound);
    return sum_over(matrix.dims()[0], span, [&](FormId k) { return element(matrix, {k, k}, span); });
}

Value Elaborator::identity(ExprPtr size) {
    const std::int64_t n = integer(size, {Use::Kind::identity, ""});
    if (n < 1 || n > max_loop_bound) {
        fail(size->span, fmt::format("the size of an identity matrix must be at least 1, but it is {}", n));
    }
    return family({n, n}, [this](const Forms& at) { return graph_.condition(index_.equal(at[0], at[1])); });
}

} // namespace vessiot::lang
