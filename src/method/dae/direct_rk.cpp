#include "method/dae/direct_rk.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "completion/prolong_direct.hpp"
#include "completion/structure.hpp"
#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/implicit/implicit_parts.hpp"
#include "method/implicit/top_rows.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

using linalg::absolute;
using linalg::all_finite;
using linalg::at;

constexpr int most_iterations = 10;
constexpr int most_round_off_iterations = 60;
constexpr int most_at_last = 40; // in the last try before a step is made smaller
constexpr double theta_keep = 1e-3;
constexpr std::size_t most_stages = 5; // of methods that take over from each other

// As in implicit_rk.cpp for index 1.
template <class S> StepperOptions<S> internal_tolerances(const MethodInfo& info, StepperOptions<S> options, int index) {
    if (options.to_round_off) {
        options.rtol = linalg::epsilon<S>();
        options.atol = options.rtol * S(1e-6);
        return options;
    }
    if (info.embedded_order == 0 || index > 1) return options;
    const auto s = static_cast<double>(info.n_stages);
    const double rtol = 0.1 * std::pow(static_cast<double>(options.rtol), (s + 1) / (2 * s));
    options.atol = options.atol * (S(rtol) / options.rtol);
    options.rtol = S(rtol);
    return options;
}

template <class S> S newton_tolerance(const MethodInfo& info, const StepperOptions<S>& options, int index) {
    const auto rtol = static_cast<double>(internal_tolerances(info, options, index).rtol);
    return S(std::max(10 * static_cast<double>(linalg::epsilon<S>()) / rtol, std::min(0.03, std::sqrt(rtol))));
}

} // namespace

