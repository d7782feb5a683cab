#include "method/multistep/multistep.hpp"

#include <algorithm>

#include "linalg/scalar.hpp"
#include "method/implicit/implicit_parts.hpp"
#include "method/make_family.hpp"
#include "method/multistep/multistep_entries.hpp"

namespace vessiot::method {

namespace {

constexpr int most_newton_iterations = 8;            // with a tolerance
constexpr int most_newton_round_off_iterations = 80; // without
constexpr double newton_part = 0.01;                 // of the tolerances
constexpr double theta_old_jacobian = 0.3;           // convergence that an old Jacobian must have
constexpr double most_growth = 2, least_growth = 1.2, least_part = 0.1;

template <class S> StepperOptions<S> iteration_tolerances(StepperOptions<S> options) {
    options.only_first_block = false; // what is not converged is no point, whether its error counts or not
    if (!options.to_round_off) return options;
    options.rtol = linalg::epsilon<S>();
    options.atol = options.rtol * S(1e-6);
    return options;
}

std::string_view starter_name(const MethodInfo& info) {
    if (beta_of(info).back() != 0) return "radau9";
    return info.order <= 8 ? "dop853" : "feagin108";
}

// The largest z for which a formula is stable on (-z, 0), where a root leaves the unit circle at -1; 0: it stays
// inside.
double stable_length(const MethodInfo& info) {
    Quad rho = 0, sigma = 0, sign = 1;
    for (std::size_t j = 0; j < alpha_of(info).size(); ++j, sign = -sign) {
        rho += sign * alpha_of(info)[j];
        sigma += sign * beta_of(info)[j];
    }
    return rho * sigma < 0 ? static_cast<double>(-rho / sigma) : 0;
}

} // namespace

template <class S> bool StepMemory<S>::must_start(const PastPoints<S>& past, S h) const {
    const S last = past.last_step();
    if (past.size() < n_needed_ || last * h < S(0)) return true;
    const S ratio = past.size() > 1 ? h / last : S(1);
    return ratio < S(least_part) || ratio > S(1.01 * most_growth);
}

// Unchanged unless it may grow by a fifth and all of the past points are that far apart, or must be smaller.
template <class S> S StepMemory<S>::suggest(const PastPoints<S>& past, S h) const {
    const S last = past.last_step();
    if (last == S(0) || last * h <= S(0)) return h;
    const S ratio = h / last;
    if (ratio < S(1)) return h;
    const bool may_grow = past.size() >= n_needed_ && past.is_even(last, n_needed_);
    if (!may_grow || ratio < S(least_growth)) return last;
    return last * std::min(ratio, S(most_growth));
}

template <class S>
Multistep<S>::Multistep(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                        const StepperOptions<S>& options)
    : TwoPoints<S>(field, options.project == Project::nothing ? nullptr : projection), order_(info.order),
      has_estimate_(options.estimate != Estimate::none), to_round_off_(options.to_round_off),
      formula_(formula_of(info), info.order), memory_(formula_.n_steps(), order_, has_estimate_),
      past_(n_, std::max(formula_.n_steps(), order_ + 1), true), norm_(n_, options),
      iteration_norm_(n_, iteration_tolerances(options)), parts_(options.parts),
      starter_{make_stepper<S>(find_method(starter_name(info)), field, projection, options)},
      points_{linalg::Vector<S>(n_), linalg::Vector<S>(n_)}, v_start_(n_), v_end_(n_), sum_(n_), predicted_(n_),
      work_(n_) {
    start_ = points_[0].data();
    end_ = points_[1].data();
    if (formula_.is_explicit()) return;
    stability_ = {S(has_estimate_ ? stable_length(info) : 0), linalg::Vector<S>(n_)};
    Parts<S>& parts = parts_of(info, options, true);
    Parts<S>& base = parts.base ? *parts.base : parts;
    linearised_ = std::make_unique<Linearised<S>>(
        base.system, base.prolongation, base.jets, parts.evaluator, nullptr, false,
        parts.is_arclength ? LinearisedForm::tangent : LinearisedForm::small, base.distribution.deficient_rank());
    if (parts.base)
        coupling_ = std::make_unique<BlockCoupling<S>>(*linearised_, parts.system, parts.prolongation, parts.jets,
                                                       parts.evaluator, nullptr, &parts.manifold);
    solver_ = std::make_unique<ShiftedSolver<S>>(*linearised_, coupling_.get());
    tops_ = linalg::Vector<S>(parts.distribution.n_tops());
}

template <class S> void Multistep<S>::begin(S tau, const S* x) {
    this->begin_at(tau, x);
    past_.clear();
    past_.add(S(0), x);
    starter_.is_here = starter_.made_last = is_fresh_ = false;
    factored_ = 0;
}

template <class S> void Multistep<S>::look(Evaluation& at, S tau, const S* x, S* v) {
    if (at.is_done) return;
    ++counts_.stages;
    at = {.is_done = true, .status = this->checked_direction(tau, x, v)};
}

template <class S> const S* Multistep<S>::direction() {
    Evaluation& at = is_accepted_ ? at_end_ : at_start_;
    linalg::Vector<S>& v = is_accepted_ ? v_end_ : v_start_;
    look(at, this->tau(), this->point(), v.data());
    return at.status == PointStatus::good ? v.data() : nullptr;
}

template <class S> void Multistep<S>::accept() {
    TwoPoints<S>::accept();
    if (!is_accepted_ || !starter_.made_last) return;
    starter_.method->accept();
    starter_.is_here = true;
}

// The accepted point is the newest of the past ones.
template <class S> void Multistep<S>::take_accepted() {
    if (!is_accepted_) return;
    past_.add(this->h_, end_);
    this->go_on();
    swap(v_start_, v_end_);
    starter_.is_here = starter_.is_here && starter_.made_last;
    has_candidate_ = is_fresh_ = false;
}

template <class S> S Multistep<S>::suggest(S h) {
    take_accepted();
    return has_estimate_ ? memory_.suggest(past_, h) : h;
}

// All past points, with V there.
template <class S> bool Multistep<S>::prepare(StepReport<S>& report) {
    take_accepted();
    if (!direction()) return this->fail(report, StepOutcome::no_direction_here, at_start_.status);
    past_.set_direction(v_start_.data());
    return true;
}

template <class S> StepReport<S> Multistep<S>::start_step(S h) {
    if (!starter_.is_here) starter_.method->begin(tau_, start_);
    starter_.is_here = starter_.made_last = true;
    const StepReport<S> report = starter_.method->attempt(h);
    has_candidate_ = report.outcome == StepOutcome::done;
    if (has_candidate_) std::copy_n(starter_.method->candidate(), n_, end_);
    return report;
}

template <class S> StepReport<S> Multistep<S>::attempt(S h) {
    StepReport<S> report;
    if (!prepare(report)) return report;
    this->begin_attempt(h);
    starter_.made_last = false;
    if (!linalg::is_finite(h)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_, start_);
        return report;
    }
    if (memory_.must_start(past_, h)) {
        if (past_.size() >= memory_.n_needed()) { // what lies behind is of no use
            past_.clear();
            past_.add(S(0), start_);
            past_.set_direction(v_start_.data());
        }
        return start_step(h);
    }
    if (this->projection_) this->begin_projections();
    if (!advance(h, report)) return report;
    if (!linalg::all_finite(end_, n_)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau_end_, end_);
        return report;
    }
    has_candidate_ = !this->projection_ || project_result(report);
    if (has_candidate_ && has_estimate_) estimate(report);
    return report;
}

