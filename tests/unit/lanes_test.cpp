// Members of ensembles side by side in lanes: the bits of members that run alone, whatever happens to their neighbours;
// the lists that make this possible, and their texts for graphics processors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/near_power.hpp"
#include "core/temporary_folder.hpp"
#include "ensemble/rounds.hpp"
#include "ensemble/whole/whole_gpu.hpp"
#include "expr/kernel/evaluator.hpp"
#include "lanes/control_list.hpp"
#include "lanes/gpu/gpu_crew.hpp"
#include "lanes/single_run.hpp"
#include "model/builder.hpp"
#include "solve/options/options.hpp"
#include "support/refusal.hpp"
#include "support/skip.hpp"
#include "vessiot/ensemble.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::lanes_test {
namespace {

using expr::StraightBuilder;
using lanes::ControlList;
using test::has;
using test::refusal;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// f of each number, by a list on the interpreter or as native code, in one lane or eight.
template <class Put>
std::vector<double> computed(const std::vector<double>& x, expr::Backend backend, int n_lanes, const Put& put) {
    StraightBuilder b;
    const auto in = b.input("in", 1), out = b.output("out", 1);
    ControlList list(b);
    b.store(out, 0, put(list, b.read(in, 0)));
    expr::Evaluator f(b.kernel(), {.backend = backend, .lanes = n_lanes});
    std::vector<double> result(x.size());
    for (std::size_t k = 0; k + static_cast<std::size_t>(n_lanes) <= x.size(); k += static_cast<std::size_t>(n_lanes)) {
        const double* inputs[] = {x.data() + k};
        double* outputs[] = {result.data() + k};
        f(inputs, outputs);
    }
    return result;
}

template <class Put, class Function>
void expect_bits_of(const std::vector<double>& x, const Put& put, const Function& function) {
    std::vector<double> expected;
    for (const double v : x) expected.push_back(function(v));
    std::vector<expr::Backend> backends{expr::Backend::interpreter};
    if (expr::plugin().available()) backends.push_back(expr::Backend::jit);
    for (const expr::Backend backend : backends)
        for (const int n_lanes : {1, 8}) EXPECT_TRUE(same_bits(computed(x, backend, n_lanes, put), expected));
}

TEST(ControlList, HasTheBitsOfTheControllersPowers) {
    std::mt19937_64 random(7);
    std::vector<double> sizes{0,
                              1,
                              2,
                              0.5,
                              1e-30,
                              1e30,
                              5e-324,
                              1e-310,
                              2.2250738585072014e-308,
                              1.7976931348623157e308,
                              INFINITY,
                              1.4142135623730951,
                              1.4142135623730949,
                              1 + 0x1p-52,
                              1 - 0x1p-53,
                              4};
    std::vector<double> logarithms{0,      -0.0,    1,     -1,     0.5, -0.5, 1e-20, -1e-20,
                                   1022.9, -1021.9, 12.25, -12.25, 3,   -3,   7.5,   -7.5};
    for (int k = 0; k < 4000; ++k) {
        sizes.push_back(std::exp2(std::uniform_real_distribution(-90.0, 90.0)(random)));
        logarithms.push_back(std::uniform_real_distribution(-30.0, 30.0)(random));
    }
    expect_bits_of(sizes, [](ControlList& l, auto x) { return l.near_log2(x); }, near_log2);
    expect_bits_of(logarithms, [](ControlList& l, auto x) { return l.near_exp2(x); }, near_exp2);
    expect_bits_of(sizes, [](ControlList& l, auto x) { return l.word(x); }, as_word);
    std::vector<double> words;
    for (const double x : logarithms) words.push_back(begin_of_power + word_unit * x);
    expect_bits_of(words, [](ControlList& l, auto x) { return l.rough_power(x); }, rough_power);
}

struct Study {
    std::string model, method;
    double to, rtol;
    std::vector<Vary> vary;
    std::string project = "auto";
};

const std::vector<Study> studies{
    {"pendulum", "dop853", 3, 1e-8, {Vary::linear("g", 1, 20, 61)}},
    {"pendulum", "dopri54", 1, 1e-6, {Vary::linear("l", 0.3, 3, 61)}},
    {"henon_heiles_plain", "dop853", 20, 1e-8, {Vary::linear("start:y1", -0.3, 0.3, 61)}},
    {"double_pendulum", "dop853", 2, 1e-8, {Vary::linear("m1", 0.5, 2, 9), Vary::linear("start:alpha", -2, 2, 5)}},
    {"kepler", "tsit54", 20, 1e-7, {Vary::linear("e", 0, 0.9, 61)}},
    {"euler_top", "dop853", 5, 1e-8, {Vary::linear("I1", 1.2, 3, 61)}},
    {"lotka_volterra", "bs32", 5, 1e-5, {Vary::linear("start:x", 0.1, 2, 61)}},
    {"four_bar", "dop853", 0.5, 1e-7, {Vary::linear("T", 0, 2, 33)}},
    {"andrews", "dop853", 0.002, 1e-6, {Vary::linear("mom", 0.03, 0.036, 17)}},
    {"arenstorf", "dop853", 2, 1e-9, {Vary::linear("mu", 0.01, 0.02, 33)}},
    {"pendulum", "", 2, 1e-6, {Vary::linear("g", 1, 20, 41)}}, // auto
    {"pendulum", "dopri54", 2, 1e-6, {Vary::linear("g", 1, 20, 41)}, "stages"},
    {"euler_top", "dop853", 5, 1e-8, {Vary::linear("I1", 1.2, 3, 41)}, "stages"},
};

Model model_of(const std::string& name) {
    if (name != "henon_heiles_plain") return Model::load(VESSIOT_SOURCE_DIR "/gallery/" + name + ".ves");
    return Model::parse("unknown y1, y2\ny1'' = -y1 - 2*y1*y2\ny2'' = -y2 - y1^2 + y2^2\n"
                        "invariant (y1'^2 + y2'^2 + y1^2 + y2^2)/2 + y1^2*y2 - y2^3/3\n"
                        "start y1 = 0.12, y2 = 0.12, y1' = 0.12, y2' = 0.12\nsolve t = 0 .. 100\n");
}

Problem problem_of(const Study& s, const std::string& backend = "auto") {
    SolveOptions options{
        .rtol = s.rtol, .atol = s.rtol / 100, .to = s.to, .backend = backend, .throw_on_failure = false};
    if (!s.method.empty()) options.method = s.method;
    options.project = s.project;
    return Problem(model_of(s.model), options);
}

EnsembleOptions members_of(const Study& s, Lanes lanes, int threads = 1) {
    EnsembleOptions options{.vary = s.vary, .threads = threads, .lanes = lanes};
    return options;
}

void expect_same(const EnsembleResult& a, const EnsembleResult& b, const std::string& what) {
    EXPECT_TRUE(same_bits(a.members.values, b.members.values)) << what;
    EXPECT_TRUE(same_bits(a.members.t, b.members.t)) << what;
    EXPECT_EQ(a.members.steps, b.members.steps) << what;
    EXPECT_EQ(a.members.status, b.members.status) << what;
    EXPECT_EQ(a.members.messages, b.members.messages) << what;
}

TEST(Lanes, HaveTheBitsOfMembersAlone) {
    for (const Study& s : studies) {
        const std::string what = s.model + " " + s.method;
        const EnsembleResult alone = problem_of(s, "interpreter").ensemble(members_of(s, Lanes::one));
        const Problem problem = problem_of(s);
        expect_same(problem.ensemble(members_of(s, Lanes::one)), alone, what + " native");
        expect_same(problem.ensemble(members_of(s, Lanes::eight)), alone, what);
        expect_same(problem.ensemble(members_of(s, Lanes::eight, 3)), alone, what + " threads");
        expect_same(problem_of(s, "interpreter").ensemble(members_of(s, Lanes::eight)), alone, what + " interpreter");
        EXPECT_EQ(alone.counts[0], alone.done()) << what;
    }
}

TEST(Lanes, HaveTheBitsOfSingleSolves) {
    const Study& s = studies.front();
    const Problem problem = problem_of(s);
    const EnsembleResult all = problem.ensemble(members_of(s, Lanes::eight));
    for (const std::int64_t k : {0, 17, 60}) {
        const Solution one = problem.solve({.parameters = {{"g", all.members.varied[static_cast<std::size_t>(k)]}}});
        EXPECT_EQ(all.value(k, "x"), one.numbers[one.numbers.size() - one.names.size() + one.column_of("x")]);
    }
}

// Points between steps: none, one or many in a step, at ends of steps, before all others.
TEST(Lanes, KeepPointsOfGrids) {
    for (const Study& s : studies) {
        if (s.model == "andrews") continue; // long, and as the others
        const Problem problem = problem_of(s);
        for (const double part : {0.23, 0.01, 0.0007}) {
            EnsembleOptions options = members_of(s, Lanes::one);
            if (part < 0.01 && &s != studies.data()) continue;
            options.run.every = part * s.to;
            options.record = Record::points;
            const EnsembleResult alone = problem.ensemble(options);
            options.lanes = Lanes::eight;
            expect_same(problem.ensemble(options), alone, s.model + " " + s.method);
        }
    }
    const Problem problem = problem_of(studies.front());
    EnsembleOptions options = members_of(studies.front(), Lanes::one);
    options.run.at = {0, 1e-9, 0.5, 0.5 + 1e-12, 1.7, studies.front().to};
    options.record = Record::points;
    const EnsembleResult alone = problem.ensemble(options);
    options.lanes = Lanes::eight;
    expect_same(problem.ensemble(options), alone, "at");
}

// Neighbours that fail, have no start point, explode or meet a singular place.
TEST(Lanes, AreNotDisturbedByMembersThatFail) {
    const Model model = Model::parse("parameter a = 1\nunknown x, y\nx' = a*x^2 + y\ny' = -y\n"
                                     "start x = 1, y = 1\nsolve t = 0 .. 2\n");
    EnsembleOptions options{.table_names = {"a", "start:x"}, .lanes = Lanes::one};
    for (int k = 0; k < 40; ++k)
        for (const double v : {k % 5 == 0 ? 1.0 : -1.0 - k, k % 7 == 3 ? 1e300 : 0.1 * k}) options.table.push_back(v);
    for (const std::string method : {"dop853", "dopri54", "tsit54"}) {
        const Problem problem(model, {.method = method, .rtol = 1e-6, .max_steps = 400, .throw_on_failure = false});
        options.lanes = Lanes::one;
        const EnsembleResult alone = problem.ensemble(options);
        EXPECT_GT(alone.counts[1], 3);
        EXPECT_GT(alone.counts[0], 3);
        options.lanes = Lanes::eight;
        expect_same(problem.ensemble(options), alone, method);
    }
    const Problem pendulum = problem_of(studies.front());
    EnsembleOptions starts{.vary = {Vary::linear("l", -1, 1, 41)}, .lanes = Lanes::one};
    const EnsembleResult alone = pendulum.ensemble(starts);
    EXPECT_GT(alone.counts[2] + alone.counts[1], 0); // l = 0
    starts.lanes = Lanes::eight;
    expect_same(pendulum.ensemble(starts), alone, "impossible starts");
}

TEST(Lanes, LeaveToThreadsWhatHasNoRounds) {
    const Problem problem(model_of("pendulum"), {.method = "radau5", .rtol = 1e-6, .to = 1});
    EnsembleOptions options{.vary = {Vary::linear("g", 1, 20, 9)}, .lanes = Lanes::one};
    const EnsembleResult alone = problem.ensemble(options);
    options.lanes = Lanes::eight;
    expect_same(problem.ensemble(options), alone, "radau5");
}

TEST(Lanes, StopWhenTold) {
    const Problem problem(model_of("pendulum"), {.method = "dop853", .to = 1e6, .max_steps = 1000000000});
    EnsembleOptions options{.vary = {Vary::linear("g", 1, 20, 100)}, .threads = 2, .lanes = Lanes::eight};
    int n = 0;
    options.progress = [&](const EnsembleProgress&) { return ++n < 4; };
    EXPECT_EQ(problem.ensemble(options).status, MemberStatus::interrupted);
}

// The round of a model, as the members of an ensemble have it; none where it has none.
ensemble::Rounds rounds_of(const Model& model, const std::string& method) {
    const System system = ModelAccess::system(model);
    SolveOptions options{.rtol = 1e-6, .to = 1};
    if (!method.empty()) options.method = method;
    const auto core = std::make_shared<ProblemCore>(system, with_model_options(system, options));
    Told told(*core);
    told.tell(RunOptions{.dense = false, .keep = 2});
    SolveInParts solve(*core, told);
    ensemble::Rounds rounds;
    while (!solve.run().is_over() && !rounds.lend(solve.run())) solve.run().advance();
    return rounds;
}

std::string text_of(const std::string& model, const std::string& method, std::string& error) {
    const ensemble::Rounds rounds = rounds_of(model_of(model), method);
    return rounds.kernel() ? lanes::round_text(*rounds.kernel(), rounds.n(), error) : "";
}

// What is compared above is indeed made in lanes.
TEST(Lanes, AreUsed) {
    for (const Study& s : studies)
        EXPECT_TRUE(rounds_of(model_of(s.model), s.method).kernel()) << s.model << " " << s.method;
}

// The lists of whole members of a study; none where they are not plain.
std::optional<ensemble::WholeLists> whole_lists_of(const Study& s) {
    const System system = ModelAccess::system(model_of(s.model));
    SolveOptions options{.rtol = s.rtol, .atol = s.rtol / 100, .to = s.to, .throw_on_failure = false};
    if (!s.method.empty()) options.method = s.method;
    const auto core = std::make_shared<ProblemCore>(system, with_model_options(system, options));
    const EnsembleOptions all = members_of(s, Lanes::eight);
    const EnsembleResult members = problem_of(s).ensemble(all);
    const std::size_t n = members.head.varied.size();
    return ensemble::make_whole_lists({*core, members.head.varied, members.head.columns, members.done(),
                                       [&](std::int64_t m, std::span<double> values) {
                                           RunOptions run{.dense = false, .throw_on_failure = false, .keep = 2};
                                           for (std::size_t k = 0; k < n; ++k) {
                                               values[k] = members.members.varied[static_cast<std::size_t>(m) * n + k];
                                               const std::string& name = members.head.varied[k];
                                               if (name.starts_with("start:"))
                                                   run.start.emplace_back(name.substr(6), values[k]);
                                               else
                                                   run.parameters.emplace_back(name, values[k]);
                                           }
                                           return run;
                                       }});
}

// Of these, members are lists from their first number to their last. Not of dopri54, which looks twice at a first step,
// of auto, which looks for stiffness, where the determinant of masses is watched, and where invariants are imposed
// while parameters vary.
TEST(Lanes, AreWholeMembers) {
    const std::vector<std::string> whole{"pendulum dop853", "henon_heiles_plain dop853", "lotka_volterra bs32",
                                         "andrews dop853"};
    for (const Study& s : studies) {
        const std::string name = s.model + " " + s.method;
        EXPECT_EQ(whole_lists_of(s).has_value(), std::ranges::find(whole, name) != whole.end()) << name;
    }
}

// Start points that have to be moved, or do not exist; members that fail on their way.
TEST(Lanes, LeaveMembersThatAreNotPlainAlone) {
    const auto model = [](bool is_moved) {
        if (is_moved) return model_of("pendulum");
        return Model::parse("parameter a = 1, b = 2\nunknown x, y\nx' = a*x^2 + b*y\ny' = -y\n"
                            "start x = cos(a), y = 1\nsolve t = 0 .. 2\noutput o = x*y' + sin(b)\n");
    };
    for (const bool is_moved : {false, true}) {
        const Problem problem(model(is_moved),
                              {.method = "dop853", .rtol = 1e-7, .max_steps = 300, .throw_on_failure = false});
        EnsembleOptions options{.table_names = is_moved ? std::vector<std::string>{"g", "start:x"}
                                                        : std::vector<std::string>{"a", "start:x"}};
        for (int k = 0; k < 300; ++k)
            for (const double v : {-2 + 0.03 * k, k % 50 == 7              ? 1e200
                                                  : k % 40 == 3            ? std::nan("")
                                                  : is_moved && k % 3 == 0 ? 0.9
                                                                           : 1.0})
                options.table.push_back(v);
        options.lanes = Lanes::one;
        const EnsembleResult alone = problem.ensemble(options);
        EXPECT_GT(alone.counts[0], 20);
        EXPECT_GT(alone.done() - alone.counts[0], 5);
        options.lanes = Lanes::eight;
        expect_same(problem.ensemble(options), alone, is_moved ? "moved" : "explodes");
        options.threads = 2;
        options.reduce = {{.kind = Reduction::Kind::mean}, {.kind = Reduction::Kind::quantile, .levels = {0.5}}};
        const EnsembleResult two = problem.ensemble(options);
        expect_same(two, alone, "two threads");
        options.lanes = Lanes::one;
        const EnsembleResult one = problem.ensemble(options);
        for (std::size_t k = 0; k < one.statistics.size(); ++k) {
            EXPECT_EQ(one.statistics[k].mean, two.statistics[k].mean);
            EXPECT_EQ(one.statistics[k].deviation, two.statistics[k].deviation);
            EXPECT_EQ(one.statistics[k].quantiles, two.statistics[k].quantiles);
        }
    }
}

void expect_same(const Solution& a, const Solution& b, const std::string& what) {
    EXPECT_TRUE(same_bits(a.t, b.t)) << what;
    EXPECT_TRUE(same_bits(a.numbers, b.numbers)) << what;
    EXPECT_EQ(a.message, b.message) << what;
    for (const StatsCount& c : stats_counts) EXPECT_EQ(a.stats.*c.at, b.stats.*c.at) << what << " " << c.name;
    ASSERT_EQ(a.trace.size(), b.trace.size()) << what;
    for (std::size_t k = 0; k < a.trace.size(); ++k) {
        EXPECT_EQ(a.trace[k].t, b.trace[k].t) << what;
        EXPECT_EQ(a.trace[k].h, b.trace[k].h) << what;
        EXPECT_EQ(a.trace[k].residual, b.trace[k].residual) << what;
    }
}

// While it exists, runs are made by rounds from the first step on.
class RoundsAtOnce {
public:
    RoundsAtOnce() { setenv("VESSIOT_ROUNDS", "at-once", 1); }
    RoundsAtOnce(const RoundsAtOnce&) = delete;
    RoundsAtOnce& operator=(const RoundsAtOnce&) = delete;
    ~RoundsAtOnce() { unsetenv("VESSIOT_ROUNDS"); }
};

// By rounds, many in one call: all that is told about a run, too.
TEST(SingleRun, HasTheBitsOfStepsOneByOne) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const RoundsAtOnce at_once;
    for (const Study& s : studies) {
        SolveOptions options{.rtol = s.rtol, .atol = s.rtol / 100, .to = 4 * s.to, .throw_on_failure = false};
        options.dense = false;
        if (!s.method.empty()) options.method = s.method;
        options.project = s.project;
        const auto compare = [&](SolveOptions o, const std::string& what) {
            o.backend = "interpreter";
            const Solution one = solve(model_of(s.model), o);
            o.backend = "jit";
            expect_same(solve(model_of(s.model), o), one, s.model + " " + s.method + " " + what);
        };
        compare(options, "plain");
        SolveOptions ends = options;
        ends.keep = 2;
        compare(ends, "ends");
        SolveOptions grid = options;
        grid.every = s.to / 7;
        compare(grid, "grid");
        SolveOptions few = options;
        few.max_steps = 90;
        compare(few, "few steps");
        SolveOptions small = options;
        small.h_max = s.to / 200;
        compare(small, "small steps");
        SolveOptions loose = options; // more than one correction
        loose.rtol = loose.atol = 1e-3;
        compare(loose, "loose");
    }
}

