// Many runs of one problem, its members, with other parameters and start values: on all cores, with results and
// statistics that depend on neither the number of threads nor the order in which members finish. Member i has the bits
// of Problem::solve with its values.
//
//     const vessiot::Problem problem(model, {.method = "dop853", .rtol = 1e-8});
//     const auto all = problem.ensemble({.vary = {vessiot::Vary::linear("g", 1, 20, 1000)}});
//     all.value(17, "x");                                     // of member 17, where it ended
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vessiot/problem.hpp"
#include "vessiot/ranks.hpp"

namespace vessiot {

// What differs between members: a parameter "g", an element of one "m[2]", or a start value "start:x'".
struct Vary {
    enum class Kind : std::uint8_t { list, linear, logarithmic, uniform, normal, lognormal, triangular };

    std::string name;
    Kind kind = Kind::list;
    // A list: its values. linear, logarithmic, uniform: ends a, b; normal: mean, deviation; lognormal: those of the
    // logarithm; triangular: ends a, b, peak c.
    std::vector<double> numbers;
    std::int64_t count = 0; // of a linear or logarithmic grid

    static Vary linear(std::string name, double a, double b, std::int64_t n);
    static Vary logarithmic(std::string name, double a, double b, std::int64_t n);
    static Vary list(std::string name, std::vector<double> values);
    static Vary random(std::string name, Kind kind, std::vector<double> numbers);
};

enum class Sampling : std::uint8_t { random, latin, sobol };

// How many members a thread runs side by side, with the same bits: eight in the lanes of vectors, where the method is
// an explicit Runge-Kutta one and the system small; those that cannot go on there go on one by one.
enum class Lanes : std::uint8_t { automatic, one, eight };

// Where steps are made; the results are the same. Members begin and end on the processor, so that `automatic` is that
// one. gpu: a graphics processor of NVIDIA; InvalidInput where there is none or the method has no code for it.
enum class Device : std::uint8_t { automatic, cpu, gpu };

// What is kept of a member.
enum class Record : std::uint8_t {
    last,   // the point where it ended
    points, // those that `run` asks for (at, every), the same for all members
    all,    // all reported points: every step, or the crossings of a section
    events, // where events were met
};

// What is computed over the members, for every value at every recorded point.
struct Reduction {
    enum class Kind : std::uint8_t { mean, deviation, least, greatest, quantile, histogram };

    Kind kind = Kind::mean;
    std::vector<double> levels{}; // of quantiles, 0..1
    std::string name{};           // of a histogram: the value
    double from = 0, to = 0;      // of a histogram
    std::int64_t bins = 0;
};

enum class MemberStatus : std::uint8_t {
    success,
    failed,      // the run ended early; what was computed is kept
    no_start,    // there is no run with these values
    interrupted, // not run, or not to its end, since the ensemble was stopped
    stopped,     // an observer ended the run; its last point is kept, and counts in statistics
};
constexpr std::size_t n_member_statuses = 5;
inline std::string_view name(MemberStatus status) {
    constexpr std::string_view names[] = {"success", "failed", "no_start", "interrupted", "stopped"};
    return names[static_cast<std::size_t>(status)];
}

struct EnsembleProgress {
    std::int64_t done = 0, failed = 0, all = 0;
    double seconds = 0;
};

class MemberStream;

struct EnsembleOptions {
    std::vector<Vary> vary{};
    bool zip = false;         // grids are gone through together, not multiplied
    std::int64_t samples = 0; // of each point of the grids, where something is random
    std::uint64_t seed = 0;
    Sampling sampling = Sampling::random;
    // Members as a table instead: a row each, row-major.
    std::vector<std::string> table_names{};
    std::vector<double> table{};

    RunOptions run{}; // what all members have: interval, points, parameters
    Record record = Record::last;
    std::vector<std::string> outputs{}; // unknowns and outputs that are kept; empty: all
    std::vector<Reduction> reduce{};
    bool keeps_members = true; // else statistics only, in memory that does not grow

    int threads = 0;                // 0: all cores
    Lanes lanes = Lanes::automatic; // of each
    Device device = Device::automatic;
    std::int64_t shard = 0, n_shards = 1; // which part of the members is run
    std::int64_t max_failures = 0;        // > 0: the ensemble ends after so many failed members
    std::string checkpoint{}, resume{};   // files
    std::shared_ptr<Ranks> ranks{}; // processes that run the members together, as in mpi_ranks(); null: this one alone
    std::vector<std::shared_ptr<MemberStream>> streams{}; // members go there as they are computed, in their order
    std::vector<std::pair<std::string, std::string>> attributes{}; // further text for files, by name
    std::function<bool(const EnsembleProgress&)> progress{}; // called ten times a second; false stops the ensemble
    std::stop_token stop{};
};

// What is known before the first member is done.
struct EnsembleHead {
    std::string model, independent = "t";
    std::vector<std::string> varied, columns; // names
    std::vector<std::string> varied_by;       // for each that varied: "1..20:1000", "normal(9.81,0.1)", "table"
    Record record = Record::last;
    std::vector<double> t{}; // of the recorded points (Record::points)
    std::vector<Reduction> reduce{};
    std::int64_t n_members = 0; // of all shards
    std::int64_t shard = 0, n_shards = 1;
    std::vector<std::pair<std::string, std::string>> attributes{}; // text about the runs: version, options

