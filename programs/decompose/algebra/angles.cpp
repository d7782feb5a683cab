#include "decompose/algebra/angles.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/scalar.hpp"

namespace vessiot::decompose {

LinearForm& LinearForm::add(const LinearForm& other, Quad factor) {
    for (const auto& [position, c] : other.coefficients) {
        Quad& sum = coefficients[position];
        sum += factor * c;
        // NOTE: x/3 + x/3 - 2*x/3 is 0 up to rounding
        if (linalg::absolute(sum) <= 16 * linalg::epsilon<Quad>() * linalg::absolute(factor * c))
            coefficients.erase(position);
    }
    constant += factor * other.constant;
    return *this;
}

LinearForm& LinearForm::scale(Quad factor) {
    if (factor == 0) coefficients.clear();
    for (auto& [position, c] : coefficients) c *= factor;
    constant *= factor;
    return *this;
}

std::optional<Quad> common_step(const std::vector<Quad>& coefficients, int most) {
    if (coefficients.empty()) return std::nullopt;
    const Quad unit = linalg::absolute(coefficients[0]);
    // The step is unit/n for some n: the smallest n that makes all ratios whole, then what these have in common.
    for (int n = 1; n <= most; ++n) {
        std::int64_t common = 0;
        const bool fits = std::ranges::all_of(coefficients, [&](Quad c) {
            const Quad multiple = linalg::absolute(c) / unit * n;
            if (!(multiple < 2 * most * most)) return false;
            const auto whole = static_cast<std::int64_t>(multiple + Quad(0.5));
            common = std::gcd(common, whole);
            return whole > 0 && linalg::absolute(multiple - Quad(whole)) <= 64 * linalg::epsilon<Quad>() * multiple;
        });
        if (!fits) continue;
        const Quad step = unit * Quad(common) / Quad(n);
        const bool is_small =
            std::ranges::all_of(coefficients, [&](Quad c) { return linalg::absolute(c) / step < most + Quad(0.5); });
        return is_small ? std::optional(step) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace vessiot::decompose
