#include "solve/problem/problem.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/cancellation.hpp"
#include "core/element_name.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "linalg/scalar.hpp"
#include "method/fits.hpp"
#include "model/builder.hpp"
#include "solve/options/method_options.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "system/constants.hpp"
#include "vessiot/callable.hpp"
#include "vessiot/model.hpp"

namespace vessiot {

namespace {

using Clock = std::chrono::steady_clock;

// What belongs to one run and is not to be kept.
void drop_callbacks(Settings& options) {
    options.streams.clear();
    options.progress = {};
    options.on_step = {};
    options.on_event = {};
    options.stop = {};
}

std::vector<std::string> element_names(const System& system, const Parameter& p) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < p.values.size(); ++k)
        names.push_back(
            system.graph->print_read(p.array, system.graph->indices_at(p.array, static_cast<std::int64_t>(k))));
    return names;
}

// Sets a parameter or an element of one; which of the parameters it is.
class ParameterSetter {
public:
    explicit ParameterSetter(System& system) : system_(system), is_given_(system.parameters.size(), 0) {}

    void set(const std::string& name, const std::vector<double>& values) {
        const std::size_t p = find(name);
        Parameter& parameter = system_.parameters[p];
        if (parameter.is_structural)
            throw InvalidInput(fmt::format("the parameter {} of {} sizes an array or bounds a loop: it is fixed when "
                                           "the problem is made, with --set or the settings of Model::load",
                                           parameter.name, system_.name));
        for (const double v : values)
            if (!std::isfinite(v)) throw InvalidInput(fmt::format("the parameter {} is not finite: {}", name, v));
        is_given_[p] = 1;
        if (name != parameter.name || parameter.values.size() == 1) {
            if (values.size() != 1)
                throw InvalidInput(
                    fmt::format("the parameter {} is one number, but {} were given", name, values.size()));
            parameter.values[name == parameter.name ? 0 : element(parameter, name)] = Quad(values[0]);
            return;
        }
        if (values.size() != parameter.values.size())
            throw InvalidInput(fmt::format("the parameter {} has {} elements, but {} were given", name,
                                           parameter.values.size(), values.size()));
        std::ranges::transform(values, parameter.values.begin(), [](double v) { return Quad(v); });
    }

    // What is computed from others, in the order in which they stand; and what is discrete.
    void follow() {
        for (std::size_t p = 0; p < is_given_.size(); ++p) {
            Parameter& parameter = system_.parameters[p];
            if (is_given_[p] || parameter.formula.empty()) continue;
            const std::vector<Quad> values = evaluate_constants(system_, parameter.formula);
            if (parameter.is_structural && values != parameter.values)
                throw InvalidInput(fmt::format("the parameter {} of {} sizes an array or bounds a loop and would "
                                               "change with those given: it is fixed when the problem is made, with "
                                               "--set or the settings of Model::load",
                                               parameter.name, system_.name));
            parameter.values = values;
        }
        for (Held& h : system_.held) {
            if (h.formula.empty()) continue;
            h.values = evaluate_constants(system_, h.formula);
            for (const Quad v : h.values)
                if (!linalg::is_finite(v))
                    throw InvalidInput(
                        fmt::format("the value of {} at the start is not finite: {}", h.name, static_cast<double>(v)));
        }
    }

private:
    std::size_t find(const std::string& name) const {
        const std::string base = array_name(name);
        const auto found = std::ranges::find(system_.parameters, base, &Parameter::name);
        if (found != system_.parameters.end()) return static_cast<std::size_t>(found - system_.parameters.begin());
        std::vector<std::string_view> names;
        for (const Parameter& p : system_.parameters) names.push_back(p.name);
        const auto meant = nearest(base, names);
        throw InvalidInput(fmt::format("'{}' is no parameter of {}{}", name, system_.name,
                                       meant           ? fmt::format("; did you mean '{}'?", *meant)
                                       : names.empty() ? ", which has none"
                                                       : fmt::format(". It has: {}", fmt::join(names, ", "))));
    }

