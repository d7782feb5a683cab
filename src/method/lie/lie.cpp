#include "method/lie/lie.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/scalar.hpp"
#include "method/lie/lie_coefficients.hpp"
#include "method/lie/magnus.hpp"
#include "method/lie/rotation_step.hpp"
#include "method/make_family.hpp"

namespace vessiot::method {

namespace {

constexpr int corrected_every = 8; // steps of Magnus methods, which cost little more than a correction

// The nodes of Gauss as a plan of stages: x_i = x, at the times of the nodes; a stage before them is not looked at.
template <std::size_t N> struct NodePlan {
    std::array<Quad, (N + 1) * (N + 1)> a{};
    std::array<Quad, N + 1> b{}, c{};
    StagePlan view() const { return {N + 1, N + 1, a, b, c}; }
};
constexpr NodePlan<1> nodes_1{.c = {0, 1_q / 2}};
constexpr NodePlan<2> nodes_2{.c = {0, 1_q / 2 - sqrt3 / 6, 1_q / 2 + sqrt3 / 6}};
constexpr NodePlan<3> nodes_3{.c = {0, 1_q / 2 - sqrt15 / 10, 1_q / 2, 1_q / 2 + sqrt15 / 10}};

std::size_t stages_of(const MethodInfo& info) {
    return info.family == &magnus_family ? static_cast<std::size_t>(info.order / 2) : info.tableau.n_stages;
}

} // namespace

template <class S>
LieStepper<S>::LieStepper(const MethodInfo& info, Field<S>& field, Projection<S>* projection,
                          const StepperOptions<S>& options)
    : OneStep<S>(field, nullptr, options), info_(info), projection_(projection),
      projects_(options.project != Project::nothing),
      estimates_(options.estimate == Estimate::by_weights && !info.tableau.b_hat.empty()),
      group_(*options.parts, field, info.family == &cayley_family), n_stages_(stages_of(info)),
      quadrature_(info.tableau, info.order), stage_(field.size()), error_(field.size()),
      k_(static_cast<std::int64_t>(n_stages_) * group_.size()), omega_(group_.size()), work_(3 * group_.size()) {
    if (options.continue_embedded)
        throw InvalidInput("the method \"" + std::string(info.name) + "\" goes on with its own point");
    if (options.parts->is_arclength)
        throw InvalidInput("methods for Lie groups step in time: leave --parametrisation arclength out");
    if (options.parts->manifold.n_constraints() == group_.n_group_equations()) projection_ = nullptr;
    const TableauView& t = info.tableau;
    for (std::size_t i = 0; i < t.n_stages; ++i) {
        for (std::size_t j = 0; j < t.n_stages; ++j) a_.push_back(static_cast<S>(t.a[i * t.n_total + j]));
        b_.push_back(static_cast<S>(t.b[i]));
        c_.push_back(static_cast<S>(t.c[i]));
        if (estimates_) e_.push_back(static_cast<S>(t.b[i] - t.b_hat[i]));
    }
    if (info.family == &magnus_family) plan_nodes();
}

template <class S> void LieStepper<S>::plan_nodes() {
    StagePlan plan = info_.order == 2 ? nodes_1.view() : info_.order == 4 ? nodes_2.view() : nodes_3.view();
    for (std::size_t i = 0; i < n_stages_; ++i) c_.push_back(static_cast<S>(plan.c[i + 1]));
    if (!group_.has_identity()) return;
    identity_ = linalg::Vector<S>(this->size());
    group_.set_identity(identity_.data());
    const std::int64_t padded = linalg::padded(this->size());
    directions_ = linalg::Vector<S>(static_cast<std::int64_t>(n_stages_ + 1) * padded);
    for (std::size_t i = 0; i <= n_stages_; ++i)
        direction_at_.push_back(directions_.data() + static_cast<std::int64_t>(i) * padded);
    const std::vector<Quad> x(identity_.begin(), identity_.end());
    plan.x = x;
    stages_ = this->field().stages(plan);
}

template <class S> void LieStepper<S>::begin(S tau, const S* x) {
    OneStep<S>::begin(tau, x);
    n_since_corrected_ = 0;
    defect_ = 0;
    if (info_.family == &magnus_family && !is_checked_) check_is_linear(tau);
    is_checked_ = true;
}

// Is the direction A Y with one A at the start point, and at another point of the group?
template <class S> void LieStepper<S>::check_is_linear(S tau) {
    S *a = work_.data(), *other = a + group_.size();
    const PointStatus status = group_.has_identity() ? group_.slope(tau, this->from(), a) : group_.linear_slope(tau, a);
    if (status != PointStatus::good) return; // the first step says why
    group_.example(omega_.data());
    group_.move(omega_.data(), this->from(), stage_.data());
    S difference = 0, size = 1;
    for (const S* y : {this->from(), static_cast<const S*>(stage_.data())}) {
        if (group_.slope(tau, y, other) != PointStatus::good) return;
        group_.tangent(a, y, error_.data());
        for (std::int64_t e = 0; e < this->size(); ++e) {
            difference = std::max(difference, linalg::absolute(error_[e] - group_.direction()[e]));
            size = std::max(size, linalg::absolute(error_[e]));
        }
    }
    if (difference <= S(1e-10) * size) return;
    throw InvalidInput("the method " + std::string(info_.name) +
                       " needs Y' = A(t)*Y with a matrix A that does not depend on Y, but this one does. Use "
                       "\"rkmk_rk4\", \"rkmk_dopri54\", \"cg3\" or \"cg4\".");
}

template <class S> bool LieStepper<S>::slope(S tau, const S* x, S* g, StepReport<S>& report) {
    this->count_stage();
    const PointStatus status = group_.slope(tau, x, g);
    if (status == PointStatus::good) return true;
    const bool is_here = tau == this->from_tau() && x == this->from();
    return this->fail(report, is_here ? StepOutcome::no_direction_here : StepOutcome::no_direction, status, tau, x);
}

template <class S> void LieStepper<S>::combine(const S* weights, std::size_t n, S h, S* out) {
    std::fill_n(out, group_.size(), S(0));
    for (std::size_t j = 0; j < n; ++j) {
        if (weights[j] == S(0)) continue;
        const S factor = h * weights[j];
        const S* slope = k(j);
        for (std::int64_t e = 0; e < group_.size(); ++e) out[e] += factor * slope[e];
    }
}

template <class S> bool LieStepper<S>::advance(S h, StepReport<S>& report) {
    const bool is_done = info_.family == &magnus_family            ? magnus(h, report)
                         : info_.family == &crouch_grossman_family ? crouch_grossman(h, report)
                                                                   : munthe_kaas(h, report);
    return is_done && (!projects_ || project(report));
}

template <class S> bool LieStepper<S>::project(StepReport<S>& report) {
    if (++n_since_corrected_ >= (info_.family == &magnus_family ? corrected_every : 1)) {
        defect_ = group_.correct(this->to());
        n_since_corrected_ = 0;
    }
    report.residual = defect_;
    if (!projection_) return true;
    const ProjectionReport<S> projected = projection_->project(this->to_tau(), this->to());
    this->count_projection(projected.iterations);
    report.residual = projected.residual;
    if (projected.status == PointStatus::good) return true;
    return this->fail(report, StepOutcome::no_projection, projected.status, this->to_tau(), this->to());
}

// ---- Magnus ----

template <class S> bool LieStepper<S>::magnus(S h, StepReport<S>& report) {
    if (!is_one_call_) is_one_call_ = stages_ && stages_->is_ready();
    if (!is_one_call_) return magnus_general(h, report);
    (*stages_)(this->from_tau(), h, identity_.data(), direction_at_.data(), stage_.data());
    if (group_.is_rotation() && magnus_rotation(info_.order, h, direction_at_.data() + 1, this->from(), this->to())) {
        this->count_stage(static_cast<std::int64_t>(n_stages_));
        return true;
    }
    return magnus_general(h, report);
}

template <class S> bool LieStepper<S>::magnus_general(S h, StepReport<S>& report) {
    if (!nodes(h, report)) return false;
    magnus_element(info_.order, h, group_.size(), k_.data(), work_.data(), omega_.data(),
                   [&](const S* a, const S* b, S* c) { group_.commutator(a, b, c); });
    group_.move(omega_.data(), this->from(), this->to());
    return true;
}

// With one call for all of them the directions at Y = 1 are there.
template <class S> bool LieStepper<S>::nodes(S h, StepReport<S>& report) {
    for (std::size_t i = 0; i < n_stages_; ++i) {
        const S t = this->from_tau() + c_[i] * h;
        this->count_stage();
        if (!group_.has_identity()) {
            if (const PointStatus status = group_.linear_slope(t, k(i)); status != PointStatus::good)
                return this->fail(report, StepOutcome::no_direction, status, t, this->from());
            continue;
        }
        S* dx = direction_at_[i + 1];
        PointStatus status = PointStatus::good;
        if (!is_one_call_) status = this->field().direction(t, identity_.data(), dx);
        if (status == PointStatus::good) status = group_.slope_at_identity(dx, k(i));
        if (status != PointStatus::good) return this->fail(report, StepOutcome::no_direction, status, t, this->from());
    }
    return true;
}

// ---- Runge-Kutta-Munthe-Kaas ----

template <class S> bool LieStepper<S>::munthe_kaas(S h, StepReport<S>& report) {
    const int q = std::max(info_.order - 2, 0);
    for (std::size_t i = 0; i < n_stages_; ++i) {
        const S t = this->from_tau() + c_[i] * h;
        if (i == 0) {
            if (!slope(t, this->from(), k(0), report)) return false;
            continue;
        }
        combine(a_.data() + i * n_stages_, i, h, omega_.data());
        if (!group_.is_chart(omega_.data()) || !group_.move(omega_.data(), this->from(), stage_.data()))
            return this->fail(report, StepOutcome::no_chart, PointStatus::not_converged, t, this->from());
        if (!slope(t, stage_.data(), k(i), report)) return false;
        group_.inverse_differential(omega_.data(), q, k(i));
    }
    combine(b_.data(), n_stages_, h, omega_.data());
    if (!group_.is_chart(omega_.data()) || !group_.move(omega_.data(), this->from(), this->to()))
        return this->fail(report, StepOutcome::no_chart, PointStatus::not_converged, this->to_tau(), this->from());
    return !estimates_ || estimate_error(h, report);
}

// As of explicit methods, in the algebra.
template <class S> bool LieStepper<S>::estimate_error(S h, StepReport<S>& report) {
    const auto measured = [&] {
        group_.tangent(work_.data(), this->to(), error_.data());
        return this->norm(error_.data());
    };
    combine(e_.data(), n_stages_, h, work_.data());
    report.error = measured();
    if (quadrature_.is_needed()) {
        quadrature_([&](std::size_t i) { return k(i); }, group_.size(), h, work_.data());
        report.error = std::max(report.error, measured());
    }
    if (!(report.error == report.error))
        return this->fail(report, StepOutcome::no_direction, PointStatus::not_finite, this->to_tau(), this->to());
    return true;
}

// ---- Crouch-Grossman ----

template <class S> bool LieStepper<S>::crouch_grossman(S h, StepReport<S>& report) {
    const auto multiply = [&](const S* weights, std::size_t n, S* to) {
        std::copy_n(this->from(), this->size(), to);
        for (std::size_t j = 0; j < n; ++j) {
            if (weights[j] == S(0)) continue;
            for (std::int64_t e = 0; e < group_.size(); ++e) omega_[e] = h * weights[j] * k(j)[e];
            group_.move(omega_.data(), to, to);
        }
    };
    for (std::size_t i = 0; i < n_stages_; ++i) {
        if (i > 0) multiply(a_.data() + i * n_stages_, i, stage_.data());
        if (!slope(this->from_tau() + c_[i] * h, i > 0 ? stage_.data() : this->from(), k(i), report)) return false;
    }
    multiply(b_.data(), n_stages_, this->to());
    return true;
}

template class LieStepper<double>;
template class LieStepper<Quad>;

const Family magnus_family{
    .name = "Lie group",
    .make_double = make_as<LieStepper, double>,
    .make_quad = make_as<LieStepper, Quad>,
    .no_chart = "the step is so long that the exponential is no chart of the group there (an angle of pi or more)"};

const Family rkmk_family{
    .name = "Lie group",
    .make_double = make_as<LieStepper, double>,
    .make_quad = make_as<LieStepper, Quad>,
    .no_chart = "the step is so long that the exponential is no chart of the group there (an angle of pi or more)"};

const Family crouch_grossman_family{
    .name = "Lie group",
    .make_double = make_as<LieStepper, double>,
    .make_quad = make_as<LieStepper, Quad>,
    .no_chart = "the step is so long that the exponential is no chart of the group there (an angle of pi or more)"};

namespace {

std::string cayley_misfit(const System& system, const Prolongation&) {
    for (const MatrixUnknown& m : system.matrices)
        if (m.group == MatrixGroup::sl && m.rows > 2)
            return fmt::format("groups that Cayley's transform stays in (GL, O, SO, SE, Sp, Stiefel and SL(2)), but "
                               "'{}' is in SL({})",
                               m.name, m.rows);
    return "";
}

} // namespace

const Family cayley_family{
    .name = "Lie group",
    .make_double = make_as<LieStepper, double>,
    .make_quad = make_as<LieStepper, Quad>,
    .misfit = cayley_misfit,
    .no_chart = "the step is so long that Cayley's transform is no chart of the group there (an Omega of size 2)"};

} // namespace vessiot::method
