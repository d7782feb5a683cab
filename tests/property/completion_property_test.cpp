// Completion on random systems: equations mixed, multiplied, repeated and differentiated are the same system, and no
// order in which equations and unknowns are written matters.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/completion.hpp"
#include "support/gallery.hpp"

namespace vessiot::completion_property_test {
namespace {

using test::Lines;
using test::solve_text;

std::size_t pick(std::mt19937_64& random, std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

double quarters(std::mt19937_64& random, int low, int high) {
    return 0.25 * std::uniform_int_distribution<int>(low, high)(random);
}

// A differential-algebraic system y' = f(t, y, z), 0 = g(t, y, z) with the solution y_j = s_j(t), z_k = r_k(t): each
// equation is h(y, z) - h(s, r) for a nonlinear h. `has_index_2`: g does not contain z, but f does.
struct Known {
    Lines lines;
    std::vector<std::string> residuals; // each = 0
    std::vector<std::string> names;
    std::vector<double> amplitude, frequency, phase;
    int n_differential = 0;
    bool has_index_2 = false;

    double at(std::size_t k, double t) const { return amplitude[k] * std::sin(frequency[k] * t + phase[k]); }
};

Known random_system(std::mt19937_64& random) {
    Known k;
    k.n_differential = static_cast<int>(2 + pick(random, 2));
    const auto n_algebraic = static_cast<int>(pick(random, 3)); // none: an ordinary differential equation
    k.has_index_2 = n_algebraic > 0 && pick(random, 2) == 0;
    const auto add_unknown = [&](const std::string& name) {
        k.names.push_back(name);
        k.amplitude.push_back(1 + quarters(random, 0, 2));
        k.frequency.push_back(quarters(random, 2, 5));
        k.phase.push_back(quarters(random, 0, 6));
        k.lines.before +=
            fmt::format("let s_{} = {}*sin({}*t + {})\n", name, k.amplitude.back(), k.frequency.back(), k.phase.back());
    };
    for (int j = 1; j <= k.n_differential; ++j) add_unknown(fmt::format("y{}", j));
    for (int j = 1; j <= n_algebraic; ++j) add_unknown(fmt::format("z{}", j));
    k.lines.unknowns = k.names;
    // h(unknowns) - h(solution)
    const auto same = [&](const std::string& form, const std::string& a, const std::string& b) {
        const auto put = [&](const std::string& x, const std::string& y) {
            return fmt::format(fmt::runtime(form), x, y);
        };
        return fmt::format("(({}) - ({}))", put(a, b), put("s_" + a, "s_" + b));
    };
    const std::vector<std::string> forms{"sin({0}*{1})", "{0}*{1}", "cos({0} + {1})", "{0}^2/(1 + {1}^2)"};
    for (int j = 1; j <= k.n_differential; ++j) {
        const std::string y = fmt::format("y{}", j), other = k.names[pick(random, k.names.size())];
        std::string f = fmt::format("{0}' - s_{0}' + {1}*{2}", y, quarters(random, -2, 2),
                                    same(forms[pick(random, forms.size())], y, other));
        if (j <= n_algebraic && k.has_index_2) f += " + " + same("{0} + {0}^3/20 + 0*{1}", fmt::format("z{}", j), y);
        k.residuals.push_back(f);
    }
    for (int j = 1; j <= n_algebraic; ++j) {
        const std::string y = fmt::format("y{}", j), z = fmt::format("z{}", j),
                          next = fmt::format("y{}", j % k.n_differential + 1);
        k.residuals.push_back(k.has_index_2 ? same("{0} + sin({1})/8", y, next)
                                            : same("{0} + {0}^3/10 + {1}", z, next));
    }
    std::string start;
    for (std::size_t j = 0; j < k.names.size(); ++j)
        start += fmt::format("{} {} = {:.17g}", j == 0 ? "start" : ",", k.names[j], k.at(j, 0));
    k.lines.after = start + "\nsolve t = 0 .. 1\n";
    return k;
}

// All equations, each a combination of several: R <- U R with an integer matrix of determinant 1.
std::vector<std::string> mixed(const Known& k, std::mt19937_64& random) {
    std::vector<std::string> lines;
    for (const auto& row : test::random_unimodular(random, static_cast<int>(k.residuals.size())).matrix) {
        std::string line;
        for (std::size_t j = 0; j < row.size(); ++j)
            if (row[j] != 0) line += fmt::format("{}({})*({})", line.empty() ? "" : " + ", row[j], k.residuals[j]);
        lines.push_back(line + " = 0");
    }
    return lines;
}

// The equations and some that follow from them: multiples, sums, derivatives.
std::vector<std::string> with_consequences(const Known& k, std::mt19937_64& random) {
    std::vector<std::string> lines;
    for (const std::string& r : k.residuals) lines.push_back(r + " = 0");
    const auto any = [&] { return k.residuals[pick(random, k.residuals.size())]; };
    lines.push_back(fmt::format("(1 + y1^2)*({}) = 0", any()));
    lines.push_back(fmt::format("{} - 2*({}) = 0", any(), any()));
    if (k.residuals.size() > static_cast<std::size_t>(k.n_differential))
        lines.push_back(fmt::format("der({}) = 0", k.residuals.back()));
    return lines;
}

Solution check(const Known& k, std::vector<std::string> equations, std::mt19937_64& random) {
    Lines lines = k.lines;
    lines.equations = std::move(equations);
    const std::string text = lines.shuffled(random).text();
    SCOPED_TRACE(text);
    const Solution s = solve_text(text);
    const int n_algebraic = static_cast<int>(k.names.size()) - k.n_differential;
    const int n_free = k.n_differential - (k.has_index_2 ? n_algebraic : 0);
    EXPECT_EQ(s.system.manifold_dimension, n_free + 1);
    // errors of a tolerance of 1e-12 grow by exp of at most 5 in the interval; start values are rounded
    for (std::size_t j = 0; j < k.names.size(); ++j)
        EXPECT_NEAR(s.column(k.names[j]).back(), k.at(j, 1), 1e-9) << k.names[j];
    return s;
}

constexpr int n_systems = 200;

TEST(CompletionOfRandomSystems, MixedEquationsAreTheSameSystem) {
    for (int seed = 0; seed < n_systems; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        const Known k = random_system(random);
        const Solution s = check(k, mixed(k, random), random);
        const bool has_algebraic = k.names.size() > static_cast<std::size_t>(k.n_differential);
        EXPECT_EQ(s.system.index, k.has_index_2 ? 2 : has_algebraic ? 1 : 0);
    }
}

TEST(CompletionOfRandomSystems, WhatFollowsMayBeWrittenToo) {
    for (int seed = 1000; seed < 1000 + n_systems; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        const Known k = random_system(random);
        check(k, with_consequences(k, random), random);
    }
}

// ---- orders of equations and unknowns ----

struct Named {
    std::string name;
    Lines lines;
};

std::vector<Named> systems() {
    const std::string pendulum_start = "start x = l, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n";
    return {
        {"pendulum with its derivatives",
         {.unknowns = {"x", "y", "lambda"},
          .equations = {"x'' = -lambda*x", "y'' = -lambda*y - g", "x^2 + y^2 = l^2", "x*x' + y*y' = 0",
                        "x'^2 + y'^2 - lambda*l^2 = g*y"},
          .before = "parameter g = 9.81, l = 1",
          .after = pendulum_start}},
        {"pendulum mixed",
         {.unknowns = {"x", "y", "lambda"},
          .equations = {"x'' + lambda*x + c = 0", "y'' + lambda*y + g - 2*c = 0",
                        "c + x'' + lambda*x + y'' + lambda*y + g = 0"},
          .before = "parameter g = 9.81, l = 1\nlet c = x^2 + y^2 - l^2",
          .after = pendulum_start}},
        {"four states, five equations",
         {.unknowns = {"x", "y", "vx", "vy"},
          .equations = {"vx' = -x", "vy' = -y", "x' = vx", "y' = vy", "x^2 + y^2 = 1"},
          .before = "",
          .after = "start x = 1, y = 0, vx = 0, vy = 1\nsolve t = 0 .. 1\n"}},
        {"rigid body with both invariants",
         {.unknowns = {"a", "b", "c"},
          .equations = {"a' = -b*c/2", "b' = a*c", "c' = -a*b/2", "a^2 + b^2 + c^2 = 1.25", "2*a^2 + b^2 = 0.5 + 0.25"},
          .before = "",
          .after = "start a = 0.5, b = 0.5, c = sqrt(3)/2\nsolve t = 0 .. 1\n"}},
        {"linear of index 3, mixed",
         {.unknowns = {"x", "y", "z"},
          .equations = {"F1 + F2 = 0", "F2 - F3 = 0", "F1 + F2 + F3 = 0"},
          .before = "let F1 = x + y' - sin(t)\nlet F2 = y + z' - cos(t)\nlet F3 = z - t^2",
          .after = "solve t = 0 .. 1\n"}},
    };
}

// Its summary, and the last value of each unknown.
struct Outcome {
    std::string summary;
    std::map<std::string, double> values;
};

Outcome outcome(const Lines& lines) {
    const Solution s = solve_text(lines.text());
    const SystemSummary& m = s.system;
    Outcome o{fmt::format("{}, order {}, index {}, {} hidden, {} degrees of freedom, dimension {}", m.system_class,
                          m.order, m.index, m.hidden_constraints, m.degrees_of_freedom, m.manifold_dimension),
              {}};
    for (const std::string& name : lines.unknowns) o.values[name] = s.column(name).back();
    return o;
}

TEST(OrderOfEquationsAndUnknowns, ChangesNothing) {
    for (const Named& system : systems()) {
        SCOPED_TRACE(system.name);
        const Outcome expected = outcome(system.lines);
        std::mt19937_64 random(7);
        for (int k = 0; k < 12; ++k) {
            const Lines other = system.lines.shuffled(random);
            SCOPED_TRACE(other.text());
            const Outcome found = outcome(other);
            EXPECT_EQ(found.summary, expected.summary);
            for (const auto& [name, value] : expected.values) EXPECT_NEAR(found.values.at(name), value, 1e-9) << name;
        }
    }
}

} // namespace
} // namespace vessiot::completion_property_test
