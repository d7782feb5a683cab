// Where the points of a run go as they are computed, so that a long run needs no memory for them.
//
//     vessiot::SolveOptions options{.to = 1e6, .keep = 10'000};
//     options.streams = {vessiot::csv_stream("run.csv")};
//     auto sol = vessiot::solve(model, options);       // all points are in run.csv, some in sol
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vessiot/solution.hpp"

namespace vessiot {

// What is known before the first point.
struct StreamHead {
    std::string model;
    std::string independent = "t";
    bool has_s = false; // points have an arclength
    std::vector<std::string> names, output_names, event_names;
    std::vector<std::string> sensitivity_names; // variables that points have derivatives by
    // Text about the run: version, model_text, and the options by their names, those that are not the default.
    std::vector<std::pair<std::string, std::string>> attributes;
};

// A reported point. What the spans refer to is gone after the call.
struct StreamPoint {
    double t = 0, s = 0;
    std::span<const double> values, outputs; // in the order of the names
    // For each variable as many derivatives as there are values, and outputs.
    std::span<const double> sensitivities{}, output_sensitivities{};
};

// A crossing that was met: which of the event names, where.
struct StreamEvent {
    std::size_t event = 0;
    double t = 0;
    std::span<const double> values;
};

// All functions may throw OutputFailed: the run then ends, with that message, and keeps what it has.
class PointStream {
public:
    PointStream() = default;
    PointStream(const PointStream&) = delete;
    PointStream& operator=(const PointStream&) = delete;
    virtual ~PointStream() = default;

    // What it writes to, for messages: the name of a file.
    virtual std::string name() const = 0;
    // Does it read StreamHead::attributes? Finding them takes time.
    virtual bool needs_attributes() const { return false; }
    // The run begins, or begins again: what came before is dropped.
    virtual void begin(const StreamHead& head) = 0;
    virtual void add(const StreamPoint& point) = 0;
    virtual void add_event(const StreamEvent& /*event*/) {}
    // The run is over; `solution` has its status and statistics.
    virtual void end(const Solution& solution) = 0;

    // Of runs with a checkpoint. How much was added since begin(), in units of its own (bytes, rows): what resume()
    // needs to drop what came later.
    virtual std::vector<std::int64_t> position() const = 0;
    // What was added survives the end of the process, and of the machine.
    virtual void sync() = 0;
    // Goes on where an earlier process was when position() was this. Throws InvalidInput where what is there cannot be
    // that.
    virtual void resume(const StreamHead& head, std::span<const std::int64_t> position) = 0;
};

// A file of comma-separated values: a line of names, a line for each point. It grows while the run goes on.
std::shared_ptr<PointStream> csv_stream(const std::string& path);

// An HDF5 file (docs/results.md), which other programs can read while it grows; with further attributes, by name.
// Throws InvalidInput where this build has no HDF5.
std::shared_ptr<PointStream> hdf5_stream(const std::string& path,
                                         const std::vector<std::pair<std::string, std::string>>& attributes = {});

} // namespace vessiot
