#include "support/taylor_by_hand.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace vessiot::bench {
namespace {

constexpr int most = 32;
using Series = std::array<double, most>;

inline double product(const Series& a, const Series& b, int k) {
    double sum = 0;
    for (int j = 0; j <= k; ++j) sum += a[static_cast<std::size_t>(j)] * b[static_cast<std::size_t>(k - j)];
    return sum;
}

// x'' = -x w, y'' = -y w, w = (x^2 + y^2)^(-3/2)
struct KeplerByHand {
    static constexpr std::size_t n = 4;
    static constexpr std::array<double, n> start{0.4, 0, 0, 2};
    template <int p> static void coefficients(std::array<Series, n>& c) {
        Series s{}, w{};
        for (std::size_t k = 0; k < p; ++k) {
            const int order = static_cast<int>(k);
            s[k] = product(c[0], c[0], order) + product(c[1], c[1], order);
            if (k == 0) {
                w[0] = 1 / (s[0] * std::sqrt(s[0]));
            } else {
                double sum = 0;
                for (std::size_t j = 1; j <= k; ++j)
                    sum += (-1.5 * static_cast<double>(j) - static_cast<double>(k - j)) * s[j] * w[k - j];
                w[k] = sum / (static_cast<double>(k) * s[0]);
            }
            const double f = 1 / static_cast<double>(k + 1);
            c[0][k + 1] = f * c[2][k];
            c[1][k + 1] = f * c[3][k];
            c[2][k + 1] = -f * product(c[0], w, order);
            c[3][k + 1] = -f * product(c[1], w, order);
        }
    }
};

struct TopByHand {
    static constexpr std::size_t n = 3;
    static inline const std::array<double, n> start{std::cos(1.1), 0, std::sin(1.1)};
    template <int p> static void coefficients(std::array<Series, n>& c) {
        for (std::size_t k = 0; k < p; ++k) {
            const int order = static_cast<int>(k);
            const double f = 1 / static_cast<double>(k + 1);
            const double a = product(c[1], c[2], order), b = product(c[2], c[0], order), d = product(c[0], c[1], order);
            c[0][k + 1] = 0.5 * f * a;
            c[1][k + 1] = -f * b;
            c[2][k + 1] = 0.5 * f * d;
        }
    }
};

struct HenonHeilesByHand {
    static constexpr std::size_t n = 4;
    static constexpr std::array<double, n> start{0.12, 0.12, 0.12, 0.12};
    template <int p> static void coefficients(std::array<Series, n>& c) {
        for (std::size_t k = 0; k < p; ++k) {
            const int order = static_cast<int>(k);
            const double f = 1 / static_cast<double>(k + 1);
            const double xx = product(c[0], c[0], order), xy = product(c[0], c[1], order),
                         yy = product(c[1], c[1], order);
            c[0][k + 1] = f * c[2][k];
            c[1][k + 1] = f * c[3][k];
            c[2][k + 1] = f * (-c[0][k] - 2 * xy);
            c[3][k + 1] = f * (-c[1][k] - xx + yy);
        }
    }
};

template <class Problem, int p> HandSeries integrate(double end) {
    constexpr std::size_t n = Problem::n;
    std::array<Series, n> c{};
    for (std::size_t i = 0; i < n; ++i) c[i][0] = Problem::start[i];
    HandSeries result;
    for (double t = 0; t < end; ++result.steps) {
        Problem::template coefficients<p>(c);
        double size = 0, before = 0, last = 0;
        for (std::size_t i = 0; i < n; ++i) {
            size = std::max(size, std::fabs(c[i][0]));
            before = std::max(before, std::fabs(c[i][p - 1]));
            last = std::max(last, std::fabs(c[i][p]));
        }
        const double radius = std::min(std::pow(size / before, 1.0 / (p - 1)), std::pow(size / last, 1.0 / p));
        const double h = std::min(radius * std::exp(-2 - 0.7 / (p - 1)), end - t);
        for (std::size_t i = 0; i < n; ++i) {
            double x = c[i][p];
            for (std::size_t k = p; k-- > 0;) x = x * h + c[i][k];
            c[i][0] = x;
        }
        t = t + h == t ? end : t + h;
    }
    for (std::size_t i = 0; i < n; ++i) result.end.push_back(c[i][0]);
    return result;
}

template <class Problem> HandSeries of_order(int order, double t) {
    switch (order) {
    case 8: return integrate<Problem, 8>(t);
    case 12: return integrate<Problem, 12>(t);
    case 16: return integrate<Problem, 16>(t);
    case 20: return integrate<Problem, 20>(t);
    case 24: return integrate<Problem, 24>(t);
    default: throw std::invalid_argument("no such order");
    }
}

} // namespace

HandSeries kepler_series(int order, double t) {
    return of_order<KeplerByHand>(order, t);
}
HandSeries top_series(int order, double t) {
    return of_order<TopByHand>(order, t);
}
HandSeries henon_heiles_series(int order, double t) {
    return of_order<HenonHeilesByHand>(order, t);
}

} // namespace vessiot::bench
