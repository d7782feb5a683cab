// When a projection has arrived: at round-off, or where the residual stops falling for no reason but round-off.
//
// f is measured row by row against its size (Manifold::sizes). Some rows cannot get there: they cancel inside their
// terms, a*b - b*a + small. Such an iteration stands still, with corrections d that are nothing to anybody:
//
//   |d_j| <= max(floor/100 + 1e-10 |x_j|, 64 eps max_i |x_i|)
//
// and a residual of at most 1e-10: an iteration may also stand still because it does not converge.
//
// By increments: max_j |d_j| < tolerance, after one correction at least. [Tuomela, Arponen 2001, 5.3: 1e-7] Constraints
// that contradict each other stand still too: a residual above 1e-4, or the tolerance, has not arrived.
#pragma once

#include <algorithm>
#include <cstdint>

#include "linalg/scalar.hpp"
#include "projection/options.hpp"

namespace vessiot {

template <class S> class Convergence {
public:
    // NOTE: corrections of positions are slight beside large velocities long before they have arrived.
    static constexpr double acceptable = 1e-10;

    Convergence(S tolerance, S floor) : tolerance_(tolerance), floor_(floor) {}
    explicit Convergence(const ProjectionOptions& o)
        : Convergence(o.tolerance > 0 && o.stop == NewtonStop::sound ? S(o.tolerance) : S(64) * linalg::epsilon<S>(),
                      S(o.floor)) {
        if (o.stop == NewtonStop::increment) increment_ = o.tolerance > 0 ? S(o.tolerance) : S(1e-7);
    }

    S tolerance() const { return tolerance_; }
    bool goes_by_increments() const { return increment_ > S(0); }
    void restart() {
        before_ = -1;
        is_slight_ = false;
        n_worse_ = 0;
        last_ = 0;
    }
    // The residual r after the last correction, if there was one.
    bool is_reached(S r) const {
        if (goes_by_increments()) return before_ >= S(0) && last_ < increment_ && r <= std::max(S(1e-4), increment_);
        return r <= tolerance_ || (is_slight_ && before_ >= S(0) && r > before_ / S(2) && r <= S(acceptable));
    }
    bool is_slight() const { return is_slight_; } // the last correction
    bool is_slow(S r) const { return before_ >= S(0) && r > before_ / S(10); }
    bool is_hopeless(S r) {
        n_worse_ += before_ >= S(0) && r > before_;
        return !(r == r) || n_worse_ > 3;
    }
    // The corrections d of some coordinates of x that follow from the residual r.
    template <class Column> void correct(S r, const S* x, std::int64_t n_x, const S* d, std::int64_t n, Column column) {
        before_ = r;
        S largest = 0;
        for (std::int64_t i = 0; i < n_x; ++i) largest = std::max(largest, linalg::absolute(x[i]));
        const S round_off = S(64) * linalg::epsilon<S>() * largest;
        last_ = 0;
        add_increment(d, n);
        is_slight_ = true;
        for (std::int64_t j = 0; j < n && is_slight_; ++j) {
            const S of_x = floor_ / S(100) + S(1e-10) * linalg::absolute(x[column(j)]);
            is_slight_ = linalg::absolute(d[j]) <= std::max(of_x, round_off);
        }
    }
    // Other unknowns of the iteration, which moved by d.
    void add_increment(const S* d, std::int64_t n) {
        if (!goes_by_increments()) return;
        for (std::int64_t j = 0; j < n; ++j)
            if (!(linalg::absolute(d[j]) <= last_)) last_ = linalg::absolute(d[j]); // NaN stays
    }

private:
    S tolerance_, floor_;
    S increment_ = 0; // > 0: the rule of increments
    S last_ = 0;      // max |d| of the last correction
    S before_ = -1;   // residual before the last correction
    bool is_slight_ = false;
    int n_worse_ = 0;
};

} // namespace vessiot
