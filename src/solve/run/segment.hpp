// The piece of a curve that one step covers: a polynomial in theta = 0 .. 1.
//
//   x(theta) = d_0 + sum_k theta^k d_k,   tau = tau_0 + theta h
//
// An event that ends the run, or from which it goes on elsewhere, cuts the piece: then theta = 0 .. end.
#pragma once

#include <algorithm>

#include "linalg/vector.hpp"
#include "manifold/field.hpp"
#include "method/cubic_hermite.hpp"
#include "method/stepper.hpp"

namespace vessiot {

template <class S> class Segment {
public:
    Segment() = default;
    Segment(std::int64_t n, int degree) : n_(n), degree_(degree), d_(linalg::padded(n) * (degree + 1)) {}

    // The cubic with the values and derivatives by tau of both ends.
    static Segment hermite(std::int64_t n, S tau, S h, const S* x0, const S* v0, const S* x1, const S* v1) {
        Segment result(n, 3);
        result.tau_ = tau;
        result.h_ = h;
        method::cubic_hermite<S>(n, linalg::padded(n), h, x0, v0, x1, v1, result.d_.data());
        return result;
    }

    // From the step that the stepper accepted last. Does not allocate.
    PointStatus take(Stepper<S>& stepper, S tau, S h) {
        tau_ = tau;
        h_ = h;
        end_ = S(1);
        return stepper.dense(d_.data());
    }
    // Made elsewhere.
    void put(S tau, S h, const S* coefficients) {
        tau_ = tau;
        h_ = h;
        end_ = S(1);
        std::copy_n(coefficients, d_.size(), d_.data());
    }
    // Does not allocate.
    void at(S theta, S* x) const {
        const std::int64_t stride = linalg::padded(n_);
        const S* last = d_.data() + degree_ * stride;
        for (std::int64_t i = 0; i < n_; ++i) x[i] = last[i];
        for (int k = degree_ - 1; k >= 0; --k) {
            const S* d = d_.data() + k * stride;
            for (std::int64_t i = 0; i < n_; ++i) x[i] = d[i] + theta * x[i];
        }
    }
    // One component.
    S at(S theta, std::int64_t i) const {
        S x = 0;
        for (int k = degree_; k >= 0; --k) x = d_[k * linalg::padded(n_) + i] + theta * x;
        return x;
    }
    // Its derivative by theta.
    S slope(S theta, std::int64_t i) const {
        S x = 0;
        for (int k = degree_; k >= 1; --k) x = S(k) * d_[k * linalg::padded(n_) + i] + theta * x;
        return x;
    }
    int degree() const { return degree_; }
    S coefficient(int k, std::int64_t i) const { return d_[k * linalg::padded(n_) + i]; } // of theta^k
    void cut(S theta) { end_ = theta; }
    S end() const { return end_; }
    S tau() const { return tau_; }
    S h() const { return h_; }
    S tau_at(S theta) const { return tau_ + theta * h_; }

private:
    std::int64_t n_ = 0;
    int degree_ = 0;
    linalg::Vector<S> d_;
    S tau_ = 0, h_ = 0, end_ = 1;
};

} // namespace vessiot
