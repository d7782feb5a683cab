// Pendulum, Kepler problem, top and Henon-Heiles system by hand.
//
// Projection on invariants I(y) = I(y_0): with A = I'(y) frozen and r = I(y) - I(y_0),
//
//     y <- y - A^T (A A^T)^{-1} r
//
// Convergence is such that a residual r leaves one of order r^2: below 1e-8 one correction ends at round-off.
#include <numbers>

#include "support/by_hand.hpp"

namespace vessiot::bench {
namespace {

using Four = std::array<double, 4>;
using Three = std::array<double, 3>;

constexpr double one_correction = 1e-8;
constexpr int max_corrections = 20;

template <class Problem> HandProgram program(const Problem& problem, const typename Problem::Vector& start, double to) {
    return [=](double tolerance) {
        HandSolver<Problem> solver(problem, start, tolerance);
        const typename Problem::Vector& y = solver(to);
        return std::vector<double>(y.begin(), y.end());
    };
}

// y <- y - A^T mu with (A A^T) mu = r for two rows a and b, as long as r = residual(y) is not small.
template <std::size_t N, class Residual>
[[gnu::always_inline]] inline void correct(std::array<double, N>& y, const std::array<double, N> a,
                                           const std::array<double, N> b, const Residual& residual) {
    double aa = 0, ab = 0, bb = 0;
    for (std::size_t c = 0; c < N; ++c) {
        aa += a[c] * a[c];
        ab += a[c] * b[c];
        bb += b[c] * b[c];
    }
    const double inverse = 1 / (aa * bb - ab * ab);
    for (int k = 0; k < max_corrections; ++k) {
        const std::pair<double, double> r = residual(y);
        const double mu = inverse * (bb * r.first - ab * r.second), nu = inverse * (aa * r.second - ab * r.first);
        for (std::size_t c = 0; c < N; ++c) y[c] -= mu * a[c] + nu * b[c];
        if (std::max(std::fabs(r.first), std::fabs(r.second)) < one_correction) return;
    }
}

// x'' = -lambda x, y'' = -lambda y - 1, x^2 + y^2 = 1, hence lambda = (x'^2 + y'^2 - y)/(x^2 + y^2).
struct Pendulum {
    using Vector = Four;
    static constexpr std::size_t size() { return 4; }

    [[gnu::always_inline]] void direction(const Four& z, Four& k) const {
        const double lambda = (z[2] * z[2] + z[3] * z[3] - z[1]) / (z[0] * z[0] + z[1] * z[1]);
        k = {z[2], z[3], -lambda * z[0], -lambda * z[1] - 1};
    }

    // In closed form: the position is scaled, then the velocity loses its part along it.
    [[gnu::always_inline]] void project(Four& z, Four& k) const {
        const double scale = 1 / std::sqrt(z[0] * z[0] + z[1] * z[1]);
        const double x = scale * z[0], y = scale * z[1], along = x * z[2] + y * z[3];
        z = {x, y, z[2] - along * x, z[3] - along * y};
        const double lambda = z[2] * z[2] + z[3] * z[3] - y;
        k = {z[2], z[3], -lambda * x, -lambda * y - 1};
    }
};

// q'' = -q/|q|^3 with the energy |q'|^2/2 - 1/|q| = -1/2 and the momentum x y' - y x' = 4/5.
struct Kepler {
    using Vector = Four;
    static constexpr std::size_t size() { return 4; }
    static constexpr double energy = -0.5, momentum = 0.8;

    [[gnu::always_inline]] static double inverse_cube(const Four& z) {
        const double square = z[0] * z[0] + z[1] * z[1];
        return 1 / (square * std::sqrt(square));
    }

    [[gnu::always_inline]] void direction(const Four& z, Four& k) const {
        const double w = -inverse_cube(z);
        k = {z[2], z[3], w * z[0], w * z[1]};
    }

