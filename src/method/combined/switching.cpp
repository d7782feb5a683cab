#include "method/combined/switching.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/operations.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;

constexpr int steps_between_looks = 10;
constexpr int looks_to_implicit = 4, looks_to_explicit = 4;
constexpr double easy_border = 1;   // h rho of implicit steps that explicit ones could take
constexpr double dear = 30;         // an implicit step that is worth so many explicit ones
constexpr double fewest_steps = 30; // of an implicit method for a whole interval
constexpr double hope = 1.05;       // in the length of implicit steps, from look to look

// h rho of explicit steps at the border of stability, with room: 3.3 and 6.1 on the negative axis. [HW96, IV.2]
double border_of(const MethodInfo& m) {
    return m.order >= 8 ? 4.6 : 2.5;
}

} // namespace

template <class S>
Switching<S>::Switching(const MethodInfo& explicit_method, const MethodInfo& implicit_method, Field<S>& field,
                        std::unique_ptr<Stepper<S>> explicit_stepper, Maker make_implicit,
                        const StepperOptions<S>& options)
    : Forwarding<S>(explicit_stepper.get()), explicit_method_(explicit_method), implicit_method_(implicit_method),
      field_(field), explicit_(std::move(explicit_stepper)), make_implicit_(std::move(make_implicit)),
      floor_(options.atol / options.rtol), costs_{.border = S(border_of(explicit_method)), .tau_end = options.tau_end},
      n_(field.size()), dense_degree_(std::max(explicit_->dense_degree(), static_cast<int>(implicit_method.n_stages))),
      v_(n_), trial_(n_), image_(n_) {
    const auto stages = static_cast<double>(explicit_method.n_stages);
    if (options.parts)
        costs_.explicit_step = stages * (direction_operations(*options.parts) + stages * static_cast<double>(n_));
}

template <class S> void Switching<S>::begin(S tau, const S* x) {
    is_implicit_ = has_begun_ = is_changing_ = false;
    inner_ = explicit_.get();
    inner_->begin(tau, x);
    n_steps_ = n_signs_ = 0;
    is_decided_ = false;
    rho_ = stiffness_ = costs_.reach = 0;
    // NOTE: some vector that is orthogonal to no eigenvector of a model that people write
    for (std::int64_t i = 0; i < n_; ++i) v_[i] = S((i * 7919 + 1) % 101 + 50) / 100 * (i % 2 ? -1 : 1);
}

template <class S> void Switching<S>::begin_as(int mode, S tau, const S* x) {
    begin(tau, x);
    can_be_implicit_ = (mode & 2) != 0;
    is_decided_ = true;
    if (((mode & 1) != 0) != ((mode & 4) != 0)) take_implicit(); // a change that was due is made now
}

// The field at a trial point that lies off the curve may have no value: then what is known stays.
template <class S> void Switching<S>::power_steps(int n) {
    const S* x = inner_->point();
    const S* k = inner_->direction();
    if (!k) return;
    const S epsilon = linalg::square_root(linalg::epsilon<S>());
    for (; n > 0; --n) {
        S square = 0;
        for (std::int64_t i = 0; i < n_; ++i) square += v_[i] * v_[i];
        const S length = linalg::square_root(square);
        if (!(length > S(0)) || !linalg::is_finite(length)) return;
        for (std::int64_t i = 0; i < n_; ++i) trial_[i] = x[i] + epsilon * (absolute(x[i]) + floor_) * v_[i] / length;
        if (field_.direction(inner_->tau(), trial_.data(), image_.data()) != PointStatus::good ||
            !linalg::all_finite(image_.data(), n_))
            return;
        square = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            const S d = trial_[i] - x[i], scale = absolute(x[i]) + floor_;
            // what was added is what counts, after rounding
            v_[i] = d == S(0) && v_[i] != S(0) ? S(0) : (image_[i] - k[i]) / (epsilon * scale);
            square += v_[i] * v_[i];
        }
        rho_ = linalg::square_root(square);
        if (!(rho_ > S(0))) { // no change in this direction
            for (std::int64_t i = 0; i < n_; ++i) v_[i] = S((i * 104729 + 7) % 97 + 1) / 97;
            return;
        }
    }
}

template <class S> StepReport<S> Switching<S>::attempt(S h) {
    h_ = h;
    if (is_changing_) change();
    if (!has_begun_) {
        has_begun_ = true;
        power_steps(12);
        stiffness_ = absolute(h) * rho_;
        if (!is_decided_ && stiffness_ > S(stiff_at_start) && is_worth_it(h)) take_implicit();
    }
    StepReport<S> report = inner_->attempt(h);
    if (is_implicit_ && report.outcome == StepOutcome::no_derivative) { // what the explicit method does without
        can_be_implicit_ = false;
        take_explicit();
        report = inner_->attempt(h);
    }
    return report;
}

