// What Between (between.hpp) is made of: where a polynomial agrees with the curve, the points before a step, and a walk
// through it in smaller ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "linalg/vector.hpp"
#include "method/stepper.hpp"

namespace vessiot::method {

// M(theta) = prod_j (theta - c_j) of the places c_j where the polynomial agrees with the curve.
class AgreedPlaces {
public:
    // Those of another order are others.
    void look_at(std::span<const double> places);
    std::size_t size() const { return places_.size(); }
    double product(double theta) const;            // M
    double product_of_directions(double at) const; // M / theta
    double largest() const { return largest_; }
    double largest_at() const { return largest_at_; }
    double largest_of_directions() const { return largest_direction_; }

private:
    std::span<const double> places_;
    double largest_ = 0, largest_at_ = 0, largest_direction_ = 0; // max |M|, where, and max |M / theta|
};

// Where the last steps began, the last one first.
template <class S> class PointsBefore {
public:
    explicit PointsBefore(std::int64_t n) : points_{linalg::Vector<S>(n), linalg::Vector<S>(n)} {}

    void forget() { n_ = 0; }
    // `point` gets the memory of the one that is dropped.
    void add(S tau, linalg::Vector<S>& point) {
        std::swap(points_[0], points_[1]);
        std::swap(points_[0], point);
        tau_ = {tau, tau_[0]};
        n_ = std::min<std::size_t>(n_ + 1, 2);
    }
    std::size_t size() const { return n_; }
    S tau(std::size_t k) const { return tau_[k]; }
    const linalg::Vector<S>& operator[](std::size_t k) const { return points_[k]; }

private:
    std::array<linalg::Vector<S>, 2> points_;
    std::array<S, 2> tau_{};
    std::size_t n_ = 0;
};

// Attempts from the same point that were refused for their curves, while they must show that a smaller step helps.
template <class S> class Refusals {
public:
    void forget() { n_ = 0; }
    // One more, for this error. Is it no error of the curve that is seen?
    bool add(S error) {
        constexpr int most = 8;
        if (n_++ == 0) first_ = error;
        return n_ > most && error > first_ / S(2);
    }

private:
    int n_ = 0;
    S first_ = 0;
};

// Points at equal parts of a step, by another stepper of the method, and the polynomial through them:
//
//     p(theta) = sum_k D^k binomial(n theta, k),   D^k the k-th difference
template <class S> class Walk {
public:
    static constexpr int n_parts = 8;

    // Memory for the points only where `is_needed`.
    Walk(const MethodInfo& info, Field<S>& field, Projection<S>* projection, const StepperOptions<S>& options,
         bool is_needed);

    void begin(S tau, const S* x); // the first point; makes the stepper, where there is none yet
    // To point k, of which the last is given, by so many steps of h; false where one fails.
    bool go_to(std::size_t k, int n_each, S h);
    S* point(std::size_t k) { return points_.data() + static_cast<std::int64_t>(k) * stride_; }
    // The coefficients; then point(k) is D^k.
    void interpolate(S* coefficients);
    S last_weight() const { return binomial_[n_parts][n_parts]; } // of D^n in theta^n

    void renew() {
        if (stepper_) stepper_->renew();
    }
    const StepperCounts* counts() const { return stepper_ ? &stepper_->counts() : nullptr; }

private:
    const MethodInfo& info_;
    Field<S>& field_;
    Projection<S>* projection_;
    StepperOptions<S> options_;
    std::int64_t n_, stride_;
    std::unique_ptr<Stepper<S>> stepper_;
    linalg::Vector<S> points_;
    std::array<std::array<S, n_parts + 1>, n_parts + 1> binomial_{}; // row k: binomial(n theta, k) in powers of theta
};

extern template class Walk<double>;
extern template class Walk<Quad>;

// |prod_j (theta - c_j)| and where it is largest in 0 .. 1.
double product_of(std::span<const double> places, double theta);
double place_of_largest(std::span<const double> places);

} // namespace vessiot::method
