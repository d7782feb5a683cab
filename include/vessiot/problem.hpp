// A model analysed, completed and compiled once, to be solved many times with other numbers, from any number of
// threads.
//
//     const auto model = vessiot::Model::load("pendulum.ves");
//     const vessiot::Problem problem(model, {.method = "dop853", .rtol = 1e-10});
//     for (double g : {9.81, 3.7, 1.62}) {
//         const auto sol = problem.solve({.parameters = {{"g", g}}, .to = 20});
//         use(sol(3.7, "x"));
//     }
//
// The answer is that of a fresh vessiot::solve with the same numbers, bit for bit.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/integrator.hpp"
#include "vessiot/solution.hpp"
#include "vessiot/solve.hpp"

namespace vessiot {

class Model;
struct CallableSystem;
class ProblemCore;
struct EnsembleOptions;
struct EnsembleResult;

// A number, or the elements of an array in row-major order.
class ParameterValue {
public:
    ParameterValue(double value) : values{value} {}
    ParameterValue(std::initializer_list<double> all) : values(all) {}
    ParameterValue(std::vector<double> all) : values(std::move(all)) {}
    std::vector<double> values;
};

// What a single solve is told; the rest was said when the problem was made. What is not given is as the problem has it.
struct RunOptions {
    // Parameters of the model by name, "g", or an element of one, "m[2]"; what is computed from them follows. One that
    // sizes arrays or bounds loops cannot be among them.
    std::vector<std::pair<std::string, ParameterValue>> parameters{};
    std::vector<std::pair<std::string, double>> start{}; // start values: {"x[3]'", 0.5}, beside those of the problem
    std::vector<std::pair<std::string, double>> guess{}; // where algebraic unknowns are looked for: {"lambda", 5}
    std::optional<double> from{}, to{};                  // the interval; from == to gives the start point alone
    std::optional<double> to_s{};                        // arclength at which to end, in that parametrisation
    std::optional<std::vector<double>> at{};             // points to report, in any order
    std::optional<double> every{};                       // report at multiples of this, and at the end
    std::optional<std::string> section{};                // report the crossings of this event, and nothing else
    std::optional<bool> dense{};                         // keep the curve, so that sol(t) works
    std::optional<bool> throw_on_failure{};              // SolveFailed for a run that ended early
    std::vector<std::shared_ptr<PointStream>> streams{}; // points go there as they are computed
    std::optional<std::int64_t> keep{};                  // > 0: at most so many points stay in memory
    std::string checkpoint{}, resume{};                  // files, as in SolveOptions
    std::function<bool(const Progress&)> progress{};     // called from time to time; false stops the run
    std::stop_token stop{};                              // ends the run within a step where it asks for it
    Observer<StepView> on_step{};                        // called after every accepted step: observer.hpp
    Observer<EventView> on_event{};                      // called where an event is met
};

class Problem {
public:
    // Options of a run that are given here are those of every solve that does not give its own. Throws InvalidInput
    // where the model, the options or the start point do not fit.
    explicit Problem(const Model& model, const SolveOptions& options = {});
    explicit Problem(const CallableSystem& system, const SolveOptions& options = {}); // callable.hpp
    Problem(const Problem&) = default;                                                // they share what was made
    Problem& operator=(const Problem&) = default;
    Problem(Problem&&) noexcept = default;
    Problem& operator=(Problem&&) noexcept = default;
    ~Problem();

    // Throws InvalidInput where the numbers do not fit, and SolveFailed where the run ends early, unless it is told
    // not to; the problem stays as it was. Any number of threads may solve at the same time.
    Solution solve(const RunOptions& options = {}) const;
    // A run that is stepped by hand.
    Integrator begin(const RunOptions& options = {}) const;
    // Many runs, on all cores: vessiot/ensemble.hpp.
    EnsembleResult ensemble(const EnsembleOptions& options) const;

    // Why a method of methods() does not fit: what it needs, and what is there; empty where it does.
    std::string misfit(const std::string& method) const;
    // The same of projections() and distributions(), with the method of this problem.
    std::string projection_misfit(const std::string& projection) const;
    std::string distribution_misfit(const std::string& distribution) const;

    const std::string& name() const;                  // of the model
    std::vector<std::string> parameter_names() const; // those that a solve may change

private:
    friend class ProblemAccess;
    explicit Problem(std::shared_ptr<ProblemCore> core);

    std::shared_ptr<ProblemCore> core_;
};

} // namespace vessiot