    std::size_t element(const Parameter& parameter, const std::string& name) const {
        std::string compact = name;
        std::erase(compact, ' ');
        const std::vector<std::string> names = element_names(system_, parameter);
        const auto found = std::ranges::find(names, compact);
        if (found == names.end())
            throw InvalidInput(fmt::format("'{}' is no element of the parameter {}, which has {} to {}", name,
                                           parameter.name, names.front(), names.back()));
        return static_cast<std::size_t>(found - names.begin());
    }

    System& system_;
    std::vector<char> is_given_;
};

} // namespace

ProblemCore::ProblemCore(const System& system, const SolveOptions& given, bool has_more_runs)
    : system_(std::make_shared<const System>(system)), options_((check(given), settled(given))),
      method_(choose_method(options_)) {
    SolveOptions acting = given;
    if (has_more_runs) {
        acting.checkpoint_every.reset();
        acting.checkpoint_steps.reset();
    }
    check_effects(acting, {options_, method_}, model_options(system), [](const SolveOptions& o) {
        const Settings settings = settled(o);
        return Settled{settings, choose_method(settings)};
    });
}

std::shared_ptr<ProblemCore> ProblemCore::reporting_steps() {
    if (!system_->output_every && system_->output_at.empty() && !system_->section) return shared_from_this();
    auto system = std::make_shared<System>(*system_);
    system->output_every.reset();
    system->output_at.clear();
    system->section.reset();
    return std::shared_ptr<ProblemCore>(new ProblemCore(std::move(system), *this));
}

Settings ProblemCore::with(const RunOptions& run) const {
    Settings options = options_;
    options.start.insert(options.start.end(), run.start.begin(), run.start.end());
    options.guess.insert(options.guess.end(), run.guess.begin(), run.guess.end());
    const auto take = [](const auto& given, auto& option) {
        if (given) option = *given;
    };
    take(run.from, options.from);
    take(run.to, options.to);
    take(run.to_s, options.to_s);
    const bool asks_for_points = run.at || run.every || run.section; // then those of the problem count for nothing
    if (asks_for_points) {
        options.at.clear();
        options.every = 0;
        options.section.clear();
    }
    take(run.at, options.at);
    take(run.every, options.every);
    take(run.section, options.section);
    take(run.dense, options.dense);
    take(run.throw_on_failure, options.throw_on_failure);
    take(run.keep, options.keep);
    if (!run.streams.empty()) options.streams = run.streams;
    if (!run.checkpoint.empty()) options.checkpoint = run.checkpoint;
    if (!run.resume.empty()) options.resume = run.resume;
    if (run.progress) options.progress = run.progress;
    if (run.on_step) options.on_step = run.on_step;
    if (run.on_event) options.on_event = run.on_event;
    if (run.stop.stop_possible()) options.stop = run.stop;
    check(options);
    return options;
}

System ProblemCore::with_parameters(const RunOptions& run) const {
    System system = *system_;
    set_parameters(run, system);
    return system;
}

void ProblemCore::set_parameters(const RunOptions& run, System& system) {
    ParameterSetter setter(system);
    for (const auto& [name, value] : run.parameters) setter.set(name, value.values);
    setter.follow();
}

template <class S> std::shared_ptr<Pool<S>> ProblemCore::pool(const Settings& options) {
    const std::lock_guard lock(mutex_);
    auto& pools = [&]() -> Pools<S>& {
        if constexpr (std::is_same_v<S, double>)
            return double_pools_;
        else
            return quad_pools_;
    }();
    std::shared_ptr<Pool<S>>& found = options.is_arclength() ? pools.in_arclength : pools.in_time;
    if (!found) {
        Settings how = options_;
        how.parametrisation = options.parametrisation;
        drop_callbacks(how);
        found = std::make_shared<Pool<S>>(system_, std::move(how), method_);
    }
    return found;
}

