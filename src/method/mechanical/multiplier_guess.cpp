#include "method/mechanical/multiplier_guess.hpp"

#include <algorithm>
#include <cmath>

#include "core/quad.hpp"
#include "linalg/scalar.hpp"

namespace vessiot::method {

using linalg::absolute;
using linalg::epsilon;

namespace {

constexpr int most_guesses = 60;
constexpr double reached = 8;      // residuals of so many eps are round-off
constexpr double acceptable = 0.6; // and so they are where they stop falling below this power of eps: 4e-10 in double

} // namespace

template <class S> typename ConstraintIteration<S>::Next ConstraintIteration<S>::operator()(S residual, S change) {
    const bool is_first = before_ < S(0);
    const S small = S(reached) * epsilon<S>();
    if (!(residual - residual == S(0)) || !(change - change == S(0))) return Next::fail;
    // NOTE: over two corrections: one that changes little may stand between two that do much
    static const S near = S(std::pow(static_cast<double>(epsilon<S>()), acceptable));
    const auto arrived = [&](S now, S earlier) {
        return now <= small || (earlier >= S(0) && now > earlier / S(2) && now <= near);
    };
    if (arrived(residual, earlier_) && arrived(change, change_earlier_)) return Next::done;
    const bool is_slow = !is_first && residual > before_ / S(4);
    const bool is_worse = !is_first && residual > S(100) * before_ && residual > S(1);
    earlier_ = before_;
    change_earlier_ = change_before_;
    before_ = residual;
    change_before_ = change;
    if (++count > most_guesses || is_worse) return Next::fail;
    return is_slow ? Next::slow : Next::go_on;
}

template <class S> bool ConstraintIteration<S>::is_small(S residual) {
    return residual <= S(reached) * epsilon<S>();
}

// ---- multipliers of the last steps ----

template <class S> MultiplierHistory<S>::MultiplierHistory(std::int64_t m) {
    for (linalg::Vector<S>& v : last_) v = linalg::Vector<S>(m);
}

// The polynomial through equidistant values, at the next place: 2 a - b, 3 a - 3 b + c, 4 a - 6 b + 4 c - d
template <class S> bool MultiplierHistory<S>::guess(S t, S h, S* lambda) const {
    if (n_ < 2 || !follows(t, h)) return false;
    const auto at = [&](int k) { return last_[static_cast<std::size_t>((newest_ - k + 4) % 4)].data(); };
    const S *a = at(0), *b = at(1), *c = at(2), *d = at(3);
    const std::int64_t m = last_[0].size();
    if (n_ == 2)
        for (std::int64_t i = 0; i < m; ++i) lambda[i] = S(2) * a[i] - b[i];
    else if (n_ == 3)
        for (std::int64_t i = 0; i < m; ++i) lambda[i] = S(3) * (a[i] - b[i]) + c[i];
    else
        for (std::int64_t i = 0; i < m; ++i) lambda[i] = S(4) * (a[i] + c[i]) - S(6) * b[i] - d[i];
    return true;
}

template <class S> bool MultiplierHistory<S>::follows(S t, S h) const {
    return h == h_ && absolute(t - (t_ + spacing_)) <= S(1e-6) * absolute(spacing_);
}

template <class S> void MultiplierHistory<S>::add(S t, S h, const S* lambda) {
    const bool is_again = n_ > 0 && t == t_ && h == h_;
    if (!is_again) {
        if (n_ > 0 && h != h_) n_ = 0;
        if (n_ > 1 && !follows(t, h)) n_ = 1;
        spacing_ = t - t_;
        newest_ = (newest_ + 1) % 4;
        n_ = std::min(n_ + 1, 4);
    }
    std::copy_n(lambda, last_[0].size(), last_[static_cast<std::size_t>(newest_)].data());
    t_ = t;
    h_ = h;
}

// ---- where to begin ----

template <class S> void MultiplierGuess<S>::use_histories(std::size_t n, std::int64_t m) {
    for (std::size_t k = 0; k < n; ++k) histories_.emplace_back(m);
    history_ = histories_.data();
}

template <class S> void MultiplierGuess<S>::forget() {
    for (MultiplierHistory<S>& h : histories_) h.forget();
    rate_ = -1;
    is_foretold_ = goes_on_ = false;
}

// A rate is what two residuals say of which the second is not round-off; where it is, the rate is this or less.
template <class S> void MultiplierGuess<S>::note_rate(S before, S after) {
    if (before <= S(0)) return;
    const bool is_measured = !ConstraintIteration<S>::is_small(after / S(16));
    const S rate = std::max(after, S(reached) * epsilon<S>()) / before;
    if (is_measured || rate_ < S(0) || rate < rate_) rate_ = rate;
}

// Will one more correction leave round-off, if it takes residuals down as those before did?
template <class S> void MultiplierGuess<S>::foretell(S residual, bool is_renewed) {
    const bool is_usual = history_ && !goes_on_ && !is_renewed;
    is_foretold_ = is_usual && rate_ >= S(0) && ConstraintIteration<S>::is_small(S(2) * rate_ * residual);
}

template <class S> void MultiplierGuess<S>::solved(S t, S h, const linalg::Vector<S>& lambda) {
    goes_on_ = false;
    if (history_ && lambda.size() > 0) history_->add(t, h, lambda.data());
}

template <class S> void MultiplierGuess<S>::failed() {
    goes_on_ = false;
    if (history_) history_->forget();
}

template class ConstraintIteration<double>;
template class ConstraintIteration<Quad>;
template class MultiplierHistory<double>;
template class MultiplierHistory<Quad>;
template class MultiplierGuess<double>;
template class MultiplierGuess<Quad>;

} // namespace vessiot::method
