#include "method/user/general_rk.hpp"

#include <algorithm>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/scalar.hpp"
#include "method/implicit/implicit_parts.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

constexpr int most_iterations = 12;           // with a tolerance
constexpr int most_round_off_iterations = 80; // without
constexpr double kappa = 0.01;                // of the tolerances

template <class S> std::vector<S> cast_all(std::span<const Quad> numbers) {
    std::vector<S> result;
    for (const Quad x : numbers) result.push_back(static_cast<S>(x));
    return result;
}

template <class S> StepperOptions<S> stage_tolerances(StepperOptions<S> options) {
    options.only_first_block = false; // what is not converged is no stage, whether its error counts or not
    if (!options.to_round_off) return options;
    options.rtol = linalg::epsilon<S>();
    options.atol = options.rtol * S(1e-6);
    return options;
}

template <class S> Parts<S>& base_of(Parts<S>& parts) {
    return parts.base ? *parts.base : parts;
}

struct ExactWeights {
    std::vector<Quad> d, g;
};

ExactWeights weights_of(const TableauView& t, std::span<const Quad> b) {
    const std::size_t s = t.n_stages;
    ExactWeights w{std::vector<Quad>(s), std::vector<Quad>(s)};
    bool is_last_stage = true;
    for (std::size_t j = 0; j < s; ++j) is_last_stage &= t.a[(s - 1) * t.n_total + j] == b[j];
    if (is_last_stage) {
        w.d[s - 1] = 1;
        return w;
    }
    linalg::DenseLu<Quad> lu(static_cast<int>(s));
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j) lu.matrix()[j * s + i] = t.a[i * t.n_total + j];
    if (lu.factor()) {
        w.d.assign(b.begin(), b.end());
        lu.solve_transposed(w.d.data());
    } else {
        w.g.assign(b.begin(), b.end());
    }
    return w;
}

template <class S> Manifold<S>* manifold_of(Parts<S>& parts, bool projects_stages) {
    return projects_stages ? &parts.manifold : nullptr;
}

} // namespace

template <class S>
GeneralRk<S>::GeneralRk(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                        const StepperOptions<S>& options)
    : OneStep<S>(field, projection, options), parts_(parts_of(info, options, true)),
      projects_stages_(projection && options.project == Project::stages),
      has_estimate_(options.estimate != Estimate::none && info.embedded_order > 0), to_round_off_(options.to_round_off),
      s_(info.n_stages), a_(cast_all<S>(info.tableau.a)), c_(cast_all<S>(info.tableau.c)),
      stage_norm_(field.size(), stage_tolerances(options)),
      linearised_(base_of(parts_).system, base_of(parts_).prolongation, base_of(parts_).jets, parts_.evaluator,
                  manifold_of(base_of(parts_), projects_stages_), projection && projection->goes_by_levels(),
                  parts_.is_arclength ? LinearisedForm::tangent : LinearisedForm::small,
                  base_of(parts_).distribution.deficient_rank()),
      work_(field.size()), tops_(parts_.distribution.n_tops()) {
    if (parts_.base)
        coupling_ = std::make_unique<BlockCoupling<S>>(linearised_, parts_.system, parts_.prolongation, parts_.jets,
                                                       parts_.evaluator, manifold_of(*parts_.base, projects_stages_),
                                                       &parts_.manifold);
    const std::int64_t n = field.size();
    solver_ = make_stage_solver<S>(info.tableau, n, linearised_, coupling_.get());
    const ExactWeights result = weights_of(info.tableau, info.tableau.b);
    result_ = {cast_all<S>(result.d), cast_all<S>(result.g)};
    if (has_estimate_) {
        ExactWeights error = weights_of(info.tableau, info.tableau.b_hat);
        for (std::size_t i = 0; i < s_; ++i) { // NOTE: differences before the cast, which would leave digits to chance
            error.d[i] = result.d[i] - error.d[i];
            error.g[i] = result.g[i] - error.g[i];
        }
        error_ = {cast_all<S>(error.d), cast_all<S>(error.g)};
    }
    for (std::vector<linalg::Vector<S>>* list : {&z_, &v_, &r_})
        for (std::size_t i = 0; i < s_; ++i) list->emplace_back(n);
    for (linalg::Vector<S>& r : r_) increments_.push_back(r.data());
}

template <class S> const StepperCounts& GeneralRk<S>::counts() const {
    all_ = OneStep<S>::counts();
    all_.jacobians += own_.jacobians;
    all_.factorisations += own_.factorisations;
    all_.stage_iterations += own_.stage_iterations;
    return all_;
}

template <class S> void GeneralRk<S>::renew() {
    OneStep<S>::renew();
    own_ = {};
}

// J at the start of the step, and the factors for h.
template <class S> bool GeneralRk<S>::linearise(S h, StepReport<S>& report) {
    ++own_.jacobians;
    const S tau = this->from_tau(), *x = this->from();
    PointStatus status = PointStatus::good;
    if (parts_.is_arclength) {
        status = linearised_.set_tangent(x, this->first());
    } else {
        status = parts_.distribution.tops(tau, x, tops_.data());
        if (status == PointStatus::good) status = linearised_.set(tau, x, tops_.data());
        if (status == PointStatus::good && coupling_) status = coupling_->set(tau, x, tops_.data());
    }
    if (status != PointStatus::good) return this->fail(report, StepOutcome::no_direction_here, status, tau, x);
    own_.factorisations += solver_->n_factors();
    if (solver_->factor(h)) return true;
    this->fail(report, StepOutcome::no_convergence, PointStatus::singular, tau, x);
    report.shrink = S(0.5);
    return false;
}

