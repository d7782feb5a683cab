#include "support/structure_by_hand.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace vessiot::bench {

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

namespace {

// Unit masses joined by rods of length 1/n, the first to the origin. N = G G^T is tridiagonal, factorised as L D L^T.
class Chain {
public:
    explicit Chain(std::int64_t n)
        : n_(static_cast<std::size_t>(n)), l_(1.0 / static_cast<double>(n)), x(n_), y(n_), vx(n_), vy(n_), dx_(n_),
          dy_(n_), qx_(n_), qy_(n_), g_(n_), lambda_(n_), guess_(n_), d_(n_), e_(n_) {
        for (std::size_t i = 0; i < n_; ++i) x[i] = static_cast<double>(i + 1) * l_;
        factor();
    }

    void step(double h) {
        for (std::size_t i = 0; i < n_; ++i) {
            qx_[i] = x[i] + h * vx[i];
            qy_[i] = y[i] + h * (vy[i] - h / 2 * gravity);
        }
        // q = q~ - h^2/2 G^T lambda
        const double c = h * h / 2;
        std::copy(guess_.begin(), guess_.end(), lambda_.begin());
        push(c, lambda_, qx_, qy_);
        for (int k = 0; k < 50; ++k) {
            double largest = 0;
            double px = 0, py = 0;
            for (std::size_t i = 0; i < n_; ++i) {
                const double ax = qx_[i] - px, ay = qy_[i] - py;
                g_[i] = (ax * ax + ay * ay - l_ * l_) / 2;
                largest = std::max(largest, std::fabs(g_[i]));
                px = qx_[i];
                py = qy_[i];
            }
            if (largest <= 8 * std::numeric_limits<double>::epsilon() * l_) break;
            solve(g_);
            for (std::size_t i = 0; i < n_; ++i) {
                g_[i] /= c;
                lambda_[i] += g_[i];
            }
            push(c, g_, qx_, qy_);
        }
        for (std::size_t i = 0; i < n_; ++i) {
            vx[i] = (qx_[i] - x[i]) / h;
            vy[i] = (qy_[i] - y[i]) / h - h / 2 * gravity;
            x[i] = qx_[i];
            y[i] = qy_[i];
        }
        factor();
        double px = 0, py = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            g_[i] = dx_[i] * (vx[i] - px) + dy_[i] * (vy[i] - py);
            px = vx[i];
            py = vy[i];
        }
        solve(g_);
        push(1, g_, vx, vy);
        for (std::size_t i = 0; i < n_; ++i) guess_[i] = g_[i] / (h / 2);
    }

private:
    static constexpr double gravity = 9.81;

    // (ax, ay) -= c G^T lambda
    void push(double c, const std::vector<double>& lambda, std::vector<double>& ax, std::vector<double>& ay) const {
        for (std::size_t i = 0; i + 1 < n_; ++i) {
            ax[i] -= c * (lambda[i] * dx_[i] - lambda[i + 1] * dx_[i + 1]);
            ay[i] -= c * (lambda[i] * dy_[i] - lambda[i + 1] * dy_[i + 1]);
        }
        ax[n_ - 1] -= c * lambda[n_ - 1] * dx_[n_ - 1];
        ay[n_ - 1] -= c * lambda[n_ - 1] * dy_[n_ - 1];
    }

    void factor() {
        double px = 0, py = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            dx_[i] = x[i] - px;
            dy_[i] = y[i] - py;
            px = x[i];
            py = y[i];
        }
        double before = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double square = dx_[i] * dx_[i] + dy_[i] * dy_[i];
            double d = i == 0 ? square : 2 * square;
            if (i > 0) {
                const double off = -(dx_[i] * dx_[i - 1] + dy_[i] * dy_[i - 1]);
                e_[i] = off * before;
                d -= off * e_[i];
            }
            before = d_[i] = 1 / d;
        }
    }

    void solve(std::vector<double>& b) const {
        for (std::size_t i = 1; i < n_; ++i) b[i] -= e_[i] * b[i - 1];
        b[n_ - 1] *= d_[n_ - 1];
        for (std::size_t i = n_ - 1; i-- > 0;) b[i] = b[i] * d_[i] - e_[i + 1] * b[i + 1];
    }

    std::size_t n_;
    double l_;

public:
    std::vector<double> x, y, vx, vy;

private:
    std::vector<double> dx_, dy_, qx_, qy_, g_, lambda_, guess_;
    std::vector<double> d_, e_; // 1 / D, L
};

} // namespace

double rattle_by_hand(std::int64_t n, double h, std::int64_t steps, std::vector<double>& end) {
    Chain chain(n);
    const double start = thread_seconds();
    for (std::int64_t k = 0; k < steps; ++k) chain.step(h);
    const double seconds = thread_seconds() - start;
    end = chain.x;
    end.insert(end.end(), chain.y.begin(), chain.y.end());
    return seconds;
}

double magnus_by_hand(double h, std::int64_t steps, std::vector<double>& end) {
    double y[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double root = std::sqrt(3.0), c_1 = 0.5 - root / 6, c_2 = 0.5 + root / 6;
    const double start = thread_seconds();
    for (std::int64_t k = 0; k < steps; ++k) {
        const double t = static_cast<double>(k) * h;
        const double a[3] = {std::cos(t + c_1 * h), std::sin(t + c_1 * h), 0.5};
        const double b[3] = {std::cos(t + c_2 * h), std::sin(t + c_2 * h), 0.5};
        const double p = h / 2, q = root * h * h / 12; // [B, A] is the matrix of b x a
        const double u = p * (a[0] + b[0]) + q * (b[1] * a[2] - b[2] * a[1]);
        const double v = p * (a[1] + b[1]) + q * (b[2] * a[0] - b[0] * a[2]);
        const double w = p * (a[2] + b[2]) + q * (b[0] * a[1] - b[1] * a[0]);
        const double square = u * u + v * v + w * w, theta = std::sqrt(square);
        const double s = std::sin(theta) / theta, half = std::sin(theta / 2), r = 2 * half * half / square;
        const double m[9] = {1 - r * (v * v + w * w), r * u * v - s * w,       r * u * w + s * v,
                             r * u * v + s * w,       1 - r * (u * u + w * w), r * v * w - s * u,
                             r * u * w - s * v,       r * v * w + s * u,       1 - r * (u * u + v * v)};
        double z[9];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                z[3 * i + j] = m[3 * i] * y[j] + m[3 * i + 1] * y[3 + j] + m[3 * i + 2] * y[6 + j];
        std::copy(z, z + 9, y);
    }
    const double seconds = thread_seconds() - start;
    end.assign(y, y + 9);
    return seconds;
}

} // namespace vessiot::bench
