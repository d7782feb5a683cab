#include "method/multistep/direct_multistep.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/make_family.hpp"
#include "method/multistep/multistep_entries.hpp"

namespace vessiot::method {

namespace {

constexpr int most_direct_iterations = 60;
constexpr int n_fresh_jacobians = 4; // of an iteration to round-off: the step is large where the start is not near
constexpr double direct_newton_part = 0.01;

template <class S> StepperOptions<S> of_iteration(StepperOptions<S> options) {
    if (!options.to_round_off) return options;
    options.estimate = Estimate::none;
    options.rtol = linalg::epsilon<S>();
    options.atol = options.rtol * S(1e-6);
    return options;
}

const MethodInfo& starter_of(const MethodInfo& info) {
    return find_method(info.order <= 3 ? "dae_radau5" : "dae_radau9");
}

bool has_slopes(const MethodInfo& info) {
    return std::ranges::any_of(beta_of(info).first(beta_of(info).size() - 1), [](Quad b) { return b != 0; });
}

} // namespace

template <class S>
DirectMultistep<S>::DirectMultistep(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options)
    : DirectStepper<S>(info, field, options), order_(info.order), has_estimate_(options.estimate != Estimate::none),
      has_slopes_(has_slopes(info)), formula_(formula_of(info), info.order),
      memory_(formula_.n_steps(), order_, has_estimate_),
      past_(this->n_, std::max(formula_.n_steps(), order_ + 1), has_slopes_),
      starter_(starter_of(info), field, of_iteration(options)), solver_(this->system_.linearised()), w_(this->n_tops_),
      b_(this->n_), rows_(this->n_tops_), sum_(this->n_), predicted_(this->n_), v_end_(this->n_),
      norm_(this->n_, options), iteration_norm_(this->n_, of_iteration(options)) {
    if (has_estimate_ && this->system_.highest_index() > 2)
        throw InvalidInput("the method \"" + std::string(info.name) +
                           "\" makes constant steps where equations have index 3: give --step, or take \"dae_radau5\", "
                           "which finds their size, or a method on the constraints, such as \"gear3\"");
}

template <class S> void DirectMultistep<S>::begin(S tau, const S* x) {
    DirectStepper<S>::begin(tau, x);
    past_.clear();
    past_.add(S(0), x);
    is_starting_ = by_starter_ = false;
}

template <class S> void DirectMultistep<S>::accept() {
    DirectStepper<S>::accept();
    if (!this->is_accepted_ || !by_starter_) return;
    starter_.accept();
    is_starting_ = true;
}

// The accepted point is the newest of the past ones.
template <class S> void DirectMultistep<S>::take_accepted() {
    if (!this->is_accepted_) return;
    past_.add(this->h_, this->end_);
    this->go_on();
    is_starting_ = is_starting_ && by_starter_;
    this->has_candidate_ = false;
}

template <class S> S DirectMultistep<S>::suggest(S h) {
    take_accepted();
    return has_estimate_ ? memory_.suggest(past_, h) : h;
}

template <class S> bool DirectMultistep<S>::prepare(StepReport<S>& report) {
    take_accepted();
    if (!has_slopes_) return true;
    if (!this->direction()) return this->fail(report, StepOutcome::no_direction_here, this->status());
    ++this->counts_.stages;
    past_.set_direction(this->k_.data());
    return true;
}

template <class S> StepReport<S> DirectMultistep<S>::start_step(S h) {
    if (!is_starting_) starter_.begin(this->tau_, this->start_);
    is_starting_ = by_starter_ = true;
    const StepReport<S> report = starter_.attempt(h);
    this->has_candidate_ = report.outcome == StepOutcome::done;
    if (this->has_candidate_) std::copy_n(starter_.candidate(), this->n_, this->end_);
    return report;
}

template <class S> StepReport<S> DirectMultistep<S>::attempt(S h) {
    StepReport<S> report;
    if (!prepare(report)) return report;
    this->begin_attempt(h);
    by_starter_ = false;
    if (memory_.must_start(past_, h)) {
        if (past_.size() >= memory_.n_needed()) { // what lies behind is of no use
            past_.clear();
            past_.add(S(0), this->start_);
            if (has_slopes_) past_.set_direction(this->k_.data());
        }
        return start_step(h);
    }
    begin_iteration(h);
    if (!iterate(h * formula_.beta(), report)) return report;
    std::copy_n(w_.data(), this->n_tops_, this->w_start_.data());
    this->has_candidate_ = true;
    if (has_estimate_) estimate(report);
    return report;
}

// The right-hand side, and the points that the iteration and the estimate begin with.
template <class S> void DirectMultistep<S>::begin_iteration(S h) {
    past_.places(h, theta_);
    formula_.set(theta_, past_.is_even(h, formula_.n_steps()));
    for (std::int64_t i = 0; i < this->n_; ++i) {
        S sum = 0, slope = 0, predicted = 0;
        for (int j = 0; j < formula_.n_steps(); ++j) sum -= formula_.alpha(j) * past_.x(j)[i];
        if (has_slopes_)
            for (int j = 0; j < formula_.n_steps(); ++j) slope += formula_.beta(j) * past_.v(j)[i];
        for (std::size_t j = 0; j < formula_.predictor().size(); ++j)
            predicted += formula_.predictor()[j] * past_.x(static_cast<int>(j))[i];
        sum_[i] = sum + h * slope;
        predicted_[i] = predicted;
    }
    std::copy_n(has_estimate_ ? predicted_.data() : past_.x(0), this->n_, this->end_);
    std::copy_n(this->w_start_.data(), this->n_tops_, w_.data());
}

template <class S> bool DirectMultistep<S>::factor(S gamma, StepReport<S>& report) {
    if (!this->linearise(this->tau_end_, this->end_, w_.data(), report)) return false;
    ++this->counts_.factorisations;
    if (solver_.factor(gamma)) return true;
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::singular;
    report.shrink = S(0.5);
    return false;
}

template <class S> bool DirectMultistep<S>::iterate(S gamma, StepReport<S>& report) {
    S before = 0, first = 0;
    int n_stuck = 0;
    for (int i = 1; i <= most_direct_iterations; ++i) {
        if (i <= (has_estimate_ ? 1 : n_fresh_jacobians) && !factor(gamma, report)) return false;
        ++this->counts_.stages;
        ++this->counts_.stage_iterations;
        if (!this->system_.equations(this->tau_end_, this->end_, w_.data(), rows_.data()))
            return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, this->tau_end_, this->end_);
        for (std::int64_t k = 0; k < this->n_; ++k) b_[k] = sum_[k] - this->end_[k];
        this->system_.add_derivative(gamma, this->end_, w_.data(), b_.data());
        solver_.solve(b_.data(), rows_.data());
        for (std::int64_t k = 0; k < this->n_; ++k) this->end_[k] += b_[k];
        for (std::int64_t k = 0; k < this->n_tops_; ++k) w_[k] += rows_[k];
        if (has_estimate_) this->system_.scale(this->h_, b_.data());
        const S size = iteration_norm_(b_.data(), this->start_, this->end_);
        if (!linalg::is_finite(size)) break;
        if (size == S(0)) return true;
        if (has_estimate_) {
            const S theta = i > 1 ? size / before : S(0.5);
            if (i > 1 && theta >= S(0.95)) break;
            if (theta / (1 - theta) * size <= S(direct_newton_part)) return true;
            if (i == 10) break;
        } else {
            first = std::max(first, size);
            const bool is_small = size <= S(1e5) || size <= S(1e-9) * first; // in units of the last digit
            if (is_small && (i == most_direct_iterations || (size >= S(0.5) * before && ++n_stuck == 2))) return true;
            if (i == most_direct_iterations) {
                this->system_.scale(this->h_, b_.data());
                if (is_round_off(largest_of(b_.data(), this->n_), this->start_, this->n_)) return true;
            }
        }
        before = size;
    }
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::not_converged;
    report.shrink = S(0.25);
    return false;
}