// The code comes when the run is under way.
TEST(SingleRun, TakesOverInTheMiddleOfARun) {
    SolveOptions options{.method = "dop853", .rtol = 1e-9, .atol = 1e-9, .to = 250000};
    options.keep = 2;
    SolveOptions interpreter = options;
    interpreter.backend = "interpreter";
    const Solution one = solve(model_of("henon_heiles_plain"), interpreter);
    EXPECT_GT(one.stats.steps, 600000);
    expect_same(solve(model_of("henon_heiles_plain"), options), one, "long");
}

// A run whose next steps can be made by rounds, with code for them.
TEST(SingleRun, HasCodeForSmallSystems) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const RoundsAtOnce at_once;
    for (const Study& s : studies) {
        if (s.model == "andrews" || s.model == "four_bar") continue; // too many operations
        const System system = ModelAccess::system(model_of(s.model));
        SolveOptions options{.rtol = s.rtol, .to = s.to};
        if (!s.method.empty()) options.method = s.method;
        options.project = s.project;
        const auto core = std::make_shared<ProblemCore>(system, with_model_options(system, options));
        Told told(*core);
        told.tell(RunOptions{.dense = false, .keep = 2});
        SolveInParts solve(*core, told);
        std::optional<vessiot::Run<double>::Lent> lent; // NOTE: a test has a Run of its own
        while (!solve.run().is_over() && !(lent = solve.run().lend())) solve.run().advance();
        ASSERT_TRUE(lent) << s.model;
        lanes::SingleRun rounds(expr::EvaluatorOptions{});
        EXPECT_TRUE(rounds.is_ready({lent->kernels, lent->stretch, lent->controller})) << s.model;
    }
}

