// The only file that sees SUNDIALS.
#include "method/dae/ida.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "core/error.hpp"
#include "distribution/derivative/stabilised_solver.hpp"
#include "linalg/scalar.hpp"
#include "linalg/vector.hpp"
#include "method/implicit/implicit_parts.hpp"

namespace vessiot::method {

namespace {

using linalg::all_finite;

constexpr int highest_order = 5;
// NOTE: what the iteration leaves of the constraints comes back as noise in the error test; with 0.33, which is usual,
// the pendulum and Andrews' mechanism take twice as many steps. Where it does not come to an end with less, or within
// four iterations, it gets more for a while.
constexpr double careful = 0.01, usual = 0.33;
constexpr int usual_iterations = 4, patient_iterations = 10, patient_steps = 20;
constexpr double round_offs = 8; // of a correction: less is noise
constexpr double noisy = 30;     // a tolerance is at least so many times the round-off of the constraints

class IdaStepper final : public Stepper<double> {
public:
    IdaStepper(const MethodInfo& info, Field<double>& field, Projection<double>* projection,
               const StepperOptions<double>& options);
    ~IdaStepper() override;

    void begin(double tau, const double* x) override;
    const double* direction() override;
    PointStatus status() const override { return status_; }
    StepReport<double> attempt(double h) override;
    const double* candidate() const override { return end_.data(); }
    void accept() override;
    double tau() const override { return is_accepted_ ? tau_end_ : tau_; }
    const double* point() const override { return is_accepted_ ? end_.data() : start_.data(); }
    void stop_at(double tau) override {
        if (tau == tau_limit_) return;
        tau_limit_ = tau;
        if (!has_to_start_) IDASetStopTime(ida_, tau_limit_);
    }
    int dense_degree() const override { return max_order_; }
    PointStatus dense(double* coefficients) override;
    double failed_tau() const override { return failed_tau_; }
    const double* failed_point() const override { return failed_.data(); }
    std::pair<std::int64_t, std::int64_t> failed_derivative() const override { return failed_derivative_; }
    std::string failure() const override { return failure_; }
    const StepperCounts& counts() const override;
    void renew() override {
        counts_ = {};
        steps_by_order_ = {};
        before_error_ = before_iteration_ = 0;
    }
    std::span<const std::int64_t> steps_by_order() const override { return steps_by_order_; }

private:
    // What IDA calls: zero is success, a positive number asks for a smaller step, a negative one ends it.
    static IdaStepper& self(void* data) { return *static_cast<IdaStepper*>(data); }
    static IdaStepper& self(SUNLinearSolver s) { return self(s->content); }
    int residual(double t, const double* y, const double* dy, double* r);
    int linearise(double t, double c, const double* y);
    int factor();
    void solve(const double* b, double* x);
    int weights(const double* y, double* w) const;

    void make_ida();
    void make_linear_solver();
    void set_patience(int steps);
    void free_ida();
    void find_noise();
    bool restart(double h, StepReport<double>& report);
    void collect_failures();
    void explain(int flag, StepReport<double>& report);
    bool result(StepReport<double>& report);
    void fail_at(double t, const double* u, PointStatus why);

    Field<double>& field_;
    Projection<double>* projection_;
    Parts<double>& parts_;
    Manifold<double>* manifold_; // null where nothing is projected
    StabilisedSolver<double> solver_;
    std::int64_t n_, n_padded_, k_; // coordinates, constraints
    double rtol_, atol_, tau_limit_, h_max_, gamma_ = 0;
    int max_order_;

    SUNContext context_ = nullptr;
    void* ida_ = nullptr;
    N_Vector y_ = nullptr, dy_ = nullptr, derivative_ = nullptr;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver linear_ = nullptr;

