// The functions and operators of vessiot/expression.hpp: each notes what it makes.
#include "vessiot/expression.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "model/draft.hpp"

namespace vessiot {

using expr::Op;

Expr::Expr(const Index& index) : Expr(Draft::value_of(index)) {}

Expr& Expr::operator+=(const Expr& b) {
    return *this = *this + b;
}
Expr& Expr::operator-=(const Expr& b) {
    return *this = *this - b;
}
Expr& Expr::operator*=(const Expr& b) {
    return *this = *this * b;
}
Expr& Expr::operator/=(const Expr& b) {
    return *this = *this / b;
}

Condition::Condition(const Equality& equality) : Condition(Draft::compare(Op::equal, equality.lhs, equality.rhs)) {}

Expr Array::element(const std::vector<Index>& indices) const {
    return Draft::element(*this, indices);
}

Expr TableFunction::of(const std::vector<Expr>& arguments) const {
    return Draft::look_up(*this, arguments);
}

std::vector<Expr> External::all(const std::vector<Expr>& arguments) const {
    return Draft::call(*this, arguments);
}

Expr External::one(const std::vector<Expr>& arguments) const {
    const std::vector<Expr> results = all(arguments);
    if (results.size() == 1) return results[0];
    throw InvalidInput(fmt::format("a function with {} results stands in a formula as if it had one: take one of "
                                   "those that all({{…}}) gives",
                                   results.size()));
}

// ---- arithmetic ----

Expr operator+(const Expr& a, const Expr& b) {
    return Draft::apply(Op::add, a, b);
}
Expr operator-(const Expr& a, const Expr& b) {
    return Draft::apply(Op::sub, a, b);
}
Expr operator*(const Expr& a, const Expr& b) {
    return Draft::apply(Op::mul, a, b);
}
Expr operator/(const Expr& a, const Expr& b) {
    return Draft::apply(Op::div, a, b);
}
Expr operator-(const Expr& a) {
    return Draft::apply(Op::neg, a);
}

Expr sin(const Expr& a) {
    return Draft::apply(Op::sin, a);
}
Expr cos(const Expr& a) {
    return Draft::apply(Op::cos, a);
}
Expr tan(const Expr& a) {
    return Draft::apply(Op::tan, a);
}
Expr asin(const Expr& a) {
    return Draft::apply(Op::asin, a);
}
Expr acos(const Expr& a) {
    return Draft::apply(Op::acos, a);
}
Expr atan(const Expr& a) {
    return Draft::apply(Op::atan, a);
}
Expr sinh(const Expr& a) {
    return Draft::apply(Op::sinh, a);
}
Expr cosh(const Expr& a) {
    return Draft::apply(Op::cosh, a);
}
Expr tanh(const Expr& a) {
    return Draft::apply(Op::tanh, a);
}
Expr asinh(const Expr& a) {
    return Draft::apply(Op::asinh, a);
}
Expr acosh(const Expr& a) {
    return Draft::apply(Op::acosh, a);
}
Expr atanh(const Expr& a) {
    return Draft::apply(Op::atanh, a);
}
Expr exp(const Expr& a) {
    return Draft::apply(Op::exp, a);
}
Expr log(const Expr& a) {
    return Draft::apply(Op::log, a);
}
Expr log10(const Expr& a) {
    return Draft::apply(Op::log10, a);
}
Expr sqrt(const Expr& a) {
    return Draft::apply(Op::sqrt, a);
}
Expr cbrt(const Expr& a) {
    return Draft::apply(Op::cbrt, a);
}
Expr erf(const Expr& a) {
    return Draft::apply(Op::erf, a);
}
Expr abs(const Expr& a) {
    return Draft::apply(Op::abs, a);
}
Expr sign(const Expr& a) {
    return Draft::apply(Op::sign, a);
}
Expr floor(const Expr& a) {
    return Draft::apply(Op::floor, a);
}
Expr ceil(const Expr& a) {
    return Draft::apply(Op::ceil, a);
}
Expr atan2(const Expr& y, const Expr& x) {
    return Draft::apply(Op::atan2, y, x);
}
Expr pow(const Expr& base, const Expr& exponent) {
    return Draft::apply(Op::pow, base, exponent);
}
Expr hypot(const Expr& a, const Expr& b) {
    return Draft::apply(Op::hypot, a, b);
}
Expr mod(const Expr& a, const Expr& b) {
    return Draft::mod(a, b);
}
Expr min(const Expr& a, const Expr& b) {
    return Draft::apply(Op::min, a, b);
}
Expr max(const Expr& a, const Expr& b) {
    return Draft::apply(Op::max, a, b);
}

namespace {

Expr extremum(Op op, std::initializer_list<Expr> values) {
    if (values.size() == 0) {
        throw InvalidInput(op == Op::min ? "min({}) has no value: give it at least one number"
                                         : "max({}) has no value: give it at least one number");
    }
    Expr result = *values.begin();
    for (const Expr* next = values.begin() + 1; next != values.end(); ++next) result = Draft::apply(op, result, *next);
    return result;
}

} // namespace

Expr min(std::initializer_list<Expr> values) {
    return extremum(Op::min, values);
}
Expr max(std::initializer_list<Expr> values) {
    return extremum(Op::max, values);
}

// ---- derivatives, sums, products ----

Expr der(const Expr& e, int k) {
    return Draft::der(e, k);
}
Expr diff(const Expr& e, const Expr& x) {
    return Draft::diff(e, x);
}
Expr sum(const Index& index, const Expr& term) {
    return Draft::reduce(DraftKind::sum, index, nullptr, term);
}
Expr sum(const Index& index, const Condition& condition, const Expr& term) {
    return Draft::reduce(DraftKind::sum, index, &condition, term);
}
Expr product(const Index& index, const Expr& factor) {
    return Draft::reduce(DraftKind::product, index, nullptr, factor);
}
Expr product(const Index& index, const Condition& condition, const Expr& factor) {
    return Draft::reduce(DraftKind::product, index, &condition, factor);
}

// ---- indices ----

Index operator+(const Index& a, const Index& b) {
    return Draft::combine(DraftIndex::Kind::add, a, b);
}
Index operator-(const Index& a, const Index& b) {
    return Draft::combine(DraftIndex::Kind::subtract, a, b);
}
Index operator*(const Index& a, const Index& b) {
    return Draft::combine(DraftIndex::Kind::multiply, a, b);
}
Index operator-(const Index& a) {
    return Draft::combine(DraftIndex::Kind::multiply, a, -1);
}
Index mod(const Index& a, const Index& b) {
    return Draft::combine(DraftIndex::Kind::modulo, a, b);
}
Index quotient(const Index& a, const Index& b) {
    return Draft::combine(DraftIndex::Kind::quotient, a, b);
}
Index integer(const Expr& element) {
    return Draft::integer(element);
}

// ---- comparisons ----

Condition operator!=(const Expr& a, const Expr& b) {
    return Draft::compare(Op::not_equal, a, b);
}
Condition operator<(const Expr& a, const Expr& b) {
    return Draft::compare(Op::less, a, b);
}
Condition operator<=(const Expr& a, const Expr& b) {
    return Draft::compare(Op::less_equal, a, b);
}
Condition operator>(const Expr& a, const Expr& b) {
    return b < a;
}
Condition operator>=(const Expr& a, const Expr& b) {
    return b <= a;
}
Condition operator==(const Index& a, const Index& b) {
    return Draft::compare(Op::equal, a, b);
}
Condition operator!=(const Index& a, const Index& b) {
    return !(a == b);
}
Condition operator<(const Index& a, const Index& b) {
    return Draft::compare(Op::less, a, b);
}
Condition operator<=(const Index& a, const Index& b) {
    return !(b < a);
}
Condition operator>(const Index& a, const Index& b) {
    return b < a;
}
Condition operator>=(const Index& a, const Index& b) {
    return !(a < b);
}
Condition operator&&(const Condition& a, const Condition& b) {
    return Draft::join(Op::logical_and, a, b);
}
Condition operator||(const Condition& a, const Condition& b) {
    return Draft::join(Op::logical_or, a, b);
}
Condition operator!(const Condition& a) {
    return Draft::complement(a);
}

Expr if_(const Condition& condition, const Expr& a, const Expr& b) {
    return Draft::choose(condition, a, b);
}

} // namespace vessiot
