// Systems given as functions of C++: derivatives by differences against those of the same system in formulas.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/functions/differences.hpp"
#include "support/refusal.hpp"
#include "vessiot/callable.hpp"
#include "vessiot/functions.hpp"
#include "vessiot/model.hpp"

namespace callable_test {

using namespace vessiot;
using test::message;

constexpr double g = 9.81;

// x'' = -lambda x, y'' = -lambda y - g, x^2 + y^2 = 1; z = (x, x', x'', y, y', y'', lambda)
void pendulum(double, std::span<const double> z, std::span<double> f) {
    f[0] = z[2] + z[6] * z[0];
    f[1] = z[5] + z[6] * z[3] + g;
    f[2] = z[0] * z[0] + z[3] * z[3] - 1;
}

CallableSystem pendulum_system() {
    CallableSystem s;
    s.name = "pendulum";
    s.unknowns = {{"x", 2}, {"y", 2}, {"lambda", 0}};
    s.f = pendulum;
    return s;
}

Model pendulum_model() {
    Model m("pendulum");
    auto x = m.unknown("x"), y = m.unknown("y"), lambda = m.unknown("lambda");
    m.equation(der(x, 2) == -lambda * x);
    m.equation(der(y, 2) == -lambda * y - g);
    m.equation(x * x + y * y == 1);
    return m;
}

// Of the model, which has all derivatives, brought to the full matrix.
std::vector<double> full(const SparsePattern& p, const std::vector<double>& values) {
    std::vector<double> matrix(static_cast<std::size_t>(p.rows * p.columns), 0);
    for (std::int64_t c = 0; c < p.columns; ++c)
        for (auto k = p.column_start[static_cast<std::size_t>(c)]; k < p.column_start[static_cast<std::size_t>(c) + 1];
             ++k)
            matrix[static_cast<std::size_t>(c * p.rows + p.row[static_cast<std::size_t>(k)])] =
                values[static_cast<std::size_t>(k)];
    return matrix;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "element " << k;
}

const std::vector<double> point{0.6, 0.3, -1.1, -0.8, 0.2, 0.7, 3.5};
const std::vector<double> mu{1.5, -0.7, 2.0};

TEST(Callable, DifferencesAgreeWithTheDerivativesOfTheFormulas) {
    Functions F(pendulum_system()), M(pendulum_model());
    EXPECT_EQ(F.names(), M.names());
    EXPECT_EQ(F.n_equations(), 3);
    EXPECT_EQ(F.f(0, point), M.f(0, point));
    // central differences of quadratic functions: round-off only, eps / eps^(1/3) = 4e-11
    expect_near(full(F.df_pattern(), F.df(0, point)), full(M.df_pattern(), M.df(0, point)), 1e-9);
    // a difference of differences with steps eps^(1/4): eps / h^2 = 1e-8 times the size of f
    expect_near(full(F.d2f_pattern(), F.d2f(0, point, mu)), full(M.d2f_pattern(), M.d2f(0, point, mu)), 1e-6);
    EXPECT_FALSE(F.is_native());
    F.wait();
}

TEST(Callable, AGivenJacobianIsUsedAsItIs) {
    CallableSystem s = pendulum_system();
    s.df = [](double, std::span<const double> z, std::span<double> df) {
        std::ranges::fill(df, 0.0);
        const auto entry = [&](std::size_t row, std::size_t column) -> double& { return df[3 * column + row]; };
        entry(0, 2) = 1, entry(0, 6) = z[0], entry(0, 0) = z[6];
        entry(1, 5) = 1, entry(1, 6) = z[3], entry(1, 3) = z[6];
        entry(2, 0) = 2 * z[0], entry(2, 3) = 2 * z[3];
    };
    Functions F(s), M(pendulum_model());
    EXPECT_EQ(full(F.df_pattern(), F.df(0, point)), full(M.df_pattern(), M.df(0, point)));
    // one difference of linear functions: eps / h = 4e-11
    expect_near(full(F.d2f_pattern(), F.d2f(0, point, mu)), full(M.d2f_pattern(), M.d2f(0, point, mu)), 1e-9);
}

TEST(Callable, APatternSavesEvaluations) {
    // y_k' = y_(k-1) - 2 y_k^2 + y_(k+1): z = (y_1, y_1', y_2, y_2', ...)
    constexpr std::size_t n = 200;
    int n_calls = 0;
    CallableSystem s;
    s.name = "diffusion";
    std::vector<std::pair<std::int64_t, std::int64_t>> entries;
    for (std::size_t k = 0; k < n; ++k) {
        s.unknowns.push_back({fmt::format("y{}", k + 1), 1});
        const auto row = static_cast<std::int64_t>(k);
        if (k > 0) entries.emplace_back(row, 2 * (row - 1));
        entries.emplace_back(row, 2 * row);
        entries.emplace_back(row, 2 * row + 1);
        if (k + 1 < n) entries.emplace_back(row, 2 * (row + 1));
    }
    s.f = [&n_calls](double, std::span<const double> z, std::span<double> f) {
        ++n_calls;
        for (std::size_t k = 0; k < n; ++k)
            f[k] = z[2 * k + 1] - (k > 0 ? z[2 * k - 2] : 0) + 2 * z[2 * k] * z[2 * k] - (k + 1 < n ? z[2 * k + 2] : 0);
    };
    std::vector<double> z(2 * n), weights(n);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = std::sin(0.1 * static_cast<double>(k));
    for (std::size_t k = 0; k < n; ++k) weights[k] = 1 + 0.01 * static_cast<double>(k);
    Functions whole(s);
    const auto expected = full(whole.df_pattern(), whole.df(0, z));
    EXPECT_EQ(n_calls, 4 * static_cast<int>(n));

    s.pattern = SparsePattern::from_entries(n, 2 * n, entries);
    Functions F(s);
    n_calls = 0;
    expect_near(full(F.df_pattern(), F.df(0, z)), expected, 1e-12);
    EXPECT_LE(n_calls, 2 * 5); // neighbours in three groups, derivatives in one or two more
    n_calls = 0;
    const auto second = full(F.d2f_pattern(), F.d2f(0, z, weights));
    EXPECT_LE(n_calls, 2 * 8 * 2 * 5);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(second[2 * k * (2 * n) + 2 * k], 4 * weights[k], 1e-6);
}

TEST(Callable, ScaleSetsTheStep) {
    // f = exp(x/1e-6): a step of eps^(1/3) would be far too long
    CallableSystem s;
    s.unknowns = {{"x", 0}};
    s.f = [](double, std::span<const double> z, std::span<double> f) { f[0] = std::exp(z[0] / 1e-6); };
    s.scale = {1e-6};
    Functions F(s);
    EXPECT_NEAR(F.df(0, std::vector<double>{0.0})[0], 1e6, 1e6 * 1e-9); // h^2/6 relative: 6e-12, round-off 4e-11
}

TEST(Callable, ExceptionsPassThroughAndBadResultsAreNamed) {
    CallableSystem s = pendulum_system();
    s.f = [](double, std::span<const double>, std::span<double>) { throw std::logic_error("mine"); };
    EXPECT_EQ(message<std::logic_error>([&] { Functions(s).f(0, point); }), "mine");
    EXPECT_EQ(message<std::logic_error>([&] { Functions(s).df(0, point); }), "mine");
    s.f = [](double, std::span<const double>, std::span<double> f) { f[0] = f[1] = 1; };
    EXPECT_EQ(
        message<EvaluationFailed>([&] { Functions(s).f(0.5, point); }),
        "pendulum: equation 3 is not a number at t = 0.5, x = 0.6, x' = 0.3, x'' = -1.1, y = -0.8, y' = 0.2, y'' = "
        "0.7, …; it was not set, or has no value there");
    s.f = [](double, std::span<const double> z, std::span<double> f) {
        f[0] = f[1] = 1;
        f[2] = 1 / (z[0] - 0.6);
    };
    EXPECT_EQ(message<EvaluationFailed>([&] { Functions(s).f(0, point); }).substr(0, 34),
              "pendulum: equation 3 is infinite a");
    s.check_finite = false;
    EXPECT_TRUE(std::isinf(Functions(s).f(0, point)[2]));
    s = pendulum_system();
    s.df = [](double, std::span<const double>, std::span<double> df) { df[0] = 1; };
    EXPECT_EQ(message<EvaluationFailed>([&] { Functions(s).df(0, point); }).substr(0, 66),
              "pendulum: the derivative of equation 2 by x is not a number at t =");
}

TEST(Callable, DescriptionsThatMakeNoSense) {
    const auto wrong = [](auto change) {
        CallableSystem s = pendulum_system();
        change(s);
        return message<InvalidInput>([&] { Functions F(s); });
    };
    EXPECT_EQ(wrong([](auto& s) { s.f = nullptr; }), "pendulum: f is not set; it computes the residual: f(t, z, out)");
    EXPECT_EQ(wrong([](auto& s) { s.name = ""; }),
              "a callable system needs a name, but it is empty; messages carry it");
    EXPECT_EQ(wrong([](auto& s) { s.unknowns.clear(); }),
              "pendulum: it has no unknowns; set unknowns, for example {{\"x\", 1}}");
    EXPECT_EQ(wrong([](auto& s) { s.unknowns[1].name = "x"; }), "pendulum: the unknown 'x' is given twice");
    EXPECT_EQ(wrong([](auto& s) { s.unknowns[1].name = ""; }), "pendulum: the name of an unknown is empty");
    EXPECT_EQ(wrong([](auto& s) { s.unknowns[0].order = -1; }),
              "pendulum: the order of 'x' is -1, but it must be from 0 to 64");
    EXPECT_EQ(wrong([](auto& s) { s.n_equations = -2; }),
              "pendulum: n_equations = -2, but it must be >= 1 (or 0: as many as unknowns)");
    EXPECT_EQ(wrong([](auto& s) { s.scale = {1, 2}; }), "pendulum: scale has 2 elements, but there are 7 coordinates");
    EXPECT_EQ(wrong([](auto& s) { s.scale = {1, 1, 1, 0, 1, 1, 1}; }),
              "pendulum: the scale of y is 0, but it must be positive and finite");
    EXPECT_EQ(wrong([](auto& s) { s.pattern = SparsePattern::dense(2, 7); }),
              "pendulum: the pattern of df is 2 x 7, but there are 3 equations and 7 coordinates");
    EXPECT_EQ(
        wrong([](auto& s) {
            s.pattern = SparsePattern::dense(3, 7);
            std::swap(s.pattern->row[0], s.pattern->row[1]);
        }),
        "pendulum: the pattern of df is not in compressed columns with ascending rows; SparsePattern::from_entries "
        "makes it from rows and columns");
    EXPECT_EQ(message<InvalidInput>([] { SparsePattern::from_entries(2, 2, {{2, 0}}); }),
              "entry (2, 0) is outside of a pattern of 2 x 2; rows and columns count from 0");
    EXPECT_EQ(message<InvalidInput>([] { Functions(pendulum_system()).set_parameter("g", 1); }),
              "pendulum: there is no parameter 'g': a callable system keeps what it depends on itself");
    EXPECT_EQ(message<InvalidInput>([] { Functions(pendulum_system()).f(0, std::vector<double>(3)); }),
              "pendulum: z has 3 elements, but 7 are needed, one for each coordinate");
}

TEST(Callable, MoreEquationsThanUnknownsAreWelcome) {
    CallableSystem s = pendulum_system();
    s.n_equations = 4;
    s.f = [](double t, std::span<const double> z, std::span<double> f) {
        pendulum(t, z, f.first(3));
        f[3] = z[0] * z[1] + z[3] * z[4];
    };
    Functions F(s);
    EXPECT_EQ(F.n_equations(), 4);
    EXPECT_EQ(F.f(0, point).size(), 4U);
    EXPECT_EQ(F.df_pattern().rows, 4);
}

TEST(Differences, GroupsHaveNoRowInCommon) {
    const auto p = SparsePattern::from_entries(3, 5, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 4}});
    const auto groups = column_groups(p);
    EXPECT_EQ(groups, (std::vector<std::vector<std::int32_t>>{{0, 2}, {1, 4}})); // nothing depends on column 3
    EXPECT_EQ(column_groups(SparsePattern::dense(2, 3)).size(), 3U);
    const auto second = second_pattern(p, true);
    EXPECT_EQ(second.row, (std::vector<std::int32_t>{0, 1, 1, 2, 2, 4, 4}));
    EXPECT_EQ(second.column_start, (std::vector<std::int64_t>{0, 2, 4, 6, 6, 7}));
}

} // namespace callable_test
