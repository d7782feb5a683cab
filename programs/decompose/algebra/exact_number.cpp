#include "decompose/algebra/exact_number.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/quad.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::decompose {

namespace {

// NOTE: __extension__ keeps -Wpedantic quiet about a type that ISO C++ does not have.
__extension__ typedef __int128 Int;

constexpr Quad largest_fraction = 1e24;
constexpr Quad largest_radicand = 1e12;
constexpr int most_digits = 30;

struct Fraction {
    Int p = 0, q = 1;
};

std::string text(Int n) {
    std::string digits;
    do digits += static_cast<char>('0' + static_cast<int>(n % 10));
    while ((n /= 10) != 0);
    std::ranges::reverse(digits);
    return digits;
}

Int common_divisor(Int a, Int b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
}

// In lowest terms; p >= 0, q > 0.
std::string text(const Fraction& f) {
    const Int d = common_divisor(f.p, f.q);
    return f.q == d ? text(f.p / d) : text(f.p / d) + "/" + text(f.q / d);
}

bool is_near(Quad a, Quad b) {
    return linalg::absolute(a - b) <= 16 * linalg::epsilon<Quad>() * b;
}

// The first convergent p/q of the continued fraction of x > 0 that is x to rounding; p*q is bounded.
std::optional<Fraction> fraction(Quad x, Quad bound) {
    Int p = 1, q = 0, p_last = 0, q_last = 1;
    Quad rest = x;
    for (int k = 0; k < 100; ++k) {
        if (!(rest < bound)) return std::nullopt;
        const auto a = static_cast<Int>(rest);
        // NOTE: tested in floating point first, where nothing overflows
        const Quad p_next = Quad(a) * Quad(p) + Quad(p_last), q_next = Quad(a) * Quad(q) + Quad(q_last);
        if (!(p_next * q_next < bound)) return std::nullopt;
        p_last = std::exchange(p, a * p + p_last);
        q_last = std::exchange(q, a * q + q_last);
        if (is_near(Quad(p) / Quad(q), x)) return Fraction{p, q};
        rest = 1 / (rest - Quad(a));
    }
    return std::nullopt;
}

// digits/10^k or digits000; x > 0.
std::optional<std::string> decimal(Quad x) {
    char buffer[64];
    quadmath_snprintf(buffer, sizeof buffer, "%.*Qe", most_digits - 1, x); // d.ddd…e+xx
    if (!is_near(to_quad(buffer), x)) return std::nullopt;
    const std::string_view all = buffer;
    const std::size_t e = all.find('e');
    std::string digits;
    for (const char c : all.substr(0, e))
        if (c >= '0' && c <= '9') digits += c; // NOTE: whatever the locale has for a point
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
    const long zeros = std::stol(std::string(all.substr(e + 1))) - static_cast<long>(digits.size()) + 1;
    if (zeros >= 0) return digits + std::string(static_cast<std::size_t>(zeros), '0');
    return digits + "/1" + std::string(static_cast<std::size_t>(-zeros), '0');
}

// sqrt(n) = s sqrt(p1 p2 ...), the p_i different primes
std::pair<Int, std::vector<std::int64_t>> square_root(Int n) {
    Int s = 1;
    std::vector<std::int64_t> roots;
    for (Int d = 2; d * d <= n; ++d) { // up to 1e6
        int power = 0;
        for (; n % d == 0; n /= d) ++power;
        for (int k = 0; k < power / 2; ++k) s *= d;
        if (power % 2 == 1) roots.push_back(static_cast<std::int64_t>(d));
    }
    if (n > 1) roots.push_back(static_cast<std::int64_t>(n));
    return {s, roots};
}

// sqrt(p/q) = sqrt(p q)/q
ExactNumber root_of(const Fraction& f) {
    const auto [s, roots] = square_root(f.p * f.q);
    return {{{text(Fraction{s, f.q}), roots}}};
}

// Whole numbers (a, b, c) with a x^2 + b x + c = 0, by the reduction [LLL82] of the lattice with
// the basis (1, 0, 0, N x^2), (0, 1, 0, N x), (0, 0, 1, N): its shortest vector has a last entry near 0.
using Vector4 = std::array<Quad, 4>;

Quad dot(const Vector4& a, const Vector4& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}
void subtract(Vector4& a, Quad factor, const Vector4& b) {
    for (std::size_t i = 0; i < 4; ++i) a[i] -= factor * b[i];
}

std::array<Vector4, 3> reduced(std::array<Vector4, 3> basis) {
    std::size_t k = 1;
    for (int step = 0; k < 3 && step < 2000; ++step) {
        // Gram and Schmidt, anew at each step: three vectors
        std::array<Vector4, 3> normal = basis;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < i; ++j)
                subtract(normal[i], dot(basis[i], normal[j]) / dot(normal[j], normal[j]), normal[j]);
        for (std::size_t j = k; j-- > 0;)
            subtract(basis[k], rintq(dot(basis[k], normal[j]) / dot(normal[j], normal[j])), basis[j]);
        const Quad mu = dot(basis[k], normal[k - 1]) / dot(normal[k - 1], normal[k - 1]);
        const Quad needed = (Quad(0.75) - mu * mu) * dot(normal[k - 1], normal[k - 1]);
        if (dot(normal[k], normal[k]) >= needed) {
            ++k;
        } else {
            std::swap(basis[k], basis[k - 1]);
            k = std::max<std::size_t>(k - 1, 1);
        }
    }
    return basis;
}