template <class S>
DirectSystem<S>::DirectSystem(const MethodInfo& info, const StepperOptions<S>& options)
    : parts_(parts_of(info, options)), n_(parts_.prolongation.n_state()), n_tops_(parts_.prolongation.n_tops()),
      coordinate_of_top_(at(n_tops_), -1), function_(make_top_rows(parts_)),
      linearised_(parts_.system, parts_.prolongation, parts_.jets, parts_.evaluator, nullptr, false,
                  LinearisedForm::direct) {
    const Prolongation& p = parts_.prolongation;
    std::vector<std::int32_t> state_at(at(p.z.size), -1), top_at = state_at;
    for (std::size_t k = 0; k < p.state.size(); ++k) state_at[at(p.state[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < p.top.size(); ++k) top_at[at(p.top[k])] = static_cast<std::int32_t>(k);
    for (const std::int32_t z : p.next) {
        const std::int32_t top = top_at[at(z)];
        if (top >= 0) coordinate_of_top_[at(top)] = static_cast<std::int32_t>(next_.size());
        next_.push_back(top >= 0 ? -1 - top : state_at[at(z)]);
    }
    const Structure structure = analyse(parts_.system);
    index_ = structure.is_regular ? variable_indices(p, structure.signature, structure.offsets)
                                  : std::vector<int>(at(n_), 1);
}

template <class S> bool DirectSystem<S>::equations(S t, const S* u, const S* w, S* rows) {
    function_(parts_.jets.at(t, u, w), rows, nullptr);
    return all_finite(rows, n_tops_);
}

template <class S> void DirectSystem<S>::add_derivative(S factor, const S* u, const S* w, S* du) const {
    for (std::int64_t k = 0; k < n_; ++k) {
        const std::int32_t next = next_[at(k)];
        if (next >= 0)
            du[k] += factor * u[next];
        else if (w)
            du[k] += factor * w[-1 - next];
    }
}

template <class S> void DirectSystem<S>::tops_of(const S* du, S* w) const {
    for (std::int64_t j = 0; j < n_tops_; ++j) w[j] = du[coordinate_of_top_[at(j)]];
}

template <class S> int DirectSystem<S>::highest_index() const {
    return index_.empty() ? 1 : *std::ranges::max_element(index_);
}

template <class S> void DirectSystem<S>::scale(S h, S* e) const {
    for (std::int64_t k = 0; k < n_; ++k)
        for (int i = 1; i < index_[at(k)]; ++i) e[k] *= absolute(h);
}

template <class S>
DirectStepper<S>::DirectStepper(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options,
                                std::shared_ptr<DirectSystem<S>> system)
    : TwoPoints<S>(field, nullptr),
      shared_(system ? std::move(system) : std::make_shared<DirectSystem<S>>(info, options)), system_(*shared_),
      n_tops_(system_.n_tops()), k_(this->n_), w_start_(n_tops_),
      points_{linalg::Vector<S>(this->n_), linalg::Vector<S>(this->n_)} {
    this->start_ = points_[0].data();
    this->end_ = points_[1].data();
}

template <class S> void DirectStepper<S>::begin(S tau, const S* x) {
    this->begin_at(tau, x);
    // a first guess of the tops; where F is linear in them nothing depends on it
    std::fill(w_start_.begin(), w_start_.end(), S(0));
    if (direction()) system_.tops_of(k_.data(), w_start_.data());
}

template <class S> const S* DirectStepper<S>::direction() {
    status_ = this->checked_direction(this->tau(), this->point(), k_.data());
    return status_ == PointStatus::good ? k_.data() : nullptr;
}

template <class S> bool DirectStepper<S>::linearise(S tau, const S* u, const S* w, StepReport<S>& report) {
    ++this->counts_.jacobians;
    if (system_.linearised().set(tau, u, w) == PointStatus::good) return true;
    report.failed.derivative = system_.linearised().not_finite();
    return this->fail(report, StepOutcome::no_derivative, PointStatus::not_finite, tau, u);
}

template <class S>
DirectRk<S>::DirectRk(const MethodInfo& info, Field<S>& field, const StepperOptions<S>& options,
                      std::shared_ptr<DirectSystem<S>> system)
    : DirectStepper<S>(info, field, options, std::move(system)),
      has_estimate_(options.estimate != Estimate::none && info.embedded_order > 0), to_round_off_(options.to_round_off),
      norm_(this->n_, internal_tolerances(info, options, this->system_.highest_index())),
      kappa_(newton_tolerance(info, options, this->system_.highest_index())), numbers_(info.tableau),
      r_(numbers_.exact.n_implicit), solvers_(numbers_, this->system_.linearised()), b_(this->n_), rows_(this->n_tops_),
      error_(this->n_), complex_b_(this->n_), complex_rows_(this->n_tops_) {
    for (std::size_t i = 0; i < r_; ++i) {
        S sum = 0;
        for (std::size_t j = 0; j < r_; ++j) sum += numbers_.t_inverse[i * r_ + j];
        sigma_.push_back(sum);
    }
    if (has_estimate_) places_ = places_of_collocation(numbers_.exact);
    polynomial_.assign(std::max(r_, most_stages), linalg::Vector<S>(this->n_));
    for (std::vector<linalg::Vector<S>>* list : {&z_, &zeta_}) list->assign(r_, linalg::Vector<S>(this->n_));
    for (std::vector<linalg::Vector<S>>* list : {&w_, &omega_, &f_, &phi_})
        list->assign(r_, linalg::Vector<S>(this->n_tops_));
}

template <class S> void DirectRk<S>::begin(S tau, const S* x) {
    DirectStepper<S>::begin(tau, x);
    kept_.begin();
    solvers_.forget();
}

template <class S>
void DirectRk<S>::transform(const std::vector<S>& matrix, std::vector<linalg::Vector<S>>& from,
                            std::vector<linalg::Vector<S>>& to) const {
    for (std::size_t i = 0; i < r_; ++i)
        for (std::int64_t k = 0; k < to[i].size(); ++k) {
            S sum = 0;
            for (std::size_t j = 0; j < r_; ++j) sum += matrix[i * r_ + j] * from[j][k];
            to[i][k] = sum;
        }
}

template <class S> void DirectRk<S>::keep_polynomial(const DirectRk& of) {
    degree_old_ = of.r_;
    for (std::size_t m = 0; m < of.r_; ++m)
        for (std::int64_t k = 0; k < this->n_; ++k) {
            S sum = 0;
            for (std::size_t i = 0; i < of.r_; ++i) sum += of.numbers_.dense[m * of.r_ + i] * of.z_[i][k];
            polynomial_[m][k] = sum;
        }
}

template <class S> void DirectRk<S>::begin_after(const DirectRk& other) {
    this->begin_at(other.tau_end_, other.end_);
    std::copy_n(other.w_[other.r_ - 1].data(), this->n_tops_, this->w_start_.data());
    keep_polynomial(other);
    kept_.go_on(other.h_);
    kept_.has_jacobian = other.kept_.has_jacobian && other.kept_.theta <= S(theta_keep);
    solvers_.forget();
    kept_.rate = 1;
}

template <class S> StepReport<S> DirectRk<S>::attempt(S h) {
    if (this->is_accepted_) { // go on
        keep_polynomial(*this);
        std::copy_n(w_[r_ - 1].data(), this->n_tops_, this->w_start_.data());
        this->go_on();
        kept_.go_on(this->h_);
        if (kept_.theta > S(theta_keep) || to_round_off_) kept_.has_jacobian = false;
    } else if (this->has_candidate_) {
        kept_.is_rejected = true;
    }
    this->begin_attempt(h);
    StepReport<S> report;
    if (!solve_stages(report)) {
        kept_.is_rejected = true;
        return report;
    }
    for (std::int64_t k = 0; k < this->n_; ++k) {
        S sum = this->start_[k];
        for (std::size_t i = 0; i < r_; ++i) sum += numbers_.d[i] * z_[i][k];
        this->end_[k] = sum;
    }
    if (!all_finite(this->end_, this->n_)) {
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, this->tau_end_, this->end_);
        return report;
    }
    if (has_estimate_) estimate_error(report);
    this->has_candidate_ = true;
    return report;
}

template <class S> bool DirectRk<S>::factor(StepReport<S>& report) {
    if (solvers_.is_for(this->h_)) return true;
    this->counts_.factorisations += solvers_.size();
    if (solvers_.factor(this->h_)) return true;
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::singular;
    report.shrink = 0.01; // a pencil that is singular is so for every h
    return false;
}

// Z from the polynomial of the last step, W from its derivative, which the relation of Z and W gives. Without one,
// along the tangent at the start: from Z = 0 the first iterate of a component of index 3 would be off by O(1), however
// small h.
template <class S> void DirectRk<S>::predict() {
    if (!kept_.has_old) {
        std::fill(b_.begin(), b_.end(), S(0));
        this->system_.add_derivative(this->h_, this->start_, this->w_start_.data(), b_.data());
    }
    for (std::size_t i = 0; i < r_; ++i) {
        std::copy_n(this->w_start_.data(), this->n_tops_, w_[i].data());
        for (std::int64_t k = 0; k < this->n_; ++k) z_[i][k] = kept_.has_old ? S(0) : numbers_.c[i] * b_[k];
        if (!kept_.has_old) continue;
        const S theta = 1 + this->h_ / kept_.h_old * numbers_.c[i];
        S power = 1;
        std::fill(b_.begin(), b_.end(), S(0));
        for (std::size_t m = 0; m < degree_old_; ++m) {
            const S slope = S(m + 1) * power / kept_.h_old;
            power *= theta;
            for (std::int64_t k = 0; k < this->n_; ++k) {
                z_[i][k] += (power - 1) * polynomial_[m][k];
                b_[k] += slope * polynomial_[m][k];
            }
        }
        this->system_.tops_of(b_.data(), w_[i].data());
    }
    transform(numbers_.t_inverse, z_, zeta_);
    transform(numbers_.t_inverse, w_, omega_);
}

template <class S> bool DirectRk<S>::evaluate(StepReport<S>& report) {
    for (std::size_t i = 0; i < r_; ++i) {
        ++this->counts_.stages;
        const S tau = this->tau_ + numbers_.c[i] * this->h_;
        for (std::int64_t k = 0; k < this->n_; ++k) b_[k] = this->start_[k] + z_[i][k];
        if (this->system_.equations(tau, b_.data(), w_[i].data(), f_[i].data())) continue;
        this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, tau, b_.data());
        return false;
    }
    transform(numbers_.t_inverse, f_, phi_);
    return true;
}

