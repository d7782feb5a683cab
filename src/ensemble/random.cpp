#include "ensemble/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "expr/functions/vmath.hpp"

namespace vessiot::ensemble {

namespace {

// The finaliser of SplitMix64 [SLF14]: every bit of the result depends on every bit of x.
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    return mixed(mixed(mixed(seed) ^ a) ^ b);
}

// The middle of one of 2^53 equal parts of (0, 1).
double from_bits(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

// Primitive polynomials and first direction numbers of Sobol's sequence, [JK08], dimensions 2 and on.
struct SobolRow {
    unsigned polynomial;
    std::array<unsigned, 9> m;
};
constexpr SobolRow sobol_rows[] = {
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
    {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}},
    {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}},
    {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}},
    {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}},
    {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};
static_assert(std::size(sobol_rows) == sobol_dimensions - 1);

constexpr int sobol_bits = 52;

// v_k = m_k / 2^k as a whole number of sobol_bits bits; the recurrence of m has the coefficients of the polynomial.
std::array<std::uint64_t, sobol_bits> directions(std::uint64_t dimension) {
    std::array<std::uint64_t, sobol_bits> v{};
    if (dimension == 0) {
        for (int k = 0; k < sobol_bits; ++k) v[static_cast<std::size_t>(k)] = std::uint64_t{1} << (sobol_bits - 1 - k);
        return v;
    }
    const SobolRow& row = sobol_rows[dimension - 1];
    const int s = static_cast<int>(std::bit_width(row.polynomial)) - 1;
    for (int k = 0; k < sobol_bits; ++k) {
        std::uint64_t m = 0;
        if (k < s) {
            m = std::uint64_t{row.m[static_cast<std::size_t>(k)]} << (sobol_bits - 1 - k);
        } else {
            m = v[static_cast<std::size_t>(k - s)] ^ (v[static_cast<std::size_t>(k - s)] >> s);
            for (int j = 1; j < s; ++j)
                if ((row.polynomial >> (s - j)) & 1u) m ^= v[static_cast<std::size_t>(k - j)];
        }
        v[static_cast<std::size_t>(k)] = m;
    }
    return v;
}

// The normal distribution: rational approximations to 16 digits. [Wic88, PPND16]
double polynomial(std::span<const double> coefficients, double x) {
    double sum = 0;
    for (const double c : coefficients) sum = sum * x + c;
    return sum;
}

double normal_quantile(double u) {
    constexpr double a[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
                            13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608};
    constexpr double b[] = {5226.495278852854561,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
                            5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1};
    constexpr double c[] = {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                            1.27045825245236838258,   3.64784832476320460504,   5.7694972214606914055,
                            4.6303378461565452959,    1.42343711074968357734};
    constexpr double d[] = {
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
        0.68976733498510000455,    1.6763848301838038494,   2.05319162663775882187,   1};
    constexpr double e[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
                            0.026532189526576123093,   0.29656057182850489123,    1.7848265399172913358,
                            5.4637849111641143699,     6.6579046435011037772};
    constexpr double f[] = {
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
        0.0148753612908506148525,   0.13692988092273580531,   0.59983220655588793769,   1};
    const double q = u - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    // NOTE: the library's own logarithm, which has the same bits everywhere
    double r = std::sqrt(-expr::apply<double>(expr::Op::log, q < 0 ? u : 1 - u));
    if (r <= 5) {
        r -= 1.6;
        r = polynomial(c, r) / polynomial(d, r);
    } else {
        r -= 5;
        r = polynomial(e, r) / polynomial(f, r);
    }
    return q < 0 ? -r : r;
}

// Density rising from a to the peak c, falling to b: P = (x - a)^2 / ((b - a)(c - a)) left of c, and likewise on the
// right.
double triangular_quantile(double a, double b, double c, double u) {
    const double left = (c - a) / (b - a);
    return u < left ? a + std::sqrt(u * (b - a) * (c - a)) : b - std::sqrt((1 - u) * (b - a) * (b - c));
}

} // namespace

double uniform(std::uint64_t seed, std::uint64_t member, std::uint64_t dimension) {
    return from_bits(mixed(seed, member, dimension));
}

std::uint64_t permuted(std::uint64_t k, std::uint64_t n, std::uint64_t key) {
    const int half = std::max(1, static_cast<int>(std::bit_width(n - 1) + 1) / 2);
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    do {
        std::uint64_t left = k >> half, right = k & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t next = left ^ (mixed(key, round, right) & mask);
            left = right;
            right = next;
        }
        k = (left << half) | right;
    } while (k >= n);
    return k;
}

double latin(std::uint64_t seed, std::uint64_t cube, std::uint64_t k, std::uint64_t n, std::uint64_t dimension) {
    const std::uint64_t key = mixed(seed ^ 0x6c6174696eu, cube, dimension);
    const double part = static_cast<double>(permuted(k, n, key));
    return (part + uniform(key, k, dimension)) / static_cast<double>(n);
}

double sobol(std::uint64_t seed, std::uint64_t k, std::uint64_t dimension) {
    static const auto all = [] {
        std::array<std::array<std::uint64_t, sobol_bits>, sobol_dimensions> table{};
        for (std::uint64_t d = 0; d < sobol_dimensions; ++d) table[d] = directions(d);
        return table;
    }();
    std::uint64_t x = mixed(seed ^ 0x736f626f6cu, 0, dimension) >> (64 - sobol_bits);
    for (std::size_t bit = 0; k != 0 && bit < sobol_bits; ++bit, k >>= 1)
        if (k & 1u) x ^= all[dimension][bit];
    return (static_cast<double>(x) + 0.5) * 0x1p-52;
}

double quantile(Vary::Kind kind, std::span<const double> numbers, double u) {
    switch (kind) {
    case Vary::Kind::list:
    case Vary::Kind::linear:
    case Vary::Kind::logarithmic: break; // grids
    case Vary::Kind::uniform: return numbers[0] + (numbers[1] - numbers[0]) * u;
    case Vary::Kind::normal: return numbers[0] + numbers[1] * normal_quantile(u);
    case Vary::Kind::lognormal: return expr::apply<double>(expr::Op::exp, numbers[0] + numbers[1] * normal_quantile(u));
    case Vary::Kind::triangular: return triangular_quantile(numbers[0], numbers[1], numbers[2], u);
    }
    return 0;
}

} // namespace vessiot::ensemble
