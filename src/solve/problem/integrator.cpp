#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "solve/problem/problem.hpp"
#include "solve/problem/solving.hpp"
#include "solve/run/place.hpp"

namespace vessiot {

class Integrator::Work {
public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;
    virtual bool step() = 0;
    virtual bool advance(double t) = 0;
    virtual Solution take_solution() = 0;
    virtual std::vector<double> direction() = 0;

    Solution solution; // as far as it is
    double t = 0, residual = 0;
    std::vector<double> point;
    bool is_over = false;
};

namespace {

template <class S> class WorkOf final : public Integrator::Work {
public:
    WorkOf(std::shared_ptr<ProblemCore> core, const System& system, const Settings& options)
        : core_(std::move(core)), options_(options) {
        solution = new_solution(system);
        options_.dense = true; // points between steps are asked for
        options_.dense_limit = 0;
        options_.keep = 0;
        auto [span, from] = span_of<S>(system, options_, true, solution);
        span_ = span;
        made_.emplace(begin_solve(*core_, system, options_, span_, from, solution));
        const linalg::PivotsInUse use = engine().pivots_in_use();
        x_ = linalg::Vector<S>(engine().problem->n_state() + 1);
        made_->run->start();
        end_ = static_cast<double>(span_.t1);
        if (solution.error) std::rethrow_exception(solution.error);
        is_over = made_->run->is_over();
        look();
    }

    bool step() override {
        if (is_between_) { // the end of the step that was made is next
            look();
            return true;
        }
        if (is_over) return false;
        const linalg::PivotsInUse use = engine().pivots_in_use();
        made_->run->advance();
        is_over = made_->run->is_over();
        if (!solution.error) look();
        if (is_over) made_->run->finish();
        if (solution.error) std::rethrow_exception(solution.error);
        return !is_over || solution.status == Status::success;
    }

    bool advance(double wanted) override {
        const double direction = span_.t1 < span_.t0 ? -1 : 1;
        if ((wanted - t) * direction < 0 || (wanted - end_) * direction > 0 || !std::isfinite(wanted))
            throw InvalidInput(fmt::format("a run that is at {0} = {1} and ends at {2} cannot advance to {3}: give a "
                                           "value between these two",
                                           solution.independent, t, end_, wanted));
        while ((wanted - reached()) * direction > 0)
            if (is_over || (!step() && (wanted - reached()) * direction > 0)) return false;
        if (wanted == reached())
            look();
        else
            look_at(wanted);
        return true;
    }

    Solution take_solution() override {
        Solution copy = solution;
        if (!is_over) {
            copy.status = Status::interrupted;
            copy.message = fmt::format("at {} = {}, on the way to {}", solution.independent, reached(), end_);
        }
        if (auto data = made_->run->curve())
            copy.curve = std::make_shared<DenseCurve<S>>(std::move(*data), made_->loan);
        return copy;
    }

    std::vector<double> direction() override {
        const linalg::PivotsInUse use = engine().pivots_in_use();
        linalg::Vector<S> du(engine().problem->n_state() + 1);
        const PointStatus status = engine().field->direction(S(t), x_.data(), du.data());
        if (status != PointStatus::good)
            throw InvalidInput(fmt::format("there is no direction at {} = {}: {}", solution.independent, t,
                                           status == PointStatus::not_finite ? "a value is not finite"
                                                                             : "the equations are singular"));
        const Analysis& analysis = made_->loan->analysis();
        const std::vector<ValuePlace> places = analysis.value_places();
        std::vector<double> rates(point.size());
        for (std::size_t k = 0; k < rates.size(); ++k)
            rates[k] = places[k].is_held  ? 0
                       : places[k].is_top ? std::numeric_limits<double>::quiet_NaN()
                                          : static_cast<double>(du[places[k].at]);
        return rates;
    }

private:
    Engine<S>& engine() { return made_->loan->engine(); }
    double reached() const { return static_cast<double>(made_->run->t()); }

    // At the current point of the run.
    void look() {
        is_between_ = false;
        show(made_->run->t(), made_->run->point());
    }

    // On the curve of the last step.
    void look_at(double wanted) {
        const linalg::PivotsInUse use = engine().pivots_in_use();
        const Segment<S>& segment = made_->run->last_segment();
        const S theta = std::clamp((S(wanted) - segment.tau()) / segment.h(), S(0), segment.end());
        linalg::Vector<S> x(engine().problem->n_state() + 1);
        if (!place_on_curve(*engine().problem, engine().report_projection(), segment, theta, x))
            throw InvalidInput(fmt::format("no point on the constraints was found near the curve at {}, inside of a "
                                           "long step; solve with tighter tolerances",
                                           wanted));
        is_between_ = true;
        show(S(wanted), x.data());
    }

    void show(S at, const S* x) {
        engine().recorder.values(at, x, point);
        residual = engine().recorder.residual(at, x);
        std::copy_n(x, engine().problem->n_state(), x_.data());
        t = static_cast<double>(at);
    }

    std::shared_ptr<ProblemCore> core_;
    Settings options_;
    Span<S> span_;
    std::optional<RunToMake<S>> made_;
    linalg::Vector<S> x_; // where point() was read
    double end_ = 0;
    bool is_between_ = false; // the ends of the last step
};

} // namespace

std::unique_ptr<Integrator::Work> ProblemCore::begin(const RunOptions& run) {
    const Settings options = with(run);
    if (options.is_arclength())
        throw InvalidInput("a run that is stepped by hand is parametrised by time, but arclength was asked for");
    if (system_->has_ends())
        throw InvalidInput(fmt::format("{} has conditions at both ends of the interval, which solve() satisfies; a run "
                                       "that is stepped by hand begins at a start point that is known",
                                       system_->name));
    const System system = run.parameters.empty() ? *system_ : with_parameters(run);
    if (options.precision == Precision::quad)
        return std::make_unique<WorkOf<Quad>>(shared_from_this(), system, options);
    return std::make_unique<WorkOf<double>>(shared_from_this(), system, options);
}

Integrator Problem::begin(const RunOptions& options) const {
    return Integrator(core_->begin(options));
}

Integrator::Integrator(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Integrator::Integrator(Integrator&&) noexcept = default;
Integrator& Integrator::operator=(Integrator&&) noexcept = default;
Integrator::~Integrator() = default;

bool Integrator::step() {
    return work_->step();
}

bool Integrator::advance(double t) {
    return work_->advance(t);
}

double Integrator::t() const {
    return work_->t;
}

std::span<const double> Integrator::point() const {
    return work_->point;
}

double Integrator::operator[](std::string_view name) const {
    return work_->point[work_->solution.column_of(name)];
}

const std::vector<std::string>& Integrator::names() const {
    return work_->solution.names;
}

std::vector<double> Integrator::direction() {
    return work_->direction();
}

double Integrator::residual() const {
    return work_->residual;
}

bool Integrator::is_over() const {
    return work_->is_over;
}

Status Integrator::status() const {
    return work_->solution.status;
}

const std::string& Integrator::message() const {
    return work_->solution.message;
}

Solution Integrator::solution() const {
    return work_->take_solution();
}

} // namespace vessiot
