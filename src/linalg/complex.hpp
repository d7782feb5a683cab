// Complex numbers over double and Quad, for factorisations of I - gamma J with complex gamma.
// NOTE: std::complex is not defined over Quad, and its product looks for NaN in every call.
#pragma once

#include <type_traits>

#include "core/quad.hpp"

namespace vessiot::linalg {

template <class S> struct Complex {
    S re = 0, im = 0;

    constexpr Complex() = default;
    constexpr Complex(S real, S imaginary = 0) : re(real), im(imaginary) {}
    template <class T>
        requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>)
    constexpr Complex(T real) : re(static_cast<S>(real)) {}

    friend constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend constexpr Complex operator-(Complex a) { return {-a.re, -a.im}; }
    friend constexpr Complex operator*(Complex a, Complex b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend constexpr Complex operator*(Complex a, S b) { return {a.re * b, a.im * b}; }
    friend constexpr Complex operator*(S a, Complex b) { return {a * b.re, a * b.im}; }
    // Scaled so that no square of a large or small number is formed.
    friend constexpr Complex operator/(Complex a, Complex b) {
        const S real = b.re < 0 ? -b.re : b.re, imaginary = b.im < 0 ? -b.im : b.im;
        if (real >= imaginary) {
            const S ratio = b.im / b.re, divisor = b.re + b.im * ratio;
            return {(a.re + a.im * ratio) / divisor, (a.im - a.re * ratio) / divisor};
        }
        const S ratio = b.re / b.im, divisor = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor};
    }
    constexpr Complex& operator+=(Complex b) { return *this = *this + b; }
    constexpr Complex& operator-=(Complex b) { return *this = *this - b; }
    constexpr Complex& operator*=(Complex b) { return *this = *this * b; }
    friend constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

template <class S> struct RealOf {
    using type = S;
};
template <class S> struct RealOf<Complex<S>> {
    using type = S;
};
// The real numbers that sizes of S are measured in.
template <class S> using Real = typename RealOf<S>::type;
template <class S> inline constexpr bool is_complex = !std::is_same_v<Real<S>, S>;

} // namespace vessiot::linalg
