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
#include "method/two_points.hpp"

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
// Steps of round-offs of t are taken together until t has changed by so many of them.
constexpr double least_advance = 16;
constexpr int most_together = 100'000;

// What SUNDIALS allocates.
struct IdaHandles {
    IdaHandles() = default;
    IdaHandles(const IdaHandles&) = delete;
    IdaHandles& operator=(const IdaHandles&) = delete;
    ~IdaHandles() {
        if (ida) IDAFree(&ida);
        if (linear) SUNLinSolFree(linear);
        if (matrix) SUNMatDestroy(matrix);
        for (N_Vector v : {y, dy, derivative})
            if (v) N_VDestroy(v);
        if (context) SUNContext_Free(&context);
    }

    SUNContext context = nullptr;
    void* ida = nullptr;
    N_Vector y = nullptr, dy = nullptr, derivative = nullptr;
    SUNMatrix matrix = nullptr;
    SUNLinearSolver linear = nullptr;
};

class IdaStepper final : public TwoPoints<double> {
public:
    IdaStepper(const MethodInfo& info, Field<double>& field, Projection<double>* projection,
               const StepperOptions<double>& options);

    void begin(double tau, const double* x) override;
    const double* direction() override;
    PointStatus status() const override { return status_; }
    StepReport<double> attempt(double h) override;
    void accept() override;
    void stop_at(double tau) override {
        if (tau == tau_limit_) return;
        tau_limit_ = tau;
        if (!has_to_start_) IDASetStopTime(sundials_.ida, tau_limit_);
    }
    int dense_degree() const override { return max_order_; }
    PointStatus dense(double* coefficients) override;
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
    void find_noise();
    bool restart(double h, StepReport<double>& report);
    int advance();
    double shortest() const { return least_advance * linalg::epsilon<double>() * std::abs(tau_); }
    void collect_failures();
    void explain(int flag, StepReport<double>& report);
    bool result(StepReport<double>& report);
    void fail_at(double t, const double* u, PointStatus why);

    Parts<double>& parts_;
    Manifold<double>* manifold_; // null where nothing is projected
    StabilisedSolver<double> solver_;
    std::int64_t k_; // constraints
    double rtol_, atol_, tau_limit_, h_max_, gamma_ = 0;
    int max_order_;

    IdaHandles sundials_;
    std::array<linalg::Vector<double>, 2> points_; // start_ and end_, in turn
    linalg::Vector<double> v_, work_, mu_, tops_;
    linalg::Vector<double> terms_, noise_; // of the constraints; what their round-off does to a coordinate
    int patience_ = 0;                     // for so many more steps
    bool has_to_start_ = true;
    PointStatus status_ = PointStatus::good;
    struct { // what IDA was told in this attempt, and what it said
        PointStatus status = PointStatus::good;
        bool is_derivative = false;
        std::pair<std::int64_t, std::int64_t> derivative{-1, -1};
        std::string text;
        int n_steps = 0; // of IDA
    } trouble_;
    std::int64_t before_error_ = 0, before_iteration_ = 0; // failures before IDA was started anew
    std::array<std::int64_t, highest_order + 1> steps_by_order_{};
};

int order_of(const MethodInfo& info, const StepperOptions<double>& options) {
    return options.max_order > 0 ? std::min(options.max_order, highest_order) : info.order;
}

IdaStepper::IdaStepper(const MethodInfo& info, Field<double>& field, Projection<double>* projection,
                       const StepperOptions<double>& options)
    : TwoPoints<double>(field, projection), parts_(parts_of(info, options)),
      manifold_(projection ? &parts_.manifold : nullptr),
      solver_(parts_.system, parts_.prolongation, parts_.jets, parts_.evaluator, manifold_),
      k_(solver_.n_constraints()), rtol_(options.rtol), atol_(options.atol), tau_limit_(options.tau_end),
      h_max_(options.h_max), max_order_(order_of(info, options)),
      points_{linalg::Vector<double>(n_), linalg::Vector<double>(n_)}, v_(n_), work_(n_), mu_(k_),
      tops_(parts_.distribution.n_tops()), terms_(k_), noise_(n_) {
    start_ = points_[0].data();
    end_ = points_[1].data();
    make_ida();
}

