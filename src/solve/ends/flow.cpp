#include "solve/ends/flow.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "linalg/dense/jacobi_svd.hpp"
#include "linalg/scalar.hpp"
#include "projection/kind.hpp"
#include "sensitivity/tangent_projection.hpp"
#include "solve/problem/solving.hpp"
#include "solve/run/run.hpp"
#include "solve/sensitivity/sensitivity.hpp"
#include "system/constants.hpp"
#include "system/functions.hpp"
#include "system/own_graph.hpp"

namespace vessiot {

namespace {

constexpr double rank_tolerance = 1e-9; // of singular values of f_u

void check_options(const System& system, const Settings& options, const method::MethodInfo& method) {
    const auto fail = [](const std::string& what) { throw InvalidInput("conditions at both ends: " + what); };
    if (!carries_sensitivities(method))
        fail(fmt::format("the method {} does not carry derivatives of the solution; take a Runge-Kutta method on the "
                         "constraints, such as dopri54 or radau5, or taylor",
                         method.name));
    if (options.is_arclength())
        fail("they are given in time, but arclength was asked for: leave out --parametrisation");
    if (!options.projection->can.carries_derivatives)
        fail(fmt::format("--projection {} does not carry derivatives of the solution; take simplified or newton",
                         options.projection->name));
    if (options.project == Projected::symmetric)
        fail("--project symmetric does not carry derivatives of the solution; take steps or stages");
    if (options.precision == Precision::quad) fail("they are found in double precision: leave out --precision quad");
    if (!options.checkpoint.empty() || !options.resume.empty())
        fail("they are found by many runs, which have no checkpoint: leave out --checkpoint and --resume");
    if (!options.sensitivity.empty())
        fail("derivatives of what is found by --sensitivity are not computed: solve for the values at the ends first, "
             "and then with these start values");
    if (!system.initially.empty())
        fail("equations of the start point (initially …) are conditions too: write them as start values, or leave them "
             "out");
    if (!system.contacts.empty())
        fail(fmt::format("the contact '{}' makes velocities jump, and what is found would jump with them; leave it out",
                         system.contacts.front().name));
    const auto jump = std::ranges::find_if(system.events, [](const Event& e) { return !e.then.empty(); });
    if (jump != system.events.end())
        fail(fmt::format("the event '{}' sets values, and what is found would jump with it; leave its 'then' out",
                         jump->name));
}

// What a run over an interval needs of the system.
System bare(const System& system) {
    System result = with_own_graph(system);
    result.ends.clear();
    result.periodic.clear();
    result.free.clear();
    result.events.clear();
    result.outputs.clear();
    result.section.reset();
    return result;
}

} // namespace

LeastSquares::LeastSquares(Dense a, double tolerance, double least) : a_(std::move(a)), row_scale_(a_.rows, 1) {
    for (std::size_t i = 0; i < a_.rows; ++i) {
        double largest = least;
        for (std::size_t j = 0; j < a_.columns; ++j) largest = std::max(largest, std::abs(a_(i, j)));
        if (largest > 0) row_scale_[i] = 1 / largest;
        for (std::size_t j = 0; j < a_.columns; ++j) a_(i, j) *= row_scale_[i];
    }
    v_ = Dense(a_.columns, a_.columns);
    if (a_.columns == 0) return;
    linalg::JacobiSvd<double> svd(static_cast<int>(std::max<std::size_t>(a_.rows, 1)), static_cast<int>(a_.columns));
    std::fill_n(svd.matrix(), std::max<std::size_t>(a_.rows, 1) * a_.columns, 0.0);
    for (std::size_t i = 0; i < a_.rows; ++i)
        for (std::size_t j = 0; j < a_.columns; ++j) svd.matrix()[j * a_.rows + i] = a_(i, j);
    if (!svd.factor()) throw InvalidInput("a derivative of the conditions at the ends is not finite");
    sigma_ = svd.values();
    rank_ = a_.rows == 0 ? 0 : static_cast<std::size_t>(svd.rank(tolerance));
    for (std::size_t k = 0; k < a_.columns; ++k)
        for (std::size_t j = 0; j < a_.columns; ++j) v_(k, j) = svd.vector(static_cast<int>(k))[j];
}

// sum_k v_k (A v_k . b) / sigma_k^2
std::vector<double> LeastSquares::operator()(const std::vector<double>& b) const {
    std::vector<double> x(a_.columns);
    for (std::size_t k = 0; k < rank_; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < a_.rows; ++i) {
            double av = 0;
            for (std::size_t j = 0; j < a_.columns; ++j) av += a_(i, j) * v_(k, j);
            sum += av * b[i] * row_scale_[i];
        }
        for (std::size_t j = 0; j < a_.columns; ++j) x[j] += v_(k, j) * (sum / (sigma_[k] * sigma_[k]));
    }
    return x;
}