template <class S> void DirectMultistep<S>::estimate(StepReport<S>& report) {
    for (std::int64_t i = 0; i < this->n_; ++i) b_[i] = formula_.error_factor() * (this->end_[i] - predicted_[i]);
    this->system_.scale(this->h_, b_.data());
    report.error = norm_(b_.data(), this->start_, this->end_);
}

template <class S> PointStatus DirectMultistep<S>::dense(S* coefficients) {
    if (!this->has_candidate_) return PointStatus::not_finite;
    std::fill_n(coefficients, (dense_degree() + 1) * this->n_padded_, S(0));
    if (by_starter_) return starter_.dense(coefficients);
    const S* v = nullptr;
    if (has_slopes_) {
        const PointStatus status = this->checked_direction(this->tau_end_, this->end_, v_end_.data());
        if (status != PointStatus::good) return status;
        v = v_end_.data();
    }
    past_.polynomial(this->h_, this->end_, v, order_, coefficients);
    return PointStatus::good;
}

template <class S> const StepperCounts& DirectMultistep<S>::counts() const {
    all_counts_ = this->counts_;
    all_counts_.add_stages(starter_.counts());
    return all_counts_;
}

template class DirectMultistep<double>;
template class DirectMultistep<Quad>;

const Family direct_multistep_family{.name = "direct, linear multistep",
                                     .make_double = make_as<DirectMultistep, double>,
                                     .make_quad = make_as<DirectMultistep, Quad>,
                                     .dense_order = own_dense_order,
                                     .solves_equations = true,
                                     .is_direct = true};

} // namespace vessiot::method