template <class S> void Multistep<S>::predict() {
    std::fill(predicted_.begin(), predicted_.end(), S(0));
    for (std::size_t j = 0; j < formula_.predictor().size(); ++j) {
        const S weight = formula_.predictor()[j], *x = past_.x(static_cast<int>(j));
        for (std::int64_t i = 0; i < n_; ++i) predicted_[i] += weight * x[i];
    }
}

template <class S> bool Multistep<S>::advance(S h, StepReport<S>& report) {
    past_.places(h, theta_);
    formula_.set(theta_, past_.is_even(h, formula_.n_steps()));
    for (std::int64_t i = 0; i < n_; ++i) { // from the oldest point on
        S sum = 0, slope = 0;
        for (int j = formula_.n_steps(); j-- > 0;) {
            sum -= formula_.alpha(j) * past_.x(j)[i];
            slope += formula_.beta(j) * past_.v(j)[i];
        }
        sum_[i] = sum + h * slope;
    }
    if (has_estimate_ || !formula_.is_explicit()) predict();
    if (!formula_.is_explicit()) return solve(h * formula_.beta(), report);
    std::copy_n(sum_.data(), n_, end_);
    return true;
}

// J at the current point, and the factors for h b.
template <class S> bool Multistep<S>::linearise(S h_beta, StepReport<S>& report) {
    if (!is_fresh_) {
        ++counts_.jacobians;
        PointStatus status = PointStatus::good;
        if (parts_->is_arclength) {
            status = linearised_->set_tangent(start_, v_start_.data());
        } else {
            status = parts_->distribution.tops(tau_, start_, tops_.data());
            if (status == PointStatus::good) status = linearised_->set(tau_, start_, tops_.data());
            if (status == PointStatus::good && coupling_) status = coupling_->set(tau_, start_, tops_.data());
        }
        factored_ = 0;
        if (status != PointStatus::good)
            return this->fail(report, StepOutcome::no_direction_here, status, tau_, start_);
        is_fresh_ = true;
    }
    ++counts_.factorisations;
    factored_ = solver_->factor(h_beta) ? h_beta : S(0);
    if (factored_ != S(0)) return true;
    this->fail(report, StepOutcome::no_convergence, PointStatus::singular, tau_, start_);
    report.shrink = S(0.5);
    return false;
}

// With an old Jacobian first, where there is one.
template <class S> bool Multistep<S>::solve(S h_beta, StepReport<S>& report) {
    const bool is_same = linalg::absolute(factored_ - h_beta) <= S(1e-9) * linalg::absolute(h_beta);
    if (is_same && !is_fresh_) {
        if (iterate(h_beta, report)) return true;
        report = {};
    }
    return linearise(h_beta, report) && iterate(h_beta, report);
}

