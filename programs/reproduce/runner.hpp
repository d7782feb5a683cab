// Runs of gallery models under the conditions of a paper. Equal ones are computed once.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/solve.hpp"

namespace vessiot::reproduce {

using Settings = std::vector<std::pair<std::string, std::string>>;

// What is run: two settings are equal where all members are.
struct RunSetting {
    std::string model;          // of the gallery
    Settings set{};             // its parameters
    Settings options{};         // of the run, by their names in a model; `start` may occur several times
    std::string lines{};        // added to its text: outputs, invariants
    std::vector<double> kept{}; // values of its invariants, in their order; empty: those of the start point
    std::optional<std::vector<std::size_t>> invariants{}; // those of its invariants that are kept; all of them
    bool starts_at_nearest = false;    // of the start values, which all may move: also those that the model holds
    std::size_t parts_per_attempt = 0; // > 0: iterations of every step are counted (counted.hpp)

    friend bool operator==(const RunSetting&, const RunSetting&) = default;
    std::string text() const; // one line that tells settings apart
};

// Somebody wants no more of it.
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

class Runner {
public:
    using FindModel = std::function<std::filesystem::path(const std::string&)>;
    // Told from time to time what is run and how far it is; false ends it, with Interrupted.
    using Watch = std::function<bool(const RunSetting&, const Progress&)>;

    explicit Runner(FindModel find_model, Watch watch = {})
        : find_model_(std::move(find_model)), watch_(std::move(watch)) {}

    // A run that ends early is a Solution with the status failed that says why. A setting that is wrong is a mistake in
    // our tables, not a result: it throws InvalidInput.
    const Solution& run(const RunSetting& setting) { return made(setting).solution; }
    // Iterations of all projections of each of its steps, the one that crosses the end among them; of a setting that
    // counts them.
    const std::vector<std::int64_t>& iterations(const RunSetting& setting) { return made(setting).iterations; }
    // The least of a few runs, part by part: other programs on the machine only make them longer. Of one that takes
    // long, or that fails, those of one run.
    const Seconds& seconds(const RunSetting& setting);
    std::size_t n_runs() const { return runs_.size(); }

private:
    struct Run {
        Solution solution{};
        std::vector<std::int64_t> iterations{};
        std::optional<Seconds> least{};
    };
    Run& made(const RunSetting& setting);
    Run compute(const RunSetting& setting) const;

    FindModel find_model_;
    Watch watch_;
    std::map<std::string, std::unique_ptr<Run>> runs_; // by their text
};

} // namespace vessiot::reproduce
