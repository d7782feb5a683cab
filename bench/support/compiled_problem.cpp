#include "support/compiled_problem.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "expr/kernel/code_cache.hpp"
#include "solve/problem/solve.hpp"
#include "solve/run/run.hpp"

namespace vessiot::bench {

namespace {

SolveOptions usual(SolveOptions given) {
    given.dense = false;
    if (!given.projection) given.projection = "simplified";
    if (!given.project) given.project = "steps";
    return given;
}

} // namespace

class CompiledProblem::Parts {
public:
    Parts(const System& system, double end, const SolveOptions& exact) : to(end) {
        SolveOptions options = exact;
        options.backend = "jit";
        analysis_ = std::make_shared<const Analysis>(system, settled(options));
        problem = std::make_shared<Compiled<double>>(analysis_, settled(options));
    }

    // The engine as good as new: what it has compiled it keeps.
    TimedRun run(Engine<double>& engine, const Settings& options) {
        Span<double> span{0, to, {}, ReportTimes<double>({to})};
        StartPoint<double> start = make_start(*problem, options, 0.0);
        TimedRun result;
        const auto begin = std::chrono::steady_clock::now();
        engine.renew();
        Run<double>(engine, options, span, std::move(start), result.solution)();
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (result.solution.status != Status::success) throw InvalidInput(result.solution.message);
        if (!reference.empty()) result.error = error(result.solution.numbers);
        return result;
    }

    double to;
    std::shared_ptr<expr::CodeCache> code = std::make_shared<expr::CodeCache>(); // native code of all engines
    std::shared_ptr<Compiled<double>> problem;
    std::vector<double> reference;

private:
    double error(const std::vector<double>& values) const {
        const std::vector<ValuePlace> places = analysis_->value_places();
        double worst = 0;
        for (std::size_t k = 0; k < values.size(); ++k)
            if (!places[k].is_top)
                worst = std::max(worst, std::fabs(values[k] - reference[k]) / std::max(1.0, std::fabs(reference[k])));
        return worst;
    }

    std::shared_ptr<const Analysis> analysis_;
};

class CompiledProblem::RunnerOf final : public Runner {
public:
    RunnerOf(Parts& of, const SolveOptions& given)
        : of_(of), options_(settled(usual(given))), scope_(of.code),
          engine_(of.problem, options_, choose_method(options_), of.to, make_start(*of.problem, options_, 0.0)) {}
    TimedRun operator()() override { return of_.run(engine_, options_); }

private:
    Parts& of_;
    Settings options_;
    expr::CodeCache::Scope scope_;
    Engine<double> engine_;
};

CompiledProblem::CompiledProblem(const System& system, double to, const SolveOptions& reference)
    : parts_(std::make_unique<Parts>(system, to, reference)) {
    parts_->reference = run(reference).solution.numbers;
}

CompiledProblem::~CompiledProblem() = default;

std::unique_ptr<CompiledProblem::Runner> CompiledProblem::prepare(const SolveOptions& given) {
    return std::make_unique<RunnerOf>(*parts_, given);
}

TimedRun CompiledProblem::best(const SolveOptions& given) {
    const std::unique_ptr<Runner> runner = prepare(given);
    TimedRun result = (*runner)();
    double spent = 0;
    for (int k = 0; k < 5000 && (k < 3 || spent < 0.06); ++k) {
        const double seconds = (*runner)().seconds;
        result.seconds = std::min(result.seconds, seconds);
        spent += seconds;
    }
    return result;
}

} // namespace vessiot::bench
