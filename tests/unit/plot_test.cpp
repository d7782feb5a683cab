// What a plot shows, and that gnuplot draws it.
#include "io/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "io/figure.hpp"
#include "io/pictures/bars.hpp"
#include "lang/model.hpp"
#include "vessiot/model.hpp"
#include "vessiot/solve.hpp"

namespace vessiot::io::plot_test {
namespace {

namespace fs = std::filesystem;

// Points of a solution with these names; value j at point k is function(t_k, j).
template <class Function>
Solution made_up(const std::vector<std::string>& names, std::size_t n, double end, const Function& function) {
    Solution s;
    s.model = "model";
    s.method.name = "dopri54";
    s.names = names;
    for (std::size_t k = 0; k < n; ++k) {
        s.t.push_back(end * static_cast<double>(k) / static_cast<double>(n - 1));
        for (std::size_t j = 0; j < names.size(); ++j) s.numbers.push_back(function(s.t.back(), j));
        s.trace.push_back({.t = s.t.back(), .h = 0.1, .residual = 1e-15});
    }
    return s;
}

Solution made_up(const std::vector<std::string>& names) {
    return made_up(names, 100, 1, [](double t, std::size_t j) { return std::cos(t + static_cast<double>(j)); });
}

const Panel* panel(const Figure& figure, PanelKind kind) {
    const auto it = std::ranges::find(figure.panels, kind, &Panel::kind);
    return it == figure.panels.end() ? nullptr : &*it;
}

std::vector<std::string> titles(const Panel& panel) {
    std::vector<std::string> result;
    for (const Line& line : panel.lines) result.push_back(line.title);
    return result;
}

using Titles = std::vector<std::string>;

TEST(Figure, ShowsUnknownsWithoutDerivativesAndMultipliers) {
    const Figure figure = make_figure(made_up({"x", "x'", "y", "y'", "lambda"}));
    ASSERT_EQ(figure.panels.size(), 4U);
    EXPECT_EQ(titles(figure.panels[0]), (Titles{"x", "y"}));
    EXPECT_EQ(figure.panels[1].x_label, "x");
    EXPECT_EQ(figure.panels[1].y_label, "y");
    EXPECT_TRUE(figure.panels[1].has_equal_axes);
    EXPECT_TRUE(panel(figure, PanelKind::residual)->is_log_y);
}

TEST(Figure, PointsInSpaceAreATrajectoryInSpace) {
    const Figure figure = make_figure(made_up({"x", "x'", "y", "y'", "z", "z'"}));
    EXPECT_EQ(panel(figure, PanelKind::trajectory)->z_label, "z");
    EXPECT_EQ(panel(figure, PanelKind::trajectory)->lines[0].z.size(), 100U);
}

TEST(Figure, OfManyBodiesSomeAreShown) {
    std::vector<std::string> names;
    for (const char* name : {"x", "y"})
        for (int k = 1; k <= 100; ++k) names.push_back(name + ("[" + std::to_string(k) + "]"));
    const Figure figure = make_figure(made_up(names));
    EXPECT_EQ(titles(figure.panels[0]),
              (Titles{"x[1]", "x[34]", "x[67]", "x[100]", "y[1]", "y[34]", "y[67]", "y[100]"}));
    EXPECT_EQ(figure.panels[0].y_label, "8 of 200 unknowns");
    EXPECT_EQ(panel(figure, PanelKind::trajectory)->lines.size(), 8U);
    EXPECT_EQ(panel(figure, PanelKind::trajectory)->lines[0].title, "[1]");
}

// Six digits are printed: labels beside a value that stays must not be all the same.
TEST(Plot, LabelsBesideAConstantDiffer) {
    for (const double value : {1.0, -3.7, 9.99, 12345.6}) {
        const Figure figure = make_figure(made_up({"x"}, 10, 1, [=](double, std::size_t) { return value; }));
        const std::string script = plot_script(figure, true, "x.svg");
        const std::size_t range = script.find("set yrange ["), step = script.find("set ytics ", range);
        ASSERT_NE(range, script.npos);
        const double low = std::stod(script.substr(range + 12)), by = std::stod(script.substr(step + 10));
        const double first = std::ceil(low / by) * by;
        char a[32], b[32];
        std::snprintf(a, sizeof a, "%.6g", first);
        std::snprintf(b, sizeof b, "%.6g", first + by);
        EXPECT_STRNE(a, b) << value;
        EXPECT_NEAR(std::stod(b) - std::stod(a), by, 0.01 * by) << value;
    }
}

TEST(Figure, AnOscillatorHasAPhasePlotAndADecayHasNone) {
    const Figure oscillator = make_figure(made_up({"q", "q'"}));
    EXPECT_EQ(panel(oscillator, PanelKind::trajectory)->y_label, "q'");
    EXPECT_FALSE(panel(oscillator, PanelKind::trajectory)->has_equal_axes);
    const Figure decay = make_figure(made_up({"q"}));
    EXPECT_EQ(panel(decay, PanelKind::trajectory), nullptr);
    EXPECT_EQ(decay.panels[0].y_label, "q"); // a single curve needs no legend
    EXPECT_EQ(titles(decay.panels[0]), Titles{""});
}

TEST(Figure, SmallUnknownsAreEnlarged) {
    const Figure figure =
        make_figure(made_up({"a", "b"}, 100, 1, [](double t, std::size_t j) { return j == 0 ? t : 3e-5 * t; }));
    EXPECT_EQ(titles(figure.panels[0]), (Titles{"a", "b · 10⁴"}));
    EXPECT_NEAR(figure.panels[0].lines[1].y.back(), 0.3, 1e-12);
}

TEST(Figure, RoundOffIsNotEnlarged) {
    const auto small = [](double size) {
        return make_figure(made_up({"a", "b"}, 100, 1, [&](double t, std::size_t j) { return j == 0 ? t : size * t; }));
    };
    EXPECT_EQ(titles(small(1e-14).panels[0]), (Titles{"a", "b"}));
    EXPECT_EQ(titles(small(1e-11).panels[0]), (Titles{"a", "b · 10¹¹"}));
    Solution within_tolerance =
        made_up({"a", "b"}, 100, 1, [](double t, std::size_t j) { return j == 0 ? t : 1e-10 * t; });
    within_tolerance.method.atol = 1e-9;
    EXPECT_EQ(titles(make_figure(within_tolerance).panels[0]), (Titles{"a", "b"}));
}

TEST(Figure, ArraysOfTwoOrThreeCoordinatesArePoints) {
    const Figure plane = make_figure(made_up({"r[1,1]", "r[1,2]", "r[2,1]", "r[2,2]"}));
    EXPECT_EQ(titles(*panel(plane, PanelKind::trajectory)), (Titles{"r[1]", "r[2]"}));
    EXPECT_EQ(panel(plane, PanelKind::trajectory)->x_label, "r[1]");
    EXPECT_TRUE(panel(plane, PanelKind::trajectory)->z_label.empty());
    const Figure space = make_figure(made_up({"r[1]", "r[2]", "r[3]", "r[1]'", "r[2]'", "r[3]'"}));
    EXPECT_EQ(panel(space, PanelKind::trajectory)->z_label, "r[3]");
    const Figure parts = make_figure(made_up({"a.r[1]", "a.r[2]", "a.phi", "b[1].r[1]", "b[1].r[2]", "b[1].phi"}));
    EXPECT_EQ(titles(*panel(parts, PanelKind::trajectory)), (Titles{"a.r", "b[1].r"}));
    // other names of three numbers may be anything: a phase plot
    EXPECT_EQ(panel(make_figure(made_up({"w[1]", "w[2]", "w[3]"})), PanelKind::trajectory)->z_label, "");
}

TEST(Figure, FieldsAreMaps) {
    std::vector<std::string> line, square;
    for (int i = 1; i <= 20; ++i) line.push_back("u[" + std::to_string(i) + "]");
    for (int i = 1; i <= 4; ++i)
        for (int j = 1; j <= 5; ++j) square.push_back("u[" + std::to_string(i) + "," + std::to_string(j) + "]");
    const auto value = [](double t, std::size_t j) { return t + static_cast<double>(j); };
    const Figure over_t = make_figure(made_up(line, 11, 2, value));
    EXPECT_EQ(panel(over_t, PanelKind::trajectory), nullptr);
    const Panel* heat = panel(over_t, PanelKind::field);
    ASSERT_NE(heat, nullptr);
    ASSERT_EQ(heat->maps.size(), 1U);
    const Map& map = heat->maps[0];
    EXPECT_EQ(map.n_y, 20U);
    for (const std::size_t i : {std::size_t{0}, map.n_x / 2, map.n_x - 1}) // in the middle of a column
        EXPECT_NEAR(map.values[7 * map.n_x + i], 7 + 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(map.n_x),
                    1e-12);
    const Figure snapshots = make_figure(made_up(square, 11, 3, value));
    const Panel* shots = panel(snapshots, PanelKind::field);
    ASSERT_NE(shots, nullptr);
    ASSERT_EQ(shots->maps.size(), 4U);
    EXPECT_EQ(shots->maps[1].title, "t = 1");
    EXPECT_EQ(shots->maps[1].n_x, 5U);
    EXPECT_NEAR(shots->maps[1].values[7], 8, 1e-12);
    Solution backwards = made_up(line, 11, -2, value);
    EXPECT_NEAR(panel(make_figure(backwards), PanelKind::field)->maps[0].x_low, -2, 1e-15);
}

TEST(Figure, OutputsAndEventsAreShownAndAxesAreAsOftenAsAsked) {
    Solution s = made_up({"x", "x'"});
    s.output_names = {"E"};
    s.output_numbers = s.t;
    s.events = {{.name = "hit", .t = 0.5, .values = {1, 2}}, {.name = "hit", .t = 0.7, .values = {3, 4}}};
    const Figure figure = make_figure(s, {{"t", "E"}, {"x", "x'"}});
    ASSERT_EQ(figure.panels[0].marks.size(), 1U);
    EXPECT_EQ(figure.panels[0].marks[0].x, (std::vector<double>{0.5, 0.7}));
    EXPECT_EQ(figure.panels[1].lines[0].y, s.t);
    EXPECT_EQ(figure.panels[2].y_label, "x'");
    EXPECT_EQ(panel(figure, PanelKind::output)->y_label, "E");
    EXPECT_EQ(panel(make_figure(s), PanelKind::trajectory)->marks[0].y, (std::vector<double>{2, 4}));
    EXPECT_NE(plot_script(figure, false, "a.png").find("title 'hit'"), std::string::npos);
    EXPECT_THROW(make_figure(s, {{"x", "nothing"}}), InvalidInput);
}

// Two pendulums that swing alike keep their distance: only where an equation says so is a bar.
TEST(Bars, AreWhereAConstraintFixesADistance) {
    const auto bars = [](const std::string& text) {
        const System system = lang::read_model(lang::Source("m", text), {});
        return find_bars(solve(Model::parse(text), {.from = 0.0, .to = 1.0}), system);
    };
    const std::string two = "unknown r[2,2]\nlagrangian dot(r[1]', r[1]')/2 + dot(r[2]', r[2]')/2 - r[1,2] - r[2,2]\n"
                            "constraint dot(r[1], r[1]) = 1\nstart r[1] = [1, 0]\n";
    const std::vector<Bar> apart = bars(two + "constraint (r[2,1] - 3)^2 + r[2,2]^2 = 1\nstart r[2] = [4, 0]\n");
    ASSERT_EQ(apart.size(), 2U);
    EXPECT_FALSE(apart[0].b);
    EXPECT_FALSE(apart[1].b);
    EXPECT_NEAR(apart[1].place[0], 3, 1e-4);
    const std::vector<Bar> chain = bars(two + "constraint dot(r[2] - r[1], r[2] - r[1]) = 1\nstart r[2] = [2, 0]\n");
    ASSERT_EQ(chain.size(), 2U);
    EXPECT_EQ(chain[1].b, 1U);
    EXPECT_TRUE(bars("unknown r[2,2]\nr[1]'' = [0, 0]\nr[2]'' = [0, 0]\nstart r[2] = [1, 0]\n").empty());
}

TEST(Figure, TimesThatGrowByOrdersOfMagnitudeGetALogarithmicAxis) {
    Solution s = made_up({"a"});
    EXPECT_FALSE(make_figure(s).panels[0].is_log_x);
    for (std::size_t k = 0; k < s.t.size(); ++k) s.t[k] = k == 0 ? 0 : std::pow(10.0, 0.1 * static_cast<double>(k));
    EXPECT_TRUE(make_figure(s).panels[0].is_log_x);
}

TEST(Figure, LongRunsAreThinnedOutButKeepTheirPeaks) {
    const Solution s =
        made_up({"x", "y"}, 200'000, 1, [](double t, std::size_t) { return t > 0.5 && t < 0.50001 ? 9 : t; });
    const Figure figure = make_figure(s);
    for (const Panel& p : figure.panels)
        for (const Line& line : p.lines) EXPECT_LE(line.x.size(), p.kind == PanelKind::trajectory ? 20'000U : 4002U);
    EXPECT_EQ(std::ranges::max(figure.panels[0].lines[0].y), 9);
}

TEST(Figure, AFastBeginOfATrajectoryIsNotLost) {
    const Solution s = made_up({"a", "b"}, 100'000, 1,
                               [](double t, std::size_t j) { return j == 0 ? 1 - t : std::min(1.0, 1e4 * t) - t; });
    const Figure figure = make_figure(s);
    const Line& line = panel(figure, PanelKind::trajectory)->lines[0];
    EXPECT_LE(line.x.size(), 5000U);
    // the extent of b is 1, and 1e-4 of the time is 10 points: those between 0.2 and 0.8
    EXPECT_GE(std::ranges::count_if(line.y, [](double y) { return y > 0.2 && y < 0.8; }), 5 + 600);
}

TEST(Figure, ATrajectoryThatFillsThePlaneIsShownAsPoints) {
    const auto turning = [](double turns) {
        return make_figure(made_up({"x", "y"}, 1'000'000, turns,
                                   [](double t, std::size_t j) {
                                       return std::cos(6.2831853 * t - (j == 0 ? 0 : 1.5707963)) * std::cos(0.1 * t);
                                   }))
            .panels[1]
            .is_scatter;
    };
    EXPECT_FALSE(turning(5));
    EXPECT_TRUE(turning(50'000));
}

TEST(Figure, NothingToSeeIsNotShown) {
    EXPECT_TRUE(make_figure(Solution()).panels.empty());
    Solution s = made_up({"a", "b"});
    for (StepTrace& step : s.trace) step.residual = 0;
    s.method.step = 0.1;
    EXPECT_EQ(make_figure(s).panels.size(), 2U);
}

TEST(PlotScript, TextStandsInQuotesAndIsNotInterpreted) {
    const std::string script = plot_script(make_figure(made_up({"a_b", "x[1]", "x[2]", "θ"})), true, "it's.svg");
    EXPECT_NE(script.find("noenhanced"), std::string::npos);
    EXPECT_NE(script.find("set output 'it''s.svg'"), std::string::npos);
    for (const char* title : {"title 'a_b'", "title 'x[1]'", "title 'θ'"})
        EXPECT_NE(script.find(title), std::string::npos) << title;
    const Figure phase = make_figure(made_up({"q", "q'"}));
    EXPECT_NE(plot_script(phase, false, "a.png").find("set ylabel 'q'''"), std::string::npos);
}

TEST(Plot, OtherEndingsAreRefused) {
    EXPECT_THROW(write_plot(made_up({"x"}), "a.pdf"), InvalidInput);
    EXPECT_TRUE(is_plot_name("a.svg"));
    EXPECT_FALSE(is_plot_name("a.json"));
}

class PlotFiles : public testing::Test {
protected:
    PlotFiles() {
        std::string name = (fs::temp_directory_path() / "vessiot_test.XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~PlotFiles() override { fs::remove_all(folder_); }
    void SetUp() override {
        // pictures are drawn by another program, which a user may not have
        if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
            GTEST_SKIP() << "gnuplot, which draws the pictures, is not installed";
    }

    std::string drawn(const Solution& s, const std::string& name) const {
        write_plot(s, (folder_ / name).string());
        std::stringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }

    fs::path folder_;
};

TEST_F(PlotFiles, GnuplotDrawsThem) {
    const Solution plane = made_up({"x_1", "x", "x'", "y", "θ"});
    const std::string svg = drawn(plane, "a.svg");
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_NE(svg.find("θ"), std::string::npos);
    EXPECT_NE(svg.find("x_1"), std::string::npos);
    EXPECT_TRUE(drawn(made_up({"x", "y", "z"}), "a.png").starts_with("\x89PNG"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(PlotFiles, OddValuesAreDrawnToo) {
    const auto draws = [&](const auto& function) {
        return drawn(made_up({"x", "y"}, 50, 1, function), "a.svg").find("</svg>") != std::string::npos;
    };
    EXPECT_TRUE(draws([](double, std::size_t) { return 0.0; }));
    EXPECT_TRUE(draws([](double, std::size_t) { return 1e300; }));
    EXPECT_TRUE(draws([](double t, std::size_t) { return t > 0.5 ? NAN : t; }));
    EXPECT_TRUE(draws([](double t, std::size_t) { return 1 + 1e-15 * t; }));
    EXPECT_TRUE(draws([](double t, std::size_t j) { return j == 0 ? 1e308 * (t - 0.5) : 1e-308 * t; }));
    EXPECT_TRUE(draws([](double, std::size_t) { return NAN; })); // how the run went is still there
    EXPECT_TRUE(draws([](double, std::size_t j) { return j == 0 ? INFINITY : 1.0; }));
}

TEST_F(PlotFiles, WhatCannotBeWrittenIsAnError) {
    EXPECT_THROW(write_plot(made_up({"x"}), (folder_ / "nowhere" / "a.svg").string()), OutputFailed);
    EXPECT_THROW(write_plot(Solution(), (folder_ / "a.svg").string()), OutputFailed);
    EXPECT_TRUE(fs::is_empty(folder_));
}

} // namespace
} // namespace vessiot::io::plot_test
