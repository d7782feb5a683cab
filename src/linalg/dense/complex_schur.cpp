#include "linalg/dense/complex_schur.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"

namespace vessiot::linalg {

namespace {

template <class S> Complex<S> conjugate(Complex<S> x) {
    return {x.re, -x.im};
}

template <class S> S modulus(Complex<S> x) {
    const S size = absolute(x);
    if (size == S(0) || !is_finite(size)) return size;
    const S re = x.re / size, im = x.im / size;
    return size * square_root(re * re + im * im);
}

// The root with real part >= 0.
template <class S> Complex<S> root(Complex<S> x) {
    const S r = modulus(x);
    if (r == S(0)) return {};
    const S re = square_root(std::max((r + x.re) / 2, S(0))), im = square_root(std::max((r - x.re) / 2, S(0)));
    return {re, x.im < 0 ? -im : im};
}

} // namespace

template <class S> typename ComplexSchur<S>::Rotation ComplexSchur<S>::rotation(C a, C b) {
    const S size = absolute(a) + absolute(b);
    if (size == S(0)) return {};
    a = a * (S(1) / size);
    b = b * (S(1) / size);
    const S length = square_root(a.re * a.re + a.im * a.im + b.re * b.re + b.im * b.im);
    return {a * (S(1) / length), b * (S(1) / length)};
}

// [conj(a) conj(b); -b a] on rows k and k + 1.
template <class S> void ComplexSchur<S>::rotate_rows(const Rotation& g, int k, int first) {
    for (int j = first; j < n_; ++j) {
        C &x = r_[at(j, k)], &y = r_[at(j, k + 1)];
        const C old = x;
        x = conjugate(g.a) * old + conjugate(g.b) * y;
        y = g.a * y - g.b * old;
    }
}

// Its inverse [a -conj(b); b conj(a)] on columns k and k + 1, from the right, down to row `last`.
template <class S> void ComplexSchur<S>::rotate_columns(std::vector<C>& m, const Rotation& g, int k, int last) const {
    for (int i = 0; i <= last; ++i) {
        C &x = m[at(k, i)], &y = m[at(k + 1, i)];
        const C old = x;
        x = old * g.a + y * g.b;
        y = y * conjugate(g.a) - old * conjugate(g.b);
    }
}

template <class S> void ComplexSchur<S>::make_hessenberg() {
    for (int k = 0; k + 2 < n_; ++k)
        for (int i = n_ - 1; i > k + 1; --i) {
            if (r_[at(k, i)] == C(0)) continue;
            const Rotation g = rotation(r_[at(k, i - 1)], r_[at(k, i)]);
            rotate_rows(g, i - 1, 0);
            rotate_columns(r_, g, i - 1, n_ - 1);
            rotate_columns(q_, g, i - 1, n_ - 1);
            r_[at(k, i)] = C(0);
        }
}

// The eigenvalue of the last 2 x 2 block that is next to its last entry.
template <class S> Complex<S> ComplexSchur<S>::shift(int u) const {
    const C a = r(u - 1, u - 1), b = r(u - 1, u), c = r(u, u - 1), d = r(u, u);
    const C half = (a - d) * S(0.5), product = b * c;
    C s = root(half * half + product);
    if (absolute(half + s) < absolute(half - s)) s = -s;
    const C divisor = half + s;
    return absolute(divisor) == S(0) ? d : d - product / divisor;
}

template <class S> void ComplexSchur<S>::step(int l, int u, C sigma) {
    for (int k = l; k <= u; ++k) r_[at(k, k)] -= sigma;
    std::vector<Rotation> all;
    for (int k = l; k < u; ++k) {
        all.push_back(rotation(r_[at(k, k)], r_[at(k, k + 1)]));
        rotate_rows(all.back(), k, k);
        r_[at(k, k + 1)] = C(0);
    }
    for (int k = l; k < u; ++k) {
        const Rotation& g = all[static_cast<std::size_t>(k - l)];
        rotate_columns(r_, g, k, std::min(k + 1, n_ - 1));
        rotate_columns(q_, g, k, n_ - 1);
    }
    for (int k = l; k <= u; ++k) r_[at(k, k)] += sigma;
}

template <class S> bool ComplexSchur<S>::factor() {
    std::fill(q_.begin(), q_.end(), C(0));
    for (int k = 0; k < n_; ++k) q_[at(k, k)] = C(1);
    for (const C& x : r_)
        if (!is_finite(absolute(x))) return false;
    make_hessenberg();
    int left = 60 * n_; // steps
    for (int u = n_ - 1, n_here = 0; u > 0;) {
        int l = u;
        for (; l > 0; --l) {
            const S size = absolute(r(l, l)) + absolute(r(l - 1, l - 1));
            if (absolute(r(l, l - 1)) > epsilon<S>() * size) continue;
            r_[at(l - 1, l)] = C(0);
            break;
        }
        if (l == u) {
            --u;
            n_here = 0;
            continue;
        }
        if (--left < 0) return false;
        const bool is_stuck = ++n_here % 10 == 0; // an odd shift then helps
        step(l, u, is_stuck ? C(absolute(r(u, u - 1)) + absolute(r(u, u))) : shift(u));
    }
    return true;
}

template class ComplexSchur<double>;
template class ComplexSchur<Quad>;

} // namespace vessiot::linalg