    linalg::Vector<double> start_, end_, v_, work_, mu_, tops_, failed_;
    linalg::Vector<double> terms_, noise_; // of the constraints; what their round-off does to a coordinate
    int patience_ = 0;                     // for so many more steps
    double tau_ = 0, tau_end_ = 0, failed_tau_ = 0;
    bool has_candidate_ = false, is_accepted_ = false, has_to_start_ = true;
    PointStatus status_ = PointStatus::good, failed_status_ = PointStatus::good;
    bool has_no_derivative_ = false;
    std::pair<std::int64_t, std::int64_t> failed_derivative_{-1, -1};
    std::string failure_;
    std::int64_t before_error_ = 0, before_iteration_ = 0; // failures before IDA was started anew
    StepperCounts counts_;
    std::array<std::int64_t, highest_order + 1> steps_by_order_{};
};

int order_of(const MethodInfo& info, const StepperOptions<double>& options) {
    return options.max_order > 0 ? std::min(options.max_order, highest_order) : info.order;
}

IdaStepper::IdaStepper(const MethodInfo& info, Field<double>& field, Projection<double>* projection,
                       const StepperOptions<double>& options)
    : field_(field), projection_(projection), parts_(parts_of(info, options)),
      manifold_(projection ? &parts_.manifold : nullptr),
      solver_(parts_.system, parts_.prolongation, parts_.jets, parts_.evaluator, manifold_), n_(field.size()),
      n_padded_(linalg::padded(n_)), k_(solver_.n_constraints()), rtol_(options.rtol), atol_(options.atol),
      tau_limit_(options.tau_end), h_max_(options.h_max), max_order_(order_of(info, options)), start_(n_), end_(n_),
      v_(n_), work_(n_), mu_(k_), tops_(parts_.distribution.n_tops()), failed_(n_), terms_(k_), noise_(n_) {
    make_ida();
}

IdaStepper::~IdaStepper() {
    free_ida();
}

void IdaStepper::make_ida() {
    bool is_good = SUNContext_Create(nullptr, &context_) == 0;
    const auto make = [&](N_Vector& v) {
        v = is_good ? N_VNew_Serial(static_cast<sunindextype>(n_ + k_), context_) : nullptr;
        is_good = is_good && v;
        if (is_good) N_VConst(0, v);
    };
    make(y_), make(dy_), make(derivative_);
    if (is_good) ida_ = IDACreate(context_);
    is_good = is_good && ida_ &&
              IDASetErrHandlerFn(
                  ida_, [](int, const char*, const char*, char*, void*) {}, nullptr) == IDA_SUCCESS &&
              IDAInit(
                  ida_,
                  [](double t, N_Vector y, N_Vector dy, N_Vector r, void* data) {
                      return self(data).residual(t, NV_DATA_S(y), NV_DATA_S(dy), NV_DATA_S(r));
                  },
                  0, y_, dy_) == IDA_SUCCESS &&
              IDASetUserData(ida_, this) == IDA_SUCCESS &&
              IDAWFtolerances(ida_, [](N_Vector y, N_Vector w,
                                       void* data) { return self(data).weights(NV_DATA_S(y), NV_DATA_S(w)); }) ==
                  IDA_SUCCESS &&
              IDASetMaxOrd(ida_, max_order_) == IDA_SUCCESS &&
              (h_max_ <= 0 || IDASetMaxStep(ida_, h_max_) == IDA_SUCCESS);
    if (is_good) make_linear_solver();
    if (is_good && linear_ && matrix_) return;
    free_ida();
    throw InvalidInput(
        fmt::format("SUNDIALS IDA could not be set up for {} unknowns: is there enough memory?", n_ + k_));
}

// A matrix that is kept on our side, and its factorisation, which IDA asks for by callbacks.
void IdaStepper::make_linear_solver() {
    matrix_ = SUNMatNewEmpty(context_);
    linear_ = SUNLinSolNewEmpty(context_);
    if (!matrix_ || !linear_) return;
    matrix_->content = linear_->content = this;
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    matrix_->ops->zero = [](SUNMatrix) { return 0; };
    matrix_->ops->destroy = [](SUNMatrix m) { SUNMatFreeEmpty(m); };
    linear_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    linear_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    linear_->ops->setup = [](SUNLinearSolver s, SUNMatrix) { return self(s).factor(); };
    linear_->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, double) {
        self(s).solve(NV_DATA_S(b), NV_DATA_S(x));
        return 0;
    };
    linear_->ops->free = [](SUNLinearSolver s) {
        SUNLinSolFreeEmpty(s);
        return 0;
    };
    IDASetLinearSolver(ida_, linear_, matrix_);
    IDASetLinearSolutionScaling(ida_, SUNFALSE);
    set_patience(0);
    IDASetJacFn(ida_, [](double t, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix, void* data, N_Vector, N_Vector,
                         N_Vector) { return self(data).linearise(t, c, NV_DATA_S(y)); });
}

void IdaStepper::set_patience(int steps) {
    patience_ = steps;
    IDASetMaxNonlinIters(ida_, steps > 0 ? patient_iterations : usual_iterations);
    IDASetNonlinConvCoef(ida_, k_ > 0 && steps == 0 ? careful : usual);
}

void IdaStepper::free_ida() {
    if (ida_) IDAFree(&ida_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, dy_, derivative_})
        if (v) N_VDestroy(v);
    if (context_) SUNContext_Free(&context_);
}