void IdaStepper::make_ida() {
    bool is_good = SUNContext_Create(nullptr, &sundials_.context) == 0;
    const auto make = [&](N_Vector& v) {
        v = is_good ? N_VNew_Serial(static_cast<sunindextype>(n_ + k_), sundials_.context) : nullptr;
        is_good = is_good && v;
        if (is_good) N_VConst(0, v);
    };
    make(sundials_.y), make(sundials_.dy), make(sundials_.derivative);
    if (is_good) sundials_.ida = IDACreate(sundials_.context);
    is_good = is_good && sundials_.ida &&
              IDASetErrHandlerFn(
                  sundials_.ida, [](int, const char*, const char*, char*, void*) {}, nullptr) == IDA_SUCCESS &&
              IDAInit(
                  sundials_.ida,
                  [](double t, N_Vector y, N_Vector dy, N_Vector r, void* data) {
                      return self(data).residual(t, NV_DATA_S(y), NV_DATA_S(dy), NV_DATA_S(r));
                  },
                  0, sundials_.y, sundials_.dy) == IDA_SUCCESS &&
              IDASetUserData(sundials_.ida, this) == IDA_SUCCESS &&
              IDAWFtolerances(sundials_.ida,
                              [](N_Vector y, N_Vector w, void* data) {
                                  return self(data).weights(NV_DATA_S(y), NV_DATA_S(w));
                              }) == IDA_SUCCESS &&
              IDASetMaxOrd(sundials_.ida, max_order_) == IDA_SUCCESS &&
              (h_max_ <= 0 || IDASetMaxStep(sundials_.ida, h_max_) == IDA_SUCCESS);
    if (is_good) make_linear_solver();
    if (is_good && sundials_.linear && sundials_.matrix) return;
    throw InvalidInput(
        fmt::format("SUNDIALS IDA could not be set up for {} unknowns: is there enough memory?", n_ + k_));
}

// A matrix that is kept on our side, and its factorisation, which IDA asks for by callbacks.
void IdaStepper::make_linear_solver() {
    sundials_.matrix = SUNMatNewEmpty(sundials_.context);
    sundials_.linear = SUNLinSolNewEmpty(sundials_.context);
    if (!sundials_.matrix || !sundials_.linear) return;
    sundials_.matrix->content = sundials_.linear->content = this;
    sundials_.matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    sundials_.matrix->ops->zero = [](SUNMatrix) { return 0; };
    sundials_.matrix->ops->destroy = [](SUNMatrix m) { SUNMatFreeEmpty(m); };
    sundials_.linear->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    sundials_.linear->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    sundials_.linear->ops->setup = [](SUNLinearSolver s, SUNMatrix) { return self(s).factor(); };
    sundials_.linear->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, double) {
        self(s).solve(NV_DATA_S(b), NV_DATA_S(x));
        return 0;
    };
    sundials_.linear->ops->free = [](SUNLinearSolver s) {
        SUNLinSolFreeEmpty(s);
        return 0;
    };
    IDASetLinearSolver(sundials_.ida, sundials_.linear, sundials_.matrix);
    IDASetLinearSolutionScaling(sundials_.ida, SUNFALSE);
    set_patience(0);
    IDASetJacFn(sundials_.ida, [](double t, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix, void* data, N_Vector,
                                  N_Vector, N_Vector) { return self(data).linearise(t, c, NV_DATA_S(y)); });
}

void IdaStepper::set_patience(int steps) {
    patience_ = steps;
    IDASetMaxNonlinIters(sundials_.ida, steps > 0 ? patient_iterations : usual_iterations);
    IDASetNonlinConvCoef(sundials_.ida, k_ > 0 && steps == 0 ? careful : usual);
}

// --- what IDA asks for ---

void IdaStepper::fail_at(double t, const double* u, PointStatus why) {
    trouble_.status = why;
    keep_place(t, u);
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
    trouble_.derivative = solver_.linearised().not_finite();
    trouble_.is_derivative = status == PointStatus::not_finite && trouble_.derivative.first >= 0;
    return 1;
}

