// Runs that go on in another process: bit for bit as without a break, whatever the method, the projection, the
// distribution; and files that cannot be used.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "solve/options/option_text.hpp"
#include "solve/options/options.hpp"
#include "solve/run/checkpoint.hpp"
#include "support/refusal.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"
#include "vessiot/stream.hpp"
#include "vessiot/version.hpp"

namespace vessiot::checkpoint_test {
namespace {

namespace fs = std::filesystem;
using test::has;

Model gallery(const std::string& name, const std::vector<std::pair<std::string, std::string>>& set = {}) {
    return Model::load(std::string(VESSIOT_SOURCE_DIR) + "/gallery/" + name + ".ves", {.set = set});
}

// A folder that is gone with the test.
class Folder {
public:
    // In memory, where that can be had: the files are synchronised with their disk again and again.
    Folder()
        : path_((fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
                ("vessiot_checkpoint_" + std::to_string(::getpid()))) {
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    std::string operator()(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

bool is_equal(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// What differs between two solutions, in all bits; empty where nothing does.
std::string difference(const Solution& a, const Solution& b) {
    if (a.status != b.status || a.message != b.message) return "message: " + a.message + " / " + b.message;
    if (!is_equal(a.t, b.t)) return "t";
    if (!is_equal(a.s, b.s)) return "s";
    if (!is_equal(a.numbers, b.numbers)) {
        for (std::size_t k = 0; k < std::min(a.numbers.size(), b.numbers.size()); ++k)
            if (std::memcmp(&a.numbers[k], &b.numbers[k], sizeof(double)) != 0)
                return "values, first in row " + std::to_string(k / a.names.size());
        return "the number of values";
    }
    if (!is_equal(a.output_numbers, b.output_numbers)) return "outputs";
    if (a.notes != b.notes) return "notes";
    if (a.method.name != b.method.name || a.method.choice != b.method.choice) return "choice";
    if (a.events.size() != b.events.size()) return "the number of events";
    for (std::size_t k = 0; k < a.events.size(); ++k)
        if (a.events[k].name != b.events[k].name || a.events[k].t != b.events[k].t ||
            !is_equal(a.events[k].values, b.events[k].values) ||
            !is_equal(a.events[k].values_after, b.events[k].values_after))
            return "events";
    if (a.trace.size() != b.trace.size()) return "the number of steps in the trace";
    for (std::size_t k = 0; k < a.trace.size(); ++k)
        if (a.trace[k].t != b.trace[k].t || a.trace[k].h != b.trace[k].h ||
            std::memcmp(&a.trace[k].residual, &b.trace[k].residual, sizeof(double)) != 0)
            return "trace";
    if (a.constraint_residual_max != b.constraint_residual_max || a.invariant_drift_max != b.invariant_drift_max)
        return "residuals";
    for (const StatsCount& count : stats_counts)
        if (a.stats.*count.at != b.stats.*count.at)
            return fmt::format("{}: {} / {}", count.name, a.stats.*count.at, b.stats.*count.at);
    return "";
}

struct Case {
    std::string name;
    SolveOptions options;
    std::vector<std::pair<std::string, std::string>> set{};
};

std::string describe(const Case& c) {
    const SolveOptions& o = c.options;
    std::string text = c.name;
    for (const GivenOption& given : given_options(o)) text += fmt::format(" {}={}", given.name, given.text);
    return text;
}

constexpr std::int64_t n_steps = 90; // attempts in all

// Ends after so many attempts; null where the method does not fit.
std::optional<Solution> run(const Case& c, std::int64_t max_steps, const std::string& checkpoint,
                            const std::string& resume = "", const std::string& csv = "") {
    SolveOptions o = c.options;
    o.max_steps = max_steps;
    o.checkpoint = checkpoint;
    o.resume = resume;
    o.checkpoint_every = 0;
    o.checkpoint_steps = 7;
    o.throw_on_failure = false;
    if (!o.backend) o.backend = "interpreter";
    if (!csv.empty()) o.streams = {csv_stream(csv)};
    return solve(gallery(c.name, c.set), o);
}

// Uninterrupted, and in four processes' worth of pieces. True where it was run.
bool check(const Case& c) {
    const Folder folder;
    std::optional<Solution> whole;
    try {
        whole = run(c, n_steps, folder("whole"), "", folder("whole.csv"));
    } catch (const InvalidInput&) {
        return false; // what was asked for does not fit the problem
    }
    if (whole->stats.steps < 8) return false;
    const std::string csv = folder("parts.csv");
    run(c, 5, folder("parts"), "", csv); // before the first seven steps: on from the start
    EXPECT_TRUE(fs::exists(folder("parts"))) << describe(c);
    run(c, 29, folder("parts"), folder("parts"), csv);
    run(c, 58, folder("parts"), folder("parts"), csv);
    const std::optional<Solution> last = run(c, n_steps, folder("parts"), folder("parts"), csv);
    EXPECT_EQ(difference(*whole, *last), "") << describe(c);
    EXPECT_EQ(content(folder("whole.csv")), content(csv)) << describe(c);
    EXPECT_EQ(std::ranges::count(content(csv), '\n'), 1 + last->n_points) << describe(c);
    return true;
}

TEST(Checkpoint, EveryMethodGoesOnWithTheSameBits) {
    for (const method::MethodInfo& m : method::methods()) {
        int n = 0;
        for (const char* problem : {"pendulum", "kepler", "hairer_rigid_body", "attitude", "heat_dae", "airy_sl2",
                                    "lotka_volterra", "hamiltonian_pendulum", "euler_top"}) {
            if (n >= 2) break;
            n += check({problem, {.method = std::string(m.name)}});
            n += check({problem, {.method = std::string(m.name), .step = 0.01}});
        }
        EXPECT_GE(n, 1) << m.name << " was not tried";
    }
}

TEST(Checkpoint, EveryProjectionGoesOnWithTheSameBits) {
    for (const std::string_view word : projection_table().names()) {
        int n = 0;
        for (const char* problem : {"pendulum", "hairer_rigid_body", "euler_top", "attitude", "lotka_volterra"})
            for (const char* project : {"auto", "stages", "symmetric"})
                n += check({problem, {.projection = std::string(word), .project = project}});
        EXPECT_GE(n, 2) << word;
    }
}

TEST(Checkpoint, EveryDistributionGoesOnWithTheSameBits) {
    for (const std::string_view word : distribution_table().names()) {
        int n = 0;
        for (const char* problem : {"pendulum", "hanging_chain", "four_bar", "heat_dae", "kepler"})
            for (const char* parametrisation : {"time", "arclength"})
                n += check({problem, {.distribution = std::string(word), .parametrisation = parametrisation}});
        EXPECT_GE(n, 2) << word;
    }
}

TEST(Checkpoint, RunsThatTurnBackInTimeGoOn) {
    for (const char* problem : {"impasse", "circle_implicit", "plug_flow"})
        for (const char* distribution : {"auto", "kernel-svd", "kernel-rcg"}) {
            SolveOptions o{.distribution = distribution, .parametrisation = "arclength", .h_max = 0.05};
            EXPECT_TRUE(check({problem, o})) << problem << " " << distribution;
        }
}

TEST(Checkpoint, EventsGoOnWithTheSameBits) {
    for (const char* problem : {"circle_billiard", "pendulum_wall", "bouncing_ball", "henon_heiles"}) {
        EXPECT_TRUE(check({problem, {}})) << problem;
        EXPECT_TRUE(check({problem, {.step = 0.11}})) << problem;
        EXPECT_TRUE(check({problem, {.method = "radau5", .every = 0.05}})) << problem;
        EXPECT_TRUE(check({problem, {.parametrisation = "arclength", .h_max = 0.3}})) << problem;
    }
    EXPECT_TRUE(check({"henon_heiles", {.section = "section"}}));
}

TEST(Checkpoint, TheMethodAutoStaysWhatItIs) {
    for (const char* problem : {"robertson", "hires", "van_der_pol", "heat"})
        EXPECT_TRUE(check({problem, {}})) << problem;
}

TEST(Checkpoint, OtherOptions) {
    EXPECT_TRUE(check({"pendulum", {.every = 0.013}}));
    EXPECT_TRUE(check({"henon_heiles", {.rtol = 1e-4}}));
    EXPECT_TRUE(check({"henon_heiles", {.every = 0.5}}));
    EXPECT_TRUE(check({"pendulum", {.precision = "quad"}}));
    EXPECT_TRUE(check({"hairer_rigid_body", {.method = "radau5", .precision = "quad"}}));
    EXPECT_TRUE(check({"pendulum", {.backend = "jit"}}));
    for (const char* control : {"pi", "elementary", "doubling", "tuomela"})
        EXPECT_TRUE(check({"pendulum", {.control = control}})) << control;
}

// ---- files ----

std::string refusal(const Case& c, const std::string& path, const std::string& csv = "") {
    return test::refusal([&] { run(c, n_steps, path, path, csv); });
}

TEST(Checkpoint, OfAnotherRunIsRefusedWithWhatDiffers) {
    const Folder folder;
    const std::string path = folder("c"), csv = folder("a.csv");
    run({"pendulum", {}}, 40, path, "", csv);
    EXPECT_TRUE(has(refusal({"kepler", {}}, path, csv), "another model"));
    const std::string model = refusal({"pendulum", {}, {{"g", "1.62"}}}, path, csv);
    EXPECT_TRUE(has(model, "9.81") && has(model, "1.62")) << model;
    const std::string start = refusal({"pendulum", {.start = {{"x", 0.5}}}}, path, csv);
    EXPECT_TRUE(has(start, "--start")) << start;
    const std::string rtol = refusal({"pendulum", {.rtol = 1e-8}}, path, csv);
    EXPECT_TRUE(has(rtol, "--rtol 1e-06") && has(rtol, "--rtol 1e-08")) << rtol;
    EXPECT_TRUE(has(refusal({"pendulum", {}}, path), "same --out files"));
    EXPECT_TRUE(has(refusal({"pendulum", {}}, folder("nowhere"), csv), "No such file"));
}

TEST(Checkpoint, OfAnotherVersionOrBuildIsRefused) {
    const Folder folder;
    const std::string path = folder("c");
    const RunIdentity own{version(), build_identity(), "x' = 1", 7, {{"rtol", "1e-6"}}};
    write_checkpoint(path, own, "state");
    EXPECT_EQ(read_checkpoint(path, own), "state");
    const auto refused = [&](RunIdentity other) { return test::refusal([&] { read_checkpoint(path, other); }); };
    RunIdentity other = own;
    other.version = "99.1";
    EXPECT_EQ(refused(other), fmt::format("{} was written by vessiot {}, and this is 99.1, which may compute other "
                                          "bits: resume with that version, or start anew without --resume",
                                          path, version()));
    other = own;
    other.build = "0123456789abcdef";
    EXPECT_EQ(refused(other), fmt::format("{} was written by another build of vessiot {} ({}, and this is "
                                          "0123456789abcdef), which may compute other bits: resume with that build, or "
                                          "start anew without --resume",
                                          path, version(), build_identity()));
    other = own;
    other.fingerprint = 8;
    EXPECT_TRUE(has(refused(other), "a number, a definition or a table"));
}

// As by a program that counts something else, with the right hash around it.
TEST(Checkpoint, WithOtherFieldsIsRefusedByTheirNames) {
    const Folder folder;
    const std::string path = folder("c");
    const Case c{"pendulum", {}};
    run(c, 40, path);
    const std::string good = content(path);
    const auto renamed = [&](const std::string& from, const std::string& to) {
        std::string bytes = good;
        const std::size_t at = bytes.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        bytes.replace(at, from.size(), to); // of the same length
        const std::size_t body = bytes.find('\n') + 17;
        const std::uint64_t sum = checksum(std::string_view(bytes).substr(body));
        std::memcpy(bytes.data() + body - 8, &sum, sizeof sum);
        std::ofstream(path, std::ios::binary) << bytes;
        return refusal(c, path);
    };
    EXPECT_TRUE(has(renamed("sizes.floor", "sizes.flaar"), "damaged: it has no field 'sizes.floor'"));
    EXPECT_TRUE(has(renamed("solution.stats.rejected_error", "solution.stats.rejected_errar"), "rejected_error'"));
    std::ofstream(path, std::ios::binary) << good;
    EXPECT_TRUE(run(c, n_steps, path, path));
}

TEST(Checkpoint, ThatIsDamagedIsRefused) {
    const Folder folder;
    const std::string path = folder("c");
    const Case c{"pendulum", {}};
    run(c, 40, path);
    const std::string good = content(path);
    const auto with = [&](const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
        return refusal(c, path);
    };
    for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{25}, good.size() / 2, good.size() - 1})
        EXPECT_TRUE(has(with(good.substr(0, n)), n < 19 ? "no checkpoint" : "damaged")) << n;
    std::string flipped = good;
    flipped[good.size() - 100] = static_cast<char>(flipped[good.size() - 100] ^ 1);
    EXPECT_TRUE(has(with(flipped), "not those that were written"));
    std::string newer = good;
    newer[19] = '9';
    EXPECT_TRUE(has(with(newer), "format 9"));
    std::ofstream(path, std::ios::binary) << good;
    EXPECT_TRUE(run(c, n_steps, path, path));
}

TEST(Checkpoint, AnOutputThatIsNotAsItWasIsRefused) {
    const Folder folder;
    const std::string path = folder("c"), csv = folder("a.csv");
    const Case c{"pendulum", {}};
    run(c, 40, path, "", csv);
    const std::string good = content(csv);
    const auto with = [&](const std::string& text) {
        std::ofstream(csv, std::ios::binary) << text;
        return refusal(c, path, csv);
    };
    EXPECT_TRUE(has(with(good.substr(0, 100)), "it has 100 bytes"));
    EXPECT_TRUE(has(with("x" + good), "first line"));
    fs::remove(csv);
    EXPECT_TRUE(has(refusal(c, path, csv), "No such file"));
}

TEST(Checkpoint, ARunCanBeMadeLonger) {
    const Folder folder;
    Case c{"pendulum", {.to = 4.0, .every = 0.25, .h_max = 0.5}};
    const std::string path = folder("c"), csv = folder("a.csv");
    run(c, 100'000, path, "", csv);
    c.options.to = 8.0;
    const Solution longer = *run(c, 100'000, path, path, csv);
    const Solution whole = *run(c, 100'000, folder("d"), "", folder("b.csv"));
    EXPECT_EQ(longer.message, "reached t = 8");
    EXPECT_EQ(longer.t.size(), 33u);
    EXPECT_EQ(difference(whole, longer), ""); // the steps before the seam are the same, with the same largest step
    EXPECT_EQ(content(csv), content(folder("b.csv")));
    c.options.to = 1.0;
    const std::string before = content(csv);
    EXPECT_TRUE(has(refusal(c, path, csv), "nothing left to compute"));
    EXPECT_EQ(content(csv), before);
}

TEST(Checkpoint, ThatCannotBeWrittenEndsTheRun) {
    const Folder folder;
    const std::optional<Solution> s = run({"pendulum", {}}, n_steps, folder("no/folder"));
    EXPECT_EQ(s->status, Status::failed);
    EXPECT_TRUE(has(s->message, "no/folder cannot be written: No such file")) << s->message;
}

// The library of HDF5 waits for a block that is damaged to be mended where a file is written for others to read.
TEST(Checkpoint, ADamagedIndexOfATableIsRefusedAtOnce) {
    const Folder folder;
    const std::string checkpoint = folder("state"), table = folder("run.h5");
    const Model model = gallery("pendulum");
    SolveOptions o{.method = "rk4", .step = 1e-4, .max_steps = 30000, .throw_on_failure = false, .checkpoint_every = 0};
    o.streams = {hdf5_stream(table)};
    o.checkpoint = checkpoint;
    ASSERT_EQ(solve(model, o).stats.steps, 30000);
    const std::string whole = content(table), state = content(checkpoint);
    o.max_steps = 32000;
    o.resume = checkpoint;
    int n_damaged = 0;
    for (const std::string block : {"EAHD", "EAIB", "EASB", "EADB"}) // of an extensible array
        for (std::size_t at = whole.find(block); at != std::string::npos; at = whole.find(block, at + 1)) {
            std::string damaged = whole;
            damaged[at + 12] = static_cast<char>(damaged[at + 12] ^ 0x5a);
            std::ofstream(table, std::ios::binary) << damaged;
            std::ofstream(checkpoint, std::ios::binary) << state;
            o.streams = {hdf5_stream(table)};
            const auto begin = std::chrono::steady_clock::now();
            EXPECT_TRUE(has(test::refusal([&] { solve(model, o); }), "cannot be continued: ")) << block << " at " << at;
            EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << block << " at " << at;
            ++n_damaged;
        }
    EXPECT_GT(n_damaged, 10);
    std::ofstream(table, std::ios::binary) << whole;
    std::ofstream(checkpoint, std::ios::binary) << state;
    o.streams = {hdf5_stream(table)};
    EXPECT_EQ(solve(model, o).stats.steps, 32000);
}

} // namespace
} // namespace vessiot::checkpoint_test