    bool is_ragged() const { return record == Record::all || record == Record::events; }
    std::size_t n_points() const { return record == Record::points ? t.size() : 1; }
};

// Members that follow each other.
struct MemberBlock {
    std::int64_t first = 0; // its number
    std::vector<MemberStatus> status{};
    std::vector<std::int64_t> steps{};
    std::vector<double> t{};      // where each ended
    std::vector<double> varied{}; // rows
    // For each member n_points rows of the columns, not a number where it did not come to; ragged: as many rows as
    // row_count says, with their t in row_t, and of events which one in row_event.
    std::vector<double> values{};
    std::vector<std::int64_t> row_count{};
    std::vector<double> row_t{};
    std::vector<std::string> row_event{};
    // Number in the block and text: of members that failed why, of others what their runs noted.
    std::vector<std::pair<std::int64_t, std::string>> messages{};

    std::int64_t size() const { return static_cast<std::int64_t>(status.size()); }
};

struct EnsembleResult;

// Where members go. All functions may throw OutputFailed.
class MemberStream {
public:
    MemberStream() = default;
    MemberStream(const MemberStream&) = delete;
    MemberStream& operator=(const MemberStream&) = delete;
    virtual ~MemberStream() = default;

    virtual std::string name() const = 0;
    virtual void begin(const EnsembleHead& head) = 0;
    virtual void add(const MemberBlock& block) = 0;
    virtual void end(const EnsembleResult& result) = 0;
};

// Over members that came to a point; `last`: over those that reached the end.
struct ColumnStatistics {
    std::int64_t count = 0;
    double mean = 0, deviation = 0, least = 0, greatest = 0; // deviation: of a sample, divided by count - 1
    std::vector<double> quantiles{};                         // in the order of the levels
};

struct Histogram {
    std::string name;
    double from = 0, to = 0;
    std::int64_t below = 0, above = 0;
    std::vector<std::int64_t> counts;
};

struct EnsembleFailure {
    std::string message; // of the first one
    std::int64_t count = 0, first = 0;
    std::vector<double> values{}; // what varied, of the first one
};

struct EnsembleResult {
    EnsembleHead head;
    MemberStatus status = MemberStatus::success; // of the whole: interrupted, or failed where max_failures was reached
    std::int64_t counts[n_member_statuses] = {}; // by MemberStatus
    std::vector<EnsembleFailure> failures;       // alike but for their numbers, most frequent first
    std::vector<std::string> notes; // of runs that reached their end: how many, which was the first, and what it says
    double seconds = 0;
    std::string device = "cpu"; // where steps were made: "cpu", or the name of a graphics processor
    double device_seconds = 0;  // that it was busy

    MemberBlock members; // all of them, where they are kept
    // A row of columns for each recorded point.
    std::vector<ColumnStatistics> statistics;
    std::vector<double> quantile_levels;
    bool are_quantiles_exact = true;
    std::vector<Histogram> histograms; // for each one asked for, one a point

    std::int64_t done() const { return counts[0] + counts[1] + counts[2] + counts[4]; }
    // A value of a member at a recorded point. Throws InvalidInput where there is none of the name.
    double value(std::int64_t member, std::string_view name, std::size_t point = 0) const;
    const ColumnStatistics& statistic(std::string_view name, std::size_t point = 0) const;
    std::size_t column_of(std::string_view name) const;
};

// Text as on the command line: g=1..20:1000, g=log(1..20):50, g=[1,2,3], g=normal(9.81,0.1), g=file.csv:column.
Vary read_vary(std::string_view text);
// What stands behind "NAME=" in such a text; of a list that is longer than most, its first values and how many there
// are.
std::string text_of(const Vary& vary);
// mean, std, min, max, quantile(0.05,0.5), histogram(x,-1..1,20)
std::vector<Reduction> read_reductions(std::string_view text);
// A table with a line of names: EnsembleOptions::table_names and table.
void read_members(const std::string& path, EnsembleOptions& options);

// What the shards of an ensemble wrote (files that end in .part), put together. Throws InvalidInput where they do not
// belong together or where one is missing.
EnsembleResult merge_parts(const std::vector<std::string>& paths,
                           const std::vector<std::shared_ptr<MemberStream>>& streams, bool keeps_members = true);

// Files of members: a line for each member and point; HDF5 as docs/ensembles.md says (throws InvalidInput where this
// build has none).
std::shared_ptr<MemberStream> members_csv(const std::string& path);
std::shared_ptr<MemberStream> members_hdf5(const std::string& path);
// A picture, .png or .svg: quantiles over t (a fan), a heat map over two grids, values over what varied.
std::shared_ptr<MemberStream> members_plot(const std::string& path);

} // namespace vessiot