// The texts of rounds, and of all lists of whole members.
std::vector<std::string> texts_of(const std::string& model, std::string& error) {
    std::vector<std::string> texts{text_of(model, "dop853", error)};
    const auto study = std::ranges::find_if(studies, [&](const Study& s) {
        return s.model == model && s.method == "dop853" && model != "double_pendulum" && model != "kepler";
    });
    if (study == studies.end()) return texts;
    const auto lists = whole_lists_of(*study);
    EXPECT_TRUE(lists) << model;
    if (lists) std::ranges::copy(lanes::whole_texts(ensemble::whole_rounds(*lists), error), std::back_inserter(texts));
    EXPECT_EQ(texts.size(), 4U) << model << ": " << error;
    return texts;
}

void expect_correctly_rounded(const std::string& text, const std::string& model) {
    EXPECT_TRUE(has(text, ".visible .entry vessiot_")) << model;
    EXPECT_TRUE(has(text, "add.rn.f64") || has(text, "vessiot_record")) << model;
    EXPECT_FALSE(has(text, "fma")) << model;
    EXPECT_FALSE(has(text, ".approx")) << model;
    EXPECT_FALSE(has(text, ".ftz")) << model;
    EXPECT_FALSE(has(text, "call")) << model;
    EXPECT_FALSE(std::regex_search(text, std::regex("(add|sub|mul|div|sqrt|rcp)\\.f64"))) << model;
}

