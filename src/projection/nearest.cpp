#include "projection/nearest.hpp"

#include <algorithm>

#include "linalg/iterative/krylov.hpp"
#include "linalg/scalar.hpp"

namespace vessiot {

namespace {} // namespace

template <class S>
NearestProjection<S>::NearestProjection(Manifold<S>& manifold, const ProjectionOptions& options, int patience)
    : manifold_(manifold), options_(options), m_(manifold.n_coordinates()), k_(manifold.n_constraints()), a_(m_),
      mu_(k_), f_(k_), df_(manifold.pattern().entries()), gradient_(m_), dp_(m_), dmu_(k_), convergence_(options),
      tolerance_(convergence_.tolerance()), floor_(S(options.floor)), patience_(patience),
      printed_(S(options.tolerance)), size_(k_), linear_(k_) {
    if (options.start == NewtonStart::a) return;
    begin_ = linalg::Vector<S>(m_);
    w_ = linalg::Vector<S>(m_);
    b_ = linalg::Vector<S>(k_);
}

template <class S> bool NearestProjection<S>::move_at_once(S*) {
    return false;
}

template <class S> void NearestProjection<S>::begin_step(S /*tau*/, const S* x) {
    if (begin_.size() > 0) std::copy_n(x, m_, begin_.data());
}

template <class S> void NearestProjection<S>::forget() {
    std::fill(size_.begin(), size_.end(), S(0));
}

template <class S> void NearestProjection<S>::add_transposed(const S* df, S factor, const S* v, S* y) const {
    const linalg::Pattern& p = manifold_.pattern();
    for (std::int64_t j = 0; j < m_; ++j) {
        S sum = 0;
        for (std::int64_t e = p.column_start[linalg::at(j)]; e < p.column_start[linalg::at(j) + 1]; ++e)
            sum += df[e] * v[p.row[linalg::at(e)]];
        y[j] += factor * sum;
    }
}

template <class S> void NearestProjection<S>::multiply(const S* df, const S* x, S* y) const {
    const linalg::Pattern& p = manifold_.pattern();
    std::fill_n(y, k_, S(0));
    for (std::int64_t j = 0; j < m_; ++j)
        for (std::int64_t e = p.column_start[linalg::at(j)]; e < p.column_start[linalg::at(j) + 1]; ++e)
            y[p.row[linalg::at(e)]] += df[e] * x[j];
}

// F at (x, mu), and df.
template <class S> void NearestProjection<S>::evaluate(S t, const S* x) {
    ++counts_.jacobians;
    manifold_.movable_df(t, x, f_.data(), df_.data());
    for (std::int64_t j = 0; j < m_; ++j) gradient_[j] = x[j] - a_[j];
    add_transposed(df_.data(), S(1), mu_.data(), gradient_.data());
    printed_.add(linalg::square_root(linalg::dot(m_, gradient_.data(), gradient_.data()) +
                                     linalg::dot(k_, f_.data(), f_.data())));
}

// The largest |f_i| over the size of its row; NaN where one is.
template <class S> S NearestProjection<S>::residual_of_f() const {
    S largest = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
        if (f_[i] == S(0)) continue;
        const S r = linalg::absolute(f_[i]) / size_[i];
        if (!(r == r)) return r;
        largest = std::max(largest, r);
    }
    return largest;
}

template <class S> bool NearestProjection<S>::has_solved_step() {
    multiply(df_.data(), dp_.data(), linear_.data());
    S largest = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
        const S value = linalg::absolute(f_[i] + linear_[i]);
        if (value > S(0)) largest = std::max(largest, value / size_[i]);
    }
    return largest <= S(0.9) * residual_of_f();
}

template <class S> S NearestProjection<S>::residual(const S* x) const {
    S largest = floor_, gradient = 0;
    for (std::int64_t j = 0; j < m_; ++j) {
        largest = std::max(largest, linalg::absolute(x[j]));
        gradient = std::max(gradient, linalg::absolute(gradient_[j]));
        if (!linalg::is_finite(gradient_[j])) return S(0) / S(0);
    }
    const S r = residual_of_f();
    return r == r ? std::max(r, gradient / largest) : r;
}

template <class S> bool NearestProjection<S>::is_done(const S* x, S& r, int iterations) {
    if (options_.stop == NewtonStop::increment) {
        r = residual(x);
        return convergence_.is_reached(r);
    }
    if (options_.stop == NewtonStop::sound) {
        r = residual(x);
        n_standing_ = convergence_.is_reached(r) && is_solved_ ? n_standing_ + 1 : 0;
        return r <= tolerance_ || n_standing_ >= patience_;
    }
    r = printed_.norm();
    return printed_.is_met(iterations);
}

// Far from where it began: what was small beside that point may be large beside this one.
template <class S> bool NearestProjection<S>::is_off(S t, const S* x) {
    S size = 0, moved = 0;
    for (std::int64_t j = 0; j < m_; ++j) {
        size = std::max(size, linalg::absolute(x[j]));
        moved = std::max(moved, linalg::absolute(x[j] - a_[j]));
    }
    if (options_.stop == NewtonStop::printed || moved <= size / S(2)) return false;
    manifold_.sizes(t, x, df_.data(), floor_, size_.data());
    return residual_of_f() > S(Convergence<S>::acceptable);
}