int IdaStepper::factor() {
    ++counts_.factorisations;
    if (solver_.factor(gamma_)) {
        if (k_ > 0) find_noise();
        return 0;
    }
    trouble_.status = PointStatus::singular;
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
    IDAGetCurrentCj(sundials_.ida, &c);
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
    begin_at(tau, x);
    has_to_start_ = true;
    set_patience(0); // nothing is left of what was learned elsewhere
    std::fill_n(noise_.data(), n_, 0.0);
}

const double* IdaStepper::direction() {
    status_ = checked_direction(tau(), point(), v_.data());
    if (status_ != PointStatus::good) trouble_.status = status_;
    return status_ == PointStatus::good ? v_.data() : nullptr;
}

void IdaStepper::collect_failures() {
    long errors = 0, iterations = 0;
    IDAGetNumErrTestFails(sundials_.ida, &errors);
    IDAGetNumNonlinSolvConvFails(sundials_.ida, &iterations);
    counts_.rejected_error = before_error_ + errors;
    counts_.rejected_iteration = before_iteration_ + iterations;
}

// From the current point, with mu = 0 and u' = V.
bool IdaStepper::restart(double h, StepReport<double>& report) {
    before_error_ = counts_.rejected_error;
    before_iteration_ = counts_.rejected_iteration;
    N_VConst(0, sundials_.y);
    N_VConst(0, sundials_.dy);
    if (!direction()) return fail(report, StepOutcome::no_direction_here, status_);
    std::copy_n(start_, n_, NV_DATA_S(sundials_.y));
    std::copy_n(v_.data(), n_, NV_DATA_S(sundials_.dy));
    if (linearise(tau_, 1, NV_DATA_S(sundials_.y)) != 0) { // for D
        report.failed.derivative = trouble_.derivative;
        return fail(report, trouble_.is_derivative ? StepOutcome::no_derivative : StepOutcome::no_direction_here,
                    trouble_.status);
    }
    report = {};
    solver_.choose_rows();
    if (k_ > 0) factor(); // for the round-off of the constraints
    // a step proposed is not longer than the way to the end
    const double rest = tau_limit_ - tau_;
    if (std::abs(h) > std::abs(rest)) h = rest;
    IDAReInit(sundials_.ida, tau_, sundials_.y, sundials_.dy);
    IDASetInitStep(sundials_.ida, h);
    IDASetStopTime(sundials_.ida, tau_limit_);
    has_to_start_ = false;
    return true;
}

// A jump of a stiff solution far from t = 0 may be over before t has changed by a round-off: IDA goes on all the same,
// and for the loop, which knows t only, such steps are one.
int IdaStepper::advance() {
    tau_end_ = tau_;
    trouble_.n_steps = 0;
    int flag = IDA_SUCCESS;
    do {
        flag = IDASolve(sundials_.ida, tau_limit_, &tau_end_, sundials_.y, sundials_.dy, IDA_ONE_STEP);
        ++trouble_.n_steps;
    } while (flag == IDA_SUCCESS && std::abs(tau_end_ - tau_) < shortest() && trouble_.n_steps < most_together);
    collect_failures();
    return flag;
}

StepReport<double> IdaStepper::attempt(double h) {
    if (is_accepted_) {
        go_on();
    } else if (has_candidate_) {
        has_to_start_ = true; // the point was not wanted
    }
    has_candidate_ = false;
    trouble_ = {};
    StepReport<double> report;
    if (has_to_start_ && !restart(h, report)) return report;
    int flag = advance();
    if (flag == IDA_CONV_FAIL && k_ > 0 && patience_ == 0) {
        set_patience(patient_steps);
        if (!restart(h, report)) return report;
        flag = advance();
    } else if (patience_ > 0 && flag >= 0) {
        set_patience(patience_ - 1);
    }
    if (flag < 0) {
        has_to_start_ = true;
        explain(flag, report);
        return report;
    }
    if (tau_end_ == tau_) {
        has_to_start_ = true;
        report.outcome = StepOutcome::no_way_on;
        trouble_.text =
            fmt::format("{} steps of IDA are too short to change t, which has no more digits", trouble_.n_steps);
        report.failed.text = trouble_.text;
        return report;
    }
    report.taken = tau_end_ - tau_;
    IDAGetCurrentStep(sundials_.ida, &report.next);
    if (std::abs(report.next) < shortest()) report.next = std::copysign(shortest(), report.next);
    has_candidate_ = result(report);
    has_to_start_ = !has_candidate_;
    return report;
}