// b = gamma (S (zeta + sigma u) + E omega) - zeta;  then zeta += x, omega += dw
template <class S> typename DirectRk<S>::Increment DirectRk<S>::newton_step() {
    ++this->counts_.stage_iterations;
    S square = 0, largest = 0;
    of_increments_ = 0;
    const auto relation = [&](std::size_t i, linalg::Vector<S>& out) { // S (zeta + sigma u) + E omega
        std::fill(out.begin(), out.end(), S(0));
        this->system_.add_derivative(S(1), zeta_[i].data(), omega_[i].data(), out.data());
        this->system_.add_derivative(sigma_[i], this->start_, nullptr, out.data());
    };
    const auto measure = [&](linalg::Vector<S>& x, const linalg::Vector<S>& increment) {
        this->system_.scale(this->h_, x.data());
        square += norm_.square(x.data(), this->start_, this->start_);
        largest = std::max(largest, largest_of(x.data(), this->n_));
        if (to_round_off_) of_increments_ += norm_.square(x.data(), this->start_, increment.data());
    };
    for (std::size_t i = 0; i < numbers_.real.size(); ++i) {
        const S gamma = this->h_ / numbers_.real[i];
        relation(i, b_);
        for (std::int64_t k = 0; k < this->n_; ++k) b_[k] = gamma * b_[k] - zeta_[i][k];
        std::copy_n(phi_[i].data(), this->n_tops_, rows_.data());
        solvers_.real(i).solve(b_.data(), rows_.data());
        for (std::int64_t k = 0; k < this->n_; ++k) zeta_[i][k] += b_[k];
        for (std::int64_t k = 0; k < this->n_tops_; ++k) omega_[i][k] += rows_[k];
        measure(b_, zeta_[i]);
    }
    for (std::size_t p = 0; p < numbers_.pairs.size(); ++p) {
        const std::size_t i = numbers_.real.size() + 2 * p;
        const C gamma = C(this->h_) / numbers_.pairs[p];
        relation(i, b_);
        relation(i + 1, error_);
        for (std::int64_t k = 0; k < this->n_; ++k)
            complex_b_[k] = gamma * C(b_[k], -error_[k]) - C(zeta_[i][k], -zeta_[i + 1][k]);
        for (std::int64_t k = 0; k < this->n_tops_; ++k) complex_rows_[k] = C(phi_[i][k], -phi_[i + 1][k]);
        solvers_.pair(p).solve(complex_b_.data(), complex_rows_.data());
        for (std::int64_t k = 0; k < this->n_; ++k) {
            b_[k] = complex_b_[k].re;
            error_[k] = -complex_b_[k].im;
            zeta_[i][k] += b_[k];
            zeta_[i + 1][k] += error_[k];
        }
        for (std::int64_t k = 0; k < this->n_tops_; ++k) {
            omega_[i][k] += complex_rows_[k].re;
            omega_[i + 1][k] -= complex_rows_[k].im;
        }
        measure(b_, zeta_[i]);
        measure(error_, zeta_[i + 1]);
    }
    transform(numbers_.t, zeta_, z_);
    transform(numbers_.t, omega_, w_);
    of_increments_ = norm_.root(of_increments_ / S(r_));
    return {norm_.root(square / S(r_)), largest};
}