template <class S> void NearestProjection<S>::move_start(S tau, S* x) {
    const S t = time_at(manifold_, tau, begin_.data());
    manifold_.f(time_at(manifold_, tau, x), x, dmu_.data()); // f(p0 + w)
    for (std::int64_t j = 0; j < m_; ++j) {
        w_[j] = a_[j] - begin_[j];
        dp_[j] = begin_[j] - w_[j];
    }
    manifold_.f(time_at(manifold_, tau, dp_.data()), dp_.data(), b_.data()); // f(p0 - w)
    ++counts_.jacobians;
    manifold_.movable_df(t, begin_.data(), f_.data(), df_.data());
    // f(p0) + (f(p0 + w) - 2 f(p0) + f(p0 - w))/2 + B0 w
    for (std::int64_t i = 0; i < k_; ++i) b_[i] = (dmu_[i] + b_[i]) / S(2);
    multiply(df_.data(), w_.data(), dmu_.data());
    linalg::add_multiple(k_, S(1), dmu_.data(), b_.data());
    if (!linalg::all_finite(b_.data(), k_) || !solve_normal(df_.data(), b_.data(), mu_.data()) ||
        !linalg::all_finite(mu_.data(), k_)) {
        std::fill(mu_.begin(), mu_.end(), S(0));
        return;
    }
    add_transposed(df_.data(), S(-1), mu_.data(), x);
}

template <class S> bool NearestProjection<S>::find_first_step() {
    if (!solve_first(df_.data(), f_.data(), dmu_.data())) return false;
    std::fill(dp_.begin(), dp_.end(), S(0));
    add_transposed(df_.data(), S(-1), dmu_.data(), dp_.data());
    return true;
}

template <class S> ProjectionReport<S> NearestProjection<S>::report(PointStatus status, int iterations) const {
    ProjectionReport<S> result{status, iterations, S(0)};
    for (const S& r : f_) result.residual = std::max(result.residual, linalg::absolute(r));
    return result;
}

template <class S> ProjectionReport<S> NearestProjection<S>::iterate(S tau, S* x) {
    convergence_.restart();
    n_standing_ = n_worse_ = 0;
    const bool is_at_a = options_.start == NewtonStart::a;
    if (!is_at_a) move_start(tau, x);
    evaluate(time_at(manifold_, tau, x), x);
    manifold_.sizes(time_at(manifold_, tau, x), x, df_.data(), floor_, size_.data());
    S before = 0;
    for (int k = 0;; ++k) {
        S r = 0;
        if (is_done(x, r, k) && !is_off(time_at(manifold_, tau, x), x)) return report(PointStatus::good, k);
        if (!linalg::is_finite(printed_.norm())) return report(PointStatus::not_finite, k);
        n_worse_ += k > 0 && r > before;
        if (k == options_.max_iterations || n_worse_ > 3 * patience_) return report(PointStatus::not_converged, k);
        const bool is_closed = k == 0 && is_at_a && options_.has_closed_first_step;
        if (!(is_closed && find_first_step()) && !find_step(time_at(manifold_, tau, x), x, k))
            return report(PointStatus::singular, k);
        is_solved_ = has_solved_step();
        before = r;
        convergence_.correct(r, x, m_, dp_.data(), m_, [](std::int64_t j) { return j; });
        convergence_.add_increment(dmu_.data(), k_);
        linalg::add_multiple(m_, S(1), dp_.data(), x);
        linalg::add_multiple(k_, S(1), dmu_.data(), mu_.data());
        printed_.set_step(
            linalg::square_root(linalg::dot(m_, dp_.data(), dp_.data()) + linalg::dot(k_, dmu_.data(), dmu_.data())));
        evaluate(time_at(manifold_, tau, x), x);
    }
}

template <class S> ProjectionReport<S> NearestProjection<S>::project(S tau, S* x) {
    if (k_ == 0) return {};
    std::copy_n(x, m_, a_.data());
    std::fill(mu_.begin(), mu_.end(), S(0));
    if (options_.stop != NewtonStop::sound) return iterate(tau, x);
    // the sizes are those of the projection before: 0 at first, which looks closely
    manifold_.f(time_at(manifold_, tau, x), x, f_.data());
    const S r = residual_of_f();
    if (r <= tolerance_) return report(PointStatus::good, 0);
    if (!linalg::all_finite(f_.data(), k_)) return report(PointStatus::not_finite, 0);
    if (move_at_once(x)) {
        const S t = time_at(manifold_, tau, x);
        evaluate(t, x);
        manifold_.sizes(t, x, df_.data(), floor_, size_.data());
        if (residual_of_f() <= tolerance_) return report(PointStatus::good, 1);
        std::copy_n(a_.data(), m_, x);
    }
    return iterate(tau, x);
}

template class NearestProjection<double>;
template class NearestProjection<Quad>;

} // namespace vessiot
