// Fields and a projection written by hand, for tests of what works on any.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "linalg/scalar.hpp"
#include "manifold/field.hpp"
#include "projection/projection.hpp"

namespace vessiot::test {

// V by a function f(tau, x, dx), which may give a status; counts its calls.
template <class S> class FieldOf final : public Field<S> {
public:
    using Function = std::function<PointStatus(S, const S*, S*)>;
    FieldOf(std::int64_t n, Function f) : n_(n), f_(std::move(f)) {}
    std::int64_t size() const override { return n_; }
    PointStatus direction(S tau, const S* x, S* dx) override {
        ++n_calls;
        return f_(tau, x, dx);
    }
    std::int64_t n_calls = 0;

private:
    std::int64_t n_;
    Function f_;
};

// Lotka-Volterra.
template <class S> PointStatus lotka_volterra(S, const S* x, S* dx) {
    dx[0] = x[0] * (1 - x[1]);
    dx[1] = x[1] * (x[0] - 1);
    return PointStatus::good;
}

// The Euler top with moments of inertia 1, 2, 3: the angular momentum x stays on a sphere.
template <class S> PointStatus euler_top(S, const S* x, S* dx) {
    dx[0] = -x[1] * x[2] / 6;
    dx[1] = 2 * x[0] * x[2] / 3;
    dx[2] = -x[0] * x[1] / 2;
    return PointStatus::good;
}

// The nearest point of the sphere |x|^2 = radius^2 in space. Counts, and fails from one projection on if told to.
template <class S> class Sphere final : public Projection<S> {
public:
    explicit Sphere(S radius_squared) : radius_squared_(radius_squared) {}
    std::string_view name() const override { return "sphere"; }
    void begin_step(S tau, const S* x) override {
        ++n_steps;
        begun_at = {tau, x[0]};
    }
    void retry() override { ++n_retries; }
    ProjectionReport<S> project(S, S* x) override {
        if (n_projections++ >= fails_from) return {.status = PointStatus::not_converged, .iterations = 7};
        const S square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        const S factor = linalg::square_root(radius_squared_ / square);
        for (int i = 0; i < 3; ++i) x[i] *= factor;
        return {.iterations = 1, .residual = linalg::absolute(square * factor * factor - radius_squared_)};
    }
    std::int64_t n_steps = 0, n_retries = 0, n_projections = 0, fails_from = INT64_MAX;
    std::pair<S, S> begun_at{};

private:
    S radius_squared_;
};

} // namespace vessiot::test