// V at the stages.
template <class S> bool GeneralRk<S>::evaluate_stages(S h, StepReport<S>& report) {
    for (std::size_t i = 0; i < s_; ++i) {
        const S tau = this->from_tau() + c_[i] * h;
        for (std::int64_t k = 0; k < this->size(); ++k) work_[k] = this->from()[k] + z_[i][k];
        if (projects_stages_) {
            const ProjectionReport<S> projected = this->projection()->project(tau, work_.data());
            this->count_projection(projected.iterations);
            if (projected.status != PointStatus::good)
                return this->fail(report, StepOutcome::no_projection, projected.status, tau, work_.data());
        }
        if (!this->evaluate(tau, work_.data(), v_[i].data(), report)) return false;
    }
    return true;
}

// r_i = h sum_j a_ij v_j - Z_i
template <class S> void GeneralRk<S>::residual(S h) {
    for (std::size_t i = 0; i < s_; ++i) {
        for (std::int64_t k = 0; k < this->size(); ++k) r_[i][k] = -z_[i][k];
        for (std::size_t j = 0; j < s_; ++j) {
            const S factor = h * a_[i * s_ + j];
            if (factor == S(0)) continue;
            for (std::int64_t k = 0; k < this->size(); ++k) r_[i][k] += factor * v_[j][k];
        }
    }
}

// rms over the stages
template <class S> S GeneralRk<S>::size_of_increment() const {
    S square = 0;
    for (const linalg::Vector<S>& r : r_) square += stage_norm_.square(r.data(), this->from(), work_.data());
    return stage_norm_.root(square / S(s_));
}

template <class S> bool GeneralRk<S>::give_up(S shrink, StepReport<S>& report) {
    this->fail(report, StepOutcome::no_convergence, PointStatus::not_converged, this->from_tau(), this->from());
    report.shrink = shrink;
    return false;
}

template <class S> bool GeneralRk<S>::iterate(S h, StepReport<S>& report) {
    S before = 0;
    int n_stuck = 0;
    const int most = to_round_off_ ? most_round_off_iterations : most_iterations;
    for (int k = 1; k <= most; ++k) {
        ++own_.stage_iterations;
        if (!evaluate_stages(h, report)) return false;
        residual(h);
        solver_->solve(increments_);
        const S size = size_of_increment();
        if (!linalg::is_finite(size)) return give_up(S(0.25), report);
        for (std::size_t i = 0; i < s_; ++i)
            for (std::int64_t m = 0; m < this->size(); ++m) z_[i][m] += r_[i][m];
        if (size == S(0)) return true;
        const S theta = k > 1 ? size / before : S(0.5);
        if (to_round_off_) {
            const bool is_small = size <= S(1e5); // in units of the last digit
            if (is_small && theta >= S(0.3) && k > 1 && ++n_stuck == 2) return true;
            if (!is_small && theta >= S(2) && k > 3) return give_up(S(0.25), report);
        } else {
            if (k > 1 && theta >= S(0.95)) return give_up(S(0.25), report);
            if (theta / (1 - theta) * size <= S(kappa)) return true;
            report.caution = S(2 * most_iterations + 1) / S(2 * most_iterations + k);
        }
        before = size;
    }
    return give_up(S(0.5), report);
}

template <class S> void GeneralRk<S>::estimate(S h, StepReport<S>& report) {
    std::fill(work_.begin(), work_.end(), S(0));
    for (std::size_t i = 0; i < s_; ++i)
        for (std::int64_t k = 0; k < this->size(); ++k) work_[k] += error_.d[i] * z_[i][k] + h * error_.g[i] * v_[i][k];
    solver_->filter(work_.data());
    report.error = this->norm(work_.data());
}

template <class S> bool GeneralRk<S>::advance(S h, StepReport<S>& report) {
    if (!linearise(h, report)) return false;
    for (std::size_t i = 0; i < s_; ++i)
        for (std::int64_t k = 0; k < this->size(); ++k) z_[i][k] = h * c_[i] * this->first()[k];
    if (!iterate(h, report)) return false;
    S* to = this->to();
    std::copy_n(this->from(), this->size(), to);
    for (std::size_t i = 0; i < s_; ++i)
        for (std::int64_t k = 0; k < this->size(); ++k) to[k] += result_.d[i] * z_[i][k] + h * result_.g[i] * v_[i][k];
    if (has_estimate_) estimate(h, report);
    return true;
}

template class GeneralRk<double>;
template class GeneralRk<Quad>;

const Family general_rk_family{.name = "implicit Runge-Kutta",
                               .make_double = make_as<GeneralRk, double>,
                               .make_quad = make_as<GeneralRk, Quad>,
                               .is_implicit = true,
                               .solves_equations = true,
                               .has_stages = true,
                               .has_arclength = true,
                               .carries_derivatives = true};

} // namespace vessiot::method
