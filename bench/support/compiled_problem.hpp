// A problem that is compiled once and run many times, with its end point against that of a run at round-off.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "expr/kernel/code_cache.hpp"
#include "method/taylor/taylor.hpp"
#include "solve/problem/solve.hpp"
#include "solve/run/run.hpp"

namespace vessiot::bench {

struct TimedRun {
    Solution solution;
    double seconds = 0; // of the run, memory included, compiling and the start point apart
    double error = 0;   // maximum over coordinates at the end of |y - ref| / max(1, |ref|)
};

class CompiledProblem {
public:
    // `reference`: how the end point that errors are measured against is computed.
    CompiledProblem(const System& system, double to, const SolveOptions& reference) : to_(to) {
        SolveOptions options = reference;
        options.backend = "jit";
        analysis_ = std::make_shared<const Analysis>(system, settled(options));
        problem_ = std::make_shared<Compiled<double>>(analysis_, settled(options));
        reference_ = run(options).solution.numbers;
    }

    TimedRun run(const SolveOptions& given) { return (*prepare(given))(); }

    // One run after another with the same options: what the first one makes, the others have.
    class Runner {
    public:
        Runner(CompiledProblem& of, const SolveOptions& given)
            : of_(of), options_(settled(usual(given))), scope_(of.code_),
              engine_(of.problem_, options_, choose_method(options_), of.to_, make_start(*of.problem_, options_, 0.0)) {
        }
        TimedRun operator()() { return of_.run(engine_, options_); }

    private:
        CompiledProblem& of_;
        Settings options_;
        expr::CodeCache::Scope scope_;
        Engine<double> engine_;
    };
    std::unique_ptr<Runner> prepare(const SolveOptions& given) { return std::make_unique<Runner>(*this, given); }

    // The least time of at least three runs, and of 60 ms of them.
    TimedRun best(const SolveOptions& given) {
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

private:
    static SolveOptions usual(SolveOptions given) {
        given.dense = false;
        if (!given.projection) given.projection = "simplified";
        if (!given.project) given.project = "steps";
        return given;
    }

    // The engine as good as new: what it has compiled it keeps.
    TimedRun run(Engine<double>& engine, const Settings& options) {
        Span<double> span{0, to_, {}, ReportTimes<double>({to_})};
        StartPoint<double> start = make_start(*problem_, options, 0.0);
        TimedRun result;
        const auto begin = std::chrono::steady_clock::now();
        engine.renew();
        Run<double>(engine, options, span, std::move(start), result.solution)();
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (result.solution.status != Status::success) throw InvalidInput(result.solution.message);
        if (!reference_.empty()) result.error = error(result.solution.numbers);
        return result;
    }

    double error(const std::vector<double>& values) const {
        const std::vector<ValuePlace> places = analysis_->value_places();
        double worst = 0;
        for (std::size_t k = 0; k < values.size(); ++k)
            if (!places[k].is_top)
                worst = std::max(worst, std::fabs(values[k] - reference_[k]) / std::max(1.0, std::fabs(reference_[k])));
        return worst;
    }

    double to_;
    std::shared_ptr<expr::CodeCache> code_ = std::make_shared<expr::CodeCache>(); // native code of all engines
    std::shared_ptr<const Analysis> analysis_;
    std::shared_ptr<Compiled<double>> problem_;
    std::vector<double> reference_;
};

} // namespace vessiot::bench
