// Formulas of a model in C++: numbers that depend on unknowns, parameters and loop indices.
//
//     auto x = m.unknown("x"), y = m.unknown("y");         // Expr
//     auto r = sqrt(x * x + pow(y, 2));                    // Expr
//     auto X = m.unknown("X", {n});                        // Array: X(1), X(i), X(i + 1)
//     auto i = m.index("i", 1, n);                         // Index: an integer that runs through a range
//     auto E = sum(i, pow(der(X(i)), 2)) / 2;              // one loop, whatever n is
//
// All of these are handles of a few words that copy cheaply and keep what they refer to alive. Formulas are checked
// where they are used: in a statement of the model (model.hpp). Numbers in formulas mean what their shortest decimal
// text says: 0.1 is one tenth also in quadruple precision.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace vessiot {

class Draft; // the formulas of one model, as they were written

// An integer that loop indices determine: an index of an element, a bound, an index itself. Made by Model::index and
// from integers, with + - *, mod(a, b), quotient(a, b) and integer(e).
class Index {
public:
    template <std::integral T> Index(T value) : constant_(static_cast<std::int64_t>(value)) {
        static_assert(!std::same_as<T, bool>);
    }

private:
    friend class Draft;
    Index(std::shared_ptr<Draft> draft, std::uint32_t id) : draft_(std::move(draft)), id_(id) {}

    std::shared_ptr<Draft> draft_; // null: a constant
    std::uint32_t id_ = 0;
    std::int64_t constant_ = 0;
};

// A number: an unknown, a parameter, the independent variable, an element of an array, or a formula of these.
class Expr {
public:
    template <class T>
        requires std::integral<T> || std::floating_point<T>
    Expr(T value) : constant_(static_cast<double>(value)) {
        static_assert(!std::same_as<T, bool>);
    }
    Expr(const Index& index); // its value as a number

    Expr& operator+=(const Expr& b);
    Expr& operator-=(const Expr& b);
    Expr& operator*=(const Expr& b);
    Expr& operator/=(const Expr& b);

private:
    friend class Draft;
    Expr(std::shared_ptr<Draft> draft, std::uint32_t id) : draft_(std::move(draft)), id_(id) {}

    std::shared_ptr<Draft> draft_; // null: a constant
    std::uint32_t id_ = 0;
    double constant_ = 0;
};

// lhs == rhs: an equation, a constraint, a start value, a force, an event; in if_ a condition.
class Equality {
public:
    Equality(Expr left, Expr right) : lhs(std::move(left)), rhs(std::move(right)) {}
    Expr lhs, rhs;
};

// What if_ asks, or what the index of a sum must fulfil: a comparison of numbers or of indices, joined with && || !.
class Condition {
public:
    Condition(const Equality& equality);

private:
    friend class Draft;
    Condition(std::shared_ptr<Draft> draft, std::uint32_t id) : draft_(std::move(draft)), id_(id) {}

    std::shared_ptr<Draft> draft_; // null: decided, id_ is 1 or 0
    std::uint32_t id_ = 0;
};

// Unknowns, parameters or `let` quantities under one name. Indices count from 1, those of a `let` from the begin of
// its range.
class Array {
public:
    // X(3), X(i), X(i + 1, 2). Throws InvalidInput for a wrong number of indices or a number outside of the array; an
    // index in a loop is checked by the statement around it.
    template <std::convertible_to<Index>... I> Expr operator()(const I&... index) const {
        return element({Index(index)...});
    }
    Expr element(const std::vector<Index>& indices) const;

private:
    friend class Draft;
    Array(std::shared_ptr<Draft> draft, std::uint32_t id) : draft_(std::move(draft)), id_(id) {}

    std::shared_ptr<Draft> draft_;
    std::uint32_t id_ = 0;
};

// ---- arithmetic ----

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b); // of real numbers, also between indices
Expr operator-(const Expr& a);
inline Expr operator+(const Expr& a) {
    return a;
}

Expr sin(const Expr& a);
Expr cos(const Expr& a);
Expr tan(const Expr& a);
Expr asin(const Expr& a);
Expr acos(const Expr& a);
Expr atan(const Expr& a);
Expr atan2(const Expr& y, const Expr& x); // the angle of the point (x, y)
Expr sinh(const Expr& a);
Expr cosh(const Expr& a);
Expr tanh(const Expr& a);
Expr asinh(const Expr& a);
Expr acosh(const Expr& a);
Expr atanh(const Expr& a);
Expr exp(const Expr& a);
Expr log(const Expr& a);
Expr log10(const Expr& a);
Expr pow(const Expr& base, const Expr& exponent);
Expr sqrt(const Expr& a);
Expr cbrt(const Expr& a);
Expr hypot(const Expr& a, const Expr& b);
Expr erf(const Expr& a);
Expr abs(const Expr& a);
Expr sign(const Expr& a); // -1, 0 or 1
Expr floor(const Expr& a);
Expr ceil(const Expr& a);
Expr mod(const Expr& a, const Expr& b); // with the sign of b
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr min(std::initializer_list<Expr> values);
Expr max(std::initializer_list<Expr> values);

// ---- derivatives ----

// The derivative of order k along solutions: of an unknown x', x'', ...; of a formula its total derivative.
Expr der(const Expr& e, int k = 1);
// The partial derivative by an unknown, a derivative of one, a parameter or the independent variable; all others,
// also the derivatives of an unknown, count as independent of it.
Expr diff(const Expr& e, const Expr& x);

// ---- sums and products over a loop; in nested ones the bounds may use the outer indices ----

Expr sum(const Index& index, const Expr& term);
Expr sum(const Index& index, const Condition& condition, const Expr& term); // where the condition on indices holds
Expr product(const Index& index, const Expr& factor);
Expr product(const Index& index, const Condition& condition, const Expr& factor);

// ---- indices ----

Index operator+(const Index& a, const Index& b);
Index operator-(const Index& a, const Index& b);
Index operator*(const Index& a, const Index& b);
Index operator-(const Index& a);
Index mod(const Index& a, const Index& b);      // with the sign of b
Index quotient(const Index& a, const Index& b); // floor(a/b)
// An element of a parameter array with integer values, to be used as an index: x(integer(edge(k, 1))).
Index integer(const Expr& element);

// ---- comparisons ----

inline Equality operator==(const Expr& a, const Expr& b) {
    return {a, b};
}
Condition operator!=(const Expr& a, const Expr& b);
Condition operator<(const Expr& a, const Expr& b);
Condition operator<=(const Expr& a, const Expr& b);
Condition operator>(const Expr& a, const Expr& b);
Condition operator>=(const Expr& a, const Expr& b);
Condition operator==(const Index& a, const Index& b);
Condition operator!=(const Index& a, const Index& b);
Condition operator<(const Index& a, const Index& b);
Condition operator<=(const Index& a, const Index& b);
Condition operator>(const Index& a, const Index& b);
Condition operator>=(const Index& a, const Index& b);
Condition operator&&(const Condition& a, const Condition& b);
Condition operator||(const Condition& a, const Condition& b);
Condition operator!(const Condition& a);

// a where the condition holds, else b. Where only indices decide, each branch needs to make sense only where it is
// taken: if_(i > 1, X(i - 1), 0).
Expr if_(const Condition& condition, const Expr& a, const Expr& b);

} // namespace vessiot