template <class S>
ProblemCore::Begun<S> ProblemCore::begin_run(const System& system, const Settings& options, Quad from, S t1) {
    std::shared_ptr<Pool<S>> shared = pool<S>(options);
    if (auto found = shared->take(numbers_of(system, options, from))) {
        Loan<S> loan(shared, std::move(found));
        loan->renew(system, options);
        try {
            StartPoint<S> start = loan->begin(options, from);
            return {std::move(loan), std::move(start)};
        } catch (const NoDirection&) { // the structure misleads with these numbers: a new one is completed
        }
    }
    const auto started = Clock::now();
    const expr::CodeCache::Scope scope(shared->code());
    Settings how = options;
    drop_callbacks(how);
    Loan<S> loan(shared, std::make_unique<Workspace<S>>(system, how, method_, from, t1));
    StartPoint<S> start = loan->begin(options, from);
    return {std::move(loan), std::move(start), std::chrono::duration<double>(Clock::now() - started).count()};
}

template ProblemCore::Begun<double> ProblemCore::begin_run(const System&, const Settings&, Quad, double);
template ProblemCore::Begun<Quad> ProblemCore::begin_run(const System&, const Settings&, Quad, Quad);

Problem::Problem(const Model& model, const SolveOptions& options) {
    const System system = ModelAccess::system(model);
    core_ = std::make_shared<ProblemCore>(system, with_model_options(system, options), true);
}

Problem::Problem(std::shared_ptr<ProblemCore> core) : core_(std::move(core)) {}
Problem::Problem(const CallableSystem& system, const SolveOptions& options) : Problem(make_model(system), options) {}

Problem::~Problem() = default;

std::string ProblemCore::misfit(const method::MethodInfo& method) {
    Settings options = options_;
    if (!options.to && !system_->to) options.to = options.from.value_or(0) + 1; // any will do
    const auto [from, to] = interval(*system_, options, true);
    const Begun<double> begun = begin_run<double>(*system_, options, from, static_cast<double>(to));
    const Analysis& analysis = *begun.loan->completed().analysis;
    try {
        if (method::is_direct(method)) check_direct(analysis, method);
    } catch (const InvalidInput& e) {
        return e.what();
    }
    const std::string misfit = method::misfit(method, analysis.system, analysis.prolongation);
    return misfit.empty() ? "" : fmt::format("the method {} needs {}", method.name, misfit);
}

// NOTE: a workspace of its own, since those of the pools are made for the options of the problem.
std::string ProblemCore::misfit(Settings options) {
    drop_callbacks(options);
    if (!options.to && !system_->to) options.to = options.from.value_or(0) + 1; // any will do
    try {
        const auto [from, to] = interval(*system_, options, true);
        Workspace<double>(*system_, options, method_, from, static_cast<double>(to)).begin(options, from);
    } catch (const InvalidInput& e) {
        return e.what();
    }
    return "";
}

std::string ProblemCore::misfit(const ProjectionKind* projection) {
    Settings options = options_;
    if (projection) options.projection = projection;
    return misfit(std::move(options));
}

std::string ProblemCore::misfit(const DistributionKind* distribution) {
    Settings options = options_;
    options.distribution = distribution;
    return misfit(std::move(options));
}

std::string Problem::misfit(const std::string& method) const {
    return core_->misfit(method::find_method(method));
}

std::string Problem::projection_misfit(const std::string& projection) const {
    return core_->misfit(find_choice(projection_table(), "projection", projection));
}

std::string Problem::distribution_misfit(const std::string& distribution) const {
    return core_->misfit(find_choice(distribution_table(), "distribution", distribution));
}

Solution Problem::solve(const RunOptions& options) const {
    return core_->solve(options);
}

const std::string& Problem::name() const {
    return core_->system().name;
}

std::vector<std::string> Problem::parameter_names() const {
    std::vector<std::string> names;
    for (const Parameter& p : core_->system().parameters)
        if (!p.is_structural) names.push_back(p.name);
    return names;
}

} // namespace vessiot
