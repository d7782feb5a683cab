// A problem that was solved before, with whatever numbers, gives the bits of a fresh solve: over the gallery, with
// methods of all families, other parameters, start values and intervals in between.
#include <gtest/gtest.h>

#include <cstring>

#include "core/error.hpp"
#include "method/registry.hpp"
#include "solve/options/options.hpp"
#include "solve/problem/problem.hpp"
#include "solve/problem/solve.hpp"
#include "support/gallery.hpp"

namespace vessiot::problem_property_test {
namespace {

// All of a solution that does not depend on the clock.
std::string difference(const Solution& a, const Solution& b) {
    const auto has_bits_of = [](const std::vector<double>& x, const std::vector<double>& y) {
        return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
    };
    if (a.message != b.message) return a.message + " | " + b.message;
    if (!has_bits_of(a.t, b.t)) return "t";
    if (!has_bits_of(a.s, b.s)) return "s";
    if (!has_bits_of(a.numbers, b.numbers)) return "values";
    if (!has_bits_of(a.output_numbers, b.output_numbers)) return "outputs";
    if (!has_bits_of(a.sensitivities, b.sensitivities)) return "sensitivities";
    if (a.notes != b.notes) return "notes: " + (a.notes.empty() ? "" : a.notes.back());
    if (a.method.name != b.method.name || a.method.choice != b.method.choice) return "method";
    if (a.constraint_residual_max != b.constraint_residual_max) return "residual";
    if (a.events.size() != b.events.size()) return "events";
    std::string counts;
    std::vector<std::int64_t> of_a;
    visit_counts(a.stats, [&](const char*, std::int64_t n) { of_a.push_back(n); });
    std::size_t k = 0;
    visit_counts(b.stats, [&](const char* name, std::int64_t n) {
        if (n != of_a[k++]) counts += std::string(name) + " ";
    });
    if (!counts.empty()) return counts;
    if (!a.curve != !b.curve) return "curve";
    if (a.curve && a.t.size() > 1) {
        const double end = a.s.empty() ? a.t.back() : a.s.back(), begin = a.s.empty() ? a.t.front() : 0;
        for (const double part : {0.13, 0.77})
            if (!has_bits_of(a(begin + part * (end - begin)), b(begin + part * (end - begin)))) return "curve at";
    }
    return "";
}

// An interval of which little work is asked.
SolveOptions short_options(const System& system, const std::string& method) {
    SolveOptions o = with_model_options(system, {});
    o.method = method;
    o.rtol = 1e-4;
    o.atol = 1e-7;
    o.backend = "interpreter";
    o.throw_on_failure = false;
    o.max_steps = 60;
    return o;
}

Solution fresh(const System& system, const SolveOptions& options) {
    return solve_system(system, options);
}

// A parameter that a solve may change, if there is one: its number.
std::optional<std::size_t> free_parameter(const System& system) {
    for (std::size_t p = 0; p < system.parameters.size(); ++p)
        if (!system.parameters[p].is_structural && system.parameters[p].formula.empty()) return p;
    return std::nullopt;
}

void expect_same(const std::string& name, const System& system, const SolveOptions& options) {
    std::optional<Solution> expected;
    std::string refusal;
    try {
        expected = fresh(system, options);
    } catch (const InvalidInput& e) {
        refusal = e.what();
    }
    const auto core = std::make_shared<ProblemCore>(system, options);
    const auto compare = [&](const std::string& when) {
        SCOPED_TRACE(name + ", " + *options.method + ", " + when);
        try {
            const Solution found = core->solve(RunOptions{});
            ASSERT_TRUE(expected) << "refused before: " << refusal;
            EXPECT_EQ(difference(*expected, found), "");
        } catch (const InvalidInput& e) {
            EXPECT_EQ(refusal, e.what());
        }
    };
    compare("first");
    if (!expected) return;
    compare("again");
    const auto parameter = free_parameter(system);
    if (!parameter) return;
    RunOptions other;
    other.throw_on_failure = false;
    std::vector<double> values;
    for (const Quad v : system.parameters[*parameter].values) values.push_back(1.03 * static_cast<double>(v) + 0.01);
    other.parameters = {{system.parameters[*parameter].name, values}};
    const System changed = core->with_parameters(other);
    std::optional<Solution> expected_other;
    try {
        expected_other = fresh(changed, options);
    } catch (const InvalidInput& e) {
        refusal = e.what();
    }
    {
        SCOPED_TRACE(name + ", " + *options.method + ", other " + other.parameters[0].first);
        try {
            const Solution found = core->solve(other);
            ASSERT_TRUE(expected_other) << "refused before: " << refusal;
            EXPECT_EQ(difference(*expected_other, found), "");
        } catch (const InvalidInput& e) {
            ASSERT_FALSE(expected_other) << e.what();
            EXPECT_EQ(refusal, e.what());
        }
    }
    compare("after other parameters");
}

TEST(ProblemProperty, EveryGalleryModelGivesTheBitsOfAFreshSolve) {
    for (const std::string& name : test::gallery_names())
        for (const char* const method : {"auto", "radau5"}) {
            const System system = test::gallery_system(name);
            expect_same(name, system, short_options(system, method));
        }
}

TEST(ProblemProperty, EveryMethodGivesTheBitsOfAFreshSolve) {
    for (const char* const name : {"pendulum", "kepler", "magnus_so3", "euler_top", "hairer_index2", "robertson"}) {
        const System system = test::gallery_system(name);
        for (const method::MethodInfo& m : method::methods()) {
            SolveOptions o = short_options(system, std::string(m.name));
            o.max_steps = 25;
            try {
                ProblemCore(system, o).solve();
            } catch (const InvalidInput&) { // it wants constant steps, or does not fit
                o.step = 0.01;
                o.to = 0.2;
            }
            expect_same(name, system, o);
        }
    }
}

TEST(ProblemProperty, EveryProjectionGivesTheBitsOfAFreshSolve) {
    const System system = test::gallery_system("four_bar");
    for (const std::string_view projection : projection_table().words()) {
        SolveOptions o = short_options(system, "dopri54");
        o.projection = projection;
        expect_same("four_bar", system, o);
    }
}

} // namespace
} // namespace vessiot::problem_property_test