// --- what IDA asks for ---

void IdaStepper::fail_at(double t, const double* u, PointStatus why) {
    failed_status_ = why;
    failed_tau_ = t;
    std::copy_n(u, n_, failed_.data());
}

// r = (u' - V + D^T mu, f)
int IdaStepper::residual(double t, const double* y, const double* dy, double* r) {
    ++counts_.stages;
    std::copy_n(y, n_, work_.data());
    PointStatus status = field_.direction(t, work_.data(), v_.data());
    if (status == PointStatus::good && !all_finite(v_.data(), n_)) status = PointStatus::not_finite;
    if (status != PointStatus::good) {
        fail_at(t, y, status);
        return 1;
    }
    for (std::int64_t i = 0; i < n_; ++i) r[i] = dy[i] - v_[i];
    if (k_ == 0) return 0;
    solver_.add_normal(y + n_, r);
    manifold_->f(t, work_.data(), r + n_);
    for (const int i : solver_.left_out()) r[n_ + i] = y[n_ + i]; // mu_i = 0
    if (all_finite(r + n_, k_)) return 0;
    fail_at(t, y, PointStatus::not_finite);
    return 1;
}

int IdaStepper::linearise(double t, double c, const double* y) {
    ++counts_.jacobians;
    gamma_ = 1 / c;
    std::copy_n(y, n_, work_.data());
    PointStatus status = parts_.distribution.tops(t, work_.data(), tops_.data());
    if (status == PointStatus::good) status = solver_.set(t, work_.data(), tops_.data());
    if (status == PointStatus::good) {
        if (k_ > 0) manifold_->terms(t, work_.data(), terms_.data());
        return 0;
    }
    fail_at(t, y, status);
    failed_derivative_ = solver_.linearised().not_finite();
    has_no_derivative_ = status == PointStatus::not_finite && failed_derivative_.first >= 0;
    return 1;
}

int IdaStepper::factor() {
    ++counts_.factorisations;
    if (solver_.factor(gamma_)) {
        if (k_ > 0) find_noise();
        return 0;
    }
    failed_status_ = PointStatus::singular;
    return 1;
}

// x with df x = eps times the terms of f: where a constraint hardly depends on a coordinate (a diode that blocks), the
// round-off of the others moves it by more than a tolerance, and no iteration can do better. The round-offs of rows
// have any signs, and with some of them they cancel: a few patterns are tried.
void IdaStepper::find_noise() {
    std::fill_n(noise_.data(), n_, 0.0);
    for (const std::uint64_t pattern : {0U, 1U, 2U, 7U}) {
        std::fill_n(work_.data(), n_, 0.0);
        for (std::int64_t i = 0; i < k_; ++i) {
            const bool is_odd = std::popcount(static_cast<std::uint64_t>(i) & pattern) % 2 == 1;
            mu_[i] = (is_odd ? -1 : 1) * linalg::epsilon<double>() * terms_[i];
        }
        solver_.solve(work_.data(), mu_.data());
        for (std::int64_t i = 0; i < n_; ++i)
            if (std::isfinite(work_[i])) noise_[i] = std::max(noise_[i], std::abs(work_[i]));
    }
}

// c x - J x + D^T m = b, df x = r: in units of gamma = 1 / c, with gamma m as the unknown. Where the factors are those
// of another c, b counts times the harmonic mean of both gammas: what IDA does itself, but to x as a whole, which would
// spoil the solution of the constraints, where there is no c.
void IdaStepper::solve(const double* b, double* x) {
    ++counts_.stage_iterations;
    double c = 1 / gamma_;
    IDAGetCurrentCj(ida_, &c);
    const double gamma = 2 * gamma_ / (1 + c * gamma_);
    for (std::int64_t i = 0; i < n_; ++i) work_[i] = gamma * b[i];
    std::copy_n(b + n_, k_, mu_.data());
    solver_.solve(work_.data(), mu_.data());
    // what is round-off of the constraints does not get less: for IDA, which asks for that, it is nothing
    for (std::int64_t i = 0; i < n_; ++i) x[i] = std::abs(work_[i]) <= round_offs * noise_[i] ? 0 : work_[i];
    for (std::int64_t i = 0; i < k_; ++i) x[n_ + i] = mu_[i] / gamma;
}

// As in error_norm.hpp: IDA's norm is the root mean square of all its unknowns, mu among them, whose part is tiny.
int IdaStepper::weights(const double* y, double* w) const {
    const double factor = std::sqrt(static_cast<double>(n_ + k_) / static_cast<double>(std::max<std::int64_t>(n_, 1)));
    for (std::int64_t i = 0; i < n_; ++i) w[i] = factor / (rtol_ * std::abs(y[i]) + atol_ + noisy * noise_[i]);
    std::fill_n(w + n_, k_, 1e-100);
    return 0;
}

