// The points that a multistep method goes on from, newest first: x, the steps between them, and V there where it is
// needed. They never reach back over a begin(), so that no formula spans a jump.
//
// Between the new point and the last one stands the polynomial in theta = 0 .. 1, of degree p, that has the newest
// points and, where they are known, the directions there: x_1, V_1, x_0, V_0, x_-1, ..: off by O(h^(p+1)).
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/vector.hpp"

namespace vessiot::method {

template <class S> class PastPoints {
public:
    // `keeps_directions`: the polynomial uses them.
    PastPoints(std::int64_t n, int capacity, bool keeps_directions);

    void clear() { n_points_ = 0; }
    // A point, h behind the last one; its direction is not known yet.
    void add(S h, const S* x);
    int size() const { return n_points_; }
    const S* x(int j) const { return points_[index(j)].x.data(); }
    const S* v(int j) const { return points_[index(j)].v.data(); }
    void set_direction(const S* v);
    S last_step() const { return n_points_ > 1 ? points_[0].h : S(0); }
    // Are the k - 1 last steps of the size h?
    bool is_even(S h, int k) const;
    // Where the points lie for a step of h to 0.
    void places(S h, std::vector<S>& theta) const;

    // The polynomial of a step of h to x_1 with V_1 (null: without directions), n_padded numbers for each coefficient.
    void polynomial(S h, const S* x_1, const S* v_1, int degree, S* coefficients);

private:
    struct Point {
        linalg::Vector<S> x, v;
        S h = 0; // from the one before
    };
    static std::size_t index(int j) { return static_cast<std::size_t>(j); }

    std::int64_t n_;
    std::vector<Point> points_;
    int n_points_ = 0;
    std::vector<S> nodes_, weights_, table_;
    std::vector<const S*> values_;
    std::vector<char> is_direction_;
};

extern template class PastPoints<double>;
extern template class PastPoints<Quad>;

} // namespace vessiot::method
