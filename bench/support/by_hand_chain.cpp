// The chain of n particles by hand.
//
//     d_i = q_i - q_{i+1},  g_i = (|d_i|^2 - 1)/2 = 0,  d_i . (v_i - v_{i+1}) = 0           i = 0 .. n-2
//     q'' = F - G^T lambda,  F_i = c (q_{i+2} - q_i) + c (q_{i-2} - q_i) where there are such particles
//     G G^T lambda = G F + |v_i - v_{i+1}|^2
//     G G^T: diagonal 2 |d_i|^2, beside it -d_i . d_{i+1}
//
// Projection: q <- q - G^T mu with G G^T mu = g, G frozen, until g < 1e-8 before a correction; then v <- v - G^T mu
// with G G^T mu = G v there. Its factors serve the first stage of the next step too. With N > 0 the number of particles
// is fixed when compiling, and all arrays are on the stack.
//
// The tridiagonal system is factored as L D L^T. From 32 links on, eight segments of q links go side by side in vector
// registers, with one link between two segments as a separator. In a segment, with w the column of the separator above
// it and e_i = (G G^T)_{i,i+1},
//
//     l_i = e_i/p_i,  p_{i+1} = (G G^T)_{i+1,i+1} - l_i e_i,  z_{i+1} = r_{i+1} - l_i z_i,  w_{i+1} = -l_i w_i
//     mu_i = (z_i - w_i mu_above)/p_i - l_i mu_{i+1},  mu_q the separator below
//
// and the separator above loses sum w^2/p and sum w z/p. The separators form a tridiagonal system of their own, beside
// whose diagonal stands -w l of the last row of a segment.
#include <numbers>
#include <type_traits>

#include "support/by_hand.hpp"

namespace vessiot::bench {
namespace {

constexpr double spring = 10, one_correction = 1e-8;
constexpr int max_corrections = 20;

// Row after row, for m rows.
template <class Links> class Tridiagonal {
public:
    void resize(std::size_t m) {
        if constexpr (requires(Links v) { v.resize(m); }) {
            inverse_.resize(m);
            lower_.resize(m);
        }
    }

    void factor(std::size_t m, const Links& diagonal, const Links& beside) {
        double p = diagonal[0];
        for (std::size_t i = 0; i + 1 < m; ++i) {
            inverse_[i] = 1 / p;
            lower_[i] = beside[i] * inverse_[i];
            p = diagonal[i + 1] - beside[i] * lower_[i];
        }
        inverse_[m - 1] = 1 / p;
    }

    void solve(std::size_t m, Links& r) const {
        for (std::size_t i = 1; i < m; ++i) r[i] -= lower_[i - 1] * r[i - 1];
        r[m - 1] *= inverse_[m - 1];
        for (std::size_t i = m - 1; i-- > 0;) r[i] = inverse_[i] * r[i] - lower_[i] * r[i + 1];
    }

private:
    Links inverse_{}, lower_{}; // 1/p, l
};

// Eight segments of q rows at once: row j of segment s is row s (q + 1) + j, separator s is row s (q + 1) + q. Arrays
// have 8 (q + 1) elements; those beyond the system are rows of the identity.
class Segmented {
public:
    using Links = std::vector<double>;

    static std::size_t padded(std::size_t m) { return 8 * (m / 8 + 1); }

    void resize(std::size_t m) {
        stride_ = padded(m) / 8;
        rows_.resize(stride_ - 1);
    }

    void factor(const Links& diagonal, const Links& beside) {
        Lanes p = across(&diagonal[0]), w{}, e{}, l{};
        for (int s = 1; s < 8; ++s) w[s] = beside[static_cast<std::size_t>(s) * stride_ - 1];
        Lanes loss{}, last{};
        for (std::size_t j = 0; j + 1 < stride_; ++j) {
            e = across(&beside[j]);
            const Lanes inverse = 1 / p;
            l = e * inverse;
            Row& row = rows_[j];
            row.inverse = inverse;
            row.lower = l;
            row.above = w;
            loss += w * w * inverse;
            last = w;
            p = across(&diagonal[j + 1]) - l * e;
            w = -l * w;
        }
        for (std::size_t s = 0; s < 7; ++s) {
            diagonal_[s] = diagonal[s * stride_ + stride_ - 1] - l[s] * e[s] - loss[s + 1];
            beside_[s] = -last[s + 1] * l[s + 1];
        }
        separators_.factor(7, diagonal_, beside_);
    }