// (-b +- sqrt(b^2 - 4 a c))/(2 a)
std::optional<ExactNumber> quadratic(Quad x) {
    if (!(x > 1e-3 && x < 1e3)) return std::nullopt;
    const Quad n = 1e24;
    const Vector4 shortest = reduced({{{1, 0, 0, n * x * x}, {0, 1, 0, n * x}, {0, 0, 1, n}}})[0];
    const Quad a = shortest[0], b = shortest[1], c = shortest[2];
    for (const Quad coefficient : {a, b, c})
        if (!(linalg::absolute(coefficient) < 1e5)) return std::nullopt;
    const Quad largest = std::max({linalg::absolute(a * x * x), linalg::absolute(b * x), linalg::absolute(c)});
    const Quad discriminant = b * b - 4 * a * c;
    if (a == 0 || discriminant <= 0) return std::nullopt;
    if (!(linalg::absolute((a * x + b) * x + c) <= 64 * linalg::epsilon<Quad>() * largest)) return std::nullopt;
    const auto [s, roots] = square_root(static_cast<Int>(discriminant));
    const auto quotient = [](Int p, Int q) {
        const bool is_negative = (p < 0) != (q < 0);
        if (p < 0) p = -p;
        if (q < 0) q = -q;
        return (is_negative && p != 0 ? "-" : "") + text(Fraction{p, q});
    };
    const auto a2 = static_cast<Int>(2 * a), minus_b = static_cast<Int>(-b);
    const bool is_upper = (x - Quad(minus_b) / Quad(a2)) * Quad(a2) > 0; // + of +-
    return ExactNumber{{{quotient(minus_b, a2)}, {quotient(is_upper ? s : -s, a2), roots}}};
}

std::optional<ExactNumber> recognise_positive(Quad x) {
    if (const auto f = fraction(x, largest_fraction)) return ExactNumber{{{text(*f)}}};
    if (const auto d = decimal(x)) return ExactNumber{{{*d}}};
    if (const auto f = fraction(x * x, largest_radicand)) return root_of(*f);
    return quadratic(x);
}

} // namespace

std::optional<ExactNumber> recognise(Quad value) {
    if (!linalg::is_finite(value)) return std::nullopt;
    if (value == 0) return ExactNumber{{{"0"}}};
    if (value > 0) return recognise_positive(value);
    auto result = recognise_positive(-value);
    for (std::size_t k = 0; result && k < result->terms.size(); ++k) {
        std::string& rational = result->terms[k].rational;
        rational = rational.starts_with('-') ? rational.substr(1) : "-" + rational;
    }
    return result;
}

} // namespace vessiot::decompose