// --- steps ---

void IdaStepper::begin(double tau, const double* x) {
    std::copy_n(x, n_, start_.data());
    tau_ = tau;
    has_candidate_ = is_accepted_ = false;
    has_to_start_ = true;
    set_patience(0); // nothing is left of what was learned elsewhere
    std::fill_n(noise_.data(), n_, 0.0);
}

const double* IdaStepper::direction() {
    status_ = field_.direction(tau(), point(), v_.data());
    if (status_ == PointStatus::good && !all_finite(v_.data(), n_)) status_ = PointStatus::not_finite;
    if (status_ != PointStatus::good) fail_at(tau(), point(), status_);
    return status_ == PointStatus::good ? v_.data() : nullptr;
}

void IdaStepper::collect_failures() {
    long errors = 0, iterations = 0;
    IDAGetNumErrTestFails(ida_, &errors);
    IDAGetNumNonlinSolvConvFails(ida_, &iterations);
    counts_.rejected_error = before_error_ + errors;
    counts_.rejected_iteration = before_iteration_ + iterations;
}

const StepperCounts& IdaStepper::counts() const {
    return counts_;
}

// From the current point, with mu = 0 and u' = V.
bool IdaStepper::restart(double h, StepReport<double>& report) {
    before_error_ = counts_.rejected_error;
    before_iteration_ = counts_.rejected_iteration;
    N_VConst(0, y_);
    N_VConst(0, dy_);
    report.outcome = StepOutcome::no_direction_here;
    if (!direction()) {
        report.why = status_;
        return false;
    }
    std::copy_n(start_.data(), n_, NV_DATA_S(y_));
    std::copy_n(v_.data(), n_, NV_DATA_S(dy_));
    if (linearise(tau_, 1, NV_DATA_S(y_)) != 0) { // for D
        report.outcome = has_no_derivative_ ? StepOutcome::no_derivative : StepOutcome::no_direction_here;
        report.why = failed_status_;
        return false;
    }
    report = {};
    solver_.choose_rows();
    if (k_ > 0) factor(); // for the round-off of the constraints
    // a step proposed is not longer than the way to the end
    const double rest = tau_limit_ - tau_;
    if (std::abs(h) > std::abs(rest)) h = rest;
    IDAReInit(ida_, tau_, y_, dy_);
    IDASetInitStep(ida_, h);
    IDASetStopTime(ida_, tau_limit_);
    has_to_start_ = false;
    return true;
}

StepReport<double> IdaStepper::attempt(double h) {
    if (is_accepted_) {
        swap(start_, end_);
        tau_ = tau_end_;
        is_accepted_ = false;
    } else if (has_candidate_) {
        has_to_start_ = true; // the point was not wanted
    }
    has_candidate_ = false;
    failure_.clear();
    has_no_derivative_ = false;
    failed_status_ = PointStatus::good;
    StepReport<double> report;
    if (has_to_start_ && !restart(h, report)) return report;
    tau_end_ = tau_;
    int flag = IDASolve(ida_, tau_limit_, &tau_end_, y_, dy_, IDA_ONE_STEP);
    collect_failures();
    if (flag == IDA_CONV_FAIL && k_ > 0 && patience_ == 0) {
        set_patience(patient_steps);
        if (!restart(h, report)) return report;
        tau_end_ = tau_;
        flag = IDASolve(ida_, tau_limit_, &tau_end_, y_, dy_, IDA_ONE_STEP);
        collect_failures();
    } else if (patience_ > 0 && flag >= 0) {
        set_patience(patience_ - 1);
    }
    if (flag < 0) {
        has_to_start_ = true;
        explain(flag, report);
        return report;
    }
    report.taken = tau_end_ - tau_;
    IDAGetCurrentStep(ida_, &report.next);
    has_candidate_ = result(report);
    has_to_start_ = !has_candidate_;
    return report;
}

void IdaStepper::accept() {
    is_accepted_ = has_candidate_;
    int order = 0;
    IDAGetLastOrder(ida_, &order);
    if (is_accepted_ && order > 0) ++steps_by_order_[static_cast<std::size_t>(order)];
}