std::vector<std::vector<double>> LeastSquares::kernel() const {
    std::vector<std::vector<double>> all;
    for (std::size_t k = rank_; k < v_.rows; ++k)
        all.emplace_back(v_.values.begin() + static_cast<std::ptrdiff_t>(k * v_.columns),
                         v_.values.begin() + static_cast<std::ptrdiff_t>((k + 1) * v_.columns));
    return all;
}

Flow::Flow(const System& system, const Settings& options, const method::MethodInfo& method,
           const std::vector<FreeParameter>& free, Quad t0, double t1)
    : options_(options), n_free_(free.size()) {
    check_options(system, options, method);
    options_.streams.clear();
    options_.on_step = {};
    options_.on_event = {};
    options_.at.clear();
    options_.every = 0;
    options_.section.clear();
    options_.dense = false;
    options_.keep = 0;
    options_.conditions = Switchings::locate;
    completed_ = prepare<double>(bare(system), options_, t0);
    if (completed_.analysis->conditions)
        throw InvalidInput(fmt::format(
            "conditions at both ends: the equations of {} switch (if, abs, min, max, …), and derivatives of the "
            "solution would jump there; write them without, or smooth",
            system.name));
    const Analysis& base = *completed_.analysis;
    if (base.involution && !base.involution->open.empty())
        throw InvalidInput(fmt::format("{} not unique in {}, since constraints are redundant: leave out what follows "
                                       "from the others",
                                       base.involution->open, base.system.name));
    n_ = static_cast<std::size_t>(completed_.problem->n_state());
    Manifold<double>& manifold = completed_.problem->manifold();
    for (std::int64_t i = 0; i < manifold.n_constraints(); ++i) {
        const ConstraintRow& row = manifold.rows()[static_cast<std::size_t>(i)];
        if (row.kind != ConstraintKind::invariant || base.system.invariants[row.source].kept) rows_.push_back(i);
    }
    const double* u = completed_.start.u.data();
    start_.assign(u, u + n_);
    std::vector<double> f;
    const double t = completed_.start.t;
    m_ = n_ - LeastSquares(derivative(t, start_, std::vector<double>(n_, 1.0), f), rank_tolerance).rank();

    std::vector<SensitivityVariable> by(m_);
    for (std::size_t k = 0; k < m_; ++k) by[k].name = fmt::format("start:{}", k + 1);
    for (const FreeParameter& p : free) {
        SensitivityVariable v;
        v.name = base.system.parameters[p.parameter].name;
        v.parameter = p.parameter;
        v.element = p.element;
        v.size = std::abs(
            static_cast<double>(base.system.parameters[p.parameter].values[static_cast<std::size_t>(p.element)]));
        by.push_back(std::move(v));
    }
    analysis_ = std::make_shared<Analysis>(base);
    analysis_->augmentation = std::make_shared<Augmentation>(base.system, base.prolongation, std::move(by));
    analysis_->system = analysis_->augmentation->system();
    analysis_->prolongation = analysis_->augmentation->prolongation();
    problem_ = std::make_shared<Compiled<double>>(analysis_, completed_.problem);
    for (const double h : completed_.problem->jets().held()) held_.push_back(h);
    std::ranges::copy(held_, problem_->jets().held().begin());
    StartPoint<double> start = completed_.start;
    start.u = linalg::Vector<double>(problem_->n_state() + 1);
    std::copy_n(start_.data(), n_, start.u.data());
    if (options_.project == Projected::automatic) {
        const bool is_delicate = base.prolongation.is_raised || base.prolongation.is_general;
        options_.project = method.family->is_implicit && is_delicate ? Projected::stages : Projected::steps;
    }
    options_.sensitivity = {"ends"}; // there are some
    engine_ = std::make_unique<Engine<double>>(problem_, options_, method, t1, start);
    summary_ = base.summary();
    const std::vector<std::string> all = analysis_->value_names();
    names_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(analysis_->n_values()));
}