template <class S> bool Multistep<S>::iterate(S h_beta, StepReport<S>& report) {
    std::copy_n(predicted_.data(), n_, end_);
    S before = 0;
    int n_stuck = 0;
    const int most = to_round_off_ ? most_newton_round_off_iterations : most_newton_iterations;
    const S worst = is_fresh_ ? S(0.95) : S(theta_old_jacobian);
    const auto give_up = [&] {
        this->fail(report, StepOutcome::no_convergence, PointStatus::not_converged, tau_, start_);
        report.shrink = S(0.25);
        return false;
    };
    for (int k = 1; k <= most; ++k) {
        ++counts_.stages;
        ++counts_.stage_iterations;
        const PointStatus status = this->checked_direction(tau_end_, end_, v_end_.data());
        if (status != PointStatus::good) return this->fail(report, StepOutcome::no_direction, status);
        if (k == 1) std::copy_n(v_end_.data(), n_, stability_.v.data());
        if (k == 2 && is_unstable(report)) return false;
        for (std::int64_t i = 0; i < n_; ++i) work_[i] = sum_[i] + h_beta * v_end_[i] - end_[i];
        solver_->solve(work_.data());
        for (std::int64_t i = 0; i < n_; ++i) end_[i] += work_[i];
        const S size = iteration_norm_(work_.data(), start_, end_);
        if (!linalg::is_finite(size)) return give_up();
        if (size == S(0)) return true;
        const S theta = k > 1 ? size / before : S(0.5);
        if (to_round_off_) {
            const bool is_small = size <= S(1e5); // in units of the last digit
            if (is_small && theta >= S(0.3) && k > 1 && ++n_stuck == 2) return true;
            if (!is_small && k > 3 && theta >= (is_fresh_ ? S(2) : S(theta_old_jacobian))) return give_up();
        } else {
            if (k > 1 && theta >= worst) return give_up();
            if (theta / (1 - theta) * size <= S(newton_part)) return true;
        }
        before = size;
    }
    return give_up();
}

// Outside of its region of stability a formula amplifies round-off, from point to point with another sign, which the
// estimate, made for smooth curves, sees late. The rate is that of V along the first correction,
//
//     r = |V(y_1) - V(y_0)| / |y_1 - y_0|,      h r <= z
template <class S> bool Multistep<S>::is_unstable(StepReport<S>& report) {
    if (stability_.length == S(0)) return false;
    S dv = 0, dy = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
        const S v = v_end_[i] - stability_.v[i], y = end_[i] - predicted_[i];
        dv += v * v;
        dy += y * y;
    }
    const S z = linalg::absolute(this->h_) * linalg::square_root(dv / dy);
    if (!(z > S(1.2) * stability_.length)) return false;
    this->fail(report, StepOutcome::no_convergence, PointStatus::not_converged, tau_, start_);
    report.shrink = std::max(S(0.05), S(0.8) * stability_.length / z);
    return true;
}

template <class S> bool Multistep<S>::project_result(StepReport<S>& report) {
    if (!this->project_end(report, work_.data())) return false;
    for (std::int64_t i = 0; i < n_; ++i) work_[i] -= end_[i];
    report.distance = norm_(work_.data(), start_, end_);
    return true;
}

template <class S> void Multistep<S>::estimate(StepReport<S>& report) {
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = formula_.error_factor() * (end_[i] - predicted_[i]);
    report.error = norm_(work_.data(), start_, end_);
}

template <class S> S Multistep<S>::error_with_curve(S error) {
    return starter_.made_last ? starter_.method->error_with_curve(error) : error;
}

template <class S> PointStatus Multistep<S>::dense(S* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    std::fill_n(coefficients, (dense_degree() + 1) * this->n_padded_, S(0));
    if (starter_.made_last) return starter_.method->dense(coefficients);
    look(at_end_, tau_end_, end_, v_end_.data());
    if (at_end_.status != PointStatus::good) return at_end_.status;
    past_.polynomial(this->h_, end_, v_end_.data(), order_, coefficients);
    return PointStatus::good;
}

template <class S> const StepperCounts& Multistep<S>::counts() const {
    all_counts_ = counts_;
    all_counts_.add(starter_.method->counts());
    return all_counts_;
}

template <class S> void Multistep<S>::renew() {
    TwoPoints<S>::renew();
    starter_.method->renew();
}

template class Multistep<double>;
template class Multistep<Quad>;
template class StepMemory<double>;
template class StepMemory<Quad>;

const Family explicit_multistep_family{.name = "linear multistep",
                                       .make_double = make_as<Multistep, double>,
                                       .make_quad = make_as<Multistep, Quad>,
                                       .dense_order = own_dense_order,
                                       .has_arclength = true,
                                       .carries_derivatives = true};

const Family implicit_multistep_family{.name = "linear multistep",
                                       .make_double = make_as<Multistep, double>,
                                       .make_quad = make_as<Multistep, Quad>,
                                       .dense_order = own_dense_order,
                                       .solves_equations = true,
                                       .has_arclength = true,
                                       .carries_derivatives = true};

} // namespace vessiot::method
