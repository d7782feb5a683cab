#include "expr/table/piecewise.hpp"

namespace vessiot::expr {

namespace {

using Numbers = std::vector<Quad>;

// Of the intervals: lengths h and slopes m of the straight lines.
struct Intervals {
    Intervals(const Numbers& x, const Numbers& y) {
        for (std::size_t k = 0; k + 1 < x.size(); ++k) {
            h.push_back(x[k + 1] - x[k]);
            m.push_back((y[k + 1] - y[k]) / h[k]);
        }
    }
    Numbers h, m;
};

// The cubics with slopes s at the points.
std::vector<Coefficients> hermite_pieces(const Numbers& y, const Intervals& of, const Numbers& s) {
    std::vector<Coefficients> pieces;
    for (std::size_t k = 0; k < of.h.size(); ++k) {
        const Quad h = of.h[k], m = of.m[k];
        pieces.push_back({y[k], s[k], (3 * m - 2 * s[k] - s[k + 1]) / h, (s[k] + s[k + 1] - 2 * m) / (h * h)});
    }
    return pieces;
}

// lower[k] s[k-1] + diagonal[k] s[k] + upper[k] s[k+1] = right[k], by elimination.
Numbers solve_tridiagonal(const Numbers& lower, Numbers diagonal, const Numbers& upper, Numbers right) {
    const std::size_t n = diagonal.size();
    for (std::size_t k = 1; k < n; ++k) {
        const Quad factor = lower[k] / diagonal[k - 1];
        diagonal[k] -= factor * upper[k - 1];
        right[k] -= factor * right[k - 1];
    }
    for (std::size_t k = n; k-- > 0;) {
        if (k + 1 < n) right[k] -= upper[k] * right[k + 1];
        right[k] /= diagonal[k];
    }
    return right;
}

// h_k s_k-1 + 2 (h_k-1 + h_k) s_k + h_k-1 s_k+1 = 3 (h_k m_k-1 + h_k-1 m_k): the second derivative is continuous. At
// the ends, with d = h_0 + h_1: h_1 s_0 + d s_1 = ((h_0 + 2 d) h_1 m_0 + h_0^2 m_1)/d: so is the third in x_1.
Numbers spline_slopes(const Intervals& of) {
    const auto& [h, m] = of;
    const std::size_t n = h.size() + 1;
    Numbers lower(n), diagonal(n), upper(n), right(n);
    for (std::size_t k = 1; k + 1 < n; ++k) {
        lower[k] = h[k];
        diagonal[k] = 2 * (h[k - 1] + h[k]);
        upper[k] = h[k - 1];
        right[k] = 3 * (h[k] * m[k - 1] + h[k - 1] * m[k]);
    }
    const Quad first = h[0] + h[1], last = h[n - 3] + h[n - 2];
    diagonal[0] = h[1];
    upper[0] = first;
    right[0] = ((h[0] + 2 * first) * h[1] * m[0] + h[0] * h[0] * m[1]) / first;
    diagonal[n - 1] = h[n - 3];
    lower[n - 1] = last;
    right[n - 1] = (h[n - 2] * h[n - 2] * m[n - 3] + (2 * last + h[n - 2]) * h[n - 3] * m[n - 2]) / last;
    return solve_tridiagonal(lower, diagonal, upper, right);
}

// At an end, from the first two intervals: that of the parabola, unless it would overshoot.
Quad monotone_end(Quad h0, Quad h1, Quad m0, Quad m1) {
    const Quad s = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
    const auto size = [](Quad x) { return x < 0 ? -x : x; };
    if (s * m0 <= 0) return 0;
    return m0 * m1 <= 0 && size(s) > 3 * size(m0) ? 3 * m0 : s;
}

} // namespace

std::vector<Coefficients> step_pieces(const Numbers& y) {
    std::vector<Coefficients> pieces;
    for (std::size_t k = 0; k + 1 < y.size(); ++k) pieces.push_back({y[k]});
    return pieces;
}

std::vector<Coefficients> linear_pieces(const Numbers& x, const Numbers& y) {
    const Intervals of(x, y);
    std::vector<Coefficients> pieces;
    for (std::size_t k = 0; k < of.h.size(); ++k) pieces.push_back({y[k], of.m[k]});
    return pieces;
}

std::vector<Coefficients> spline_pieces(const Numbers& x, const Numbers& y) {
    const Intervals of(x, y);
    const auto& [h, m] = of;
    if (h.size() == 1) return hermite_pieces(y, of, {m[0], m[0]});
    if (h.size() > 2) return hermite_pieces(y, of, spline_slopes(of));
    const Quad curvature = (m[1] - m[0]) / (h[0] + h[1]); // the parabola through three points
    return hermite_pieces(y, of, {m[0] - curvature * h[0], m[0] + curvature * h[0], m[1] + curvature * h[1]});
}

// Inside: the harmonic mean of the slopes, with weights; 0 at a local extremum.
std::vector<Coefficients> monotone_pieces(const Numbers& x, const Numbers& y) {
    const Intervals of(x, y);
    const auto& [h, m] = of;
    const std::size_t n = y.size();
    Numbers s(n, m[0]);
    for (std::size_t k = 1; k + 1 < n; ++k) {
        const Quad v = 2 * h[k] + h[k - 1], w = h[k] + 2 * h[k - 1];
        s[k] = m[k - 1] * m[k] <= 0 ? Quad(0) : (v + w) / (v / m[k - 1] + w / m[k]);
    }
    if (n > 2) {
        s[0] = monotone_end(h[0], h[1], m[0], m[1]);
        s[n - 1] = monotone_end(h[n - 2], h[n - 3], m[n - 2], m[n - 3]);
    }
    return hermite_pieces(y, of, s);
}

} // namespace vessiot::expr
