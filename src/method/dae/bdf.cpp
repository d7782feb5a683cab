#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/dae/direct_rk.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;
using linalg::all_finite;

// alpha_1, alpha_2, alpha_3 and beta.
constexpr double formulas[3][4] = {{1, 0, 0, 1}, {4, -1, 0, 2}, {18, -9, 2, 6}};
constexpr double divisors[3] = {1, 3, 11};

template <class S> StepperOptions<S> to_last_digit(StepperOptions<S> options) {
    options.to_round_off = true;
    options.estimate = Estimate::none;
    options.rtol = linalg::epsilon<S>();
    options.atol = options.rtol * S(1e-6);
    return options;
}

} // namespace

template <class S>
Bdf<S>::Bdf(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options)
    : DirectStepper<S>(info, field, options), order_(info.order),
      starter_(find_method("dae_radau5"), field, to_last_digit(options)), solver_(this->system_.linearised()),
      past_(static_cast<std::size_t>(order_), linalg::Vector<S>(this->n_)), w_(this->n_tops_), b_(this->n_),
      rows_(this->n_tops_), sum_(this->n_), norm_(this->n_, to_last_digit(options)) {}

template <class S> void Bdf<S>::begin(S tau, const S* x) {
    DirectStepper<S>::begin(tau, x);
    n_past_ = 1;
    std::copy_n(x, this->n_, past_[0].data());
    h_past_ = 0;
}

template <class S> StepReport<S> Bdf<S>::start_step(S h) {
    is_started_ = true;
    starter_.begin(this->tau_, this->start_);
    const StepReport<S> report = starter_.attempt(h);
    this->has_candidate_ = report.outcome == StepOutcome::done;
    if (this->has_candidate_) std::copy_n(starter_.candidate(), this->n_, this->end_);
    return report;
}

template <class S> StepReport<S> Bdf<S>::attempt(S h) {
    if (this->is_accepted_) {
        this->go_on();
        for (std::size_t j = past_.size(); j-- > 1;) std::swap(past_[j], past_[j - 1]);
        std::copy_n(this->start_, this->n_, past_[0].data());
        const bool is_equal = h_past_ == S(0) || absolute(this->h_ - h_past_) <= S(1e-9) * absolute(h_past_);
        n_past_ = is_equal ? std::min(n_past_ + 1, order_) : 2;
        h_past_ = this->h_;
    }
    this->begin_attempt(h);
    is_started_ = false;
    const bool is_new_size = h_past_ != S(0) && absolute(h - h_past_) > S(1e-9) * absolute(h_past_);
    if (n_past_ < order_ || is_new_size) return start_step(h);

    StepReport<S> report;
    const double* c = formulas[order_ - 1];
    const S gamma = h * S(c[3]) / S(divisors[order_ - 1]);
    for (std::int64_t k = 0; k < this->n_; ++k) {
        S sum = 0;
        for (std::size_t j = 0; j < past_.size(); ++j) sum += S(c[j]) / S(divisors[order_ - 1]) * past_[j][k];
        sum_[k] = sum;
        this->end_[k] = past_[0][k]; // NOTE: where the iteration begins
    }
    std::copy_n(this->w_start_.data(), this->n_tops_, w_.data());
    S before = 0, first = 0;
    int n_stuck = 0;
    for (int i = 1; i <= 60; ++i) {
        // J at the iterate: full Newton, since the step is large where the start is not near
        if (i <= 4 && !this->linearise(this->tau_end_, this->end_, w_.data(), report)) return report;
        if (i <= 4) {
            ++this->counts_.factorisations;
            if (!solver_.factor(gamma)) {
                report.outcome = StepOutcome::no_convergence;
                report.why = PointStatus::singular;
                return report;
            }
        }
        ++this->counts_.stages;
        ++this->counts_.stage_iterations;
        if (!this->system_.equations(this->tau_end_, this->end_, w_.data(), rows_.data())) {
            this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, this->tau_end_, this->end_);
            return report;
        }
        for (std::int64_t k = 0; k < this->n_; ++k) b_[k] = sum_[k] - this->end_[k];
        this->system_.add_derivative(gamma, this->end_, w_.data(), b_.data());
        solver_.solve(b_.data(), rows_.data());
        for (std::int64_t k = 0; k < this->n_; ++k) this->end_[k] += b_[k];
        for (std::int64_t k = 0; k < this->n_tops_; ++k) w_[k] += rows_[k];
        const S size = norm_(b_.data(), this->start_, this->end_);
        if (!linalg::is_finite(size)) break;
        first = std::max(first, size);
        const bool is_small = size <= S(1e5) || size <= S(1e-9) * first;
        if (size == S(0) || (is_small && (i == 60 || (size >= S(0.5) * before && ++n_stuck == 2)))) {
            std::copy_n(w_.data(), this->n_tops_, this->w_start_.data());
            this->has_candidate_ = true;
            return report;
        }
        before = size;
    }
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::not_converged;
    return report;
}

// The polynomial through the new point and the last ones, as far as they are there: of degree 1 to 3.
template <class S> PointStatus Bdf<S>::dense(S* coefficients) {
    if (!this->has_candidate_) return PointStatus::not_finite;
    const std::int64_t stride = this->n_padded_;
    std::fill_n(coefficients, 4 * stride, S(0));
    if (is_started_) return starter_.dense(coefficients);
    for (std::int64_t k = 0; k < this->n_; ++k) {
        // theta = 1, 0, -1, -2: Newton's form in theta, theta (theta - 1), theta (theta - 1) (theta + 1)
        const S f1 = this->end_[k], f0 = past_[0][k];
        const S d1 = f1 - f0;
        const S d2 = order_ > 1 ? (d1 - (f0 - past_[1][k])) / 2 : S(0);
        const S d3 = order_ > 2 ? (d2 - ((f0 - past_[1][k]) - (past_[1][k] - past_[2][k])) / 2) / 3 : S(0);
        coefficients[k] = f0;
        coefficients[stride + k] = d1 - d2 - d3;
        coefficients[2 * stride + k] = d2;
        coefficients[3 * stride + k] = d3;
    }
    return PointStatus::good;
}

template <class S> const StepperCounts& Bdf<S>::counts() const {
    all_counts_ = this->counts_;
    all_counts_.add_stages(starter_.counts());
    return all_counts_;
}

template class Bdf<double>;
template class Bdf<Quad>;

const Family bdf_family{.name = "direct, linear multistep",
                        .make_double = make_as<Bdf, double>,
                        .make_quad = make_as<Bdf, Quad>,
                        .dense_order = own_dense_order,
                        .solves_equations = true,
                        .is_direct = true,
                        .has_constant_steps = true};

} // namespace vessiot::method