TEST(GpuText, HasCorrectlyRoundedOperationsOnly) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    for (const std::string model : {"pendulum", "henon_heiles_plain", "double_pendulum", "kepler", "andrews"}) {
        std::string error;
        for (const std::string& text : texts_of(model, error)) {
            ASSERT_FALSE(text.empty()) << model << ": " << error;
            expect_correctly_rounded(text, model);
        }
    }
}

// The assembler of NVIDIA, where VESSIOT_PTXAS names one (of PyPI's nvidia-cuda-nvcc-cu12): no register is spilled
// where a state fits.
TEST(GpuText, IsAssembled) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const char* const assembler = std::getenv("VESSIOT_PTXAS");
    if (!assembler) GTEST_SKIP() << "VESSIOT_PTXAS names no assembler";
    const TemporaryFolder folder;
    const std::string text = folder.path() / "round.ptx", log = folder.path() / "log";
    for (const std::string model : {"pendulum", "henon_heiles_plain", "double_pendulum", "andrews"}) {
        std::string error;
        std::ofstream(text) << text_of(model, "dop853", error);
        ASSERT_EQ(error, "");
        const std::string command = fmt::format("{} -arch=sm_90 -v {} -o /dev/null 2> {}", assembler, text, log);
        EXPECT_EQ(std::system(command.c_str()), 0) << model;
        std::ifstream file(log);
        const std::string said{std::istreambuf_iterator<char>(file), {}};
        std::cout << model << ": " << said;
        EXPECT_TRUE(model == "andrews" || has(said, "0 bytes spill stores")) << said;
    }
}

