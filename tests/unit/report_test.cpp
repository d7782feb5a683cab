// What is in a report, and that it is all there or said to be left out. tests/golden/check_report opens one in a
// browser.
#include "io/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <nlohmann/json.hpp>

#include "io/report/report_table.hpp"
#include "lang/model.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/solve.hpp"
#include "vessiot/report.hpp"

namespace vessiot::io::report_test {
namespace {

using Json = nlohmann::json;

constexpr const char* pendulum = "# A pendulum </script><script>alert(1)</script>\n"
                                 "parameter g = 9.81, l = 1\n"
                                 "unknown x, y, lambda\n"
                                 "x'' = -lambda*x\n"
                                 "y'' = -lambda*y - g\n"
                                 "x^2 + y^2 = l^2\n"
                                 "output E = (x'^2 + y'^2)/2 + g*y\n"
                                 "start x = l, y = 0.1, x' = 0, y' = 0\n"
                                 "solve t = 0 .. 2\n"
                                 "event lowest: x = 0\n";

struct Solved {
    System system;
    SolveOptions options;
    Solution solution;

    explicit Solved(const std::string& text, bool has_curve = true)
        : system(lang::read_model(lang::Source("model.ves", text))), options(with_model_options(system, {})) {
        options.dense = has_curve;
        options.throw_on_failure = false;
        solution = solve_system(system, options);
    }
    ReportContext context(const std::string& text = pendulum) const {
        return {.system = system, .options = options, .model_text = text, .command_line = "vessiot solve"};
    }
};

std::vector<unsigned char> bytes_of(const std::string& text) {
    std::vector<unsigned char> bytes;
    std::uint32_t group = 0;
    int n = 0;
    for (const char c : text) {
        if (c == '=') break;
        const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        group = group << 6 | static_cast<std::uint32_t>(digits.find(c));
        n += 6;
        if (n >= 8) bytes.push_back(static_cast<unsigned char>(group >> (n -= 8) & 255U));
    }
    return bytes;
}

std::vector<double> numbers_of(const Json& text) {
    const std::vector<unsigned char> bytes = bytes_of(text.get<std::string>());
    std::vector<double> numbers(bytes.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
}

Json data_of(const std::string& page) {
    const std::string begin = "id=\"data\">";
    const std::size_t first = page.find(begin) + begin.size();
    return Json::parse(page.substr(first, page.find("</script>", first) - first));
}

// Points of a solution that nobody computed; value j at point k is function(k, j).
template <class Function> Solution made_up(std::size_t n_names, std::size_t n_points, const Function& function) {
    Solution s;
    for (std::size_t j = 0; j < n_names; ++j) s.names.push_back("x[" + std::to_string(j + 1) + "]");
    for (std::size_t k = 0; k < n_points; ++k) {
        s.t.push_back(static_cast<double>(k));
        for (std::size_t j = 0; j < n_names; ++j) s.numbers.push_back(function(k, j));
    }
    return s;
}

TEST(Report, HasEveryReportedPointWithAllItsDigits) {
    const Solved run(pendulum);
    const Json data = data_of(report_page(run.solution, run.context()));
    const std::vector<double> t = numbers_of(data["points"]["t"]);
    const std::vector<unsigned char> flags = bytes_of(data["points"]["reported"].get<std::string>());
    ASSERT_EQ(flags.size(), t.size());
    EXPECT_GT(t.size(), run.solution.t.size()) << "points of the curve lie between";
    for (const Json& column : data["points"]["columns"]) {
        const std::vector<double> values = numbers_of(column["values"]);
        const std::vector<double> wanted = run.solution.column(column["name"].get<std::string>());
        std::vector<double> found;
        for (std::size_t k = 0; k < t.size(); ++k)
            if (flags[k] && !column["output"].get<bool>()) found.push_back(values[k]);
        EXPECT_EQ(column["output"].get<bool>() ? values : found, wanted) << column["name"];
    }
    for (std::size_t k = 1; k < t.size(); ++k) ASSERT_LT(t[k - 1], t[k]);
}

TEST(Report, PointsBetweenAreThoseOfTheCurve) {
    const Solved run(pendulum);
    const ReportTable table = report_table(run.solution, {});
    std::size_t n_between = 0;
    for (std::size_t k = 0; k < table.t.size(); ++k) {
        if (table.is_reported[k]) continue;
        ++n_between;
        EXPECT_EQ(table.columns[0].values[k], run.solution(table.t[k], "x"));
    }
    EXPECT_GT(n_between, 500U);
}

TEST(Report, OfASectionHasItsPointsAlone) {
    const Solved run(pendulum);
    ReportContext context = run.context();
    context.is_section = true;
    const Json data = data_of(report_page(run.solution, context));
    EXPECT_EQ(data["section"], true);
    EXPECT_EQ(numbers_of(data["points"]["t"]), run.solution.t);
}

TEST(Report, SaysWhatWasFound) {
    const Solved run(pendulum);
    const Json data = data_of(report_page(run.solution, run.context()));
    EXPECT_EQ(data["status"], "success");
    EXPECT_EQ(data["system"]["index"], 3);
    EXPECT_EQ(data["equations"]["statements"]["entries"].size(), 3U);
    std::vector<std::string> hidden;
    for (const Json& c : data["equations"]["constraints"]["entries"])
        if (c["hidden"].get<bool>()) hidden.push_back(c["text"].get<std::string>());
    EXPECT_EQ(hidden, std::vector<std::string>{"2*x*x' + 2*y*y' = 0"});
    EXPECT_EQ(data["equations"]["start"]["moved"]["entries"][0]["name"], "x");
    EXPECT_EQ(data["events"]["entries"].size(), run.solution.events.size());
    EXPECT_EQ(data["stats"]["steps"], run.solution.stats.steps);
}

TEST(Report, NothingInAModelEndsTheScript) {
    const Solved run(pendulum);
    const std::string page = report_page(run.solution, run.context());
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_EQ(data_of(page)["model"]["text"], pendulum);
    EXPECT_EQ(data_of(page)["model"]["title"], "A pendulum </script><script>alert(1)</script>");
}

TEST(Report, NeedsNothingFromElsewhere) {
    const Solved run(pendulum);
    const std::string page = report_page(run.solution, run.context());
    for (const char* word : {"http:", "https:", "src=", "@import", "url("})
        EXPECT_EQ(page.find(word), std::string::npos) << word;
    EXPECT_EQ(page.find("{{"), std::string::npos) << "a part that was not filled in";
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Report, OfARunThatFailedHasItsMessageAndPoints) {
    const Solved run("unknown y\ny' = y^2\nstart y = 1\nsolve t = 0 .. 2\n", false);
    ASSERT_EQ(run.solution.status, Status::failed);
    const Json data = data_of(report_page(run.solution, run.context("")));
    EXPECT_EQ(data["status"], "failed");
    EXPECT_EQ(data["message"], run.solution.message);
    EXPECT_EQ(data["points"]["points"], run.solution.t.size());
    EXPECT_EQ(data["points"]["reported"], "") << "no curve: all rows are reported";
}

TEST(Report, OfASolutionWithoutPointsIsAPage) {
    Solved run(pendulum);
    run.solution.t.clear();
    run.solution.numbers.clear();
    run.solution.output_numbers.clear();
    run.solution.trace.clear();
    EXPECT_EQ(data_of(report_page(run.solution, run.context()))["points"]["rows"], 0);
}

TEST(Report, ValuesThatAreNotFiniteStay) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    const Solution s = made_up(1, 4, [&](std::size_t k, std::size_t) { return std::array{1.0, nan, inf, -0.0}[k]; });
    const std::vector<double> values = numbers_of(base64(report_table(s, {}).columns[0].values));
    EXPECT_EQ(values[0], 1);
    EXPECT_TRUE(std::isnan(values[1]));
    EXPECT_EQ(values[2], inf);
    EXPECT_TRUE(std::signbit(values[3]));
}

TEST(ReportTable, OfManyPointsKeepsThePeaks) {
    // a needle at one point of many
    const Solution s =
        made_up(2, 100'000, [](std::size_t k, std::size_t j) { return j == 0 && k == 77'777 ? 5.0 : 0; });
    const ReportTable table = report_table(s, {.rows = 1000});
    EXPECT_LE(table.t.size(), 1000U);
    EXPECT_GT(table.t.size(), 200U);
    EXPECT_EQ(table.n_all_points, 100'000U);
    EXPECT_EQ(table.n_points, table.t.size());
    EXPECT_EQ(*std::ranges::max_element(table.columns[0].values), 5.0);
    EXPECT_EQ(table.t.front(), 0);
    EXPECT_EQ(table.t.back(), 99'999);
}

TEST(ReportTable, OfManyUnknownsKeepsSomeOfEveryFamily) {
    Solution s = made_up(5000, 600, [](std::size_t k, std::size_t j) { return static_cast<double>(k + j); });
    for (std::size_t j = 2500; j < 5000; ++j) s.names[j] = "y[" + std::to_string(j) + "]'";
    s.names[100] = "alone";
    const ReportTable table = report_table(s, {.bytes = 1'000'000});
    EXPECT_EQ(table.n_all_columns, 5000U);
    EXPECT_LE(table.columns.size() * table.t.size() * 11, 1'000'000U);
    std::size_t n_x = 0, n_y = 0, n_alone = 0;
    for (const ReportTable::Column& c : table.columns) {
        n_x += c.name.starts_with("x[");
        n_y += c.name.starts_with("y[");
        n_alone += c.name == "alone";
        EXPECT_EQ(c.values[0], static_cast<double>(s.column_of(c.name)));
    }
    EXPECT_GT(n_x, 50U);
    EXPECT_GT(n_y, 50U);
    EXPECT_EQ(n_alone, 1U);
}

TEST(ReportTable, RunsBackwardsToo) {
    const Solved run("unknown y\ny' = -y\nstart y = 1\nsolve t = 2 .. 0\n");
    const ReportTable table = report_table(run.solution, {});
    EXPECT_EQ(table.t.front(), 2);
    EXPECT_EQ(table.t.back(), 0);
    for (std::size_t k = 1; k < table.t.size(); ++k) ASSERT_LT(table.t[k], table.t[k - 1]);
}

TEST(ReportTable, InArclengthHasBothVariables) {
    const Solved run("unknown y\ny*y' = -1/2\nstart y = 1\nsolve t = 0 .. 2\noption parametrisation = arclength\n");
    const ReportTable table = report_table(run.solution, {});
    ASSERT_EQ(table.s.size(), table.t.size());
    EXPECT_LT(table.t.back(), *std::ranges::max_element(table.t)) << "t turns back";
    for (std::size_t k = 1; k < table.s.size(); ++k) ASSERT_LT(table.s[k - 1], table.s[k]);
    for (std::size_t k = 0; k < table.t.size(); ++k) // y^2 = 1 - t on the whole curve
        EXPECT_NEAR(std::pow(table.columns[0].values[k], 2), 1 - table.t[k], 1e-5);
}

TEST(Report, CannotBeWrittenIntoAFolderThatIsNotThere) {
    const Solved run(pendulum);
    EXPECT_THROW(write_report(run.solution, run.context(), "/nowhere/report.html"), OutputFailed);
}

TEST(Report, OfAModelInCpp) {
    Model m("decay");
    const Expr x = m.unknown("x");
    m.equation(der(x) == -x);
    m.start(x == 1);
    const SolveOptions options{.rtol = 1e-8, .to = 3.0};
    const std::string path = testing::TempDir() + "vessiot_report_test.html";
    vessiot::write_report(solve(m, options), m, path, options);
    std::ifstream file(path);
    const Json data = data_of({std::istreambuf_iterator<char>(file), {}});
    std::filesystem::remove(path);
    EXPECT_EQ(data["model"]["name"], "decay");
    EXPECT_EQ(data["equations"]["statements"]["entries"].size(), 1U);
    EXPECT_EQ(data["options"][0]["name"], "rtol");
    EXPECT_EQ(std::stod(data["options"][0]["value"].get<std::string>()), 1e-8);
}

TEST(Base64, IsThatOfTheStandard) { // RFC 4648, section 10
    const auto text = [](std::string_view s) { return base64(std::vector<std::uint8_t>(s.begin(), s.end())); };
    EXPECT_EQ(text(""), "");
    EXPECT_EQ(text("f"), "Zg==");
    EXPECT_EQ(text("fo"), "Zm8=");
    EXPECT_EQ(text("foo"), "Zm9v");
    EXPECT_EQ(text("foobar"), "Zm9vYmFy");
}

} // namespace
} // namespace vessiot::io::report_test