template <class S> bool DirectRk<S>::iterate(StepReport<S>& report) {
    S before = 0, first = 0, slowest = 0;
    int n_stuck = 0;
    // from nowhere, the rate of another attempt says nothing
    kept_.rate = kept_.has_old ? S(std::pow(std::max(static_cast<double>(kept_.rate), 1e-16), 0.8)) : S(1);
    kept_.theta = S(theta_keep);
    // NOTE: where the null space of M moves with t or u, the rate of convergence does not depend on h; before a step is
    // given up for that, more iterations are spent on it.
    const int most = to_round_off_                      ? most_round_off_iterations
                     : kept_.is_fresh && !kept_.has_old ? most_at_last
                                                        : most_iterations;
    for (int k = 1; k <= most; ++k) {
        if (!evaluate(report)) return false;
        const auto [size, largest] = newton_step();
        if (!linalg::is_finite(size)) break;
        if (k > 1) kept_.theta = size / before;
        slowest = k > 1 ? std::max(slowest, kept_.theta) : S(0);
        // where increments vanish at last (w' = g(t, v), v' = f(t)) the first of the next step do not
        if (size == S(0)) {
            kept_.rate = std::max(kept_.rate, slowest);
            return true;
        }
        first = std::max(first, size);
        before = size;
        if (to_round_off_) {
            // from 0 increments are large beside the start, and what is left of them has their round-off
            const bool is_small = size <= S(1e5) || size <= S(1e-9) * first || of_increments_ <= S(100);
            if (k > 1 && kept_.theta >= S(0.5) && is_small && ++n_stuck == 2) return true;
            const bool is_last = k == most || (k > 5 && kept_.theta > S(2) && !is_small);
            if (is_last && (is_small || is_round_off(largest, this->start_, this->n_))) return true;
            if (is_last) break;
            continue;
        }
        report.caution = S(2 * most_iterations + 1) / S(2 * most_iterations + k);
        if (k > 1) {
            if (kept_.theta >= S(0.99)) break;
            kept_.rate = kept_.theta / (1 - kept_.theta);
        }
        if (kept_.rate * size <= kappa_) {
            kept_.rate = std::max(kept_.rate, slowest);
            return true;
        }
    }
    kept_.rate = 1;
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::not_converged;
    report.shrink = 0.5;
    return false;
}