void Flow::set_parameters(const System& system) {
    std::vector<double> rounded;
    for (const Parameter& p : system.parameters)
        for (const Quad v : p.values) rounded.push_back(static_cast<double>(v));
    for (System* own : {&completed_.analysis->system, &analysis_->system})
        for (std::size_t k = 0; k < own->parameters.size(); ++k)
            own->parameters[k].values = system.parameters[k].values;
    base().jets().set_parameters(rounded);
    problem_->jets().set_parameters(rounded);
}

Dense Flow::derivative(double t, const std::vector<double>& u, const std::vector<double>& scale,
                       std::vector<double>& f) {
    Manifold<double>& m = base().manifold();
    linalg::Vector<double> all(m.n_constraints()), entries(m.pattern().entries());
    if (m.n_constraints() > 0) m.df(t, u.data(), all.data(), entries.data());
    std::vector<std::ptrdiff_t> place(static_cast<std::size_t>(m.n_constraints()), -1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        place[static_cast<std::size_t>(rows_[i])] = static_cast<std::ptrdiff_t>(i);
    Dense result(rows_.size(), n_);
    f.clear();
    for (const std::int64_t row : rows_) f.push_back(all[row]);
    if (rows_.empty()) return result;
    const linalg::Pattern& p = m.pattern();
    for (std::size_t j = 0; j < n_; ++j)
        for (std::int64_t e = p.column_start[j]; e < p.column_start[j + 1]; ++e) {
            const std::ptrdiff_t i = place[static_cast<std::size_t>(p.row[static_cast<std::size_t>(e)])];
            if (i >= 0) result(static_cast<std::size_t>(i), j) = entries[e] * scale[j];
        }
    return result;
}

linalg::Vector<double> Flow::blocks(const FlowPoint& p) const {
    linalg::Vector<double> x(problem_->n_state() + 1);
    std::copy_n(p.u.data(), n_, x.data());
    for (std::size_t j = 0; j < m_ + n_free_; ++j)
        for (std::size_t i = 0; i < n_; ++i)
            x[static_cast<std::int64_t>((j + 1) * n_ + i)] = j < m_ ? p.tangent(i, j) : p.moved(i, j - m_);
    return x;
}

// As sensitivity_start.cpp has them: the invariants whose value nobody gave, and their derivatives, are what they are
// here.
void Flow::take_all_kept_values(double t, const linalg::Vector<double>& x) {
    take_kept_values(base(), t, x.data());
    Manifold<double>& all = problem_->manifold();
    const std::span<double> values = problem_->jets().kept(), known = base().jets().kept();
    std::ranges::copy(known, values.begin());
    if (values.size() == known.size()) return;
    std::fill(values.begin() + std::ssize(known), values.end(), 0.0);
    linalg::Vector<double> f(all.n_constraints());
    all.f(t, x.data(), f.data());
    const std::int64_t first = all.n_constraints() - std::ssize(values);
    for (std::size_t k = known.size(); k < values.size(); ++k) {
        const std::int64_t row = first + static_cast<std::int64_t>(k);
        if (!analysis_->system.invariants[all.rows()[static_cast<std::size_t>(row)].source].kept) values[k] = f[row];
    }
}

// Directions, values and their derivatives at a point of all blocks.
void Flow::look(double t, const double* x, std::vector<double>& direction, std::vector<double>& values, Dense& rates) {
    linalg::Vector<double> dx(problem_->n_state() + 1);
    if (engine_->field->direction(t, x, dx.data()) != PointStatus::good || !linalg::all_finite(dx.data(), dx.size()))
        throw InvalidInput(
            fmt::format("the equations have no direction at {} = {}", analysis_->system.independent_name, t));
    direction.assign(dx.data(), dx.data() + n_);
    engine_->recorder.values(t, x, values);
    values.resize(names_.size());
    std::vector<double> row;
    engine_->recorder.sensitivities(t, x, row);
    rates = Dense(names_.size(), m_ + n_free_);
    for (std::size_t j = 0; j < m_ + n_free_; ++j)
        for (std::size_t i = 0; i < names_.size(); ++i) rates(i, j) = row[j * names_.size() + i];
}

FlowPoint Flow::at(double t, const std::vector<double>& u, const std::vector<double>& scale) {
    FlowPoint p{.t = t, .u = u, .tangent = Dense(n_, m_), .left = Dense(m_, n_), .moved = Dense(n_, n_free_)};
    std::ranges::copy(held_, base().jets().held().begin());
    std::ranges::copy(held_, problem_->jets().held().begin());
    std::vector<double> f;
    const Dense a = derivative(t, u, scale, f);
    for (const double x : a.values)
        if (!std::isfinite(x))
            throw InvalidInput(
                fmt::format("a constraint has no derivative at {} = {}", analysis_->system.independent_name, t));
    linalg::JacobiSvd<double> svd(static_cast<int>(std::max<std::size_t>(a.rows, 1)), static_cast<int>(n_));
    std::fill_n(svd.matrix(), std::max<std::size_t>(a.rows, 1) * n_, 0.0);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < n_; ++j) svd.matrix()[j * a.rows + i] = a(i, j);
    if (!svd.factor()) throw InvalidInput("a constraint has no finite derivative");
    for (std::size_t k = 0; k < m_; ++k) {
        const double* v = svd.vector(static_cast<int>(n_ - m_ + k));
        for (std::size_t i = 0; i < n_; ++i) {
            p.tangent(i, k) = scale[i] * v[i];
            p.left(k, i) = v[i] / scale[i];
        }
    }
    if (n_free_ > 0 && !rows_.empty()) {
        // f_p is what the differentiated constraints are for s = 0
        take_all_kept_values(t, blocks(p));
        Manifold<double>& all = problem_->manifold();
        linalg::Vector<double> x = blocks(p), values(all.n_constraints());
        all.f(t, x.data(), values.data());
        const std::vector<std::int32_t> row_of = rows_of_blocks(base().manifold(), all);
        const auto stride = static_cast<std::size_t>(base().manifold().n_constraints());
        const LeastSquares solve(a, rank_tolerance);
        for (std::size_t j = 0; j < n_free_; ++j) {
            std::vector<double> right;
            for (const std::int64_t row : rows_)
                right.push_back(-values[row_of[(m_ + j + 1) * stride + static_cast<std::size_t>(row)]]);
            const std::vector<double> s = solve(right);
            for (std::size_t i = 0; i < n_; ++i) p.moved(i, j) = scale[i] * s[i];
        }
    }
    const linalg::Vector<double> x = blocks(p);
    take_all_kept_values(t, x);
    look(t, x.data(), p.direction, p.values, p.value_rates);
    return p;
}

