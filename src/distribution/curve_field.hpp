// A distribution as the field of a curve x(tau): in time, or in arclength.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "distribution/distribution.hpp"
#include "linalg/scalar.hpp"
#include "manifold/field.hpp"

namespace vessiot {

// Seconds spent in something that is measured now and then only: reading a clock costs as much as a small direction.
class SampledTime {
public:
    bool is_sampling = false;
    double seconds = 0;

    template <class F> auto operator()(const F& f) {
        if (!is_sampling) return f();
        const auto start = std::chrono::steady_clock::now();
        auto result = f();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return result;
    }
};

// Stages in one call, measured and counted.
template <class S> class MeasuredStages final : public Stages<S> {
public:
    MeasuredStages(Stages<S>& inner, std::size_t n, Distribution<S>& distribution, SampledTime& time)
        : inner_(inner), n_(static_cast<std::int64_t>(n)), distribution_(distribution), time_(time) {}
    bool is_ready() const override { return inner_.is_ready(); }
    void operator()(S tau, S h, const S* x, S* const* k, S* end) override {
        distribution_.count_evaluations(n_ - 1);
        time_([&] {
            inner_(tau, h, x, k, end);
            return true;
        });
    }

private:
    Stages<S>& inner_;
    std::int64_t n_;
    Distribution<S>& distribution_;
    SampledTime& time_;
};

// tau = t, x = u.
template <class S> class TimeField final : public Field<S> {
public:
    TimeField(Distribution<S>& distribution, SampledTime& time) : distribution_(distribution), time_(time) {}
    std::int64_t size() const override { return distribution_.n_state(); }
    PointStatus direction(S t, const S* u, S* du) override {
        return time_([&] { return distribution_.velocity(t, u, du); });
    }
    Stages<S>* stages(const StagePlan& plan) override {
        Stages<S>* inner = distribution_.stages(plan);
        if (!inner) return nullptr;
        return stages_.emplace_back(std::make_unique<MeasuredStages<S>>(*inner, plan.n, distribution_, time_)).get();
    }

private:
    Distribution<S>& distribution_;
    SampledTime& time_;
    std::vector<std::unique_ptr<MeasuredStages<S>>> stages_;
};

// tau = s, x = (u, t), |x'| = 1; `direction` is -1 for runs that start with t decreasing.
template <class S> class ArclengthField final : public Field<S> {
public:
    ArclengthField(Distribution<S>& distribution, SampledTime& time) : distribution_(distribution), time_(time) {}
    std::int64_t size() const override { return distribution_.n_state() + 1; }
    PointStatus direction(S, const S* x, S* dx) override {
        return time_([&] { return unit_tangent(x, dx); });
    }

private:
    PointStatus unit_tangent(const S* x, S* dx) {
        const std::int64_t m = distribution_.n_state();
        const PointStatus status = distribution_.tangent(x[m], x, dx, dx + m);
        if (status != PointStatus::good) return status;
        S sum = 0;
        for (std::int64_t k = 0; k <= m; ++k) sum += dx[k] * dx[k];
        const S length = linalg::square_root(sum);
        if (!(length > S(0)) || !linalg::is_finite(length)) return PointStatus::singular;
        for (std::int64_t k = 0; k <= m; ++k) dx[k] /= length;
        return PointStatus::good;
    }

    Distribution<S>& distribution_;
    SampledTime& time_;
};

} // namespace vessiot
