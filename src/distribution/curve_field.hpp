// A distribution as the field of a curve x(tau): in time, or in arclength.
#pragma once

#include <algorithm>
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
    double weight = 0; // so many attempts the one that is under way stands for; 0: it is not timed
    double seconds = 0;

    template <class F> auto operator()(const F& f) {
        if (weight == 0) return f();
        const auto start = std::chrono::steady_clock::now();
        auto result = f();
        seconds += weight * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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

// tau = s, x = (u, t), |x'| = 1. The kernel of (r, A) may change its orientation where the rank drops at an isolated
// point. The curve does not turn there: a tangent that is opposite to that at the current point, in time as well, is
// turned around, and so are those after it. (Without t a tangent may well be opposite to another one of the same step,
// where a fast oscillation comes back.)
template <class S> class ArclengthField final : public Field<S> {
public:
    ArclengthField(Distribution<S>& distribution, SampledTime& time)
        : distribution_(distribution), time_(time), before_(size()), near_(size()), other_(size()) {}
    std::int64_t size() const override { return distribution_.n_state() + 1; }
    PointStatus direction(S, const S* x, S* dx) override {
        return time_([&] { return unit_tangent(x, dx); });
    }
    void follow(const S* dx) override {
        has_changed_ = has_before_ && is_turned_ != was_turned_;
        was_turned_ = is_turned_;
        std::copy_n(dx, size(), before_.data());
        has_before_ = true;
    }
    // The curve goes on from another point x, with t increasing (sign 1) or decreasing.
    void jump_to(const S* x, int sign) {
        has_before_ = is_turned_ = was_turned_ = has_changed_ = false;
        if (tangent(x, before_.data()) != PointStatus::good) return;
        was_turned_ = is_turned_ = S(sign) * before_[size() - 1] < S(0);
        if (was_turned_)
            for (std::int64_t k = 0; k < size(); ++k) before_[k] = -before_[k];
        has_before_ = true;
    }
    // Goes on at x as a curve whose tangent there is dx, whatever was before; the distribution may have forgotten its
    // sign.
    void restart(const S* x, const S* dx) {
        is_turned_ = was_turned_ = has_changed_ = false;
        has_before_ = false;
        const bool is_found = tangent(x, before_.data()) == PointStatus::good;
        if (is_found) {
            is_turned_ = was_turned_ = product(before_.data(), dx) < S(0);
            for (S& v : before_) v = is_turned_ ? -v : v;
        } else {
            std::copy_n(dx, size(), before_.data());
        }
        has_before_ = true;
    }
    // The next curve has nothing to do with this one.
    void forget() { has_before_ = is_turned_ = was_turned_ = has_changed_ = false; }
    // The tangent that follow() was given last.
    const linalg::Vector<S>& last_tangent() const { return before_; }
    // Did the orientation of the kernel change, between the last two calls of follow()?
    bool has_changed() const { return has_changed_; }

private:
    static constexpr double opposite = -0.9; // cosine of the angle; within a step a curve may turn by less

    PointStatus unit_tangent(const S* x, S* dx) {
        PointStatus status = tangent(x, dx);
        if (status == PointStatus::singular && has_before_) status = tangent_from_both_sides(x, dx);
        if (status != PointStatus::good || !has_before_) return status;
        const S sign = was_turned_ ? S(-1) : S(1);
        const S in_time = sign * dx[size() - 1] * before_[size() - 1];
        const bool is_opposite = in_time < S(0) && sign * product(dx, before_.data()) < S(opposite);
        is_turned_ = was_turned_ != is_opposite;
        if (is_turned_)
            for (std::int64_t k = 0; k < size(); ++k) dx[k] = -dx[k];
        return status;
    }

    PointStatus tangent(const S* x, S* dx) {
        const std::int64_t m = distribution_.n_state();
        const PointStatus status = distribution_.tangent(x[m], x, dx, dx + m);
        return status == PointStatus::good && !normalise(dx) ? PointStatus::singular : status;
    }

    // At a point where the rank drops: the mean of the tangents a little before and after it.
    PointStatus tangent_from_both_sides(const S* x, S* dx) {
        S length = 0;
        for (std::int64_t k = 0; k < size(); ++k) length = std::max(length, linalg::absolute(x[k]));
        const S step = linalg::square_root(linalg::square_root(linalg::epsilon<S>())) / S(8) * (S(1) + length);
        for (const S side : {S(1), S(-1)}) {
            for (std::int64_t k = 0; k < size(); ++k) near_[k] = x[k] + side * step * before_[k];
            S* to = side > S(0) ? dx : other_.data();
            if (const PointStatus status = tangent(near_.data(), to); status != PointStatus::good) return status;
            const S sign = product(to, before_.data()) < S(0) ? S(-1) : S(1);
            for (std::int64_t k = 0; k < size(); ++k) to[k] *= sign;
        }
        for (std::int64_t k = 0; k < size(); ++k) dx[k] += other_[k];
        return normalise(dx) ? PointStatus::good : PointStatus::singular;
    }

    S product(const S* a, const S* b) const {
        S sum = 0;
        for (std::int64_t k = 0; k < size(); ++k) sum += a[k] * b[k];
        return sum;
    }

    bool normalise(S* dx) const {
        const S length = linalg::square_root(product(dx, dx));
        if (!(length > S(0)) || !linalg::is_finite(length)) return false;
        for (std::int64_t k = 0; k < size(); ++k) dx[k] /= length;
        return true;
    }

    Distribution<S>& distribution_;
    SampledTime& time_;
    linalg::Vector<S> before_, near_, other_; // the tangent at the current point; work
    bool has_before_ = false, is_turned_ = false, was_turned_ = false, has_changed_ = false;
};

} // namespace vessiot