FlowEnd Flow::run(const FlowPoint& from, double t1) {
    ++n_runs_;
    FlowEnd end{.t = t1};
    StartPoint<double> start{.t = from.t, .u = blocks(from), .report = {}, .notes = {}};
    engine_->renew();
    std::ranges::copy(held_, base().jets().held().begin());
    std::ranges::copy(held_, problem_->jets().held().begin());
    take_all_kept_values(from.t, start.u);
    Solution solution;
    Span<double> span{from.t, t1, {}, ReportTimes<double>(std::vector<double>{t1}), {}};
    Run<double> run(*engine_, options_, span, std::move(start), solution);
    run();
    if (solution.error) std::rethrow_exception(solution.error);
    stats_.steps += solution.stats.steps;
    stats_.rejected += solution.stats.rejected;
    stats_.direction_evaluations += solution.stats.direction_evaluations;
    end.message = solution.message;
    end.is_interrupted = solution.status == Status::interrupted;
    if (solution.status != Status::success) return end;
    const double* x = run.point();
    end.u.assign(x, x + n_);
    end.change = Dense(n_, m_ + n_free_);
    for (std::size_t j = 0; j < m_ + n_free_; ++j)
        for (std::size_t i = 0; i < n_; ++i) end.change(i, j) = x[(j + 1) * n_ + i];
    try {
        look(t1, x, end.direction, end.values, end.value_rates);
        // dvalues/dt along the curve, by a central difference
        const double h = 1e-6 * std::max(std::abs(t1 - from.t), 1e-3 * std::abs(t1));
        linalg::Vector<double> moved(problem_->n_state() + 1);
        std::vector<double> after, before;
        for (const double sign : {1.0, -1.0}) {
            std::copy_n(x, problem_->n_state(), moved.data());
            for (std::size_t i = 0; i < n_; ++i) moved[static_cast<std::int64_t>(i)] += sign * h * end.direction[i];
            engine_->recorder.values(t1 + sign * h, moved.data(), sign > 0 ? after : before);
        }
        for (std::size_t i = 0; i < names_.size(); ++i) end.value_speeds.push_back((after[i] - before[i]) / (2 * h));
    } catch (const InvalidInput& e) {
        end.message = e.what();
        return end;
    }
    const auto is_finite = [](double v) { return std::isfinite(v); };
    end.is_good = std::ranges::all_of(end.u, is_finite) && std::ranges::all_of(end.change.values, is_finite);
    if (!end.is_good) end.message = "derivatives of the solution grow without bound";
    return end;
}