template <class S> bool DirectRk<S>::solve_stages(StepReport<S>& report) {
    while (true) {
        if (!kept_.has_jacobian || (kept_.is_rejected && !kept_.is_fresh)) {
            solvers_.forget();
            kept_.has_jacobian = this->linearise(this->tau_, this->start_, this->w_start_.data(), report);
            if (!kept_.has_jacobian) return false;
            kept_.is_fresh = true;
        }
        if (factor(report)) {
            predict();
            if (iterate(report)) return true;
        }
        if (kept_.is_fresh && !kept_.has_old) return false;
        if (kept_.is_fresh) kept_.has_old = false; // once more, from the start point
        kept_.has_jacobian = kept_.is_fresh;
        report = {};
    }
}

template <class S> void DirectRk<S>::raw_error(const S* at) {
    std::fill(error_.begin(), error_.end(), S(0));
    const S gamma = this->h_ * numbers_.gamma_0;
    this->system_.add_derivative(gamma, at, this->w_start_.data(), error_.data());
    for (std::size_t i = 0; i < r_; ++i)
        for (std::int64_t k = 0; k < this->n_; ++k) error_[k] += numbers_.e[i] * z_[i][k];
    if (!this->system_.equations(this->tau_, at, this->w_start_.data(), rows_.data())) return;
    if (!numbers_.real.empty()) {
        solvers_.real(0).solve(error_.data(), rows_.data());
        return;
    }
    for (std::int64_t k = 0; k < this->n_; ++k) complex_b_[k] = C(error_[k]);
    for (std::int64_t k = 0; k < this->n_tops_; ++k) complex_rows_[k] = C(rows_[k]);
    solvers_.pair(0).solve(complex_b_.data(), complex_rows_.data());
    for (std::int64_t k = 0; k < this->n_; ++k) error_[k] = complex_b_[k].re;
}

template <class S> void DirectRk<S>::estimate_error(StepReport<S>& report) {
    const auto measure = [&] {
        std::copy_n(error_.data(), this->n_, b_.data());
        this->system_.scale(this->h_, b_.data());
        return norm_(b_.data(), this->start_, this->end_);
    };
    raw_error(this->start_);
    report.error = measure();
    if (!(report.error >= S(1)) || !kept_.is_rejected) return;
    for (std::int64_t k = 0; k < this->n_; ++k) this->k_[k] = this->start_[k] + error_[k];
    raw_error(this->k_.data());
    report.error = measure();
}

template <class S> PointStatus DirectRk<S>::dense(S* coefficients) {
    if (!this->has_candidate_) return PointStatus::not_finite;
    std::fill_n(coefficients, this->n_padded_ * static_cast<std::int64_t>(r_ + 1), S(0));
    std::copy_n(this->start_, this->n_, coefficients);
    for (std::int64_t k = 0; k < this->n_; ++k) {
        S total = 0;
        for (std::size_t m = 0; m < r_; ++m) {
            S sum = 0;
            for (std::size_t i = 0; i < r_; ++i) sum += numbers_.dense[m * r_ + i] * z_[i][k];
            coefficients[static_cast<std::int64_t>(m + 1) * this->n_padded_ + k] = sum;
            total += sum;
        }
        coefficients[static_cast<std::int64_t>(r_) * this->n_padded_ + k] += (this->end_[k] - this->start_[k]) - total;
    }
    return PointStatus::good;
}

template class DirectSystem<double>;
template class DirectSystem<Quad>;
template class DirectStepper<double>;
template class DirectStepper<Quad>;
template class DirectRk<double>;
template class DirectRk<Quad>;

const Family direct_rk_family{.name = "direct, implicit Runge-Kutta",
                              .make_double = make_as<DirectRk, double>,
                              .make_quad = make_as<DirectRk, Quad>,
                              .dense_order = own_dense_order,
                              .solves_equations = true,
                              .is_direct = true};

} // namespace vessiot::method
