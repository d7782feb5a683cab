// What there is to choose from, and the numbers of a solution as matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "distribution/kind.hpp"
#include "projection/kind.hpp"
#include "support/refusal.hpp"
#include "vessiot/methods.hpp"
#include "vessiot/model.hpp"
#include "vessiot/problem.hpp"

namespace vessiot::methods_test {
namespace {

const MethodDescription& described(const std::string& name) {
    const auto found = std::ranges::find(methods(), name, &MethodDescription::name);
    EXPECT_NE(found, methods().end()) << name;
    return *found;
}

Model gallery(const std::string& name) {
    return Model::load(std::filesystem::path(VESSIOT_SOURCE_DIR) / "gallery" / (name + ".ves"));
}

TEST(Methods, AreListedWithWhatTheyCan) {
    EXPECT_EQ(described("dop853").order, 8);
    EXPECT_TRUE(described("dop853").is_adaptive);
    EXPECT_FALSE(described("dop853").is_implicit);
    EXPECT_TRUE(described("dop853").has_sensitivities);
    EXPECT_TRUE(described("radau5").is_implicit);
    EXPECT_FALSE(described("radau5").is_direct);
    EXPECT_TRUE(described("dae_radau5").is_direct);
    EXPECT_FALSE(described("rattle").has_sensitivities);
    EXPECT_FALSE(described("rattle").needs.empty());
    EXPECT_FALSE(described("rattle").has_arclength);
    for (const MethodDescription& m : methods()) EXPECT_FALSE(m.help.empty()) << m.name;
}

TEST(Methods, DoWhatTheyAreSaidToDo) {
    const Model circle = Model::parse("unknown x\nx' = -t/x\nstart x = 1\nsolve t = 0 .. 0.5\n");
    for (const MethodDescription& m : methods()) {
        if (!m.needs.empty()) continue;
        const double step = m.is_adaptive || m.max_order > 0 ? 0 : 0.05;
        const auto runs = [&](SolveOptions o) {
            o.method = m.name;
            o.step = step;
            try {
                return solve(circle, o).status == Status::success;
            } catch (const InvalidInput&) {
                return false;
            }
        };
        EXPECT_EQ(runs({.parametrisation = "arclength"}), m.has_arclength) << m.name;
        EXPECT_EQ(runs({.sensitivity = {"start:x"}}), m.has_sensitivities) << m.name;
        EXPECT_EQ(runs({.precision = "quad"}), m.has_quad) << m.name;
    }
}

TEST(Methods, SayWhyTheyDoNotFit) {
    const Problem problem(gallery("pendulum"), {.to = 1});
    EXPECT_EQ(problem.misfit("dopri54"), "");
    EXPECT_EQ(problem.misfit("rattle"), "");
    EXPECT_TRUE(test::has(problem.misfit("verlet"), "the method verlet needs"));
    EXPECT_TRUE(test::has(problem.misfit("dae_gauss2"), "index"));
    EXPECT_THROW(problem.misfit("no_method"), InvalidInput);
    for (const MethodDescription& m : methods()) { // as a solve says
        const std::string misfit = problem.misfit(m.name);
        const bool is_bdf = m.is_direct && m.name.starts_with("bdf"); // whose steps are constant in index 3
        const double step = (m.is_adaptive || m.max_order > 0) && !is_bdf ? 0 : 0.01;
        std::string text;
        try {
            solve(gallery("pendulum"), {.method = m.name, .step = step, .to = 0.05, .throw_on_failure = false});
        } catch (const InvalidInput& e) {
            text = e.what();
        }
        if (misfit.empty())
            EXPECT_EQ(text, "") << m.name;
        else
            EXPECT_TRUE(test::has(text, misfit)) << m.name;
    }
}

TEST(Choices, AreThoseOfTheOptions) {
    const auto are = [](const auto& found, const auto& words) {
        return std::ranges::equal(found, words, [](const auto& c, std::string_view w) { return c.name == w; });
    };
    EXPECT_TRUE(are(projections(), projection_table().words()));
    EXPECT_TRUE(are(distributions(), distribution_table().words()));
}

TEST(Choices, SayWhatTheyCanDo) {
    const auto of = [](std::string_view name) {
        return *std::ranges::find(projections(), name, &ProjectionDescription::name);
    };
    EXPECT_TRUE(of("newton").finds_nearest);
    EXPECT_TRUE(of("inexact").has_forcing);
    EXPECT_TRUE(of("ray").goes_along_rays);
    EXPECT_FALSE(of("none").projects);
    for (const ProjectionDescription& p : projections())
        EXPECT_EQ(p.has_sensitivities,
                  p.name == "auto" || p.name == "none" || projection_table().find(p.name)->can.carries_derivatives)
            << p.name;
}

// What projection_misfit and distribution_misfit say is what a solve with that option says.
TEST(Choices, SayWhyTheyDoNotFit) {
    for (const char* name : {"pendulum", "robertson", "kepler", "impasse", "rigid_body"}) {
        const Model model = gallery(name);
        const Problem problem(model, {.to = 0.01});
        const auto said = [&](const SolveOptions& options) -> std::string {
            try {
                solve(model, options);
            } catch (const InvalidInput& e) {
                return e.what();
            }
            return "";
        };
        for (const ProjectionDescription& p : projections())
            EXPECT_EQ(problem.projection_misfit(p.name),
                      said({.to = 0.01, .projection = p.name, .throw_on_failure = false}))
                << name << ": " << p.name;
        for (const DistributionDescription& d : distributions())
            EXPECT_EQ(problem.distribution_misfit(d.name),
                      said({.to = 0.01, .distribution = d.name, .throw_on_failure = false}))
                << name << ": " << d.name;
        EXPECT_EQ(problem.misfit("dop853"), "") << name; // the problem stays as it was
    }
    const Problem problem(gallery("pendulum"), {.to = 0.01});
    EXPECT_THROW(problem.projection_misfit("nearby"), InvalidInput);
}

TEST(Views, ShowTheNumbersOfASolution) {
    const Solution s = solve(gallery("pendulum"), {.to = 1, .every = 0.25});
    const MatrixView m = s.values();
    ASSERT_EQ(m.rows(), s.t.size());
    ASSERT_EQ(m.columns(), s.names.size());
    EXPECT_EQ(m.data(), s.numbers.data());
    EXPECT_EQ(m.row_stride(), s.names.size());
    for (std::size_t r = 0; r < m.rows(); ++r)
        for (std::size_t c = 0; c < m.columns(); ++c) {
            EXPECT_EQ(m(r, c), s.row(r)[c]);
            EXPECT_EQ(m.row(r)[c], m.column(c)[r]);
        }
    const StridedView y = s.view("y");
    const std::vector<double> column = s.column("y");
    EXPECT_TRUE(std::ranges::equal(y, column));
    EXPECT_EQ(y.back(), column.back());
    EXPECT_EQ(*std::ranges::max_element(y), *std::ranges::max_element(column));
    EXPECT_EQ(y.end() - y.begin(), static_cast<std::ptrdiff_t>(y.size()));
    EXPECT_THROW(s.view("z"), InvalidInput);
    const Solution with_outputs =
        solve(Model::parse("unknown x\nx' = 1\nstart x = 0\noutput a = 2*x\noutput b = 3*x\nsolve t = 0 .. 1\n"));
    EXPECT_NEAR(with_outputs.view("b").back(), 3, 1e-12);
    EXPECT_EQ(with_outputs.outputs().columns(), 2U);
}

} // namespace
} // namespace vessiot::methods_test