void IdaStepper::accept() {
    is_accepted_ = has_candidate_;
    int order = 0;
    IDAGetLastOrder(sundials_.ida, &order);
    if (is_accepted_ && order > 0) ++steps_by_order_[static_cast<std::size_t>(order)];
}

bool IdaStepper::result(StepReport<double>& report) {
    std::copy_n(NV_DATA_S(sundials_.y), n_, end_);
    if (!projection_) return true;
    this->begin_projections();
    const ProjectionReport<double> projected = project(tau_end_, end_);
    report.residual = projected.residual;
    if (projected.status == PointStatus::good && all_finite(end_, n_)) return true;
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
    report.failed.derivative = trouble_.derivative;
    if (trouble_.is_derivative) {
        fail(report, StepOutcome::no_derivative, PointStatus::not_finite);
    } else if (is_of_a_point && trouble_.status != PointStatus::good && flag != IDA_LSETUP_FAIL) {
        fail(report, StepOutcome::no_direction, trouble_.status);
    } else if (flag == IDA_TOO_MUCH_ACC) {
        report.outcome = StepOutcome::no_way_on;
        trouble_.text =
            fmt::format("rtol = {:.3g} and atol = {:.3g} ask for more digits than double precision has at these "
                        "values. Loosen them, or take radau9 with --precision quad",
                        rtol_, atol_);
    } else if (flag == IDA_ERR_FAIL) {
        trouble_.text = "the error test of IDA fails, however small the step. The solution may not be smooth there; a "
                        "one-step method, such as radau5, may get on";
    } else if (flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL) {
        trouble_.text =
            "the iteration of IDA does not converge, however small the step. The equations may have no smooth "
            "solution there, or a derivative that jumps; an explicit method may get on";
    } else if (flag == IDA_MEM_FAIL) {
        report.outcome = StepOutcome::no_way_on;
        trouble_.text = "there is no memory left for IDA";
    } else {
        report.outcome = StepOutcome::no_way_on;
        char* name = IDAGetReturnFlagName(flag);
        trouble_.text = fmt::format("IDA gave up, in its words: {}", name ? name : "?");
        std::free(name);
    }
    report.failed.text = trouble_.text;
}

// IDA's polynomial about the end, sum_j y^(j) (H s)^j / j!, s = theta - 1, in powers of theta; then both ends moved to
// where their projections are.
PointStatus IdaStepper::dense(double* coefficients) {
    if (!has_candidate_) return PointStatus::not_finite;
    std::fill_n(coefficients, n_padded_ * (max_order_ + 1), 0.0);
    int order = 1;
    IDAGetLastOrder(sundials_.ida, &order);
    if (trouble_.n_steps > 1) order = -1; // several polynomials: a straight line
    const double h = tau_end_ - tau_;
    double power = 1; // h^j / j!
    for (int j = 0; j <= order; ++j) {
        if (j > 0) power *= h / j;
        if (IDAGetDky(sundials_.ida, tau_end_, j, sundials_.derivative) != IDA_SUCCESS) return PointStatus::not_finite;
        const double* d = NV_DATA_S(sundials_.derivative);
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
std::unique_ptr<Stepper<Quad>> make_ida(const MethodInfo& info, Field<Quad>&, Projection<Quad>*,
                                        const StepperOptions<Quad>&) {
    throw InvalidInput(fmt::format("the method \"{}\" computes in double, but precision = quad was asked for: leave it "
                                   "out, or take \"radau9\"",
                                   info.name));
}

} // namespace vessiot::method