bool Flow::project(double t, std::vector<double>& u, const std::vector<double>& scale,
                   const std::vector<std::pair<std::size_t, double>>& fixed) {
    double before = 0;
    for (int k = 0; k < 30; ++k) {
        std::vector<double> f;
        Dense a = derivative(t, u, scale, f);
        const std::size_t n_rows = a.rows + fixed.size();
        if (n_rows == 0) return true;
        Dense all(n_rows, n_);
        std::ranges::copy(a.values, all.values.begin());
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            all(a.rows + i, fixed[i].first) = scale[fixed[i].first];
            f.push_back(u[fixed[i].first] - fixed[i].second);
        }
        for (double& r : f) r = -r;
        for (const double x : all.values)
            if (!std::isfinite(x)) return false;
        const std::vector<double> step = LeastSquares(all, rank_tolerance)(f);
        double size = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            u[i] += scale[i] * step[i];
            size = std::max(size, std::abs(step[i]));
        }
        if (!std::isfinite(size)) return false;
        if (size <= 1e-15 || (k > 0 && size <= 1e-12 && size >= before / 2)) return true;
        before = size;
    }
    return before <= 1e-9;
}

std::size_t Flow::rank_of(const FlowPoint& point, const std::vector<double>& scale,
                          const std::vector<std::size_t>& coordinates) const {
    Dense a(coordinates.size(), m_);
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        for (std::size_t j = 0; j < m_; ++j) a(i, j) = point.tangent(coordinates[i], j) / scale[coordinates[i]];
    return LeastSquares(std::move(a), 1e-8, 1.0).rank();
}

} // namespace vessiot
