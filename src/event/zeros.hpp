// The zeros of a function g along one step, in their order: where it changes its sign, and where it touches zero.
//
// g is looked at through its fit (chebyshev.hpp), on halves of halves of the step until that is accurate. Between the
// ends of pieces and the extrema g is monotone, so that signs at these *breakpoints* tell where it crosses zero; each
// crossing is then located on g itself. An extremum near zero is found on g itself too: with |g| below the tolerance
// there it is a touch, and crossings beside it that the extremum alone separates from it belong to it: how near to zero
// an extremum is, and whether it passes zero, is not known better than that.
//
// A fit knows nothing of what lies between its nodes. Where the range of g' on any piece is known, the breakpoints are
// confirmed: between two of them, g(a) and g(b),
//
//     no zero where  |g(a)| + |g(b)| > (b - a) max |g'|,     one at most where g' has one sign
//
// and else there is a breakpoint in the middle, and so on, as long as there is more to see than the tolerance.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "event/chebyshev.hpp"
#include "event/crossing.hpp"

namespace vessiot {

enum class ZeroKind : std::uint8_t { rising, falling, touch };

template <class S> struct Zero {
    S theta = 0; // 0 .. 1
    ZeroKind kind = ZeroKind::rising;
};

// The least value of f between a and b, begun at x: parabolas, and golden sections where these do not help. [Bre73, 5]
template <class S, class F> std::pair<S, S> least_value(const F& f, S a, S b, S x, S tolerance) {
    const S golden = (S(3) - linalg::square_root(S(5))) / S(2);
    S w = x, v = x, fx = f(x), fw = fx, fv = fx, d = 0, e = 0;
    for (int k = 0; k < 100; ++k) {
        const S middle = (a + b) / S(2);
        if (linalg::absolute(x - middle) <= S(2) * tolerance - (b - a) / S(2)) break;
        bool is_golden = true;
        if (linalg::absolute(e) > tolerance) {
            const S r = (x - w) * (fx - fv);
            S q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r;
            q = S(2) * (q - r);
            if (q > S(0)) p = -p;
            q = linalg::absolute(q);
            const S before = e;
            e = d;
            if (linalg::absolute(p) < linalg::absolute(q * before / S(2)) && p > q * (a - x) && p < q * (b - x)) {
                d = p / q;
                is_golden = false;
            }
        }
        if (is_golden) {
            e = x < middle ? b - x : a - x;
            d = golden * e;
        }
        const S u = linalg::absolute(d) >= tolerance ? x + d : x + (d > S(0) ? tolerance : -tolerance), fu = f(u);
        if (!linalg::is_finite(fu)) break;
        if (fu <= fx) {
            (u < x ? b : a) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            (u < x ? a : b) = u;
            if (fu <= fw || w == x)
                v = w, fv = fw, w = u, fw = fu;
            else if (fu <= fv || v == x || v == w)
                v = u, fv = fu;
        }
    }
    return {x, fx};
}

// Does not allocate once it has been used for a while.
template <class S> class ZeroFinder {
public:
    using Nodes = std::array<S, 9>;

    // `g` at theta, `tolerance` for |g| at a touch near theta; `values` of g at the nodes of the whole step.
    // `sign` of g before the step: the last one that was not 0; 0: g begins at zero, where leaving is no crossing.
    // `lead`: the sign with which it leaves zero then, where that is known; 0: as its fit has it.
    // Appends the zeros; returns the sign at the end.
    // `range(a, b)`: that of g and of its derivative (expr::Range); asked where `has_range`.
    template <class G, class T, class R>
    int operator()(const G& g, const T& tolerance, const Nodes& values, int sign, int lead, bool has_range,
                   const R& range, std::vector<Zero<S>>& zeros) {
        points_.clear();
        scale_ = 0;
        for (const S& v : values)
            if (linalg::is_finite(v)) scale_ = std::max(scale_, linalg::absolute(v));
        lead_ = lead;
        is_lead_known_ = lead != 0;
        is_lead_lost_ = false;
        is_unsure_ = false;
        has_range_ = has_range;
        look(g, tolerance, S(0), S(1), values, 0);
        if (has_range) confirm(g, range, tolerance);
        touch_ends(tolerance);
        if (sign == 0) follow_lead(g);
        return walk(g, sign, zeros);
    }

    // Does g keep its sign between a and b, with these values there? `n` looks at most.
    template <class G, class R, class T>
    bool keeps_sign(const G& g, const R& range, const T& tolerance, S at_a, S at_b, int n) {
        const int sign = sign_of(at_a);
        if (sign == 0 || sign_of(at_b) != sign) return false;
        is_unsure_ = false;
        n_looks_ = n;
        points_.clear();
        refine(g, range, tolerance, Point{S(0), at_a}, Point{S(1), at_b});
        return !is_unsure_ && std::ranges::all_of(points_, [&](const Point& p) { return sign_of(p.value) == sign; });
    }

    // How often g may be asked in one step to confirm that nothing is hidden.
    static constexpr int most_looks = 200'000;
    void allow_looks(int n) { allowed_ = n; }

    // May there be more zeros in the last step than were found, and from where on?
    bool is_unsure() const { return is_unsure_; }
    S unsure_from() const { return unsure_from_; }

    // Is g, at the beginning of the last step, nowhere on the side that `lead` says?
    bool is_lead_lost() const { return is_lead_lost_; }

private:
    struct Point {
        S theta = 0, value = 0;
        bool is_touch = false;
    };
    static constexpr int deepest = 5;
    static constexpr double same = 1e-6;      // part of a step: nearer to a touch is the touch
    static constexpr double near_part = 1e-3; // of the size of g on the step: near zero, so that g is asked itself

    static S place(S a, S b, S x) { return a + (b - a) * (x + S(1)) / S(2); }

    void add(S theta, S value, bool is_touch = false) {
        if (!linalg::is_finite(value)) return;
        if (!points_.empty() && theta <= points_.back().theta) return; // an end that two pieces share
        if (!points_.empty() && points_.back().is_touch && theta - points_.back().theta < S(same)) return;
        points_.push_back({theta, value, is_touch});
    }

    template <class G, class T> void look(const G& g, const T& tolerance, S a, S b, const Nodes& values, int depth) {
        const auto n_finite = std::ranges::count_if(values, [](const S& v) { return linalg::is_finite(v); });
        if (n_finite == 0) return;
        if (n_finite < 9) {
            if (depth < deepest)
                split(g, tolerance, a, b, values, depth);
            else
                use_nodes(g, tolerance, a, b, values);
            return;
        }
        const Fit<S, 8> fit(values);
        const S tail = fit.tail(), change = fit.change();
        if (!is_lead_known_) {
            is_lead_known_ = true;
            const S slope = fit.slope(S(-1));
            if (linalg::absolute(slope) > S(64) * tail) lead_ = slope > S(0) ? 1 : -1;
        }
        if (linalg::absolute(fit.coefficient(0)) - change > S(4) * tail + S(near_part) * scale_) { // far from zero
            add(a, values[0]);
            add(b, values[8]);
            return;
        }
        if (tail <= S(1e-4) * change || tail <= S(1000) * linalg::epsilon<S>() * scale_)
            use_fit(g, tolerance, a, b, values, fit);
        else if (depth < deepest)
            split(g, tolerance, a, b, values, depth);
        else
            use_nodes(g, tolerance, a, b, values);
    }

    template <class G, class T> void split(const G& g, const T& tolerance, S a, S b, const Nodes& values, int depth) {
        const S middle = (a + b) / S(2);
        const auto half = [&](S from, S to, S first, S last) {
            Nodes inner;
            inner[0] = first;
            inner[8] = last;
            for (std::size_t k = 1; k < 8; ++k) inner[k] = g(from + (to - from) * Fit<S, 8>::node(k));
            look(g, tolerance, from, to, inner, depth + 1);
        };
        half(a, middle, values[0], values[4]);
        half(middle, b, values[4], values[8]);
    }

    // An extremum of the fit a little outside of the piece may be one inside of g.
    template <class G, class T>
    void use_fit(const G& g, const T& tolerance, S a, S b, const Nodes& values, const Fit<S, 8>& fit) {
        constexpr int n = 33;
        const S margin = S(0.02), width = (S(2) + S(2) * margin) / S(n);
        add(a, values[0]);
        S x = -S(1) - margin, slope = fit.slope(x);
        for (int k = 0; k < n; ++k) {
            const S next = x + width, next_slope = fit.slope(next);
            if ((slope < S(0)) != (next_slope < S(0))) {
                const S at = locate([&](S y) { return fit.slope(y); }, x, slope, next, next_slope);
                const S value = fit.value(at), near = S(20) * fit.tail() + S(near_part) * scale_;
                const S theta = place(a, b, at);
                if (linalg::absolute(value) <= near)
                    extremum(g, tolerance, theta, S(0.02) * (b - a), slope < S(0));
                else if (theta > a && theta < b)
                    add(theta, value);
            }
            x = next;
            slope = next_slope;
        }
        add(b, values[8]);
    }

    // Breakpoints between those that there are, until nothing can be hidden between two of them.
    template <class G, class R, class T> void confirm(const G& g, const R& range, const T& tolerance) {
        before_.swap(points_);
        points_.clear();
        n_looks_ = allowed_;
        for (std::size_t k = 0; k < before_.size(); ++k) {
            points_.push_back(before_[k]);
            if (k + 1 < before_.size()) refine(g, range, tolerance, before_[k], before_[k + 1]);
        }
    }
    // Appends those between a and b.
    template <class G, class R, class T>
    void refine(const G& g, const R& range, const T& tolerance, Point a, const Point& b) {
        open_.assign(1, b);
        while (!open_.empty()) {
            const Point next = open_.back();
            const S middle = (a.theta + next.theta) / S(2);
            const bool can_be_split = next.theta - a.theta > S(64) * linalg::epsilon<S>();
            if (can_be_split && n_looks_ > 0 && !hides_nothing(range, tolerance, a, next)) {
                --n_looks_;
                const S value = g(middle);
                if (linalg::is_finite(value)) {
                    open_.push_back({middle, value});
                    continue;
                }
            }
            if (n_looks_ == 0 && !is_unsure_ && !hides_nothing(range, tolerance, a, next)) {
                is_unsure_ = true;
                unsure_from_ = a.theta;
            }
            open_.pop_back();
            if (!open_.empty()) points_.push_back(next);
            a = next;
        }
    }
    template <class R, class T>
    static bool hides_nothing(const R& range, const T& tolerance, const Point& a, const Point& b) {
        const auto r = range(a.theta, b.theta);
        if (r.slope.is_positive() || r.slope.is_negative()) return true;
        const S reach = S(std::max(-r.slope.lo, r.slope.hi)) * (b.theta - a.theta) * S(1.0000001);
        const S size = linalg::absolute(a.value) + linalg::absolute(b.value);
        if (size > reach && sign_of(a.value) == sign_of(b.value)) return true;
        const S limit = tolerance((a.theta + b.theta) / S(2));
        if (S(r.value.lo) > limit || S(r.value.hi) < -limit) return true;
        // what lies beside a touch belongs to it
        return size + reach <= (a.is_touch || b.is_touch ? S(8) * limit : limit);
    }

    // Where no fit helps (kinks, jumps): the nodes themselves.
    template <class G, class T> void use_nodes(const G& g, const T& tolerance, S a, S b, const Nodes& values) {
        int n_changes = 0;
        for (std::size_t k = 1; k < values.size(); ++k) n_changes += (values[k] < S(0)) != (values[k - 1] < S(0));
        if (n_changes > 1 && !has_range_ && !is_unsure_) {
            is_unsure_ = true;
            unsure_from_ = a;
        }
        const auto at = [&](std::size_t k) { return a + (b - a) * Fit<S, 8>::node(k); };
        add(a, values[0]);
        for (std::size_t k = 1; k < 8; ++k) {
            const S before = values[k - 1], here = values[k], after = values[k + 1];
            const bool is_lowest = here >= S(0) && before > here && after > here;
            const bool is_highest = here <= S(0) && before < here && after < here;
            if (is_lowest || is_highest)
                extremum(g, tolerance, at(k), (b - a) / S(8), is_lowest);
            else
                add(at(k), here);
        }
        add(b, values[8]);
    }

    // An extremum near zero, at theta or not farther from it than `radius`.
    template <class G, class T> void extremum(const G& g, const T& tolerance, S theta, S radius, bool is_minimum) {
        const S side = is_minimum ? S(1) : S(-1);
        const S eps = linalg::epsilon<S>();
        const S accuracy = linalg::square_root(eps) / S(100);
        auto [at, value] =
            least_value([&](S x) { return side * g(x); }, theta - radius, theta + radius, theta, accuracy);
        value *= side;
        const bool is_inside = linalg::absolute(at - theta) < S(0.99) * radius;
        constexpr double edge = 1e-7; // an extremum at the common end of two steps belongs to one of them at least
        if (at < -S(edge) || at > S(1) + S(edge)) return;
        at = std::clamp(at, S(0), S(1));
        const bool is_near = linalg::absolute(value) <= S(0.01) * scale_;
        const bool is_touch = is_inside && is_near && linalg::absolute(value) <= tolerance(at);
        if (is_touch && !points_.empty() && at - points_.back().theta < S(same)) {
            points_.back().is_touch = true; // the end of the piece before
            return;
        }
        add(at, value, is_touch);
    }

    // Kinks at the common end of two pieces.
    template <class T> void touch_ends(const T& tolerance) {
        for (std::size_t k = 1; k + 1 < points_.size(); ++k) {
            const S before = points_[k - 1].value, after = points_[k + 1].value,
                    size = linalg::absolute(points_[k].value);
            const bool is_lowest = linalg::absolute(before) > size && linalg::absolute(after) > size;
            if (is_lowest && !points_[k].is_touch && sign_of(before) == sign_of(after) && size <= S(0.01) * scale_ &&
                size <= tolerance(points_[k].theta))
                points_[k].is_touch = true;
        }
    }

    // g begins at zero and leaves it with the sign `lead_`. Where the first breakpoint has another one it has come back
    // at once: the way between is looked for nearer and nearer to the beginning.
    template <class G> void follow_lead(const G& g) {
        if (lead_ == 0 || points_.size() < 2) return;
        const Point first = points_[1];
        if (sign_of(first.value) == lead_ || first.value == S(0)) return;
        S theta = first.theta;
        for (int k = 0; k < 20; ++k) {
            theta /= S(4);
            const S value = g(theta);
            if (sign_of(value) != lead_) continue;
            points_.insert(points_.begin() + 1, Point{theta, value, false});
            return;
        }
        is_lead_lost_ = true;
    }

    static int sign_of(S x) { return x > S(0) ? 1 : x < S(0) ? -1 : 0; }

    template <class G> int walk(const G& g, int sign, std::vector<Zero<S>>& zeros) {
        const bool begins_at_zero = sign == 0;
        for (std::size_t k = 0; k < points_.size(); ++k) {
            Point& p = points_[k];
            // NOTE: the first extremum behind a beginning at zero is no touch: it may be all there is between two zeros
            p.is_touch = p.is_touch && !(begins_at_zero && sign == 0);
            if (p.is_touch) {
                zeros.push_back({p.theta, ZeroKind::touch});
                continue;
            }
            const int now = sign_of(p.value);
            if (now == 0 || (k == 0 && begins_at_zero)) continue;
            if (sign != 0 && now != sign) cross(g, k, now, zeros);
            sign = now;
        }
        return sign;
    }

    // Between breakpoint k and the last one before it that is on the other side, or zero.
    template <class G> void cross(const G& g, std::size_t k, int now, std::vector<Zero<S>>& zeros) {
        const ZeroKind kind = now > 0 ? ZeroKind::rising : ZeroKind::falling;
        std::size_t from = k;
        while (from > 0 && (points_[from].is_touch || sign_of(points_[from].value) == now)) --from;
        const Point &lo = points_[from], &hi = points_[k];
        if (from == k || sign_of(lo.value) == now || lo.value == S(0)) // it was crossed where the step before ended
            zeros.push_back({lo.theta, kind});
        else
            zeros.push_back({locate(g, lo.theta, lo.value, hi.theta, hi.value), kind});
    }

    std::vector<Point> points_, before_, open_;
    int n_looks_ = 0, allowed_ = most_looks;
    bool has_range_ = false, is_unsure_ = false;
    S unsure_from_ = 0;
    S scale_ = 0; // of g on the step
    int lead_ = 0;
    bool is_lead_known_ = false, is_lead_lost_ = false;
};

} // namespace vessiot
