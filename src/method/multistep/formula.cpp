#include "method/multistep/formula.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;
using Zero = std::complex<long double>;

constexpr double near_circle = 1e-6;

// Adds factor times the backward difference of order j of what stands at the end.
void add_difference(std::vector<Quad>& c, std::size_t last, int j, Quad factor) {
    Quad binomial = factor; // (-1)^i (j over i)
    for (int i = 0; i <= j; ++i) {
        c[last - linalg::at(i)] += binomial;
        binomial *= -Quad(j - i) / (i + 1);
    }
}

// x_(n+k) - x_(n+k-1) = h sum_(j<n) gamma_j times the difference of order j of V at `last`;
// gamma_m + gamma_(m-1)/2 + .. + gamma_0/(m+1) = 1 for the new point not among them, else 0 for m > 0
MultistepFormula adams_formula(int k, int n, std::size_t last) {
    MultistepFormula f{std::vector<Quad>(linalg::at(k) + 1), std::vector<Quad>(linalg::at(k) + 1)};
    f.alpha[linalg::at(k)] = 1;
    f.alpha[linalg::at(k) - 1] = -1;
    const bool is_explicit = last < linalg::at(k);
    std::vector<Quad> gamma;
    for (int m = 0; m < n; ++m) {
        Quad sum = m == 0 || is_explicit ? 1 : 0;
        for (int i = 0; i < m; ++i) sum -= gamma[linalg::at(i)] / (m - i + 1);
        gamma.push_back(sum);
        add_difference(f.beta, last, m, sum);
    }
    return f;
}

// All zeros by simultaneous iteration (Weierstrass, Durand, Kerner); the leading coefficient is not 0.
std::vector<Zero> zeros_of(const std::vector<long double>& c) {
    const std::size_t n = c.size() - 1;
    std::vector<Zero> z(n);
    long double radius = 0;
    for (std::size_t j = 0; j < n; ++j) radius = std::max(radius, std::abs(c[j] / c[n]));
    for (std::size_t i = 0; i < n; ++i) // no symmetry that the iteration could keep
        z[i] = std::polar(0.5L + 0.5L * std::min(radius, 2.0L),
                          0.4L + 6.283185307179586L * static_cast<long double>(i) / static_cast<long double>(n));
    for (int iteration = 0; iteration < 2000; ++iteration) {
        long double moved = 0;
        for (std::size_t i = 0; i < n; ++i) {
            Zero value = c[n], product = c[n];
            for (std::size_t j = n; j-- > 0;) value = value * z[i] + c[j];
            for (std::size_t j = 0; j < n; ++j)
                if (j != i) product *= z[i] - z[j];
            if (product == Zero(0)) product = 1e-30L;
            const Zero step = value / product;
            z[i] -= step;
            moved = std::max(moved, std::abs(step));
        }
        if (moved < 1e-17L) break;
    }
    return z;
}

} // namespace

// sum_(j=1..k) 1/j times the difference of order j of x = h V, divided by the coefficient of the new point
MultistepFormula bdf_formula(int k) {
    MultistepFormula f{std::vector<Quad>(linalg::at(k) + 1), std::vector<Quad>(linalg::at(k) + 1)};
    for (int j = 1; j <= k; ++j) add_difference(f.alpha, linalg::at(k), j, Quad(1) / j);
    const Quad leading = f.alpha.back();
    for (Quad& a : f.alpha) a /= leading;
    f.beta.back() = 1 / leading;
    return f;
}

MultistepFormula adams_bashforth_formula(int k) {
    return adams_formula(k, k, linalg::at(k) - 1);
}

MultistepFormula adams_moulton_formula(int k) {
    return adams_formula(k, k + 1, linalg::at(k));
}

MultistepOrder order_of(const MultistepFormula& f, double uncertainty, int most) {
    const int k = f.n_steps();
    MultistepOrder found{.order = -1};
    for (int q = 0; q <= most; ++q) {
        Quad sum = 0, size = 0;
        for (int j = 0; j <= k; ++j) {
            Quad power = 1; // theta^(q-1)
            for (int i = 1; i < q; ++i) power *= j - k;
            const Quad of_alpha = f.alpha[linalg::at(j)] * (q == 0 ? Quad(1) : power * (j - k));
            const Quad of_beta = q == 0 ? Quad(0) : f.beta[linalg::at(j)] * power * q;
            sum += of_alpha - of_beta;
            size += absolute(of_alpha) + absolute(of_beta);
        }
        found.defect = sum;
        if (absolute(sum) > size * (Quad(1e-30) + Quad(uncertainty))) break;
        found.order = q;
    }
    return found;
}

RootCondition root_condition(std::span<const Quad> coefficients) {
    std::vector<long double> c;
    for (const Quad x : coefficients) c.push_back(static_cast<long double>(x));
    while (c.size() > 1 && c.back() == 0) c.pop_back();
    RootCondition found;
    c.erase(c.begin(), std::ranges::find_if(c, [](long double x) { return x != 0; })); // zeros at 0 are inside
    if (c.size() < 2) return found;
    const std::vector<Zero> zeros = zeros_of(c);
    for (std::size_t i = 0; i < zeros.size(); ++i) {
        const auto size = static_cast<double>(std::abs(zeros[i]));
        const bool is_outside = size > 1 + near_circle, is_on = !is_outside && size > 1 - near_circle;
        bool is_multiple = false;
        for (std::size_t j = 0; j < i && is_on; ++j) is_multiple |= std::abs(zeros[j] - zeros[i]) < near_circle;
        if (is_multiple || size > std::abs(found.worst) || (is_outside && found.holds)) {
            if (found.is_multiple && !is_outside) continue;
            found.worst = std::complex<double>(zeros[i]);
            found.is_multiple = is_multiple;
        }
        found.holds = found.holds && !is_outside && !is_multiple;
        found.holds_strictly = found.holds_strictly && !is_outside && !is_on;
    }
    return found;
}

} // namespace vessiot::method
