// What is said and written about a solution: columns, CSV, JSON, the summary.
#include "vessiot/solution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/utf8.hpp"

namespace vessiot::solution_test {
namespace {

namespace fs = std::filesystem;

// Three points of a made-up pendulum.
Solution made_up() {
    Solution s;
    s.message = "reached t = 0.3";
    s.model = "pendulum";
    s.system = {.system_class = "holonomic",
                .order = 2,
                .unknowns = 3,
                .equations = 3,
                .hidden_constraints = 2,
                .index = 3,
                .structural_index = 3,
                .degrees_of_freedom = 1,
                .manifold_dimension = 3};
    s.method = {.name = "dopri54",
                .order = 5,
                .projection = "simplified",
                .project = "steps",
                .distribution = "kkt",
                .parametrisation = "time",
                .precision = "double",
                .rtol = 1e-6,
                .atol = 1e-9};
    s.notes = {"lambda was computed"};
    s.t = {0, 0.1, 0.3};
    s.names = {"x", "x'", "p[2,3]"};
    s.numbers = {1, -0.0, 1e-300, 0.1 + 0.2, 2, 3, std::numeric_limits<double>::infinity(), std::nan(""), 1.0 / 3};
    s.output_names = {"E"};
    s.output_numbers = {0, 1, 2};
    s.events = {{"lowest", 0.2, {0.5, 1.5, 2.5}}};
    s.constraint_residual_max = 1e-15;
    s.stats = {.steps = 2,
               .rejected = 1,
               .rejected_error = 1,
               .direction_evaluations = 13,
               .projections = 2,
               .newton_iterations = 3,
               .newton_max = 2,
               .seconds = {.total = 0.5, .integrate = 0.001}};
    return s;
}

// A folder of its own for each test.
class SolutionFiles : public testing::Test {
protected:
    SolutionFiles() {
        std::string name = (fs::temp_directory_path() / "vessiot_test.XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~SolutionFiles() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    static std::string read(const std::string& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    std::size_t n_files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

    fs::path folder_;
};

TEST(Solution, AStatusHasAName) {
    EXPECT_EQ(name(Status::success), "success");
    EXPECT_EQ(name(Status::failed), "failed");
    EXPECT_EQ(name(Status::interrupted), "interrupted");
}

TEST(Solution, AColumnIsFoundByItsName) {
    const Solution s = made_up();
    EXPECT_EQ(s.column_of("x'"), 1U);
    EXPECT_EQ(s.column("p[2,3]"), (std::vector<double>{1e-300, 3, 1.0 / 3}));
    EXPECT_EQ(s.column("E"), (std::vector<double>{0, 1, 2}));
    EXPECT_EQ(s.row(1)[0], 0.1 + 0.2);
}

TEST(Solution, AnUnknownNameIsAnErrorWithTheNearest) {
    const auto message = [](std::string_view name) {
        try {
            made_up().column_of(name);
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message("p[2,2]"), "the solution has no value 'p[2,2]'; did you mean 'p[2,3]'?");
    EXPECT_EQ(message("momentum"), "the solution has no value 'momentum'");
    EXPECT_NE(message("E"), "");
}

TEST(Solution, JsonHasTheKeysOfTheContractInTheirOrder) {
    const auto json = nlohmann::ordered_json::parse(made_up().json());
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::string>{"model", "status", "message", "start", "notes", "system", "method", "t",
                                              "values", "outputs", "events", "constraint_residual_max",
                                              "constraint_residual_absolute", "invariant_drift_max", "stats"}));
    EXPECT_EQ(json["status"], "success");
    EXPECT_EQ(json["system"]["class"], "holonomic");
    EXPECT_EQ(json["system"]["manifold_dimension"], 3);
    EXPECT_EQ(json["method"]["distribution"], "kkt");
    EXPECT_TRUE(json["method"]["step"].is_null());
    EXPECT_EQ(json["events"][0]["values"]["x'"], 1.5);
    EXPECT_EQ(json["stats"]["newton_mean"], 1.5);
    EXPECT_EQ(json["stats"]["seconds"]["total"], 0.5);
    for (const StatsCount& count : stats_counts) EXPECT_TRUE(json["stats"].contains(count.name)) << count.name;
    for (const StatsSeconds& time : stats_seconds)
        EXPECT_TRUE(json["stats"]["seconds"].contains(time.name)) << time.name;
}

TEST(Solution, SaysOnceThatItWasInterrupted) {
    Solution s = made_up();
    s.status = Status::interrupted;
    s.message = "interrupted at t = 3";
    EXPECT_NE(s.summary().find("result       interrupted at t = 3\n"), std::string::npos) << s.summary();
    s.message = "the disk is full";
    EXPECT_NE(s.summary().find("result       interrupted: the disk is full\n"), std::string::npos) << s.summary();
}

// A count that is added to Stats is in the list from which all others have it.
TEST(Stats, AreListedOnce) {
    EXPECT_EQ(sizeof(Stats), std::size(stats_counts) * sizeof(std::int64_t) + sizeof(Seconds));
    EXPECT_EQ(sizeof(Seconds), std::size(stats_seconds) * sizeof(double));
    Stats all;
    for (const StatsCount& count : stats_counts) all.*count.at += 1;
    for (const StatsCount& count : stats_counts) EXPECT_EQ(all.*count.at, 1) << count.name;
}

TEST(Solution, NumbersInJsonReadBackExactlyAndOthersAreNull) {
    const auto json = nlohmann::json::parse(made_up().json());
    EXPECT_EQ(json["values"]["x"][1].get<double>(), 0.1 + 0.2);
    EXPECT_EQ(json["values"]["p[2,3]"][0].get<double>(), 1e-300);
    EXPECT_EQ(json["values"]["p[2,3]"][2].get<double>(), 1.0 / 3);
    EXPECT_TRUE(json["values"]["x'"][0].is_number_float());
    EXPECT_TRUE(std::signbit(json["values"]["x'"][0].get<double>()));
    EXPECT_TRUE(json["values"]["x"][2].is_null());
    EXPECT_TRUE(json["values"]["x'"][2].is_null());
}

TEST(Solution, JsonHasTheArclengthBesideT) {
    Solution s = made_up();
    EXPECT_FALSE(nlohmann::json::parse(s.json()).contains("s"));
    s.s = {0, 1, 2};
    EXPECT_EQ(nlohmann::json::parse(s.json())["s"], (std::vector<double>{0, 1, 2}));
}

TEST(Solution, JsonIsValidForAnyTextAndForNoPoints) {
    Solution s;
    s.message = "a \"quote\", a line\nend, a \\ and a byte \xff";
    const auto json = nlohmann::json::parse(s.json());
    EXPECT_TRUE(json["values"].is_object());
    EXPECT_TRUE(json["t"].empty());
    EXPECT_EQ(json["message"], "a \"quote\", a line\nend, a \\ and a byte \xEF\xBF\xBD");
}

TEST_F(SolutionFiles, CsvHasALineOfNamesAndALineForEachPoint) {
    Solution s = made_up();
    s.write_csv(path("a.csv"));
    EXPECT_EQ(read(path("a.csv")), "t,x,x',\"p[2,3]\",E\n"
                                   "0,1,-0,1e-300,0\n"
                                   "0.1,0.30000000000000004,2,3,1\n"
                                   "0.3,inf,nan,0.3333333333333333,2\n");
    s.s = {0, 1, 2};
    s.write_csv(path("b.csv"));
    EXPECT_TRUE(read(path("b.csv")).starts_with("t,s,x,"));
    EXPECT_EQ(n_files(), 2U); // nothing temporary is left
}

TEST_F(SolutionFiles, JsonInAFileIsTheSameText) {
    const Solution s = made_up();
    s.write_json(path("a.json"));
    EXPECT_EQ(read(path("a.json")), s.json());
}

TEST_F(SolutionFiles, AFileIsReplacedAsAWholeAndLinksAreFollowed) {
    std::ofstream(path("old.json")) << "old";
    fs::permissions(path("old.json"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("old.json", path("link.json"));
    made_up().write_json(path("link.json"));
    EXPECT_TRUE(fs::is_symlink(path("link.json")));
    EXPECT_EQ(read(path("old.json")), made_up().json());
    EXPECT_EQ(fs::status(path("old.json")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SolutionFiles, WhatCannotBeWrittenIsAnErrorAndLeavesNothing) {
    const Solution s = made_up();
    EXPECT_THROW(s.write_csv("/dev/full"), OutputFailed);
    EXPECT_THROW(s.write_csv(path("nowhere/a.csv")), OutputFailed);
    EXPECT_THROW(s.write_json(folder_.string()), OutputFailed);
    EXPECT_THROW(s.write_json(""), OutputFailed);
    EXPECT_EQ(n_files(), 0U);
    try {
        s.write_csv(path("nowhere/a.csv"));
    } catch (const OutputFailed& error) {
        EXPECT_EQ(std::string(error.what()), path("nowhere/a.csv") + " cannot be written: No such file or directory");
    }
}

TEST(Solution, TheSummaryIsShortAndSaysWhatHappened) {
    const std::string text = made_up().summary();
    std::istringstream lines(text);
    std::size_t n = 0;
    for (std::string line; std::getline(lines, line); ++n) EXPECT_LE(count_code_points(line), 80U) << line;
    EXPECT_LE(n, 20U);
    for (const char* part :
         {"pendulum: holonomic system, order 2, index 3, 3 unknowns, 3 equations\n", "2 hidden constraints",
          "dopri54 (order 5)", "rtol 1e-6, atol 1e-9", "2, and 1 rejected (1 by error)", "1.0e-15 of the constraints",
          "0.333333333", "lowest at 0.2", "lambda was computed", "reached t = 0.3"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
}

TEST(Solution, TheSummaryStaysShortForLargeSystems) {
    Solution s = made_up();
    for (int k = 0; k < 500; ++k) {
        s.names.push_back("y[" + std::to_string(k) + "]");
        s.notes.push_back("note");
        s.events.push_back({"e", 1, {}});
    }
    s.numbers.assign(s.names.size() * s.t.size(), -1.2345678901234e-100);
    s.status = Status::failed;
    s.message = "steps became too small";
    const std::string text = s.summary();
    EXPECT_LE(std::ranges::count(text, '\n'), 28) << text;
    EXPECT_NE(text.find("… 491 more"), std::string::npos) << text;
    EXPECT_NE(text.find("result       failed: steps became too small"), std::string::npos) << text;
}

TEST(Solution, TheSummaryOfNothingIsFine) {
    EXPECT_NE(Solution().summary(), "");
}

} // namespace
} // namespace vessiot::solution_test