    [[gnu::always_inline]] void project(Four& z, Four& k) const {
        const double w = inverse_cube(z);
        correct<4>(z, {w * z[0], w * z[1], z[2], z[3]}, {z[3], -z[2], -z[1], z[0]}, [](const Four& y) {
            const double r = std::sqrt(y[0] * y[0] + y[1] * y[1]);
            return std::pair((y[2] * y[2] + y[3] * y[3]) / 2 - 1 / r - energy, y[0] * y[3] - y[1] * y[2] - momentum);
        });
        direction(z, k);
    }
};

// The top with I = (2, 1, 2/3): y_1' = y_2 y_3/2, y_2' = -y_3 y_1, y_3' = y_1 y_2/2; |y|^2/2 and
// (y_1^2/2 + y_2^2 + 3 y_3^2/2)/2 stay.
struct Top {
    using Vector = Three;
    double momentum, energy; // at the start
    static constexpr std::size_t size() { return 3; }

    static std::pair<double, double> invariants(const Three& y) {
        const double a = y[0] * y[0], b = y[1] * y[1], c = y[2] * y[2];
        return {0.5 * (a + b + c), 0.25 * a + 0.5 * b + 0.75 * c};
    }

    [[gnu::always_inline]] void direction(const Three& y, Three& k) const {
        k = {0.5 * y[1] * y[2], -y[2] * y[0], 0.5 * y[0] * y[1]};
    }

    [[gnu::always_inline]] void project(Three& y, Three& k) const {
        correct<3>(y, y, {0.5 * y[0], y[1], 1.5 * y[2]}, [this](const Three& z) {
            const std::pair<double, double> now = invariants(z);
            return std::pair(now.first - momentum, now.second - energy);
        });
        direction(y, k);
    }
};

// y_1'' = -y_1 - 2 y_1 y_2, y_2'' = -y_2 - y_1^2 + y_2^2 with the energy
// (|y'|^2 + |y|^2)/2 + y_1^2 y_2 - y_2^3/3.
struct HenonHeiles {
    using Vector = Four;
    double energy_at_start;
    static constexpr std::size_t size() { return 4; }

    static double energy(const Four& z) {
        const double a = z[0] * z[0], b = z[1] * z[1];
        return 0.5 * (z[2] * z[2] + z[3] * z[3] + a + b) + z[1] * (a - b / 3);
    }

    [[gnu::always_inline]] void direction(const Four& z, Four& k) const {
        k = {z[2], z[3], -z[0] - 2 * z[0] * z[1], z[1] * z[1] - z[1] - z[0] * z[0]};
    }

    [[gnu::always_inline]] void project(Four& z, Four& k) const {
        direction(z, k);
        const Four a{-k[2], -k[3], z[2], z[3]}; // the gradient of the energy
        const double inverse = 1 / (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
        for (int i = 0; i < max_corrections; ++i) {
            const double r = energy(z) - energy_at_start, mu = inverse * r;
            for (std::size_t c = 0; c < 4; ++c) z[c] -= mu * a[c];
            if (std::fabs(r) < one_correction) break;
        }
        direction(z, k);
    }
};

} // namespace

HandProgram pendulum_by_hand() {
    return program(Pendulum(), {1, 0, 0, 0}, 100);
}

// e = 0.6 from the pericentre.
HandProgram kepler_by_hand() {
    return program(Kepler(), {0.4, 0, 0, 2}, 100 * std::numbers::pi);
}

HandProgram top_by_hand() {
    const Three start{std::cos(1.1), 0, std::sin(1.1)};
    const auto [momentum, energy] = Top::invariants(start);
    return program(Top{momentum, energy}, start, 1000);
}

HandProgram henon_heiles_by_hand() {
    const Four start{0.12, 0.12, 0.12, 0.12};
    return program(HenonHeiles{HenonHeiles::energy(start)}, start, 1100);
}

} // namespace vessiot::bench