// Between two looks.
template <class S> void Switching<S>::run_on(Stretch<S>& stretch) {
    stretch.n = 0;
    if (!can_run_on()) return;
    if (can_be_implicit_) stretch.n_wanted = std::min(stretch.n_wanted, steps_between_looks - n_steps_);
    explicit_->run_on(stretch);
    if (stretch.n > 0) pass(stretch.n, stretch.steps[static_cast<std::size_t>(stretch.n) - 1].h);
}

template <class S> FusedAttempt* Switching<S>::lend(Stretch<S>& stretch) {
    if (!can_run_on()) return nullptr;
    if (can_be_implicit_) stretch.n_wanted = std::min(stretch.n_wanted, steps_between_looks - n_steps_);
    FusedAttempt* const kernels = explicit_->lend(stretch);
    stretch.has_plain_first = false; // stiffness is looked for
    return kernels;
}

template <class S> void Switching<S>::take_back(const Stretch<S>& stretch, const S* x, const S* v) {
    explicit_->take_back(stretch, x, v);
    if (stretch.n > 0) pass(stretch.n, stretch.taken);
}

// n steps, the last one of h.
template <class S> void Switching<S>::pass(int n, S h) {
    h_ = h;
    n_steps_ += n;
    if (n_steps_ >= steps_between_looks && can_be_implicit_) look(h_);
}

template <class S> void Switching<S>::accept() {
    inner_->accept();
    if (++n_steps_ >= steps_between_looks && can_be_implicit_) look(h_);
}

template <class S> void Switching<S>::look(S h) {
    n_steps_ = 0;
    power_steps(is_implicit_ ? 2 : 1);
    stiffness_ = absolute(h) * rho_;
    if (!is_implicit_) costs_.reach *= S(hope);
    const bool is_too_short = is_implicit_ && absolute(h) < needed();
    const bool speaks_for_change =
        is_implicit_ ? stiffness_ < S(easy_border) || is_too_short : stiffness_ > costs_.border;
    n_signs_ = speaks_for_change ? n_signs_ + 1 : 0;
    if (n_signs_ < (is_implicit_ ? looks_to_explicit : looks_to_implicit)) return;
    n_signs_ = 0;
    if (is_implicit_ && is_too_short) costs_.reach = absolute(h);
    is_changing_ = is_implicit_ || is_worth_it(h);
}

// The shortest implicit step that is worth its operations; 0 where they do not count.
template <class S> S Switching<S>::needed() const {
    if (!(costs_.explicit_step > 0) || !(rho_ > S(0))) return 0;
    const double worth = implicit_->operations() / costs_.explicit_step;
    return worth > dear ? S(worth) * costs_.border / rho_ : S(0);
}

// May implicit steps be that long? h: what would be tried.
template <class S> bool Switching<S>::is_worth_it(S h) {
    if (!makes_implicit()) return false;
    const S rest = absolute(costs_.tau_end - inner_->tau()) / S(fewest_steps);
    return needed() <= (costs_.reach > S(0) ? costs_.reach : std::max(absolute(h), rest));
}

template <class S> void Switching<S>::change() {
    is_changing_ = false;
    if (is_implicit_)
        take_explicit();
    else
        take_implicit();
}

template <class S> bool Switching<S>::makes_implicit() {
    if (!implicit_) implicit_ = make_implicit_();
    return can_be_implicit_ = implicit_ != nullptr;
}

template <class S> bool Switching<S>::take_implicit() {
    if (!makes_implicit()) return false;
    implicit_->begin(inner_->tau(), inner_->point());
    inner_ = implicit_.get();
    return is_implicit_ = true;
}

template <class S> void Switching<S>::take_explicit() {
    explicit_->begin(inner_->tau(), inner_->point());
    inner_ = explicit_.get();
    is_implicit_ = false;
}

template <class S> PointStatus Switching<S>::dense(S* coefficients) {
    const std::int64_t stride = linalg::padded(n_);
    const PointStatus status = inner_->dense(coefficients);
    for (int k = inner_->dense_degree() + 1; k <= dense_degree_; ++k)
        std::fill_n(coefficients + k * stride, stride, S(0));
    return status;
}

template <class S> const StepperCounts& Switching<S>::counts() const {
    counts_ = explicit_->counts();
    if (!implicit_) return counts_;
    counts_.add(implicit_->counts());
    return counts_;
}

template class Switching<double>;
template class Switching<Quad>;

} // namespace vessiot::method
