// What a Problem shares: the system, the options, and the workspaces that were made for it.
#pragma once

#include <memory>
#include <mutex>

#include "solve/problem/pool.hpp"
#include "vessiot/problem.hpp"

namespace vessiot {

class ProblemCore : public std::enable_shared_from_this<ProblemCore> {
public:
    // With options in which nothing is left to the model's own `option` lines (options.hpp: with_model_options). Throws
    // InvalidInput where they do not fit each other; where runs with checkpoints of their own may come, options of
    // checkpoints fit.
    ProblemCore(const System& system, const SolveOptions& given, bool has_more_runs = false);
    // The same problem, whose runs report every step unless they are told otherwise: without what the model says of
    // points and sections.
    std::shared_ptr<ProblemCore> reporting_steps();

    const System& system() const { return *system_; }
    const Settings& options() const { return options_; }
    const method::MethodInfo& method() const { return method_; }

    // Throws InvalidInput where the system, the options or the start point are wrong, and SolveFailed, if asked for,
    // where the run ended early.
    Solution solve();
    Solution solve(const RunOptions& run);
    std::unique_ptr<Integrator::Work> begin(const RunOptions& run);
    // Why a method does not fit, in words; empty where it fits.
    std::string misfit(const method::MethodInfo& method);
    // The same of a projection, or of a way to the direction; null: the one that is chosen where none is asked for.
    std::string misfit(const ProjectionKind* projection);
    std::string misfit(const DistributionKind* distribution);

    // A workspace with its start point, for a run of the system with these numbers.
    template <class S> struct Begun {
        Loan<S> loan;
        StartPoint<S> start;
        double seconds = 0; // that it took to make it; 0 where it was there
    };
    template <class S> Begun<S> begin_run(const System& system, const Settings& options, Quad from, S t1);

    // The options of a solve: those of the problem, changed by these.
    Settings with(const RunOptions& run) const;
    // The system with other values of its parameters. Throws InvalidInput.
    System with_parameters(const RunOptions& run) const;
    // The same in a copy of the system that was made before, with parameters of the same names.
    static void set_parameters(const RunOptions& run, System& system);

private:
    ProblemCore(std::shared_ptr<const System> system, const ProblemCore& other)
        : system_(std::move(system)), options_(other.options_), method_(other.method_) {}

    std::string misfit(Settings options);
    template <class S> std::shared_ptr<Pool<S>> pool(const Settings& options);
    template <class S> struct Pools {
        std::shared_ptr<Pool<S>> in_time, in_arclength;
    };

    std::shared_ptr<const System> system_;
    Settings options_;
    const method::MethodInfo& method_;
    std::mutex mutex_; // of the pools
    Pools<double> double_pools_;
    Pools<Quad> quad_pools_;
};

// Problems of systems that were not made by a Model.
class ProblemAccess {
public:
    // With options as for ProblemCore.
    static Problem make(const System& system, const SolveOptions& options) {
        return Problem(std::make_shared<ProblemCore>(system, options));
    }
};

} // namespace vessiot