    void solve(Links& r) {
        Lanes z = across(&r[0]), loss{}, l{}, last{};
        for (std::size_t j = 0; j + 1 < stride_; ++j) {
            Row& row = rows_[j];
            row.z = last = z;
            l = row.lower;
            loss += row.above * row.inverse * z;
            z = across(&r[j + 1]) - l * z;
        }
        std::array<double, 7> x{};
        for (std::size_t s = 0; s < 7; ++s) x[s] = r[s * stride_ + stride_ - 1] - l[s] * last[s] - loss[s + 1];
        separators_.solve(7, x);
        const Lanes above{0, x[0], x[1], x[2], x[3], x[4], x[5], x[6]};
        Lanes mu{x[0], x[1], x[2], x[3], x[4], x[5], x[6], 0};
        spread(mu, &r[stride_ - 1]);
        for (std::size_t j = stride_ - 1; j-- > 0;) {
            const Row& row = rows_[j];
            mu = (row.z - row.above * above) * row.inverse - row.lower * mu;
            spread(mu, &r[j]);
        }
    }

private:
    using Lanes [[gnu::vector_size(64)]] = double;

    struct Row {
        Lanes inverse, lower, above, z; // 1/p, l, w, z
    };

    [[gnu::always_inline]] Lanes across(const double* a) const {
        const std::size_t m = stride_;
        return Lanes{a[0], a[m], a[2 * m], a[3 * m], a[4 * m], a[5 * m], a[6 * m], a[7 * m]};
    }

    [[gnu::always_inline]] void spread(const Lanes& v, double* a) const {
        for (std::size_t s = 0; s < 8; ++s) a[s * stride_] = v[s];
    }