// As functions of the text: gpu_text_test executes them.
TEST(GpuText, HasElementaryFunctions) {
    VESSIOT_SKIP_WITHOUT_PLUGIN();
    const Model model = Model::parse("unknown x\nx' = -exp(x) - (1 + x^2)^0.3\nstart x = 1\nsolve t = 0 .. 1\n");
    const ensemble::Rounds rounds = rounds_of(model, "dop853");
    ASSERT_TRUE(rounds.kernel());
    std::string error;
    const std::string text = lanes::round_text(*rounds.kernel(), rounds.n(), error);
    EXPECT_EQ(error, "");
    EXPECT_TRUE(has(text, "call"));
    for (const char* word : {"fma", ".approx", ".ftz"}) EXPECT_FALSE(has(text, word));
}

TEST(Gpu, SaysWhatIsMissing) {
    const Problem implicit(model_of("pendulum"), {.method = "radau5", .to = 1});
    EnsembleOptions options{.vary = {Vary::linear("g", 1, 20, 9)}, .device = Device::gpu};
    EXPECT_TRUE(has(refusal([&] { implicit.ensemble(options); }), "no code for graphics processors"));
    const Problem problem = problem_of(studies.front());
    options.run.every = 1;
    options.record = Record::points;
    EXPECT_TRUE(has(refusal([&] { problem.ensemble(options); }), "the last point"));
}

} // namespace
} // namespace vessiot::lanes_test