bool IdaStepper::result(StepReport<double>& report) {
    std::copy_n(NV_DATA_S(y_), n_, end_.data());
    if (!projection_) return true;
    projection_->begin_step(tau_, start_.data());
    const ProjectionReport<double> projected = projection_->project(tau_end_, end_.data());
    ++counts_.projections;
    counts_.newton_iterations += projected.iterations;
    counts_.newton_max = std::max<std::int64_t>(counts_.newton_max, projected.iterations);
    report.residual = projected.residual;
    if (projected.status == PointStatus::good && all_finite(end_.data(), n_)) return true;
    report.outcome = StepOutcome::no_projection;
    report.why = projected.status == PointStatus::good ? PointStatus::not_finite : projected.status;
    return false;
}

void IdaStepper::explain(int flag, StepReport<double>& report) {
    report.outcome = StepOutcome::no_convergence;
    report.why = PointStatus::not_converged;
    report.shrink = 0.25;
    const bool is_of_a_point = flag == IDA_REP_RES_ERR || flag == IDA_RES_FAIL || flag == IDA_FIRST_RES_FAIL ||
                               flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL;
    if (has_no_derivative_) {
        report.outcome = StepOutcome::no_derivative;
        report.why = PointStatus::not_finite;
    } else if (is_of_a_point && failed_status_ != PointStatus::good && flag != IDA_LSETUP_FAIL) {
        report.outcome = StepOutcome::no_direction;
        report.why = failed_status_;
    } else if (flag == IDA_TOO_MUCH_ACC) {
        report.outcome = StepOutcome::no_way_on;
        failure_ = fmt::format("rtol = {:.3g} and atol = {:.3g} ask for more digits than double precision has at these "
                               "values. Loosen them, or take radau9 with --precision quad",
                               rtol_, atol_);
    } else if (flag == IDA_ERR_FAIL) {
        failure_ = "the error test of IDA fails, however small the step. The solution may not be smooth there; a "
                   "one-step method, such as radau5, may get on";
    } else if (flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL) {
        failure_ = "the iteration of IDA does not converge, however small the step. The equations may have no smooth "
                   "solution there, or a derivative that jumps; an explicit method may get on";
    } else if (flag == IDA_MEM_FAIL) {
        report.outcome = StepOutcome::no_way_on;
        failure_ = "there is no memory left for IDA";
    } else {
        report.outcome = StepOutcome::no_way_on;
        char* name = IDAGetReturnFlagName(flag);
        failure_ = fmt::format("IDA gave up, in its words: {}", name ? name : "?");
        std::free(name);
    }
}

// IDA's polynomial about the end, sum_j y^(j) (H s)^j / j!, s = theta - 1, in powers of theta; then both ends moved to
// where their projections are.
PointStatus IdaStepper::dense(double* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    std::fill_n(coefficients, n_padded_ * (max_order_ + 1), 0.0);
    int order = 1;
    IDAGetLastOrder(ida_, &order);
    const double h = tau_end_ - tau_;
    double power = 1; // h^j / j!
    for (int j = 0; j <= order; ++j) {
        if (j > 0) power *= h / j;
        if (IDAGetDky(ida_, tau_end_, j, derivative_) != IDA_SUCCESS) return PointStatus::not_finite;
        const double* d = NV_DATA_S(derivative_);
        double binomial = 1; // of (theta - 1)^j at theta^m, with its sign, from m = j down
        for (int m = j; m >= 0; --m) {
            double* c = coefficients + m * n_padded_;
            for (std::int64_t i = 0; i < n_; ++i) c[i] += binomial * power * d[i];
            binomial *= -static_cast<double>(m) / static_cast<double>(j - m + 1);
        }
    }
    for (std::int64_t i = 0; i < n_; ++i) {
        double rise = 0;
        for (int m = 1; m <= max_order_; ++m) rise += coefficients[m * n_padded_ + i];
        coefficients[i] = start_[i];
        coefficients[n_padded_ + i] += (end_[i] - start_[i]) - rise;
    }
    return PointStatus::good;
}

} // namespace

bool has_ida() {
    return true;
}

template <>
std::unique_ptr<Stepper<double>> make_ida(const MethodInfo& info, Field<double>& field, Projection<double>* projection,
                                          const StepperOptions<double>& options) {
    return std::make_unique<IdaStepper>(info, field, projection, options);
}

template <>
std::unique_ptr<Stepper<float128>> make_ida(const MethodInfo& info, Field<float128>&, Projection<float128>*,
                                            const StepperOptions<float128>&) {
    throw InvalidInput(fmt::format("the method \"{}\" computes in double, but precision = quad was asked for: leave it "
                                   "out, or take \"radau9\"",
                                   info.name));
}

} // namespace vessiot::method