    std::size_t stride_ = 0; // q + 1
    std::vector<Row> rows_;
    std::array<double, 7> diagonal_{}, beside_{};
    Tridiagonal<std::array<double, 7>> separators_;
};

template <std::size_t N> class Chain {
    static constexpr bool is_fixed = N > 0;

public:
    using Links = std::conditional_t<is_fixed, std::array<double, N>, std::vector<double>>;
    using Vector = std::conditional_t<is_fixed, std::array<double, 4 * N>, std::vector<double>>;

    explicit Chain(std::size_t n) : n_(n), is_segmented_(!is_fixed && n > 32) {
        if constexpr (!is_fixed) {
            const std::size_t padded = is_segmented_ ? Segmented::padded(n - 1) : n;
            for (Links* v : {&dx_, &dy_, &r_, &beside_}) v->resize(padded);
            diagonal_.resize(padded, 1.0);
            if (is_segmented_)
                segments_.resize(n - 1);
            else
                rows_.resize(n - 1);
        }
    }

    std::size_t size() const { return 4 * n(); }

    void direction(const Vector& z, Vector& k) {
        links(z.data());
        factor();
        accelerate(z, k);
    }

    void project(Vector& z, Vector& k) {
        links(z.data());
        factor();
        for (int i = 0; i < max_corrections; ++i) {
            const double worst = stretch(z.data());
            solve();
            pull(z.data());
            if (worst < one_correction) break;
        }
        project_velocities(z);
        accelerate(z, k);
    }

    // Leaves the factors at the positions.
    void project_velocities(Vector& z) {
        links(z.data());
        factor();
        double *vx = &z[2 * n()], *vy = vx + n();
        const std::size_t m = n() - 1;
#pragma GCC ivdep
        for (std::size_t i = 0; i < m; ++i) r_[i] = dx_[i] * (vx[i] - vx[i + 1]) + dy_[i] * (vy[i] - vy[i + 1]);
        solve();
        pull(vx);
    }

private:
    std::size_t n() const {
        if constexpr (is_fixed)
            return N;
        else
            return n_;
    }

    // d, and G G^T.
    void links(const double* x) {
        const double* y = x + n();
        const std::size_t m = n() - 1;
#pragma GCC ivdep
        for (std::size_t i = 0; i < m; ++i) {
            dx_[i] = x[i] - x[i + 1];
            dy_[i] = y[i] - y[i + 1];
            diagonal_[i] = 2 * (dx_[i] * dx_[i] + dy_[i] * dy_[i]);
        }
#pragma GCC ivdep
        for (std::size_t i = 0; i + 1 < m; ++i) beside_[i] = -(dx_[i] * dx_[i + 1] + dy_[i] * dy_[i + 1]);
    }

    // r = g where the positions are now; the largest.
    double stretch(const double* x) {
        const double* y = x + n();
        const std::size_t m = n() - 1;
        double worst = 0;
#pragma GCC ivdep
        for (std::size_t i = 0; i < m; ++i) {
            const double a = x[i] - x[i + 1], b = y[i] - y[i + 1];
            r_[i] = 0.5 * (a * a + b * b - 1);
            worst = std::max(worst, std::fabs(r_[i]));
        }
        return worst;
    }

    // (x, y) <- (x, y) - G^T r
    void pull(double* x) {
        double* y = x + n();
        const std::size_t m = n() - 1;
        x[0] -= r_[0] * dx_[0];
        y[0] -= r_[0] * dy_[0];
#pragma GCC ivdep
        for (std::size_t i = 1; i < m; ++i) {
            x[i] -= r_[i] * dx_[i] - r_[i - 1] * dx_[i - 1];
            y[i] -= r_[i] * dy_[i] - r_[i - 1] * dy_[i - 1];
        }
        x[m] += r_[m - 1] * dx_[m - 1];
        y[m] += r_[m - 1] * dy_[m - 1];
    }

    void forces(const double* x, double* f) const {
        const std::size_t count = n();
        for (std::size_t i : {std::size_t(0), std::size_t(1), count - 2, count - 1}) {
            const double up = i + 2 < count ? x[i + 2] - x[i] : 0, down = i >= 2 ? x[i - 2] - x[i] : 0;
            f[i] = spring * (up + down);
        }
#pragma GCC ivdep
        for (std::size_t i = 2; i + 2 < count; ++i) f[i] = spring * (x[i + 2] - 2 * x[i] + x[i - 2]);
    }

    // k = (v, F - G^T lambda), with the factors at hand.
    void accelerate(const Vector& z, Vector& k) {
        const double *vx = &z[2 * n()], *vy = vx + n();
        double *ax = &k[2 * n()], *ay = ax + n();
        forces(&z[0], ax);
        forces(&z[n()], ay);
        const std::size_t m = n() - 1;
#pragma GCC ivdep
        for (std::size_t i = 0; i < m; ++i) {
            const double wx = vx[i] - vx[i + 1], wy = vy[i] - vy[i + 1];
            r_[i] = wx * wx + wy * wy + dx_[i] * (ax[i] - ax[i + 1]) + dy_[i] * (ay[i] - ay[i + 1]);
        }
        solve();
        pull(ax);
        std::copy(vx, vx + 2 * n(), k.begin());
    }

    void factor() {
        if constexpr (!is_fixed)
            if (is_segmented_) return segments_.factor(diagonal_, beside_);
        rows_.factor(n() - 1, diagonal_, beside_);
    }

    // r <- (G G^T)^{-1} r
    void solve() {
        if constexpr (!is_fixed)
            if (is_segmented_) return segments_.solve(r_);
        rows_.solve(n() - 1, r_);
    }

    std::size_t n_;
    bool is_segmented_;
    Links dx_{}, dy_{}, r_{}, diagonal_{}, beside_{};
    Tridiagonal<Links> rows_;
    Segmented segments_;
};

// A zigzag at +-60 degrees with the velocities (sin i, cos i), i = 1 .. n, projected.
template <std::size_t N> HandProgram program(std::size_t n) {
    typename Chain<N>::Vector z{};
    if constexpr (N == 0) z.resize(4 * n);
    for (std::size_t i = 0; i < n; ++i) {
        z[i] = 0.5 * static_cast<double>(i);
        z[n + i] = i % 2 == 0 ? 0 : std::numbers::sqrt3 / 2;
        z[2 * n + i] = std::sin(static_cast<double>(i + 1));
        z[3 * n + i] = std::cos(static_cast<double>(i + 1));
    }
    Chain<N>(n).project_velocities(z);
    return [n, z](double tolerance) {
        HandSolver<Chain<N>> solver(Chain<N>(n), z, tolerance);
        const typename Chain<N>::Vector& end = solver(1);
        return std::vector<double>(end.begin(), end.end());
    };
}

} // namespace

HandProgram chain_by_hand(std::int64_t n) {
    if (n < 4) throw InvalidInput("the chain by hand needs four particles or more");
    return n == 6 ? program<6>(6) : program<0>(static_cast<std::size_t>(n));
}

} // namespace vessiot::bench
